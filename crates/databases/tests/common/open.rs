//! One table of URL schemes says what can be opened.

use hoap_database::Database;
use hoap_database::What;
use hoap_workload::{Error, ErrorKind};

/// They connect as they open, or want credentials for it: the tests on their servers open them.
const CONNECT: &[&str] =
    &["asterixdb", "cassandra", "couchbase", "couchbase-analytics", "dynamodb", "mongodb", "redis"];

fn refused(url: &str) -> Error {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let e = runtime.block_on(hoap_databases::open(url)).err().expect("it is refused");
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
    ] {
        let (name, _) = url.split_once(':').unwrap();
        let built_in = |s: &hoap_databases::Scheme| s.names.contains(&name) && s.built_in();
        if hoap_databases::known().any(built_in) {
            continue;
        }
        let line = refused(url).to_string();
        assert!(line.contains("is not part of this build"), "{line}");
        assert!(!line.contains("secret"), "{line}");
    }
}

#[test]
fn what_is_unknown_lists_the_known() {
    let line = refused("oracle://me:secret@host").to_string();
    assert!(line.contains("open oracle:…: no such kind of database"), "{line}");
    for scheme in hoap_databases::known() {
        assert!(line.contains(scheme.names[0]), "{line}");
    }
    assert!(!line.contains("secret"), "{line}");
    assert!(refused("bench.db").to_string().contains("a target is a URL"));
    assert!(refused("").to_string().contains("a target is a URL"));
}

#[test]
fn every_scheme_is_listed_once() {
    let mut names: Vec<_> = hoap_databases::known().flat_map(|s| s.names).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// A URL of every database that is built in, with each option at its default; but of those that
/// [`CONNECT`].
fn built_in() -> Vec<(&'static hoap_databases::Scheme, String)> {
    let known = hoap_databases::known();
    let built_in = known.filter(|s| s.built_in() && !CONNECT.contains(&s.names[0]));
    let url = |scheme: &'static hoap_databases::Scheme| {
        let name = scheme.names[0];
        let path = match name {
            "null" => "",
            "duckdb" | "sqlite" => "t.db",
            // Nobody listens there.
            _ => "//127.0.0.1:1/t",
        };
        let given = scheme.options.iter().map(|o| format!("{}={}", o.name, o.default));
        (scheme, format!("{name}:{path}?{}", given.collect::<Vec<_>>().join("&")))
    };
    built_in.map(url).collect()
}

fn open(url: &str) -> Database {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(hoap_databases::open(url)).unwrap()
}

#[test]
fn the_help_lists_options_with_defaults_that_can_be_given() {
    let built_in = built_in();
    for always in ["null", "sqlite"] {
        assert!(built_in.iter().any(|(scheme, _)| scheme.names == [always]));
    }
    for (scheme, url) in built_in {
        assert_eq!(open(&url).description().url, url);
        assert!(scheme.capabilities().next().is_some());
    }
}

/// What the table says a database offers is what it offers.
#[test]
fn capabilities_are_what_the_database_has() {
    for (scheme, url) in built_in() {
        let target = open(&url);
        let key_value = target.key_value();
        let joins = target.joins();
        let offered = [
            target.documents().is_ok(),
            target.transactions().is_ok(),
            target.analytics().is_ok(),
            key_value.is_ok(),
            key_value.is_ok_and(|key_value| key_value.scans().is_ok()),
            target.pages().is_ok(),
            joins.is_ok(),
            target.operations().is_ok(),
            target.has(What::Patches).is_ok(),
            target.has(What::NestedPatches).is_ok(),
            target.has(What::Finds).is_ok(),
            target.has(What::Learn).is_ok(),
            target.has(What::Ranges).is_ok(),
        ];
        let names = What::ALL.into_iter().zip(offered).filter(|(_, offered)| *offered);
        assert!(names.map(|(what, _)| what).eq(scheme.capabilities()), "{}", scheme.database);
        assert!(joins.map_or(true, |joins| !joins.variants().is_empty()));
    }
}

/// URLs with a password where people put it, sound and not. `SCHEME` stands for a scheme, and
/// nobody listens where they lead.
const WITH_SECRETS: &[&str] = &[
    "SCHEME://u:hunter2@127.0.0.1:1/d",
    "SCHEME://u:p@hunter2@127.0.0.1:1/d",
    "SCHEME://u:p/hunter2@127.0.0.1:1/d",
    "SCHEME://u:1?hunter2@127.0.0.1:1/d",
    "SCHEME://u:p#hunter2@127.0.0.1:1/d",
    "SCHEME://u:hunter2%zz@127.0.0.1:1/d",
    "SCHEME://u:hunter2@127.0.0.1:port/d",
    "SCHEME://u:hunter2@/d",
    "SCHEME://u:hunter2@127.0.0.1:1/d?bogus_option=1",
    "SCHEME://u:hunter2@127.0.0.1:1/d?bogus_option",
    "SCHEME://u:hunter2",
    "SCHEME://:hunter2",
    "SCHEME://127.0.0.1:1/d?password=hunter2&bogus=1",
    "SCHEME://127.0.0.1:1/d?bogus_option=1&password=p&hunter2",
    "SCHEME://127.0.0.1:1/d?endpoint=http://u:hunter2@h",
    "SCHEME:///u:hunter2@127.0.0.1/d",
    "SCHEME:/u:hunter2@127.0.0.1",
    "SCHEME:u:hunter2@127.0.0.1/d",
    "SCHEME:u:hunter2",
    "SCHEME:host=127.0.0.1 password=hunter2",
    "SCHEME:password='p hunter2' host=127.0.0.1",
    "SCHEME?password=hunter2:1",
    "SCHEME://u:2026/xhunter2@127.0.0.1:1/d",
    "SCHEME://u:/hunter2@127.0.0.1:1",
    "SCHEME://u:x]/hunter2@127.0.0.1:1/d",
    "SCHEME://u:x]hunter2",
    "SCHEME://u:99#hunter2@127.0.0.1:1",
    "SCHEME://u:1?a=hunter2@127.0.0.1:1",
    "SCHEME://u:1?prefix=hunter2@127.0.0.1:1",
    "SCHEME://127.0.0.1:1/d?user=u:hunter2@h",
];

#[test]
fn no_database_repeats_a_secret_of_its_url() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for name in hoap_databases::known().flat_map(|scheme| scheme.names) {
        // A name of a file is no secret; where there is a host it is no file.
        let place = |form: &&&str| form.starts_with("SCHEME://") && !form.starts_with("SCHEME:///");
        let file = ["duckdb", "sqlite", "null"].contains(name);
        for form in WITH_SECRETS.iter().filter(|form| !file || place(form)) {
            for scheme in [name.to_string(), name.to_uppercase()] {
                let url = form.replace("SCHEME", &scheme);
                // What takes longer tries to connect, without a word.
                let limit = std::time::Duration::from_secs(1);
                let opened = runtime.block_on(async {
                    tokio::time::timeout(limit, hoap_databases::open(&url)).await
                });
                let told = match opened {
                    Ok(Ok(target)) => target.description().url,
                    Ok(Err(e)) => e.to_string(),
                    Err(_) => String::new(),
                };
                let shown = hoap_databases::url::redact(&url);
                for text in [&told, &shown] {
                    assert!(!text.contains("hunter2") && !text.contains('\n'), "{url}: {text}");
                }
            }
        }
    }
}
