use std::collections::VecDeque;

use purple_port::{Message, Purpose, Sampling};

use super::*;

#[derive(Default)]
struct HandClock(Mutex<i64>);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(*self.0.lock().unwrap()).unwrap()
    }
}

/// Answers by a script, then always with its name, and counts.
struct Scripted {
    name: &'static str,
    errors: Mutex<VecDeque<ModelError>>,
    asked: Mutex<u32>,
}

impl Scripted {
    fn new(name: &'static str, errors: Vec<ModelError>) -> Arc<Self> {
        Arc::new(Self { name, errors: Mutex::new(errors.into()), asked: Mutex::new(0) })
    }

    fn asked(&self) -> u32 {
        *self.asked.lock().unwrap()
    }
}

impl Model for Scripted {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        *self.asked.lock().unwrap() += 1;
        let answer = match self.errors.lock().unwrap().pop_front() {
            Some(error) => Err(error),
            None => Ok(ModelReply::text(self.name)),
        };
        Box::pin(std::future::ready(answer))
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Execute,
        messages: vec![Message::user("x")],
        tools: Vec::new(),
        output_schema: None,
        sampling: Sampling::default(),
        output_tokens_max: 1,
    }
}

fn refused(status: u16) -> ModelError {
    ModelError::Refused { model: "m".to_owned(), status, problem: "no".to_owned(), retry_after_s: None }
}

fn unreadable() -> ModelError {
    ModelError::Unreadable { model: "m".to_owned(), problem: "garbage".to_owned() }
}

fn down() -> Vec<ModelError> {
    let model = || "m".to_owned();
    vec![
        refused(503),
        refused(401),
        ModelError::TimedOut { model: model(), limit_ms: 1 },
        ModelError::Unreachable { model: model(), problem: "refused".to_owned() },
    ]
}

fn own(model: &Arc<Scripted>) -> Models {
    Models {
        fast: model.clone(),
        fast_name: "quick".to_owned(),
        strong: model.clone(),
        strong_name: "careful".to_owned(),
    }
}

#[tokio::test]
async fn the_delegate_answers_while_it_can_and_the_record_says_so() {
    let (first, behind) = (Scripted::new("first", vec![]), Scripted::new("own", vec![]));
    let models = delegated(first.clone(), "brainos", Some(own(&behind)), Arc::new(HandClock::default()));
    assert_eq!((&*models.fast_name, &*models.strong_name), ("brainos, else quick", "brainos, else careful"));
    let reply = models.strong.complete(&request()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.model.as_deref()), ("first", Some("brainos")));
    assert_eq!((first.asked(), behind.asked()), (1, 0));
}

#[tokio::test]
async fn our_own_model_answers_the_same_question_where_the_delegate_is_down_and_it_rests_for_both_tiers() {
    for error in down() {
        let (first, behind) = (Scripted::new("first", vec![error.clone()]), Scripted::new("own", vec![]));
        let clock = Arc::new(HandClock::default());
        let models = delegated(first.clone(), "brainos", Some(own(&behind)), clock.clone());
        let reply = models.fast.complete(&request()).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.model.as_deref()), ("own", Some("quick")), "{error}");
        let reply = models.strong.complete(&request()).await.unwrap();
        assert_eq!((reply.model.as_deref(), first.asked()), (Some("careful"), 1), "it rests: {error}");
        *clock.0.lock().unwrap() = i64::try_from(DELEGATE_REST_S).unwrap();
        assert_eq!(models.fast.complete(&request()).await.unwrap().text, "first", "it is asked again");
    }
}

#[tokio::test]
async fn one_answer_that_cannot_be_used_is_no_reason_to_rest() {
    for error in [unreadable(), refused(400)] {
        let (first, behind) = (Scripted::new("first", vec![error]), Scripted::new("own", vec![]));
        let models = delegated(first.clone(), "brainos", Some(own(&behind)), Arc::new(HandClock::default()));
        assert_eq!(models.fast.complete(&request()).await.unwrap().text, "own");
        assert_eq!(models.fast.complete(&request()).await.unwrap().text, "first");
    }
}

#[tokio::test]
async fn without_a_model_of_our_own_there_is_none_and_the_delegate_is_asked_every_time() {
    let first = Scripted::new("first", vec![refused(503)]);
    let models = delegated(first.clone(), "brainos", None, Arc::new(HandClock::default()));
    let error = models.fast.complete(&request()).await.unwrap_err();
    assert!(matches!(&error, ModelError::NoModel { problem } if problem.contains("503")), "{error:?}");
    assert_eq!(models.fast.complete(&request()).await.unwrap().model.as_deref(), Some("brainos"));
}
