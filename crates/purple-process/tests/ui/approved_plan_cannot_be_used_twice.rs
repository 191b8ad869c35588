use purple_process::ApprovedPlan;

fn use_up(_: ApprovedPlan) {}

fn twice(value: ApprovedPlan) {
    use_up(value);
    use_up(value);
}

fn main() {}
