use purple_journal::record::run;

fn main() {
    let _ = run::Stopped { why: "the password is hunter2!".to_owned() };
    let _ = run::Stopped { why: "the password is hunter2!".into() };
}
