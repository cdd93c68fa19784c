//! Files that cannot be opened, and those that others have.

use std::process::{Command, Stdio};
use std::sync::Arc;

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_duckdb::open;
use hoap_suites::conformance::{count, load, wait};
use hoap_workload::load::{Existing, Load, Loaded};
use hoap_workload::{ErrorKind, Result};

use crate::{place, url};

#[test]
fn a_file_is_refused_in_one_line_that_says_why() {
    let (_, folder) = place("");
    let path = folder.path().join("t.duckdb");
    let refused = |options: &str, words: [&str; 2]| {
        let target = open(&url(&folder, options)).unwrap();
        let e = wait(target.documents().unwrap().note()).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
        let told = format!("{e}; {}", e.advice.as_deref().unwrap_or_default());
        assert!(!told.contains('\n'), "{told}");
        words.iter().for_each(|word| assert!(told.contains(word), "{word}: {told}"));
    };
    std::fs::write(&path, [7; 20_000]).unwrap();
    refused("", ["not a valid DuckDB database", "name another one"]);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    refused("", ["it is a directory", "name a file in it"]);
    std::fs::remove_dir(&path).unwrap();
    load(&open(&url(&folder, "")).unwrap(), 3);
    refused("?layout=json", ["layout=columns", "--replace"]);
    let read = open(&url(&folder, "?read_only=on")).unwrap();
    assert_eq!(count(&read), 3);
    let e = wait(read.documents().unwrap().create(&["more"])).unwrap_err();
    assert!(e.to_string().contains("read_only=on"), "{e}");
    let other = open(&url(&folder, "?threads=1")).map(drop).unwrap_err();
    assert_eq!(other.kind, ErrorKind::Invalid, "{other}");
    assert!(other.to_string().contains("other options"), "{other}");
    drop(read);
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[8..12], b"DUCK", "the file's header has another form");
    let version = bytes[12];
    bytes[12] = 250;
    std::fs::write(&path, &bytes).unwrap();
    refused("", ["checksum", "the file is damaged"]);
    // The checksum of the header is the sum without carry of its words, each times a number.
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let share = |bytes: &[u8]| word(bytes, 8).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let changed = share(&bytes);
    bytes[12] = version;
    let sum = word(&bytes, 0) ^ share(&bytes) ^ changed;
    bytes[12] = 250;
    bytes[..8].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    refused("", ["version", "load it anew"]);
}

/// The environment variable by which a test starts another process that holds a file.
const HELD: &str = "HOAP_TEST_DUCKDB_HELD";

#[test]
#[ignore = "another test runs it in a process of its own"]
fn holder() {
    let Ok(url) = std::env::var(HELD) else { return };
    let target = open(&url).unwrap();
    assert_eq!(count(&target), 2);
    println!("held");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn a_file_that_another_process_writes_is_refused() {
    let (target, folder) = place("");
    load(&target, 2);
    drop(target);
    let hold = |options: &str| {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["refused::holder", "--exact", "--ignored", "--nocapture"])
            .env(HELD, url(&folder, options))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("held") {
            line.clear();
            assert_ne!(std::io::BufRead::read_line(&mut told, &mut line).unwrap(), 0);
        }
        (child, told)
    };
    let (mut child, _told) = hold("");
    let here = open(&url(&folder, "")).unwrap();
    let e = wait(here.documents().unwrap().note()).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.advice.as_deref().is_some_and(|advice| advice.contains("read_only=on")), "{e:?}");
    assert!(!e.to_string().contains('\n'), "{e}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    // Several may read.
    drop(here);
    let (mut child, _told) = hold("?read_only=on");
    assert_eq!(count(&open(&url(&folder, "?read_only=on")).unwrap()), 2);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_query_that_needs_more_memory_than_it_may_use_says_so() {
    let (target, folder) = place("");
    load(&target, 2);
    drop(target);
    let target = open(&url(&folder, "?memory_limit_mb=16&threads=1")).unwrap();
    let ask = |text: &str| {
        wait(async { target.analytics().unwrap().session().await?.query(text, &[]).await })
    };
    let text = "SELECT length(string_agg(repeat('x', 1000000), '')) AS n FROM range(100)";
    let e = ask(text).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(!e.to_string().contains('\n'), "{e}");
    assert!(e.advice.as_deref().is_some_and(|advice| advice.contains("memory_limit_mb")), "{e:?}");
    // The next one has the memory again.
    assert_eq!(ask("SELECT count(*) AS n FROM orders").unwrap().rows, [[serde_json::json!(2)]]);
}

/// The environment variable by which a test starts another process that fills a disk.
const FILLED: &str = "HOAP_TEST_DUCKDB_FILLED";

fn data() -> DataSet {
    DataSet::new(Spec { scale_down: 20, ..Spec::new(Schema::Ch2pp, 1) }).unwrap()
}

fn load_data(url: &str, existing: Existing) -> Result<Loaded> {
    let target = open(url).unwrap();
    let (what, stop) = (Load::whole(data(), existing), Arc::new(|| false));
    wait(hoap_workload::load::load(target.documents()?, what, stop, &mut |_| ()))
}

#[test]
#[ignore = "another test runs it in a process of its own, whose disk is full"]
fn filler() {
    let Ok(url) = std::env::var(FILLED) else { return };
    let e = load_data(&url, Existing::Refuse).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.advice.as_deref().is_some_and(|advice| advice.contains("room")), "{e:?}");
    println!("told: {e}");
}

#[test]
fn a_full_disk_stops_the_load_and_resuming_finishes_it() {
    let (_, folder) = place("");
    // The shell's limit on the size of a file is a disk that is full for this process.
    let told = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["refused::filler", "--exact", "--ignored", "--nocapture"])
        .env(FILLED, url(&folder, ""))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let lines = told.lines().filter(|line| line.contains("told: ")).count();
    assert!(lines == 1 && told.contains("t.duckdb") && told.contains("1 passed"), "{told}");
    assert!(load_data(&url(&folder, ""), Existing::Resume).unwrap().whole);
    let (target, data) = (open(&url(&folder, "")).unwrap(), data());
    for collection in Collection::ALL {
        let mut documents = 0;
        let mut each = |_: &str, _| {
            documents += 1;
            Ok(())
        };
        wait(target.documents().unwrap().scan(collection.name(), &[], &mut each)).unwrap();
        assert_eq!(documents, data.count(collection), "{collection}");
    }
}
