//! Struct literals. They stand alone: the compiler judges privacy of fields last, and any other error hides it.

use purple_process::{Operation, Order, StepId};

fn operation(other: Operation, step: StepId) -> Operation {
    Operation { step, ..other }
}

fn order() -> Order {
    Order { 0: unimplemented!() }
}

fn main() {}
