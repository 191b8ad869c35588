use super::*;

struct Always(u64);

impl Dice for Always {
    fn below(&self, _bound: u64) -> u64 {
        self.0
    }
}

fn refused(status: u16, retry_after: Option<u64>) -> Fault {
    let retry_after = retry_after.map(Duration::from_millis);
    Fault::Refused { status, problem: String::new(), retry_after }
}

fn waits(fault: &Fault, total_ms: u64, dice: &dyn Dice) -> Vec<u64> {
    let mut backoff = Backoff::new(Retries::default(), Duration::from_millis(total_ms));
    let waits: Vec<u64> = std::iter::from_fn(|| backoff.next(fault, dice)).map(millis).collect();
    assert_eq!(usize::try_from(backoff.tried()).unwrap(), waits.len());
    waits
}

#[test]
fn waits_double_and_the_dice_add_up_to_as_much_again() {
    assert_eq!(waits(&refused(503, None), 600_000, &Always(0)), [250, 500, 1_000, 2_000]);
    assert_eq!(waits(&refused(429, None), 600_000, &Always(u64::MAX)), [500, 1_000, 2_000, 4_000]);
    let mut patient =
        Backoff::new(Retries { retries_max: 200, ..Retries::default() }, Duration::from_secs(1_000_000));
    let longest = std::iter::from_fn(|| patient.next(&refused(500, None), &Always(u64::MAX))).max();
    assert_eq!((longest, patient.tried()), (Some(Duration::from_secs(30)), 200));
}

#[test]
fn a_wait_that_was_asked_for_is_kept() {
    assert_eq!(waits(&refused(429, Some(7_000)), 30_000, &Always(100)), [7_100, 7_100, 7_100, 7_100]);
    assert_eq!(waits(&refused(429, Some(7_000)), 30_000, &Always(9_999)), [7_250, 7_500, 8_000]);
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    assert_eq!(waits(&refused(429, Some(3_600_000)), 120_000, &Always(0)), [0_u64; 0]);
    assert_eq!(waits(&refused(503, None), 800, &Always(0)), [250, 500]);
}

#[test]
fn only_what_may_pass_is_tried_again() {
    let timed_out = |limit| Fault::TimedOut { limit, limit_ms: 1 };
    let error =
        |kind: &str| Fault::Unreadable(BadAnswer::Error { kind: kind.to_owned(), message: String::new() });
    let passing = [
        refused(429, None),
        refused(500, None),
        refused(502, None),
        refused(529, None),
        Fault::Unreachable { problem: String::new() },
        timed_out(Limit::Connect),
        Fault::Unreadable(BadAnswer::Cut),
        error("overloaded_error"),
    ];
    let lasting = [
        refused(400, None),
        refused(401, Some(1)),
        refused(302, None),
        timed_out(Limit::FirstByte),
        timed_out(Limit::Idle),
        timed_out(Limit::Total),
        Fault::Unreadable(BadAnswer::Html),
        Fault::Unreadable(BadAnswer::Empty),
        error("invalid_request_error"),
        Fault::NotSent(crate::wire::BadRequest::NothingToSay),
    ];
    assert!(passing.iter().all(is_passing));
    assert!(!lasting.iter().any(is_passing));
}

#[test]
fn retry_after_is_read_in_all_its_forms() {
    let headers = |pairs: &[(&'static str, &str)]| {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (reqwest::header::HeaderName::from_static(name), value.parse().unwrap()));
        retry_after(&HeaderMap::from_iter(pairs)).map(millis)
    };
    let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(headers(&[("retry-after", "7")]), Some(7_000));
    assert_eq!(headers(&[("retry-after-ms", "70"), ("retry-after", "7")]), Some(70));
    assert_eq!(headers(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), date]), Some(30_000));
    assert_eq!(headers(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), date]), Some(0));
    assert_eq!(headers(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")]), None);
    assert_eq!(headers(&[("retry-after", "soon")]), None);
    assert_eq!(headers(&[("retry-after", "-1")]), None);
    assert_eq!(headers(&[]), None);
}
