//! No operation without an order, and no order by default, by copying or from data.

use purple_process::{Arguments, Check, Effect, Operation, Order, StepId, ToolName};

fn without(step: StepId, tool: ToolName, arguments: Arguments) -> Operation {
    Operation::new(step, tool, Effect::Write, arguments, Check::Unverifiable)
}

fn by_default() -> Order {
    Order::default()
}

fn by_copying(order: &Order) -> Order {
    order.clone()
}

fn from_another(operation: &Operation) -> Order {
    *operation.order()
}

fn exchanged(mut operation: Operation, other: Operation) -> Operation {
    operation.order = other.order;
    operation
}

fn from_data(text: &str) -> Option<Order> {
    serde_json::from_str(text).ok()
}

fn main() {}
