//! Holds a machine as a constant table of moves and refuses every move that is not listed.
//!
//! Pure and generic: the loop's own table is in `states.rs`, and any other machine may use this one.

use std::fmt;

/// One legal move, and in a few words when it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move<S> {
    /// The state that is left.
    pub from: S,
    /// The state that is entered.
    pub to: S,
    /// When the move is taken, for people.
    pub when: &'static str,
}

/// All legal moves of one machine. What is not in it is illegal.
///
/// ```
/// use agent_runtime::machine::{Move, Table};
///
/// static DOOR: Table<&str> = Table::new(
///     "open",
///     &["open", "shut", "gone"],
///     &[
///         Move { from: "open", to: "shut", when: "pushed" },
///         Move { from: "shut", to: "open", when: "pulled" },
///         Move { from: "open", to: "gone", when: "unhinged" },
///     ],
/// );
///
/// assert!(DOOR.check("open", "shut").is_ok());
/// let refusal = DOOR.check("shut", "gone").unwrap_err();
/// assert_eq!(refusal.to_string(), "illegal move from shut to gone: only open may follow shut");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Table<S: 'static> {
    start: S,
    states: &'static [S],
    moves: &'static [Move<S>],
}

impl<S> Table<S> {
    /// Makes a table; meant for a constant.
    pub const fn new(start: S, states: &'static [S], moves: &'static [Move<S>]) -> Self {
        Self { start, states, moves }
    }

    /// Every state, in reading order.
    pub const fn states(&self) -> &'static [S] {
        self.states
    }

    /// Every move, in reading order.
    pub const fn moves(&self) -> &'static [Move<S>] {
        self.moves
    }
}

impl<S: Copy + Eq> Table<S> {
    /// The state in which every walk begins.
    pub const fn start(&self) -> S {
        self.start
    }

    /// The states that may follow `from` at once.
    pub fn next(&self, from: S) -> impl Iterator<Item = S> + use<S> {
        self.moves.iter().filter(move |row| row.from == from).map(|row| row.to)
    }

    /// Whether no move leaves `state`.
    pub fn is_terminal(&self, state: S) -> bool {
        self.next(state).next().is_none()
    }

    /// Answers one move. The refusal names both states and the reason.
    pub fn check(&self, from: S, to: S) -> Result<(), IllegalMove<S>> {
        if self.next(from).any(|next| next == to) {
            return Ok(());
        }
        Err(IllegalMove { from, to, allowed: self.next(from).collect() })
    }

    /// Checks that `path` begins where the machine begins and takes only legal moves.
    ///
    /// A wrong beginning is refused as a move from the start to it.
    pub fn check_path(&self, path: &[S]) -> Result<(), IllegalMove<S>> {
        if let Some(first) = path.first()
            && *first != self.start
        {
            return Err(IllegalMove {
                from: self.start,
                to: *first,
                allowed: self.next(self.start).collect(),
            });
        }
        path.windows(2).try_for_each(|pair| match pair {
            [from, to] => self.check(*from, *to),
            _ => Ok(()),
        })
    }

    /// The states that some walk from `from` reaches, `from` itself first.
    pub fn reachable(&self, from: S) -> Vec<S> {
        let mut found = vec![from];
        let mut read = 0;
        while let Some(state) = found.get(read).copied() {
            read += 1;
            for next in self.next(state) {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
        }
        found
    }
}

/// A move that the table does not list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalMove<S> {
    from: S,
    to: S,
    allowed: Vec<S>,
}

impl<S: Copy> IllegalMove<S> {
    /// The state that was to be left.
    pub fn from(&self) -> S {
        self.from
    }

    /// The state that was to be entered.
    pub fn to(&self) -> S {
        self.to
    }

    /// The states that may follow instead; none, if the state is terminal.
    pub fn allowed(&self) -> &[S] {
        &self.allowed
    }
}

impl<S: fmt::Display> fmt::Display for IllegalMove<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, allowed } = self;
        write!(f, "illegal move from {from} to {to}: ")?;
        let Some((last, others)) = allowed.split_last() else {
            return write!(f, "{from} is terminal");
        };
        write!(f, "only ")?;
        for (nth, state) in others.iter().enumerate() {
            write!(f, "{}{state}", if nth == 0 { "" } else { ", " })?;
        }
        write!(f, "{}{last} may follow {from}", if others.is_empty() { "" } else { " or " })
    }
}

impl<S: fmt::Display + fmt::Debug> std::error::Error for IllegalMove<S> {}
