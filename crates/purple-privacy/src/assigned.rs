//! Finds the values of fields that are named like a secret, in whatever form a text writes them: JSON, YAML, XML, an
//! address, a header, a command line.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Match, Regex};

use crate::fields::{Named, is_mask, named};
use crate::form::{BUSINESS_ID, has_digit_and_letter, is_placeholder, trimmed};
use crate::pattern::pattern;

/// The fewest letters of a value that stands unquoted after a colon.
const BARE_CHARS_MIN: usize = 8;

/// The values in a folded text.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // Each form has a sign of its own, without which it is not looked for.
    let has = |sign: &[char]| text.contains(sign);
    let assigns = has(&['=', ':']);
    if assigns && has(&['"', '\'']) {
        found.extend(QUOTED_NAME.captures_iter(text).filter_map(|parts| quoted(&parts)));
    }
    if assigns {
        found.extend(named_values(text));
        found.extend(values(text, &SIGNATURE));
        found.extend(values(text, &COOKIE));
    }
    if text.contains(":\n") {
        found.extend(ITEMS.captures_iter(text).filter_map(|parts| items(&parts)));
    }
    if text.contains("--") {
        found.extend(OPTION.captures_iter(text).filter_map(|parts| option(&parts)));
    }
    if text.contains(" -") {
        found.extend([&COMMAND, &COMMAND_APART, &CURL].into_iter().flat_map(|pattern| values(text, pattern)));
    }
    if text.contains('<') {
        found.extend(in_elements(text));
        found.extend(PAIR.captures_iter(text).filter_map(|parts| pair(&parts)));
    }
    found
}

fn values(text: &str, pattern: &'static Regex) -> impl Iterator<Item = Range<usize>> {
    let values = pattern.captures_iter(text).filter_map(|parts| parts.name("v"));
    values.filter(|value| !is_open(value.as_str())).map(|value| value.range())
}

fn pair(parts: &Captures<'_>) -> Option<Range<usize>> {
    let value = parts.name("v").or_else(|| parts.name("w")).or_else(|| parts.name("x"))?;
    let name = parts.name("k").or_else(|| parts.name("l"))?;
    (is_secret(name.as_str()) && !is_open(value.as_str())).then(|| value.range())
}

fn is_secret(name: &str) -> bool {
    named(name) == Named::Credential
}

/// Whether a value says nothing: nothing there, a mask, a place where a secret would be.
fn is_open(value: &str) -> bool {
    const CONSTANTS: &[&str] =
        &["null", "none", "nil", "true", "false", "yes", "no", "undefined", "n/a", "string", "str"];
    let value = value.trim();
    value.is_empty()
        || is_mask(value)
        || value.starts_with('[') && value.ends_with(']') && !value.contains(['"', '\''])
        || is_placeholder(value)
        || CONSTANTS.iter().any(|constant| value.eq_ignore_ascii_case(constant))
}

/// `"api_key": "…"`, `'pin' => 1234`, `"recovery_codes": ["…", "…"]`. A quote inside the value is followed by no sign of
/// an end.
static QUOTED_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)["'](?P<k>[^"'\\\n]+)["'] \s*(?:=>|:=|[:=])\s*
            (?: "(?P<a>(?:[^"\\]|\\.|"[^",;:\]})>\s])*)(?:"|\\?$) | '(?P<b>(?:[^'\\]|\\.)*)'
              | (?P<c>\[[^\]]+\]) | (?P<d>\{[^}]+\}) | (?P<e>[^\s"'\[\]{},;<>]+) )"#,
    )
});

fn quoted(parts: &Captures<'_>) -> Option<Range<usize>> {
    let value = ["a", "b", "c", "d", "e"].into_iter().find_map(|name| parts.name(name))?;
    let is_ours = is_secret(parts.name("k")?.as_str()) && !is_open(value.as_str());
    is_ours.then(|| value.range())
}

/// `api_key=…`, `X-API-Key: …`, `SECRET_KEY="…"`, `?token=…`.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)(?:^|[\s,;?&\#({|>"'])(?P<k>[A-Za-z_$][A-Za-z0-9_.$-]*)
            (?P<s>\s?(?:=>|:=|[:=])[\ \t]*(?:\n[\ \t]+)?)
            (?: "(?P<a>[^"\n]+)(?:"|$) | '(?P<b>[^'\n]+)(?:'|$) | (?P<e>[^\s"'\[\]{},;&<>]+) )"#,
    )
});

/// What is no secret may hold one: `msg='api_key=…'`, `https://…?token=…`. So the search goes on inside it.
fn named_values(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0_usize);
    while let Some(parts) = NAME.captures_at(text, at) {
        let value = bare(&parts);
        // The sign before a value may be what stands before the next name.
        let inside = parts.name("s").map_or(text.len(), |sign| sign.end().saturating_sub(1));
        at = value.as_ref().map_or(inside, |value| value.end).max(at.saturating_add(1));
        found.extend(value);
        if !text.is_char_boundary(at) || at >= text.len() {
            break;
        }
    }
    found
}

