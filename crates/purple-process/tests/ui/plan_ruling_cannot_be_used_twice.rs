use purple_process::PlanRuling;

fn use_up(_: PlanRuling) {}

fn twice(value: PlanRuling) {
    use_up(value);
    use_up(value);
}

fn main() {}
