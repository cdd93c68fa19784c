//! No circles between the files of a crate: data flows one way, within a crate too, and a file can
//! be read after those that it uses.

mod arrows;
mod links;
mod modules;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use arrows::{Circle, circles};
use modules::Crate;

/// The crates in a folder, each root with its crate's folder.
fn of_all(folder: &Path) -> Vec<(PathBuf, Crate)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.join("src").is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "no crates in {}", folder.display());
    let mut all = Vec::new();
    for folder in folders {
        let roots = ["lib.rs", "main.rs"].map(|root| folder.join("src").join(root));
        let roots: Vec<_> = roots.iter().filter(|root| root.exists()).collect();
        assert!(!roots.is_empty(), "{} has no root", folder.display());
        all.extend(roots.iter().map(|root| (folder.clone(), Crate::read(root))));
    }
    all
}

/// The crates of the workspace.
static CRATES: LazyLock<Vec<(PathBuf, Crate)>> = LazyLock::new(|| {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    ["crates", "databases", "benchmarks", "examples"]
        .iter()
        .flat_map(|folder| of_all(&top.join(folder)))
        .collect()
});

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut wrong = String::new();
    for (folder, read) in CRATES.iter() {
        for Circle { files, arrows } in circles(read) {
            let files: Vec<String> = files.into_iter().collect();
            wrong += &format!("\na circle in {}: {}", folder.display(), files.join(", "));
            arrows.iter().for_each(|arrow| wrong += &format!("\n    {arrow}"));
        }
    }
    assert!(wrong.is_empty(), "move what is used to where the arrow points:{wrong}");
}

/// `test = false` saves compiling a library once more, and Cargo says nothing of the tests in it.
#[test]
fn no_library_has_unit_tests_that_do_not_run() {
    for (folder, read) in CRATES.iter() {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let left_out = manifest.lines().any(|line| line == "test = false");
        assert!(!(left_out && read.has_tests), "{} has unit tests", folder.display());
    }
}

