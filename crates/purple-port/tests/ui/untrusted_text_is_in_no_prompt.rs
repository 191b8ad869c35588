use agent_runtime::model::{Message, ToolDefinition};
use purple_port::untrusted::Untrusted;

fn main() {
    let said: Untrusted<String> = "the token is hunter2".into();
    let _ = Message::user(said.clone());
    let _ = Message::Tool { call_id: "1".into(), tool: "t".into(), content: said.clone(), is_error: true };
    let _ = ToolDefinition::new("get_note", said);
}
