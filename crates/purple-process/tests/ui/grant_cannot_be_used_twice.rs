use purple_process::Grant;

fn use_up(_: Grant<'_>) {}

fn twice(value: Grant<'_>) {
    use_up(value);
    use_up(value);
}

fn main() {}
