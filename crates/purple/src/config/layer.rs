//! One layer of values: what one file, the environment or the flags say.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::config::environment::{Environment, TOKEN_VARIABLE};
use crate::config::key::{KEYS, Key, Kind};
use crate::config::origin::{FileKind, Mark, Origin};
use crate::config::problem::{Problem, ProblemCode, nearest};
use crate::config::secret::SecretRef;
use crate::config::trust;
use crate::config::value::{Misfit, Value, of_text, of_toml};

/// The largest configuration file, in bytes.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// The words of a key, names included.
pub(crate) type KeyPath = Vec<String>;

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// Values by their keys.
pub(crate) type Layer = BTreeMap<KeyPath, Set>;

/// What is built in.
pub(crate) fn built_in(environment: &Environment) -> Layer {
    let mut layer = Layer::new();
    for key in KEYS {
        // A default that does not fit its own kind would be missing; a test walks them.
        if let Some(value) = key.default.and_then(|text| of_text(key.kind, text).ok()) {
            layer.insert(words(key), Set { value, origin: Origin::BuiltIn });
        }
    }
    let data = Value::Text(environment.user_data().display().to_string());
    layer.insert(vec!["data".to_owned(), "dir".to_owned()], Set { value: data, origin: Origin::BuiltIn });
    layer
}

/// What the environment says.
pub(crate) fn variables(environment: &Environment, problems: &mut Vec<Problem>) -> Layer {
    let mut layer = Layer::new();
    for key in KEYS {
        let own = key.variable();
        let names = own.as_deref().into_iter().chain(key.variables.iter().copied());
        let Some((name, text)) = names.filter_map(|name| Some((name, environment.get(name)?))).next() else {
            continue;
        };
        let origin = Origin::Variable(name.to_owned());
        match of_variable(key, name, text) {
            Ok(value) => {
                let value = absolute(key.kind, value, environment.folder());
                layer.insert(words(key), Set { value, origin });
            }
            Err(misfit) => problems.push(problem(misfit, origin)),
        }
    }
    layer
}

/// A variable holds the secret itself; what is kept is where it is.
fn of_variable(key: &Key, name: &str, text: &str) -> Result<Value, Misfit> {
    match key.kind {
        Kind::Secret if SecretRef::parse(text).is_none() => {
            Ok(Value::Secret(SecretRef::Variable(name.to_owned())))
        }
        kind => of_text(kind, text),
    }
}

/// Variables that begin with `PURPLE_`, mean nothing, and are near one that does: most likely a slip.
pub(crate) fn slips(environment: &Environment) -> Vec<(String, String)> {
    let mut known: Vec<String> = KEYS.iter().filter_map(Key::variable).collect();
    known.extend(KEYS.iter().flat_map(|key| key.variables).map(|name| (*name).to_owned()));
    known.extend(["PURPLE_AS", TOKEN_VARIABLE].map(str::to_owned));
    let odd =
        environment.names().filter(|name| name.starts_with("PURPLE_") && !known.iter().any(|k| k == name));
    odd.filter_map(|name| {
        let near = nearest(name, known.iter().map(String::as_str))?;
        Some((name.to_owned(), near.to_owned()))
    })
    .collect()
}

/// What a file says. `Err` holds every problem that it has.
pub(crate) fn file(kind: FileKind, path: &Path) -> Result<Layer, Vec<Problem>> {
    let unreadable = |why: String| {
        let at = Origin::File { kind, path: path.to_owned(), at: Mark { line: 1, column: 1 } };
        let help = "name another file with `--config`, or none with `--no-config`".to_owned();
        let message = format!("the file cannot be read: {why}");
        vec![Problem { at, code: ProblemCode::Unreadable, message, help }]
    };
    if let Err(distrust) = trust::check(kind, path) {
        let at = Origin::File { kind, path: path.to_owned(), at: Mark { line: 1, column: 1 } };
        let (message, help) = (distrust.message(), distrust.help(path));
        return Err(vec![Problem { at, code: ProblemCode::Untrusted, message, help }]);
    }
    let size = std::fs::metadata(path).map_err(|cause| unreadable(cause.to_string()))?.len();
    if size > FILE_BYTES_MAX {
        return Err(unreadable(format!("it has {size} bytes; at most {FILE_BYTES_MAX}")));
    }
    let text = std::fs::read_to_string(path).map_err(|cause| unreadable(cause.to_string()))?;
    let mut reading = Reading { kind, path, text: &text, layer: Layer::new(), problems: Vec::new() };
    match DeTable::parse(&text) {
        Ok(table) => reading.table(&mut Vec::new(), table.get_ref()),
        Err(error) => {
            let at = reading.place(error.span().map_or(0, |span| span.start));
            let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
            let help = "see https://toml.io for how TOML is written".to_owned();
            reading.problems.push(Problem { at, code: ProblemCode::Syntax, message, help });
        }
    }
    reading.problems.sort_by_key(|problem| problem.at.mark());
    if reading.problems.is_empty() { Ok(reading.layer) } else { Err(reading.problems) }
}

