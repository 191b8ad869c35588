//! Reads the texts of data folders: journal entries, blobs and checkpoints, in whichever form they are stored.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

use crate::form_1;
use crate::method::{DICTIONARY_2, Failed, Method as _, TEXT_BYTES_MAX, Zstd};

/// The store packs nothing shorter.
const TEXT_BYTES_MIN: usize = 128;

const QUERIES: [&str; 3] = [
    "SELECT CAST(entry AS BLOB), packed FROM journal ORDER BY id",
    "SELECT bytes, packed FROM blobs ORDER BY id",
    "SELECT CAST(body AS BLOB), packed FROM checkpoints ORDER BY session",
];

/// The texts of these folders that form 1 packs: all methods get the same ones.
pub fn read(folders: &[&str]) -> Result<Vec<Vec<u8>>, Failed> {
    let mut texts = Vec::new();
    for folder in folders {
        let path = Path::new(folder).join("purple.db");
        let database = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        for query in QUERIES {
            read_table(&database, query, &mut texts)?;
        }
    }
    Ok(texts)
}

fn read_table(database: &Connection, query: &str, texts: &mut Vec<Vec<u8>>) -> Result<(), Failed> {
    let encoder = EncoderDictionary::copy(DICTIONARY_2, 1);
    let decoder = DecoderDictionary::copy(DICTIONARY_2);
    let mut form_2 = Zstd::new(&encoder, &decoder)?;
    let mut statement = database.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let packed: Option<Vec<u8>> = row.get(1)?;
        let text = match packed {
            None => row.get(0)?,
            Some(packed) if packed.first() == Some(&1) => {
                form_1::unpack(&packed, TEXT_BYTES_MAX).ok_or("a text of form 1 that cannot be read")?
            }
            Some(packed) => form_2.unpack(&packed)?,
        };
        if (TEXT_BYTES_MIN..=TEXT_BYTES_MAX).contains(&text.len()) && form_1::pack(&text).is_some() {
            texts.push(text);
        }
    }
    Ok(())
}
