//! What goes wrong between a provider and its caller.

use super::raw::{Act, answer, chunk, chunked};
use super::speech::{Heard, Said, Speech};

/// One thing that goes wrong with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A refusal with this status, and how many seconds to wait if it says so.
    Refuse {
        /// The status.
        status: u16,
        /// The value of `Retry-After`.
        retry_after: Option<u32>,
    },
    /// Nothing comes at all.
    Silence,
    /// The answer begins and never goes on.
    Stall,
    /// The stream ends in the middle of the first words or arguments.
    CutInPiece,
    /// The stream ends between two pieces, after everything but its end was said.
    CutBeforeEnd,
    /// A page for people.
    Html,
    /// No body.
    Empty,
    /// Bytes that are no text.
    NotUtf8,
    /// This many bytes too many.
    Huge(usize),
    /// JSON that is nested this deep.
    Deep(usize),
    /// JSON of another form.
    WrongSchema,
    /// Status 200, and an error in the body.
    ErrorInside,
}

/// What the server does in place of an answer.
pub(super) fn act(trouble: &Trouble, speech: Speech, heard: &Heard, said: &Said<'_>) -> Act {
    let kind = speech.content_type(heard.is_streamed);
    let header = format!("content-type: {kind}\r\n");
    let ok = |body: &str| Act::Say(answer("200 OK", &header, body));
    match trouble {
        Trouble::Refuse { status, retry_after } => {
            let wait = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n")).unwrap_or_default();
            Act::Say(answer(&format!("{status} Refused"), &wait, &speech.error("refused", "not now")))
        }
        Trouble::Silence => Act::Stall(Vec::new()),
        Trouble::Stall => Act::Stall(begun(speech, heard, said)),
        Trouble::CutInPiece => Act::Say(begun(speech, heard, said)),
        Trouble::CutBeforeEnd => {
            let mut pieces = body(speech, heard, said);
            let last = pieces.pop().unwrap_or_default();
            let (most, _) = last.split_at(last.len() / 2);
            pieces.push(most.to_owned());
            let chunks = pieces.iter().filter(|piece| !piece.is_empty()).map(|piece| chunk(piece));
            Act::Say([chunked(kind)].into_iter().chain(chunks).flatten().collect())
        }
        Trouble::Html => {
            let page = "<!doctype html><title>502 Bad Gateway</title>";
            Act::Say(answer("200 OK", "content-type: text/html\r\n", page))
        }
        Trouble::Empty => ok(""),
        Trouble::NotUtf8 => {
            let mut bytes = answer("200 OK", &header, &body(speech, heard, said).concat());
            if let Some(at) = bytes.iter().rposition(|byte| *byte == b'"') {
                bytes[at] = 0xff;
            }
            Act::Say(bytes)
        }
        Trouble::Huge(bytes) => {
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{header}\r\n");
            Act::Flood(head.into_bytes(), *bytes)
        }
        Trouble::Deep(depth) => {
            ok(&framed(speech, heard, &format!("{}{}", "[".repeat(*depth), "]".repeat(*depth))))
        }
        Trouble::WrongSchema => ok(&framed(speech, heard, r#"{"words":"hello","end":true}"#)),
        Trouble::ErrorInside => ok(&framed(speech, heard, &speech.error("overloaded", "not now"))),
    }
}

/// A document as this delivery carries it.
fn framed(speech: Speech, heard: &Heard, document: &str) -> String {
    match (speech, heard.is_streamed) {
        (Speech::Anthropic | Speech::OpenAi, true) => format!("data: {document}\n\n"),
        (Speech::Ollama, true) => format!("{document}\n"),
        (Speech::Anthropic | Speech::OpenAi | Speech::Ollama, false) => document.to_owned(),
    }
}

fn body(speech: Speech, heard: &Heard, said: &Said<'_>) -> Vec<String> {
    if heard.is_streamed { speech.pieces(heard, said) } else { vec![speech.whole(heard, said)] }
}

/// The answer up to the middle of a piece in its middle.
fn begun(speech: Speech, heard: &Heard, said: &Said<'_>) -> Vec<u8> {
    let pieces = body(speech, heard, said);
    let whole = pieces.concat();
    let middle = pieces.len() / 2;
    let before: usize = pieces.iter().take(middle).map(String::len).sum();
    let mut at = before + pieces.get(middle).map_or(0, |piece| piece.len() / 2);
    while !whole.is_char_boundary(at) {
        at -= 1;
    }
    [chunked(speech.content_type(heard.is_streamed)), chunk(&whole[..at])].concat()
}
