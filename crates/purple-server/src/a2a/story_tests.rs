//! What a journal is read as: rounds, words beside them, and turns that were interrupted.

use purple_journal::record::run::{Answered, StateEntered};
use purple_journal::word::EventName;
use purple_port::{Entry, State};
use purple_testkit::records;

use super::*;

/// The story of these records.
fn story(records: &[Record]) -> Story {
    let mut story = Story::default();
    for (record, seq) in records.iter().zip(1..) {
        let hash = Digest::of(b"entry");
        let entry = Entry { at: Timestamp::UNIX_EPOCH, record: record.clone() };
        let session = SessionId::parse("c").unwrap();
        story.take(&Recorded { session, seq, prev: hash, hash, entry });
    }
    story
}

fn began(attempt: u32) -> Record {
    Began { attempt, ..records::began(EventName::Start) }.into()
}

fn said(id: &str) -> Record {
    Received { message: Some(Redacted::of(id)), ..records::received("ada", id) }.into()
}

fn entered(round: u32) -> Record {
    let round = records::round(round);
    StateEntered { round, ..records::entered(State::Complete, State::Decompose) }.into()
}

fn answered(round: u32) -> Record {
    Answered { round: records::round(round), ..records::answered() }.into()
}

fn ended(round: u32) -> Record {
    run::Ended { round: records::round(round), ..records::ended(Some(Ending::Done)) }.into()
}

fn over() -> Record {
    records::turn_ended().into()
}

fn place(story: &Story, id: &str) -> Option<Place> {
    let heard = story.find(&Name { by: "ada".to_owned(), id: id.to_owned() })?;
    story.place(heard)
}

#[test]
fn words_belong_to_the_round_in_which_their_turn_ends() {
    let told = story(&[began(0), said("a"), entered(1), ended(1), over(), began(0), said("b")]);
    assert_eq!(place(&told, "a"), Some(Place::Round(1)));
    // Whether it begins a round cannot be told yet.
    assert_eq!(place(&told, "b"), None);
    let told = story(&[began(0), said("a"), entered(1), ended(1), over(), began(0), said("b"), entered(2)]);
    assert_eq!(place(&told, "b"), Some(Place::Round(2)));
    let run = SessionId::parse("c").unwrap();
    assert_eq!(told.task_id(&run, &Place::Round(1)), "c~1");
    assert!(told.task_id(&run, &Place::Round(2)).starts_with("c~m"));
    assert_eq!(told.task_id(&run, &Place::Round(3)), "c~3");
}

#[test]
fn words_at_a_gate_join_their_round_or_begin_another() {
    let asked = [began(0), said("a"), entered(1), answered(1), over()];
    let answered = story(&[&asked[..], &[began(0), said("b"), entered(1), over()]].concat());
    assert_eq!(place(&answered, "b"), Some(Place::Round(1)));
    let other = story(&[&asked[..], &[began(0), said("b"), entered(2), over()]].concat());
    assert_eq!((place(&other, "b"), place(&other, "a")), (Some(Place::Round(2)), Some(Place::Round(1))));
    assert!(other.ended(1).is_none(), "another one took its place");
}

#[test]
fn a_remark_after_the_end_is_beside_the_round_and_does_not_end_it_again() {
    let remark = answered(1);
    let told =
        story(&[began(0), said("a"), entered(1), ended(1), over(), began(0), said("b"), remark, over()]);
    assert_eq!(place(&told, "b"), Some(Place::Aside(7)));
    assert_eq!(told.ended(1).map(|ended| ended.seq), Some(4));
}

#[test]
fn a_turn_that_was_interrupted_is_read_as_it_was_run_in_the_end() {
    let first = [began(0), said("a"), entered(1), ended(1), over()];
    let cut = [began(0), said("b"), entered(2)];
    let again = [began(1), said("b"), entered(2), ended(2), over()];
    let told = story(&[&first[..], &cut[..], &again[..]].concat());
    assert_eq!(told.heard.len(), 2, "each message is heard once");
    assert_eq!(place(&told, "b"), Some(Place::Round(2)));
    // And where the second attempt finds that it is only a remark.
    let remark = [began(1), said("b"), answered(1), over()];
    let told = story(&[&first[..], &cut[..], &remark[..]].concat());
    assert_eq!(place(&told, "b"), Some(Place::Aside(10)));
}
