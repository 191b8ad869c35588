//! One task, two models, one budget.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::{Arc, Mutex};

use purple_model::{Budget, Stakes, TaskModels, Tier};
use purple_worker::port::{
    BoxFuture, Message, Model, ModelError, ModelReply, ModelRequest, Purpose, Sampling, Usage,
};

/// Says its name, costs what it is told to, and notes the output limits that it was given.
struct Named(&'static str, u64, Mutex<Vec<u32>>);

impl Model for Named {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.2.lock().unwrap().push(request.output_tokens_max);
        let usage = Usage { input_tokens: 0, output_tokens: self.1, cached_tokens: None };
        Box::pin(std::future::ready(Ok(ModelReply::text(self.0).costing(usage))))
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Execute,
        messages: vec![Message::user("go")],
        tools: Vec::new(),
        output_schema: None,
        sampling: Sampling::default(),
        output_tokens_max: 500,
    }
}

#[tokio::test]
async fn a_task_moves_to_the_fast_tier_and_then_stops() {
    let fast = Arc::new(Named("fast", 8, Mutex::default()));
    let strong = Arc::new(Named("strong", 81, Mutex::default()));
    let models = TaskModels::new(fast.clone(), strong.clone(), Budget::new(100));
    let (ordinary, writes) =
        (models.asking(Tier::Strong, Stakes::Ordinary), models.asking(Tier::Strong, Stakes::Writes));
    let answer = async |model: &dyn Model| model.complete(&request()).await.map(|reply| reply.text);
    assert_eq!(answer(&ordinary).await.as_deref(), Ok("strong"));
    assert_eq!(models.budget().spent(), 81);
    assert_eq!(answer(&ordinary).await.as_deref(), Ok("fast"));
    assert_eq!(answer(&writes).await.as_deref(), Ok("strong"));
    let problem = "the task has spent 170 tokens, and its budget is used up".to_owned();
    assert_eq!(answer(&writes).await, Err(ModelError::NoModel { problem }));
    // No call may write more than was left.
    assert_eq!((fast.2.lock().unwrap().clone(), strong.2.lock().unwrap().clone()), (vec![19], vec![100, 11]));
}