struct Reading<'a> {
    kind: FileKind,
    path: &'a Path,
    text: &'a str,
    layer: Layer,
    problems: Vec<Problem>,
}

impl Reading<'_> {
    fn place(&self, byte: usize) -> Origin {
        Origin::File { kind: self.kind, path: self.path.to_owned(), at: Mark::of(self.text, byte) }
    }

    fn table(&mut self, path: &mut KeyPath, table: &DeTable<'_>) {
        for (name, value) in table {
            path.push(name.get_ref().to_string());
            let at = self.place(name.span().start);
            if let Some(key) = KEYS.iter().find(|key| key.is(path)) {
                self.value(key, path, value.get_ref(), at);
            } else if KEYS.iter().any(|key| key.begins(path)) {
                match value.get_ref() {
                    DeValue::Table(inner) => self.table(path, inner),
                    _ => {
                        let message = format!("`{}` is a section, not a value", path.join("."));
                        let help = match path.as_slice() {
                            // As tools were named before their servers were.
                            [tools, tool, _] if tools == "tools" => {
                                format!("name the server of the tool as well: `[tools.SERVER.{tool}]`")
                            }
                            _ => format!(
                                "write `[{}]` on a line of its own, and its settings below",
                                path.join(".")
                            ),
                        };
                        self.problems.push(Problem { at, code: ProblemCode::WrongShape, message, help });
                    }
                }
            } else {
                self.problems.push(unknown(path, at));
            }
            path.pop();
        }
    }

    fn value(&mut self, key: &Key, path: &[String], given: &DeValue<'_>, origin: Origin) {
        match of_toml(key.kind, given) {
            Ok(value) => {
                let folder = self.path.parent().unwrap_or(Path::new("."));
                let value = absolute(key.kind, value, folder);
                self.layer.insert(path.to_vec(), Set { value, origin });
            }
            Err(misfit) => self.problems.push(problem(misfit, origin)),
        }
    }
}

/// A path counts from where it was written.
pub(crate) fn absolute(kind: Kind, value: Value, folder: &Path) -> Value {
    let join = |text: &String| folder.join(text).display().to_string();
    match (kind, value) {
        (Kind::Path, Value::Text(text)) => Value::Text(join(&text)),
        (Kind::Paths, Value::List(items)) => Value::List(items.iter().map(join).collect()),
        (Kind::Secret, Value::Secret(SecretRef::File(file))) => {
            Value::Secret(SecretRef::File(folder.join(file)))
        }
        (_, value) => value,
    }
}

pub(crate) fn problem(misfit: Misfit, at: Origin) -> Problem {
    let Misfit { code, message, help } = misfit;
    Problem { at, code, message, help }
}

fn unknown(path: &[String], at: Origin) -> Problem {
    let (name, above) = path.split_last().map_or(("", path), |(name, above)| (name.as_str(), above));
    let place =
        if above.is_empty() { "at the top".to_owned() } else { format!("in `[{}]`", above.join(".")) };
    let here = KEYS.iter().filter(|key| key.begins(above)).filter_map(|key| key.words().nth(above.len()));
    let mut here: Vec<&str> = here.filter(|word| *word != "*").collect();
    here.dedup();
    let elsewhere = KEYS.iter().find(|key| key.words().last() == Some(name) && !key.path.contains('*'));
    // A name that is right and stands in the wrong place is likelier than a slip of another one.
    let help = match (elsewhere, nearest(name, here.iter().copied())) {
        (Some(key), _) => {
            let section = key.path.rsplit_once('.').map_or("", |(section, _)| section);
            format!("`{name}` belongs into `[{section}]`")
        }
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => format!("known here: {}", here.join(", ")),
    };
    let message = format!("there is no setting `{name}` {place}");
    Problem { at, code: ProblemCode::UnknownKey, message, help }
}

fn words(key: &Key) -> KeyPath {
    key.words().map(str::to_owned).collect()
}
