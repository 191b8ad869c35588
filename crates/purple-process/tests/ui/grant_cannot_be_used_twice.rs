use purple_process::Grant;

fn use_up(_: Grant) {}

fn twice(value: Grant) {
    use_up(value);
    use_up(value);
}

fn main() {}
