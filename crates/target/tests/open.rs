//! One table of URL schemes says what can be opened.

use hoap_workload::{Error, ErrorKind};

fn refused(url: &str) -> Error {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let e = runtime.block_on(hoap_target::open(url)).err().expect("it is refused");
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(!e.to_string().contains('\n'), "{e}");
    e
}

#[test]
fn what_is_known_and_not_built_in_says_so_without_repeating_secrets() {
    for url in [
        "postgres://me:secret@host/db",
        "postgresql://me:secret@host/db",
        "mongodb+srv://me:secret@host",
        "couchbases://host",
        "duckdb:secret.duckdb",
        "null:",
    ] {
        let line = refused(url).to_string();
        assert!(line.contains("is not part of this build"), "{line}");
        assert!(!line.contains("secret"), "{line}");
    }
}

#[test]
fn what_is_unknown_lists_the_known() {
    let line = refused("oracle://me:secret@host").to_string();
    assert!(line.contains("open oracle:…: no such kind of database"), "{line}");
    for scheme in hoap_target::known() {
        assert!(line.contains(scheme.names[0]), "{line}");
    }
    assert!(!line.contains("secret"), "{line}");
    assert!(refused("bench.db").to_string().contains("a target is a URL"));
    assert!(refused("").to_string().contains("a target is a URL"));
}

#[test]
fn every_scheme_is_listed_once() {
    let mut names: Vec<_> = hoap_target::known().iter().flat_map(|s| s.names).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[cfg(feature = "sqlite")]
#[test]
fn the_help_of_sqlite_lists_its_options_with_their_defaults() {
    let sqlite = hoap_target::known().iter().find(|s| s.names[0] == "sqlite").unwrap();
    assert!(sqlite.built_in());
    let default = |name| sqlite.options.iter().find(|o| o.name == name).unwrap().default;
    assert_eq!(default("synchronous"), "full");
    // Each default can be given.
    let given: Vec<_> =
        sqlite.options.iter().map(|o| format!("{}={}", o.name, o.default)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(hoap_target::open(&format!("sqlite:t.db?{}", given.join("&")))).unwrap();
}
