//! Cuts a stream of bytes into events: server-sent events, or one JSON a line. Pure.

use crate::limits::FRAME_BYTES_MAX;
use crate::wire::BadAnswer;

/// How events are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `data:` lines, ended by an empty line.
    ServerSentEvents,
    /// A line is an event.
    Lines,
}

/// Bytes that were read and are no event yet.
#[derive(Debug)]
pub(crate) struct Frames {
    framing: Framing,
    line: Vec<u8>,
    data: Option<String>,
}

impl Frames {
    pub(crate) const fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), data: None }
    }

    /// Takes the next bytes, wherever they were cut, and gives the events that are complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, BadAnswer> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = rest.split_at(end);
            self.extend(head)?;
            rest = tail.get(1..).unwrap_or_default();
            let line = std::mem::take(&mut self.line);
            events.extend(self.end_line(&line)?);
        }
        self.extend(rest)?;
        Ok(events)
    }

    /// The last line of a stream of lines, which need not be ended. An event that was not ended is none.
    pub(crate) fn end(mut self) -> Result<Option<String>, BadAnswer> {
        match self.framing {
            Framing::ServerSentEvents => Ok(None),
            Framing::Lines => {
                let line = std::mem::take(&mut self.line);
                self.end_line(&line)
            }
        }
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), BadAnswer> {
        let held = self.line.len().saturating_add(self.data.as_ref().map_or(0, String::len));
        if held.saturating_add(bytes.len()) > FRAME_BYTES_MAX {
            return Err(BadAnswer::TooLarge { bytes_max: FRAME_BYTES_MAX });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, line: &[u8]) -> Result<Option<String>, BadAnswer> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line =
            std::str::from_utf8(line).map_err(|error| BadAnswer::NotUtf8 { at: error.valid_up_to() })?;
        match self.framing {
            Framing::Lines => Ok((!line.trim().is_empty()).then(|| line.to_owned())),
            Framing::ServerSentEvents if line.is_empty() => Ok(self.data.take()),
            Framing::ServerSentEvents => {
                let value = match line.split_once(':') {
                    Some(("data", value)) => Some(value.strip_prefix(' ').unwrap_or(value)),
                    // Comments, names, ids, and whatever is added later.
                    Some(_) => None,
                    None => (line == "data").then_some(""),
                };
                if let Some(value) = value {
                    match &mut self.data {
                        Some(data) => {
                            data.push('\n');
                            data.push_str(value);
                        }
                        None => self.data = Some(value.to_owned()),
                    }
                }
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EVENTS: &str =
        ": hello\r\nevent: a\ndata: {\"ä\":\ndata:1}\n\nid: 7\n\ndata\r\n\r\ndata:  x\n\ndata: not ended\n";

    fn cut_at(text: &str, framing: Framing, chunk: usize) -> Vec<String> {
        let mut frames = Frames::new(framing);
        let mut events: Vec<String> =
            text.as_bytes().chunks(chunk).flat_map(|bytes| frames.push(bytes).unwrap()).collect();
        events.extend(frames.end().unwrap());
        events
    }

    #[test]
    fn events_are_the_same_wherever_the_bytes_were_cut() {
        for chunk in 1..=EVENTS.len() {
            assert_eq!(cut_at(EVENTS, Framing::ServerSentEvents, chunk), ["{\"ä\":\n1}", "", " x"]);
            assert_eq!(
                cut_at("{\"a\":1}\r\n\n{\"b\":2}\nrest", Framing::Lines, chunk),
                ["{\"a\":1}", "{\"b\":2}", "rest"]
            );
        }
    }

    #[test]
    fn an_event_without_an_end_is_bounded() {
        let too_large = Err(BadAnswer::TooLarge { bytes_max: FRAME_BYTES_MAX });
        let long = vec![b'x'; FRAME_BYTES_MAX + 1];
        assert_eq!(Frames::new(Framing::Lines).push(&long), too_large);
        let line = [b"data: ".as_slice(), &vec![b'x'; FRAME_BYTES_MAX / 2], b"\n"].concat();
        let mut frames = Frames::new(Framing::ServerSentEvents);
        assert_eq!(frames.push(&line), Ok(vec![]));
        assert_eq!(frames.push(&line), too_large);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let refused = Frames::new(Framing::Lines).push(b"ab\xff\n");
        assert_eq!(refused, Err(BadAnswer::NotUtf8 { at: 2 }));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), chunk in 1_usize..20) {
            for framing in [Framing::ServerSentEvents, Framing::Lines] {
                let mut frames = Frames::new(framing);
                let pushed: Result<Vec<_>, _> = bytes.chunks(chunk).map(|part| frames.push(part)).collect();
                prop_assert!(pushed.is_err() || frames.end().is_ok() || bytes.iter().any(|byte| !byte.is_ascii()));
            }
        }
    }
}
