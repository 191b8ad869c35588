//! The reader of imports, on a crate that is written for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::imports::{Imports, imports_of};
use crate::{cyclic, mutual};

/// Writes the files of a crate and reads its imports.
fn read(name: &str, files: &[(&str, &str)]) -> Imports {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    imports_of(&folder.join("lib.rs"))
}

fn used(imports: &Imports, module: &str) -> Vec<String> {
    imports[module].iter().cloned().collect()
}

#[test]
fn every_way_to_name_another_module_is_seen() {
    let imports = read(
        "ways",
        &[
            (
                "lib.rs",
                "mod a; mod b; mod c; mod d; mod e; mod f; mod r#loop; pub use d::{Deep, self as deeper};",
            ),
            ("a.rs", "use crate::{b::One, c::{self, Two}}; use std::fmt;"),
            ("b.rs", "mod inner; fn f() -> super::c::Two { todo!() }"),
            ("b/inner.rs", "use super::super::d::Deep; use super::Own; use self::x::Y;"),
            ("c.rs", "fn f() { vec![1, crate::d::deep(), 2]; let _ = crate::r#loop::X; }"),
            ("d/mod.rs", "pub mod sub { use crate::a::A; }"),
            ("e.rs", "use crate::Deep; use crate::deeper::X as Z;"),
            ("f.rs", "impl crate::a::T for crate::b::U { type X = Vec<crate::e::V>; }"),
            ("loop.rs", "pub(crate) struct X; pub(in crate::a) struct Y;"),
        ],
    );
    assert_eq!(used(&imports, "a"), ["b", "c"]);
    assert_eq!(used(&imports, "b"), ["c", "d"]);
    assert_eq!(used(&imports, "c"), ["d", "loop"]);
    assert_eq!(used(&imports, "d"), ["a"]);
    assert_eq!(used(&imports, "e"), ["d"]);
    assert_eq!(used(&imports, "f"), ["a", "b", "e"]);
    assert_eq!(used(&imports, "loop"), Vec::<String>::new());
}

#[test]
fn tests_comments_and_texts_import_nothing() {
    let imports = read(
        "quiet",
        &[
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod fixture;"),
            (
                "a.rs",
                r#"//! See [`crate::b`].
                   fn f() { println!("crate::b::X"); }
                   #[cfg(test)] mod tests { use crate::b::X; }
                   #[cfg(test)] #[path = "a_tests.rs"] mod more;
                   #[cfg(test)] use crate::b::Y;"#,
            ),
            ("b.rs", "use crate::a::A;"),
        ],
    );
    assert_eq!(used(&imports, "a"), Vec::<String>::new());
    assert_eq!(used(&imports, "b"), ["a"]);
    assert!(mutual(&imports).is_empty());
}

#[test]
fn a_pair_and_a_longer_cycle_are_found() {
    let imports = read(
        "cycles",
        &[
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A; use crate::c::C;"),
            ("c.rs", "use crate::d::D;"),
            ("d.rs", "use crate::e::E;"),
            ("e.rs", "use crate::c::C; use crate::a::A;"),
        ],
    );
    assert_eq!(mutual(&imports), BTreeSet::from([("a".to_owned(), "b".to_owned())]));
    let apart = Imports::from([
        ("b".to_owned(), imports["c"].clone()),
        ("c".to_owned(), imports["c"].clone()),
        ("d".to_owned(), imports["d"].clone()),
        ("e".to_owned(), imports["e"].clone()),
    ]);
    assert_eq!(cyclic(apart).into_keys().collect::<Vec<_>>(), ["c", "d", "e"]);
    let open =
        Imports::from([("c".to_owned(), imports["c"].clone()), ("d".to_owned(), imports["d"].clone())]);
    assert!(cyclic(open).is_empty());
}
