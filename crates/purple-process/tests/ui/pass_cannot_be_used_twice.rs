use purple_process::Pass;

fn use_up(_: Pass) {}

fn twice(value: Pass) {
    use_up(value);
    use_up(value);
}

fn main() {}
