use super::*;

const FOUND: [Found; 5] = [Found::Equal, Found::Unchanged, Found::Different, Found::Blind, Found::Untold];
const REPLIES: [Reply; 5] = [Reply::Ok, Reply::Error, Reply::NotNow, Reply::Asks, Reply::Unknown];
const RESENDS: [Resend; 4] = [Resend::ByKey, Resend::Again, Resend::Spent, Resend::Never];
const SOON: Duration = Duration::from_millis(250);
const LONG: Duration = Duration::from_secs(60);
const WINDOWS: [Window; 3] = [Window::Open(SOON), Window::Long(LONG), Window::Over];

fn all() -> Vec<(Found, Reply, Window, Resend, Then)> {
    let mut rows = Vec::new();
    for found in FOUND {
        for reply in REPLIES {
            for window in WINDOWS {
                for resend in RESENDS {
                    rows.push((found, reply, window, resend, ruled(found, reply, window, resend)));
                }
            }
        }
    }
    assert_eq!(rows.len(), 5 * 5 * 3 * 4);
    rows
}

#[test]
fn the_whole_table_is_as_it_was_read() {
    let mut table = String::new();
    for (found, reply, window, resend, then) in all() {
        let window = match window {
            Window::Open(_) => "open",
            Window::Long(_) => "long",
            Window::Over => "over",
        };
        table.push_str(&format!(
            "{:<9} {:<7} {window:<4} {:<5} {then:?}\n",
            format!("{found:?}"),
            format!("{reply:?}"),
            format!("{resend:?}")
        ));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn verified_is_said_only_of_what_was_seen_as_it_should_be() {
    for (found, reply, window, resend, then) in all() {
        let verified = then == Then::Settled(Outcome::Verified);
        assert_eq!(verified, found == Found::Equal, "{found:?} {reply:?} {window:?} {resend:?}");
    }
}

#[test]
fn a_resend_needs_a_reply_that_tells_nothing_no_trace_a_closed_window_and_a_key_that_is_good() {
    for (found, reply, window, resend, then) in all() {
        // What nothing can read back never has a trace.
        let expected = matches!(found, Found::Unchanged | Found::Untold)
            && !matches!(window, Window::Open(_))
            && match resend {
                Resend::ByKey => reply == Reply::Unknown,
                // Nothing but what is seen tells of the first sending.
                Resend::Again if found == Found::Untold => reply != Reply::Ok,
                Resend::Again => !matches!(reply, Reply::Ok | Reply::Error),
                Resend::Spent | Resend::Never => false,
            };
        assert_eq!(then == Then::Resend, expected, "{found:?} {reply:?} {window:?} {resend:?}");
    }
}

#[test]
fn nothing_is_started_anew_unless_the_tool_said_not_now_and_there_is_no_trace() {
    for (found, reply, window, resend, then) in all() {
        if then == Then::PutOff {
            assert!(matches!(found, Found::Unchanged | Found::Untold), "{found:?} {window:?}");
            assert_eq!(reply, Reply::NotNow);
            assert!(!matches!(resend, Resend::Again | Resend::Spent));
        }
    }
}

#[test]
fn a_mismatch_is_never_said_while_the_window_is_open() {
    for (found, reply, window, _, then) in all() {
        if then == Then::Settled(Outcome::Mismatch) {
            assert!(!matches!(window, Window::Open(_)), "{found:?} {reply:?}");
            assert!(matches!(found, Found::Different | Found::Unchanged));
        }
    }
}

#[test]
fn what_cannot_be_seen_is_never_settled_and_an_unknown_reply_is_never_called_done_or_not_done_unseen() {
    for (found, reply, window, resend, then) in all() {
        if found == Found::Blind {
            assert!(matches!(then, Then::Look(_) | Then::Doubt(_)), "{reply:?} {window:?} {then:?}");
        }
        let settled = matches!(then, Then::Settled(_));
        if reply == Reply::Unknown && settled {
            assert!(matches!(found, Found::Equal | Found::Different), "{found:?} {window:?} {resend:?}");
        }
        // An error to the second sending says nothing about the first.
        if found == Found::Untold && resend == Resend::Spent && reply != Reply::Ok {
            assert_eq!(then, Then::Doubt(None), "{reply:?} {window:?}");
        }
        // No trace after the tool said done is not "not done": it may still come.
        if reply == Reply::Ok {
            assert_ne!(then, Then::Settled(Outcome::Absent), "{found:?} {window:?}");
        }
    }
}

#[test]
fn the_window_goes_from_the_short_looks_over_the_long_ones_to_its_end() {
    let within = [1, 2].map(Duration::from_millis);
    let later = [60].map(Duration::from_secs);
    let seen: Vec<Window> = (0..5).map(|looks| window(looks, &within, &later)).collect();
    let expected = [
        Window::Open(within[0]),
        Window::Open(within[1]),
        Window::Long(later[0]),
        Window::Over,
        Window::Over,
    ];
    assert_eq!(seen, expected);
    assert_eq!(window(0, &[], &[]), Window::Over);
    assert_eq!(window(u32::MAX, &within, &later), Window::Over);
}

#[test]
fn a_person_is_asked_for_the_tool_only_where_nothing_shows_that_it_acted() {
    for (found, reply, window, resend, then) in all() {
        let quiet = matches!(found, Found::Unchanged | Found::Untold);
        let expected = quiet && reply == Reply::Asks && !matches!(resend, Resend::Again | Resend::Spent);
        assert_eq!(then == Then::Ask, expected, "{found:?} {reply:?} {window:?} {resend:?}");
    }
}

#[test]
fn where_a_key_or_a_read_back_exists_nothing_stays_in_doubt_after_the_last_look() {
    for (found, reply, window, resend, then) in all() {
        let can_tell = matches!(found, Found::Equal | Found::Unchanged | Found::Different);
        let has_key = matches!(resend, Resend::ByKey | Resend::Again) && found == Found::Untold;
        if window == Window::Over && (can_tell || has_key) {
            assert!(!matches!(then, Then::Doubt(_)), "{found:?} {reply:?} {resend:?} {then:?}");
        }
    }
}

#[test]
fn what_is_seen_unchanged_is_no_doubt_once_the_window_is_no_longer_open() {
    for (found, reply, window, resend, then) in all() {
        if found != Found::Unchanged {
            continue;
        }
        let what = format!("{reply:?} {window:?} {resend:?} {then:?}");
        assert!(!matches!(then, Then::Doubt(_)), "{what}");
        let is_late = matches!(window, Window::Open(_));
        match reply {
            // A slow system is given its window; then it did not do what it said.
            Reply::Ok if !is_late => assert_eq!(then, Then::Settled(Outcome::Mismatch), "{what}"),
            Reply::Unknown if !is_late => assert!(matches!(then, Then::Offer | Then::Resend), "{what}"),
            Reply::Ok | Reply::Unknown => assert!(matches!(then, Then::Look(_)), "{what}"),
            Reply::Error | Reply::NotNow | Reply::Asks => {}
        }
    }
}

#[test]
fn what_is_sent_again_and_again_is_sent_more_and_more_seldom() {
    let waits: Vec<Duration> = (0..40).map(back_off).collect();
    assert_eq!(waits[..3], [Duration::ZERO, Duration::ZERO, Duration::from_millis(500)]);
    assert!(waits.is_sorted() && waits[39] < Duration::from_secs(600), "{waits:?}");
}
