//! Compares ways to pack the texts that the store writes. See README.md.

mod form_1;
mod method;
mod texts;

use std::process::ExitCode;
use std::time::Instant;

use method::{DICTIONARY_2, Failed, Folded, Form1, Lz4, Method, Zstd};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 15;
const LEVELS: [i32; 2] = [1, 3];
const USAGE: &str =
    "usage: bench-pack train FILE FOLDER...\n       bench-pack compare TRAINING_FOLDER... -- FOLDER...";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["train", file, folders @ ..] if !folders.is_empty() => write_dictionary(file, folders),
        ["compare", folders @ ..] => match folders.iter().position(|word| *word == "--") {
            Some(place) => compare(&folders[..place], &folders[place + 1..]),
            None => Err(USAGE.into()),
        },
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn train(texts: &[Vec<u8>]) -> Result<Vec<u8>, Failed> {
    Ok(zstd::dict::from_samples(texts, DICTIONARY_2.len())?)
}

fn write_dictionary(file: &str, folders: &[&str]) -> Result<(), Failed> {
    let dictionary = train(&texts::read(folders)?)?;
    std::fs::write(file, &dictionary)?;
    println!("{} bytes in {file}", dictionary.len());
    Ok(())
}

/// A dictionary, and whether the texts it was made for are folded.
struct Dictionary {
    name: &'static str,
    bytes: Vec<u8>,
    folded: bool,
}

fn compare(training: &[&str], folders: &[&str]) -> Result<(), Failed> {
    let samples = texts::read(training)?;
    let folded: Vec<Vec<u8>> = samples
        .iter()
        .map(|text| Ok(form_1::fold(std::str::from_utf8(text)?)))
        .collect::<Result<_, Failed>>()?;
    let words = || form_1::WORDS.to_vec();
    let dictionaries = [
        Dictionary { name: "words_1.txt", bytes: words(), folded: true },
        Dictionary { name: "words_1.txt", bytes: words(), folded: false },
        Dictionary { name: "trained", bytes: train(&folded)?, folded: true },
        Dictionary { name: "trained", bytes: train(&samples)?, folded: false },
        Dictionary { name: "as shipped", bytes: DICTIONARY_2.to_vec(), folded: false },
    ];
    for folder in folders {
        let texts = texts::read(&[folder])?;
        let raw: usize = texts.iter().map(Vec::len).sum();
        println!("\n`{folder}`: {} texts, {raw} bytes\n", texts.len());
        println!("| method | dictionary | digests | stored | of form 1 | ns/pack | ns/unpack |");
        println!("|---|---|---|---:|---:|---:|---:|");
        compare_on(&texts, &dictionaries)?;
    }
    Ok(())
}

fn compare_on(texts: &[Vec<u8>], dictionaries: &[Dictionary]) -> Result<(), Failed> {
    let before = measure(&mut Form1, texts)?;
    before.print("form 1", "words_1.txt", true, &before);
    for Dictionary { name, bytes, folded } in dictionaries {
        let figures = measure_either(Lz4 { dictionary: bytes }, *folded, texts)?;
        figures.print("lz4_flex", name, *folded, &before);
        for level in LEVELS {
            let (encoder, decoder) = (EncoderDictionary::copy(bytes, level), DecoderDictionary::copy(bytes));
            let figures = measure_either(Zstd::new(&encoder, &decoder)?, *folded, texts)?;
            figures.print(&format!("zstd {level}"), name, *folded, &before);
        }
    }
    Ok(())
}

struct Figures {
    stored: usize,
    pack_ns: f64,
    unpack_ns: f64,
}

impl Figures {
    fn print(&self, method: &str, dictionary: &str, folded: bool, before: &Self) {
        let digests = if folded { "folded" } else { "as text" };
        let share = 100.0 * self.stored as f64 / before.stored as f64;
        let Self { stored, pack_ns, unpack_ns } = self;
        println!(
            "| {method} | {dictionary} | {digests} | {stored} | {share:.0} % | {pack_ns:.0} | {unpack_ns:.0} |"
        );
    }
}

fn measure_either<M: Method>(method: M, folded: bool, texts: &[Vec<u8>]) -> Result<Figures, Failed> {
    if folded { measure(&mut Folded(method), texts) } else { measure(&mut { method }, texts) }
}

/// The best of several rounds over all texts: other work on the machine only adds to a time.
fn measure(method: &mut impl Method, texts: &[Vec<u8>]) -> Result<Figures, Failed> {
    let mut figures = Figures { stored: 0, pack_ns: f64::MAX, unpack_ns: f64::MAX };
    let per_text = |began: Instant| began.elapsed().as_nanos() as f64 / texts.len() as f64;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let packed: Vec<Vec<u8>> = texts.iter().map(|text| method.pack(text)).collect::<Result<_, _>>()?;
        figures.pack_ns = figures.pack_ns.min(per_text(began));
        let began = Instant::now();
        let unpacked: Vec<Vec<u8>> = packed.iter().map(|it| method.unpack(it)).collect::<Result<_, _>>()?;
        figures.unpack_ns = figures.unpack_ns.min(per_text(began));
        if unpacked != texts {
            return Err("a text was not unpacked to itself".into());
        }
        figures.stored = texts.iter().zip(&packed).map(|(text, packed)| stored(text, packed)).sum();
    }
    Ok(figures)
}

/// As the store does: a text that saves less than an eighth is stored as it is.
fn stored(text: &[u8], packed: &[u8]) -> usize {
    if packed.len() < text.len() - text.len() / 8 { packed.len() } else { text.len() }
}
