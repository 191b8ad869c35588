use purple_port::untrusted::Untrusted;

fn main() {
    let said: Untrusted<String> = "the token is hunter2".into();
    let _ = format!("{said}");
    let _ = said.to_string();
    let _: &str = &said;
    let _: String = said.into();
}
