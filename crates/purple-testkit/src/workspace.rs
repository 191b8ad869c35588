//! Reads `cargo metadata` into the few facts that the shape tests need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// How one crate names another in its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Part of the product.
    Normal,
    /// Only its tests, examples and benches.
    Dev,
    /// Only its build script.
    Build,
}

/// One dependency of a room, on another room or on a crate from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The name of the crate that is depended on.
    pub to: String,
    /// For what it is needed.
    pub kind: EdgeKind,
}

/// One crate of the workspace.
#[derive(Clone, Debug)]
pub struct Room {
    name: String,
    folder: PathBuf,
    edges: Vec<Edge>,
    features: Vec<String>,
}

impl Room {
    /// The crate's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its manifest lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What its manifest depends on, in order of name.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The crate features it declares.
    pub fn features(&self) -> &[String] {
        &self.features
    }
}

/// The workspace as `cargo metadata` tells it.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    rooms: Vec<Room>,
    /// Package name to the names it is really built with, over the resolved graph, normal edges only.
    built_with: BTreeMap<String, BTreeSet<String>>,
}

/// Why the workspace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Cargo could not be started.
    #[error("cargo or rustc did not start")]
    Start(#[source] std::io::Error),
    /// Cargo answered with an error.
    #[error("cargo or rustc failed: {stderr}")]
    Failed {
        /// What cargo wrote.
        stderr: String,
    },
    /// Cargo's answer is not JSON.
    #[error("`cargo metadata` gave no JSON")]
    NotJson(#[source] serde_json::Error),
    /// Cargo's answer lacks a field that this reader needs.
    #[error("cargo or rustc told no `{field}`")]
    Missing {
        /// The field.
        field: &'static str,
    },
}

impl Workspace {
    /// Asks cargo. Needs no network: the lock file is there.
    pub fn read() -> Result<Self, WorkspaceError> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        // Without a platform cargo would want the sources of every platform's crates, which nobody fetched.
        let host = host_platform()?;
        let stdout = output_of(
            Command::new(env!("CARGO"))
                .args(["metadata", "--format-version", "1", "--locked", "--offline"])
                .args(["--filter-platform", &host, "--manifest-path"])
                .arg(manifest),
        )?;
        let told = serde_json::from_slice(&stdout).map_err(WorkspaceError::NotJson)?;
        Self::from_metadata(&told)
    }

    /// The folder of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its crates, in order of name.
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// Every crate that `name` is built with, directly or not, without its tests.
    pub fn closure(&self, name: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open = vec![name.to_owned()];
        while let Some(next) = open.pop() {
            for known in self.built_with.get(&next).into_iter().flatten() {
                if seen.insert(known.clone()) {
                    open.push(known.clone());
                }
            }
        }
        seen
    }

    fn from_metadata(told: &Value) -> Result<Self, WorkspaceError> {
        let root = PathBuf::from(text(told, "workspace_root")?);
        let members: BTreeSet<&str> =
            list(told, "workspace_members")?.iter().filter_map(Value::as_str).collect();
        let mut names = BTreeMap::new();
        let mut rooms = Vec::new();
        for package in list(told, "packages")? {
            let id = text(package, "id")?;
            names.insert(id, text(package, "name")?);
            if members.contains(id) {
                rooms.push(room(package)?);
            }
        }
        rooms.sort_by(|a, b| a.name.cmp(&b.name));

        let mut built_with: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let resolve = told.get("resolve").ok_or(WorkspaceError::Missing { field: "resolve" })?;
        for node in list(resolve, "nodes")? {
            let Some(from) = names.get(text(node, "id")?) else { continue };
            for dep in list(node, "deps")? {
                let normal =
                    list(dep, "dep_kinds")?.iter().any(|kind| kind.get("kind").is_some_and(Value::is_null));
                if let (true, Some(to)) = (normal, names.get(text(dep, "pkg")?)) {
                    built_with.entry((*from).to_owned()).or_default().insert((*to).to_owned());
                }
            }
        }
        Ok(Self { root, rooms, built_with })
    }
}

fn host_platform() -> Result<String, WorkspaceError> {
    let stdout = output_of(Command::new("rustc").arg("-vV"))?;
    let told = String::from_utf8_lossy(&stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or(WorkspaceError::Missing { field: "host" })
}

fn output_of(command: &mut Command) -> Result<Vec<u8>, WorkspaceError> {
    let output = command.output().map_err(WorkspaceError::Start)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(WorkspaceError::Failed { stderr: String::from_utf8_lossy(&output.stderr).into_owned() })
}

fn room(package: &Value) -> Result<Room, WorkspaceError> {
    let mut edges = Vec::new();
    for dependency in list(package, "dependencies")? {
        let kind = match dependency.get("kind").and_then(Value::as_str) {
            Some("dev") => EdgeKind::Dev,
            Some("build") => EdgeKind::Build,
            Some(_) | None => EdgeKind::Normal,
        };
        edges.push(Edge { to: text(dependency, "name")?.to_owned(), kind });
    }
    edges.sort();
    let features =
        package.get("features").and_then(Value::as_object).map(|map| map.keys().cloned().collect());
    let manifest = PathBuf::from(text(package, "manifest_path")?);
    Ok(Room {
        name: text(package, "name")?.to_owned(),
        folder: manifest.parent().map(Path::to_path_buf).unwrap_or_default(),
        edges,
        features: features.unwrap_or_default(),
    })
}

fn text<'a>(value: &'a Value, field: &'static str) -> Result<&'a str, WorkspaceError> {
    value.get(field).and_then(Value::as_str).ok_or(WorkspaceError::Missing { field })
}

fn list<'a>(value: &'a Value, field: &'static str) -> Result<&'a [Value], WorkspaceError> {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).ok_or(WorkspaceError::Missing { field })
}
