//! The configuration without a process around it.

use jiff::civil::date;
use purple_process::file::Span;
use purple_process::{Directory, PersonId, Role};
use purple_worker::port::Directory as _;

use super::key::{KEYS, Kind};
use super::secret::SecretRef;
use super::*;

fn load(text: &str) -> Result<Config, Refused> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("purple.toml");
    std::fs::write(&file, text).unwrap();
    Config::load(&Environment::of(folder.path(), []), &Files::Only(file), &Vec::new())
}

fn messages(text: &str) -> Vec<String> {
    let refused = load(text).unwrap_err();
    refused
        .problems
        .iter()
        .map(|one| format!("{}: {} ({})", one.code.as_str(), one.message, one.help))
        .collect()
}

#[test]
fn every_default_fits_its_own_key() {
    let mut defaults = 0;
    for key in KEYS {
        if let Some(default) = key.default {
            defaults += 1;
            assert!(value::of_text(key.kind, default).is_ok(), "{}", key.path);
        }
        assert!(!key.says.is_empty() && !key.kind.expected().is_empty(), "{}", key.path);
    }
    assert!(defaults > 10);
}

#[test]
fn no_two_keys_share_a_path_or_a_variable() {
    let mut paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
    let mut variables: Vec<String> = KEYS.iter().filter_map(|key| key.variable()).collect();
    variables.extend(KEYS.iter().flat_map(|key| key.variables).map(|name| (*name).to_owned()));
    let counts = (paths.len(), variables.len());
    paths.sort_unstable();
    paths.dedup();
    variables.sort();
    variables.dedup();
    assert_eq!((paths.len(), variables.len()), counts);
}

#[test]
fn a_whole_file_means_what_it_says() {
    let config = load(
        r#"
currency = "EUR"
timezone = "UTC"
[approvals]
mode = "always"
unattended = true
own_requests = true
within = "3 days"
channel_tools = ["confirm_with_user"]
[levels]
manager = "ap_lead"
cfo = "controller"
[people.kim]
roles = ["ap_lead"]
limit = "10000 EUR"
[tools.erp.archive_document]
effect = "write"
key = "argument:request_id"
[servers.erp]
command = "erp-mcp"
args = ["--stdio"]
env = { LEVEL = "debug", TOKEN = "env:ERP" }
trusted = true
[servers.web]
url = "https://tools.example.com/mcp"
era = "2026"
[tools_endpoints]
allow = ["https://Tools.example.com/some/path"]
default = "http://localhost:9009/x"
[limits]
tool_timeout_s = 3
"#,
    );
    let settings = config.unwrap().settings;
    assert_eq!((settings.currency.code(), settings.mode.name()), ("EUR", "always"));
    assert_eq!(settings.attendance, purple_process::Attendance::Unattended);
    assert_eq!(settings.own_requests, purple_process::OwnRequests::Allowed);
    assert_eq!(settings.within, Span::parse("3 days").unwrap());
    assert_eq!(settings.levels.len(), 2);
    assert_eq!(settings.people.holders(&Role::parse("ap_lead").unwrap()), 1);
    assert_eq!(settings.allowed_origins, ["http://localhost:9009", "https://tools.example.com"]);
    assert_eq!(settings.tool_timeout, std::time::Duration::from_secs(3));
    let tool = settings.tools.values().next().unwrap();
    assert_eq!(tool.effect, Some(purple_process::Effect::Write));
    assert_eq!(tool.key, Some(purple_worker::port::KeyPlace::Argument("request_id".to_owned())));
    let ServerAt::Command { program, arguments, environment } = &settings.servers["erp"].at else {
        panic!("the server is a program")
    };
    assert_eq!((program.as_str(), arguments.len()), ("erp-mcp", 1));
    assert_eq!(environment["LEVEL"], Ok("debug".to_owned()));
    assert_eq!(environment["TOKEN"], Err(SecretRef::Variable("ERP".to_owned())));
}

#[test]
fn a_substitute_stands_in_on_their_days_and_on_no_other() {
    let text = "[people.kim]\nroles = [\"cfo\"]\nsubstitutes = [{ person = \"sam\", from = 2026-03-01, until = 2026-03-14 }]\n[people.sam]\nroles = []\n";
    let people = load(text).unwrap().settings.people;
    let stands_in = |day| {
        let Directory::People(all) = people.on(day) else { panic!("there are people") };
        !all[&PersonId::parse("sam").unwrap()].stands_in_for.is_empty()
    };
    let days = [date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 14), date(2026, 3, 15)];
    assert_eq!(days.map(stands_in), [false, true, true, false]);
}