/// A file that no `mod` names is not compiled, and its tests do not run.
#[test]
fn every_file_is_a_module_of_a_program_or_library() {
    let mut wrong = String::new();
    for (folder, _) in CRATES.iter() {
        let tests = std::fs::read_dir(folder.join("tests")).into_iter().flatten().flatten();
        let programs = tests.map(|entry| entry.path()).filter(|path| path.is_dir());
        for place in programs.chain([folder.join("src")]) {
            let mut named = BTreeSet::new();
            for root in ["main.rs", "lib.rs"].map(|root| place.join(root)) {
                name(&root, &place, &mut named);
            }
            let all = sources(&place).into_iter().filter(|file| !named.contains(file));
            all.for_each(|file| wrong += &format!("\n    {}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "no mod names these files:{wrong}");
}

/// The files of Rust in a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let each = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    let files = entries.flat_map(each);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Takes a file, whose modules are in `below`, and those that it names.
fn name(file: &Path, below: &Path, named: &mut BTreeSet<PathBuf>) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    if !named.insert(file.to_owned()) {
        return;
    }
    let mut elsewhere = None;
    for line in text.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("#[path = \"").and_then(|path| path.split('"').next())
        {
            elsewhere = Some(file.parent().unwrap().join(path));
            continue;
        }
        let module = line.strip_suffix(';').and_then(|line| line.rsplit_once("mod "));
        let Some((before, module)) = module.filter(|(before, _)| !before.contains("//")) else {
            continue;
        };
        if !(before.is_empty() || before.trim_end().ends_with("pub") || before.contains("pub(")) {
            continue;
        }
        match elsewhere.take() {
            Some(path) => name(&path, path.parent().unwrap(), named),
            None => {
                let inner = below.join(module);
                name(&below.join(format!("{module}.rs")), &inner, named);
                name(&inner.join("mod.rs"), &inner, named);
            }
        }
    }
}

/// The circles of a crate with these files.
fn in_files(files: &[(&str, &str)]) -> Vec<BTreeSet<String>> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join("one/src").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let found = of_all(folder.path()).into_iter().flat_map(|(_, read)| circles(&read));
    found.map(|circle| circle.files).collect()
}

fn set(files: [&str; 2]) -> BTreeSet<String> {
    files.map(String::from).into()
}

#[test]
fn a_circle_is_found_whatever_its_paths_go_through() {
    for (a, b) in [
        ("use super::b::B; pub struct A;", "use crate::a::A; pub struct B;"),
        ("pub fn a() { super::b::b(); }", "pub fn b() -> Option<crate::a::A> { crate::a::a() }"),
        // By the root, which passes it on, alone or with all others.
        ("use crate::B; pub struct A;", "impl crate::a::A { fn x() {} } pub struct B;"),
        ("use super::one::b; pub fn a() { b::b() }", "pub fn b() { super::a::a() }"),
        ("use crate::*; pub struct A(C);", "use super::A as X; pub struct C; pub struct B(X);"),
        // In a macro, in what a macro made, and in an attribute.
        (
            "pub struct A; macro_rules! m { () => { $crate::b::B } }",
            "use super::a::A; pub struct B;",
        ),
        ("use super::b::Made; pub struct A;", "make! { pub struct Made; } use super::a::A;"),
        ("#[serde(with = \"super::b\")] struct A(u8);", "use crate::a::A; pub struct B;"),
        ("pub struct A { #[cfg(test)] x: u8, y: super::b::B }", "type B = super::a::A;"),
    ] {
        let root = "pub mod a; mod b; pub use a::A; pub use b::*; mod one { pub use crate::b; }";
        let found = in_files(&[("lib.rs", root), ("a.rs", a), ("b/mod.rs", b)]);
        assert_eq!(found, [set(["a.rs", "b/mod.rs"])], "{a}\n{b}");
    }
    // What a file passes on is imported from that file too.
    let a = "mod c; pub use c::C; pub struct A(crate::b::B);";
    let files = [("lib.rs", "mod a; mod b;"), ("a/mod.rs", a), ("a/c.rs", "pub struct C;")];
    for b in ["use crate::a::C; pub struct B(C);", "pub struct B(super::a::C);"] {
        let found = in_files(&[&files[..], &[("b.rs", b)]].concat());
        assert_eq!(found, [set(["a/mod.rs", "b.rs"])], "{b}");
    }
}

#[test]
fn what_is_no_arrow_makes_no_circle() {
    // A root passes on what its modules define, and they use each other through it.
    let root = "mod a; mod b; pub use a::a; pub use b::b; pub struct Root;";
    for (a, b) in [
        ("pub fn a() { crate::b() }", "use crate::Root; pub fn b() {}"),
        // Tests use what they want.
        ("pub fn a() { super::b::b() }", "#[cfg(test)] mod t { use crate::a; } pub fn b() {}"),
        ("pub fn a() { super::b::b() }", "#[cfg(test)] use super::a::a; pub fn b() {}"),
        (
            "use super::b; pub fn a() { b::b() }",
            "// crate::a\nconst T: &str = \"crate::a::a\"; fn b() {}",
        ),
        // Names of other crates.
        ("use super::b::b; use std::fmt;", "use std::a::a; use super::a::fmt; pub fn b() {}"),
    ] {
        let found = in_files(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]);
        assert!(found.is_empty(), "{a}\n{b}: {found:?}");
    }
    // A module names its children, and they do not name it.
    let files =
        [("lib.rs", "mod a; pub fn f() { a::g() }"), ("a.rs", "mod b; pub fn g() { b::h() }")];
    assert!(in_files(&[files[0], files[1], ("a/b.rs", "pub fn h() {}")]).is_empty());
    let circle = in_files(&[files[0], files[1], ("a/b.rs", "pub fn h() { super::g() }")]);
    assert_eq!(circle, [set(["a.rs", "a/b.rs"])]);
    // A module and a function of one name.
    let files =
        [("lib.rs", "mod a; mod run; pub fn run() { a::f() }"), ("run.rs", "pub fn go() {}")];
    let of = |a| in_files(&[files[0], files[1], ("a.rs", a)]);
    assert!(of("use super::run; pub fn f() { run::go() }").is_empty());
    assert_eq!(of("use super::run; pub fn f() { run() }"), [set(["a.rs", "lib.rs"])]);
}