fn bare(parts: &Captures<'_>) -> Option<Range<usize>> {
    if !is_secret(parts.name("k")?.as_str()) {
        return None;
    }
    if let Some(value) = parts.name("a").or_else(|| parts.name("b")) {
        return (!is_open(value.as_str())).then(|| value.range());
    }
    let value = parts.name("e")?;
    let (said, sign) = (trimmed(value.as_str()), parts.name("s")?.as_str());
    if is_open(said) || said.contains("://") || BUSINESS_ID.is_match(said) {
        return None;
    }
    let is_drawn = has_digit_and_letter(said) && said.chars().count() >= BARE_CHARS_MIN;
    let is_value = sign == "=" && !said.contains(['(', '.']) || is_drawn;
    is_value.then(|| value.start()..value.start().saturating_add(said.len()))
}

/// `--password hunter2`, `--api-key=…`.
static OPTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:^|[\s"'\[,])--?(?P<k>[A-Za-z][A-Za-z0-9_-]+)(?P<s>["']?[ ,=]\s?["']?)(?P<v>[^\s"',\[\]-][^\s"'\[\]]{2,})"#,
    )
});

fn option(parts: &Captures<'_>) -> Option<Range<usize>> {
    let (name, value) = (parts.name("k")?, parts.name("v")?);
    // "the --token option": the next word of a sentence.
    let is_word = value.as_str().chars().all(char::is_lowercase) && parts.name("s")?.as_str() != "=";
    (is_secret(name.as_str()) && !is_open(value.as_str()) && !is_word).then(|| value.range())
}

/// The items of a list in YAML.
static ITEMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)(?:^|\t)[ \t-]*(?P<k>[A-Za-z_][A-Za-z0-9_ -]*):[ \t]*\n(?P<v>(?:[ \t]*-[ \t]+[^\s]+[ \t]*(?:\n|$))+)",
    )
});

fn items(parts: &Captures<'_>) -> Option<Range<usize>> {
    let value = parts.name("v")?;
    let are_drawn = value.as_str().lines().all(|item| item.contains(|c: char| c.is_ascii_digit()));
    (is_secret(parts.name("k")?.as_str()) && are_drawn)
        .then(|| value.start()..value.start().saturating_add(value.as_str().trim_end().len()))
}

/// The signature of an address that grants access.
static SIGNATURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=(?P<v>[A-Za-z0-9%+/=_-]{16,})",
    )
});

/// `Set-Cookie: session=…`.
static COOKIE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)\bcookie["']?\s*[:=]\s*["']?(?P<v>[A-Za-z0-9_.$-]+=[^\r\n"'<>\[\]]{4,})"#)
});

/// `mysql -u root -pSECRET`.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:mysql[a-z_]*|mariadb[a-z_-]*|sshpass|7za?|rar|docker|podman|smbclient|mongo[a-z]*)\b[^\n|;]*?\s-(?-i:p)(?P<v>[^\s\[-][^\s\[\]]{2,})",
    )
});

/// `docker login -u x -p SECRET`.
static COMMAND_APART: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:sshpass|docker login|podman login|az login|mongo(?:sh|dump|restore)?|redis-cli|ldap[a-z]+|sqlcmd|unzip|zip)\b[^\n|;]*?\s-[pPwa]\s["']?(?P<v>[^\s"'\[-][^\s"'\[\]]{2,})"#,
    )
});

/// `curl -u user:SECRET`.
static CURL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?i)\b(?:curl|wget|http)\b[^\n|;]*?\s(?:-u|--user)[ =]?["']?[^\s:"']+:(?P<v>[^\s"'\[\]]{2,})"#)
});

/// The beginning of an element.
static ELEMENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<(?:[A-Za-z0-9_-]+:)?(?P<k>[A-Za-z_][A-Za-z0-9_.-]*)(?:\s[^<>]*)?>"));

/// What is in elements that are named like a secret.
fn in_elements(text: &str) -> Vec<Range<usize>> {
    const INSIDE_BYTES_MAX: usize = 8 * 1024;
    let inside = |parts: Captures<'_>| {
        let (whole, name): (Match<'_>, Match<'_>) = (parts.get(0)?, parts.name("k")?);
        if !is_secret(name.as_str()) || whole.as_str().ends_with("/>") {
            return None;
        }
        let rest = text.get(whole.end()..)?;
        let far = (0..=rest.len().min(INSIDE_BYTES_MAX)).rev().find(|at| rest.is_char_boundary(*at))?;
        let rest = rest.get(..far)?;
        let end = rest.match_indices("</").find(|(at, _)| {
            let after = rest.get(at.saturating_add(2)..).unwrap_or_default();
            let own = after.rsplit_once(':').map_or(after, |_| after);
            own.starts_with(name.as_str())
                || after.split('>').next().is_some_and(|end| end.ends_with(name.as_str()))
        });
        let inside = rest.get(..end?.0)?;
        (!is_open(inside)).then(|| whole.end()..whole.end().saturating_add(inside.len()))
    };
    ELEMENT.captures_iter(text).filter_map(inside).collect()
}

/// `<add key="password" value="…"/>`, `<entry key="password">…</entry>`, `<name>password</name><value>…</value>`.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?xi)\b(?:name|key|id|field|label)\s*=\s*["'](?P<k>[^"'<>]+)["'][^<>]*?
            (?: \bvalue\s*=\s*["'](?P<v>[^"'<>]+)["'] | >\s*(?P<w>[^<>\s][^<>]*) )
          | <(?:name|key|field|label)>\s*(?P<l>[^<>]+?)\s*</[^<>]+>\s*<(?:value|val|content|text)>(?P<x>[^<>]+)<"#,
    )
});