#[test]
fn without_people_whoever_sits_at_the_keyboard_holds_every_role() {
    assert_eq!(load("").unwrap().settings.people.on(date(2026, 3, 1)), Directory::Keyboard);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (text, expected) in [
        (
            "[people.lea]\nroles = []\n[people.Lea]\nroles = []\n",
            "config.bad_value: `lea` cannot be told apart from `lea`",
        ),
        (
            "[people.bob]\nroles = []\n[people.b0b]\nroles = []\n",
            "config.bad_value: `bob` cannot be told apart from `b0b`",
        ),
        ("[people.\"l\u{435}a\"]\nroles = []\n", "config.bad_value: `l\u{435}a`"),
        (
            "[people.bob]\naccount = \"x\"\n[people.ada]\naccount = \"x\"\n",
            "config.bad_value: `bob` and `ada` have the same account",
        ),
        (
            "[servers.erp]\ntrusted = true\n",
            "config.incomplete: server `erp` has neither `command` nor `url`",
        ),
        (
            "[servers.erp]\nurl = \"http://x\"\nclient_secret = \"env:X\"\nclient_id = \"purple\"\n",
            "config.incomplete: the secret of server `erp` is of no use without `issuer`",
        ),
        (
            "[servers.erp]\nurl = \"http://x\"\nclient_secret = \"hunter2\"\n",
            "config.inline_secret: a secret does not belong into this file",
        ),
        (
            "[servers.erp]\nurl = \"http://x\"\ngrant = \"client\"\nclient_id = \"purple\"\n",
            "config.incomplete: the client of server `erp` cannot agree for itself without a secret",
        ),
        ("[servers.erp]\ncommand = \"x\"\nurl = \"http://x\"\n", "config.incomplete: server `erp` has both"),
        (
            "[people.kim]\nsubstitutes = [{ person = \"sma\", from = 2026-03-01, until = 2026-03-02 }]\n[people.sam]\nroles = []\n",
            "config.unknown_person: `sma` stands in for `kim` and is nobody here (did you mean `sam`?)",
        ),
        (
            "[people.kim]\nsubstitutes = [{ person = \"kim\", from = 2026-03-02, until = 2026-03-01 }]\n",
            "config.wrong_shape: this is a time that ends before it begins",
        ),
        ("[people.kim]\nlimit = 10000.50\n", "config.wrong_shape: this is a number with a fraction"),
        (
            "[people.kim]\nlimit = \"10000.505 EUR\"\n",
            "config.bad_value: `10000.505 EUR` cannot be used here",
        ),
        ("[serve]\nport = 65536\n", "config.bad_value: `65536` cannot be used here"),
        ("[approvals]\nwithin = \"soon\"\n", "config.bad_value: `soon` cannot be used here"),
        ("[tools_endpoints]\nallow = [\"ftp://x\"]\n", "config.bad_value: `ftp://x` cannot be used here"),
        (
            "mode = \"always\"\n",
            "config.unknown_key: there is no setting `mode` at the top (`mode` belongs into `[approvals]`",
        ),
        ("calendar = \"mars\"\n", "config.bad_value: `mars` cannot be used here"),
        ("approvals = \"always\"\n", "config.wrong_shape: `approvals` is a section, not a value"),
        ("timezone = \"Mars/Olympus\"\n", "config.bad_value: `Mars/Olympus` cannot be used here"),
    ] {
        let all = messages(text);
        assert!(all.iter().any(|one| one.starts_with(expected)), "{text}: {all:?}");
    }
}

#[test]
fn a_secret_is_fetched_from_where_it_is_and_cannot_be_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key"), "from-file\n").unwrap();
    let environment = Environment::of(folder.path(), [("KEY", "from-env")]);
    let fetched = |text: &str| SecretRef::parse(text).unwrap().resolve(&environment).unwrap();
    assert_eq!(fetched("env:KEY").expose(), "from-env");
    assert_eq!(fetched("file:key").expose(), "from-file");
    assert_eq!(fetched("cmd:echo from-program").expose(), "from-program");
    assert_eq!(format!("{:?}", fetched("env:KEY")), "Secret(…)");
    let missing = SecretRef::parse("env:NOPE").unwrap().resolve(&environment).unwrap_err();
    assert_eq!(missing.to_string(), "the variable `NOPE` is not set");
    assert_eq!(SecretRef::parse("sk-12345"), None);
    assert_eq!(SecretRef::parse("env:"), None);
    assert_eq!(SecretRef::parse("cmd:pass show sk-12345").unwrap().to_string(), "cmd:pass");
}

#[test]
fn an_origin_has_no_path_and_no_stranger_in_it() {
    for (url, origin) in [
        ("https://Tools.Example.com/a?b", Some("https://tools.example.com")),
        ("http://localhost:9009", Some("http://localhost:9009")),
        ("http://[::1]:80/", Some("http://[::1]:80")),
        ("https://good.example@evil.example", None),
        ("ftp://x", None),
        ("https://", None),
        ("http://:80", None),
        ("tools.example.com", None),
    ] {
        assert_eq!(value::origin_of(url).as_deref(), origin, "{url}");
    }
}

#[test]
fn places_count_lines_and_characters_from_one() {
    let text = "a\nbäc = 1";
    assert_eq!(Mark::of(text, 0), Mark { line: 1, column: 1 });
    assert_eq!(Mark::of(text, text.find("c =").unwrap()), Mark { line: 2, column: 3 });
    assert_eq!(Mark::of(text, 9_999), Mark { line: 2, column: 8 });
}

#[test]
fn kinds_that_are_lists_read_commas() {
    let words = value::of_text(Kind::Words, "a, b,,c").unwrap();
    assert_eq!(words, Value::List(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]));
}

#[test]
fn a_time_to_wait_is_written_in_words_in_short_or_as_iso_8601() {
    let within = |text: &str| {
        let config = load(&format!("calendar = \"us_federal\"\n[approvals]\nwithin = \"{text}\"\n"));
        config.map(|config| config.settings.within.to_string())
    };
    for (text, means) in [
        ("2 business days", "2 business days"),
        ("4 hours", "4 hours"),
        ("4h", "4 hours"),
        ("PT4H", "4 hours"),
        ("P2D", "2 days"),
        ("1w", "1 week"),
        ("PT1H30M", "90 minutes"),
        ("1h 30m", "90 minutes"),
    ] {
        assert_eq!(within(text).unwrap(), means, "{text}");
    }
    for text in ["", "0h", "-4h", "4", "1 month", "P1Y", "PT30S", "PT1H30S", "1001h", "P9999999W", "two days"]
    {
        let refused = within(text).unwrap_err().problems;
        assert_eq!(refused.len(), 1, "{text}");
        assert!(refused[0].help.contains("`PT4H`"), "{text}: {}", refused[0].help);
    }
}
