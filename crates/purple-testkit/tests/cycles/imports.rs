//! Which top-level module of a crate uses which: read from the source by a real parser.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprLit, File, Ident, Item, ItemMod, ItemUse, Lit, Macro, Meta, UseTree, Visibility,
};

/// Which modules each top-level module of a crate uses.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reads the crate with this root file (`src/lib.rs` or `src/main.rs`), without its tests.
pub(crate) fn imports_of(root: &Path) -> Imports {
    let folder = root.parent().unwrap();
    let file = parse(root);
    let names = file.items.iter().filter_map(module_name).collect();
    let mut reader = Reader { root: Root { modules: names, exported: BTreeMap::new() }, ..Reader::default() };
    reader.root.read_exports(&file);
    for item in file.items.iter().filter(|item| !is_test(item)) {
        if let Item::Mod(module) = item {
            reader.module(folder, module);
        }
    }
    reader.imports
}

/// The names that a path after `crate::` can begin with.
#[derive(Default)]
struct Root {
    modules: BTreeSet<String>,
    /// Names that the root file re-exports, with the module that owns each.
    exported: BTreeMap<String, String>,
}

impl Root {
    fn read_exports(&mut self, file: &File) {
        let mut paths = Vec::new();
        for item in &file.items {
            if let Item::Use(item) = item {
                use_paths(&item.tree, &mut Vec::new(), &mut paths);
            }
        }
        for UsedPath { path, name } in paths {
            let start = usize::from(matches!(path.first().map(String::as_str), Some("self" | "crate")));
            if let Some(module) = path.get(start).filter(|module| self.modules.contains(*module)) {
                self.exported.insert(name, module.clone());
            }
        }
    }

    /// The module that owns what a path after `crate::` begins with.
    fn owner(&self, first: &str) -> Option<&String> {
        self.modules.get(first).or_else(|| self.exported.get(first))
    }
}

#[derive(Default)]
struct Reader {
    root: Root,
    /// Where the reader is: the top-level module first.
    path: Vec<String>,
    imports: Imports,
}

impl Reader {
    /// Reads a module that is declared in a file whose submodules are in `folder`.
    fn module(&mut self, folder: &Path, module: &ItemMod) {
        let name = text(&module.ident);
        self.path.push(name.clone());
        if self.path.len() == 1 {
            self.imports.entry(name.clone()).or_default();
        }
        let own_folder = folder.join(&name);
        match &module.content {
            Some((_, items)) => self.items(&own_folder, items),
            None => {
                let file = source_of(folder, &name, &module.attrs);
                self.items(&own_folder, &parse(&file).items);
            }
        }
        self.path.pop();
    }

    fn items(&mut self, folder: &Path, items: &[Item]) {
        for item in items.iter().filter(|item| !is_test(item)) {
            match item {
                Item::Mod(module) => self.module(folder, module),
                item => self.visit_item(item),
            }
        }
    }

    /// Notes what a path uses, if it leads to another top-level module.
    fn note(&mut self, path: &[String]) {
        let Some(own) = self.path.first() else { return };
        let mut base: Vec<&str> = match path.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.path.iter().map(String::as_str).collect(),
            Some(_) | None => return,
        };
        for segment in path {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                name => base.push(name),
            }
        }
        let Some(used) = base.first().and_then(|first| self.root.owner(first)) else { return };
        if used != own {
            self.imports.entry(own.clone()).or_default().insert(used.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut paths = Vec::new();
        use_paths(&item.tree, &mut Vec::new(), &mut paths);
        for used in paths {
            self.note(&used.path);
        }
    }

    // `pub(in crate::a)` names a module and uses nothing of it.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        self.note(&segments);
        visit::visit_path(self, path);
    }

    // The tokens of a macro call are no syntax tree.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let mut paths = Vec::new();
        token_paths(call.tokens.clone(), &mut paths);
        for path in paths {
            self.note(&path);
        }
        visit::visit_macro(self, call);
    }
}

/// The paths among tokens.
fn token_paths(tokens: TokenStream, found: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    found.push(std::mem::take(&mut path));
                }
                path.push(text(&name));
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                token_paths(group.stream(), found);
                colons = 0;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => colons = 0,
        }
    }
    found.push(path);
}

/// A path of a `use` item, and the name that it has in the file.
struct UsedPath {
    path: Vec<String>,
    name: String,
}

fn use_paths(tree: &UseTree, before: &mut Vec<String>, found: &mut Vec<UsedPath>) {
    let mut leaf = |last: &str, name: &str| {
        let mut path = before.clone();
        path.push(last.to_owned());
        // `use a::b::{self}` is named `b`.
        let name = if name == "self" { before.last().cloned().unwrap_or_default() } else { name.to_owned() };
        found.push(UsedPath { path, name });
    };
    match tree {
        UseTree::Name(name) => leaf(&text(&name.ident), &text(&name.ident)),
        UseTree::Rename(rename) => leaf(&text(&rename.ident), &text(&rename.rename)),
        UseTree::Glob(_) => leaf("*", "*"),
        UseTree::Path(path) => {
            before.push(text(&path.ident));
            use_paths(&path.tree, before, found);
            before.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| use_paths(tree, before, found)),
    }
}

/// The file of `mod name;`, which is declared in a file whose submodules are in `folder`.
fn source_of(folder: &Path, name: &str, attributes: &[Attribute]) -> PathBuf {
    let path = attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    assert!(path.is_none(), "`mod {name}` in {} has a path, which only tests have", folder.display());
    let flat = folder.join(format!("{name}.rs"));
    if flat.exists() { flat } else { folder.join(name).join("mod.rs") }
}

fn parse(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The name without `r#`, as its file has it.
fn text(name: &Ident) -> String {
    name.unraw().to_string()
}

fn module_name(item: &Item) -> Option<String> {
    match item {
        Item::Mod(module) if !is_test(item) => Some(text(&module.ident)),
        _ => None,
    }
}

/// Whether an item is built for tests only.
fn is_test(item: &Item) -> bool {
    let attributes = match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(_) | Meta::NameValue(_) => false,
    })
}
