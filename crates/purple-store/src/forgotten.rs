//! What was forgotten, as digests: a seed that still holds it does not bring it back, and nobody can read it here.

use purple_port::{Check, DefinitionKind, Digest, Fact, PastCase, Scored};
use rusqlite::{Connection, ToSql};

use crate::learning::fold;

/// What sets the parts of an identity apart; no name holds it.
const APART: &str = "\u{1f}";

/// A table of what was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Cases,
    Scores,
    Knowledge,
    Checks,
}

impl Table {
    /// Its name, and the columns that say which row it is.
    const fn parts(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Cases => ("cases", &["session", "round"]),
            Self::Scores => ("scores", &["session", "round"]),
            Self::Knowledge => {
                // Whichever run told it last: the same fact of an earlier one is forgotten with it.
                ("knowledge", &["kind", "folded", "domain", "field", "value"])
            }
            Self::Checks => ("checks", &["session", "round", "figure"]),
        }
    }

    /// Deletes rows, and keeps of each that it was forgotten. Answers how many they were.
    pub(crate) fn delete(
        self,
        db: &Connection,
        which: &str,
        with: &[&dyn ToSql],
    ) -> Result<u64, rusqlite::Error> {
        let (name, columns) = self.parts();
        let identity = columns.join(" || char(31) || ");
        let sql = format!("DELETE FROM {name} WHERE {which} RETURNING {identity}");
        let gone: Vec<String> = db
            .prepare_cached(&sql)?
            .query_map(with, |row| row.get(0))?
            .collect::<Result<_, rusqlite::Error>>()?;
        for identity in &gone {
            note(db, &digest(name, identity))?;
        }
        Ok(gone.len() as u64)
    }

    fn row(self, values: &[&str]) -> Digest {
        digest(self.parts().0, &values.join(APART))
    }
}

pub(crate) fn case(case: &PastCase) -> Digest {
    Table::Cases.row(&[case.session.as_str(), &case.round.to_string()])
}

pub(crate) fn score(score: &Scored) -> Digest {
    Table::Scores.row(&[score.session.as_str(), &score.round.to_string()])
}

pub(crate) fn fact(fact: &Fact) -> Digest {
    let folded = fold(&fact.entity.name);
    Table::Knowledge.row(&[&fact.entity.kind, &folded, &fact.domain, &fact.field, &fact.value])
}

pub(crate) fn check(check: &Check) -> Digest {
    Table::Checks.row(&[check.session.as_str(), &check.round.to_string(), &check.figure])
}

/// A process or a function.
pub(crate) fn definition(kind: DefinitionKind, name: &str) -> Digest {
    digest(kind.word(), name)
}

/// Keeps that something was forgotten.
pub(crate) fn note(db: &Connection, what: &Digest) -> Result<(), rusqlite::Error> {
    db.prepare_cached("INSERT INTO forgotten (what) VALUES (?1) ON CONFLICT (what) DO NOTHING")?
        .execute([what.as_bytes().as_slice()])?;
    Ok(())
}

/// Whether something was.
pub(crate) fn is(db: &Connection, what: &Digest) -> Result<bool, rusqlite::Error> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM forgotten WHERE what = ?1)")?
        .query_row([what.as_bytes().as_slice()], |found| found.get(0))
}

fn digest(of: &str, identity: &str) -> Digest {
    Digest::of(format!("{of}{APART}{identity}").as_bytes())
}
