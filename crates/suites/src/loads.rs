//! Loads that are interrupted, as their users see it.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hoap_database::{Documents, Row};
use hoap_databases::open;
use hoap_workload::load::LoadSource;
use hoap_workload::note;
use hoap_ycsb::UserTable;
use hoap_ycsb::data::RecordSpec;
use serde_json::Value;

use hoap_testing::wait;

/// Records of a load that takes a while: some five batches of every client.
const RECORDS: u64 = 20_000;

/// A load by four clients is killed in its middle, then interrupted in its middle, and goes on with
/// two clients each time: every record is there. `hoap` is the program, and `url` a database of the
/// test's own.
pub fn killed_and_interrupted(hoap: &str, url: &str) {
    let target = wait(open(url)).unwrap();
    let documents = target.documents().unwrap();
    let load = format!("load ycsb -p recordcount={RECORDS} --json --load-clients");
    // The URL may have a password.
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("flags.toml");
    std::fs::write(&config, format!("target = '{url}'\n")).unwrap();
    let run = |words: String| {
        let mut command = Command::new(hoap);
        command.args(words.split(' ')).arg("--config").arg(&config).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let resume = || {
        let ended = run(format!("{load} 2 --resume")).wait_with_output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_eq!(told["whole"], true, "{told}");
        let (clients, written) = (&told["clients"], &told["documents"]);
        // Where it was whole before it was killed there was nothing left.
        assert!(*clients == 2 || (*clients == 0 && *written == 0), "{told}");
        eprintln!("{written} of {RECORDS} were left");
        let bytes = holds_all(documents);
        // What the processes wrote that ended early is part of it.
        let load = wait(note::read(documents)).unwrap().unwrap().load;
        assert_eq!((load.documents, load.bytes), (RECORDS, bytes), "{load:?}");
    };

    wait(documents.drop(&["usertable"])).unwrap();
    let mut killed = run(format!("{load} 4"));
    begun(documents, &mut killed);
    killed.kill().unwrap();
    killed.wait().unwrap();
    resume();

    wait(documents.drop(&["usertable"])).unwrap();
    let mut interrupted = run(format!("{load} 4"));
    begun(documents, &mut interrupted);
    let second = run(format!("{load} 4 --replace")).wait_with_output().unwrap();
    if interrupted.try_wait().unwrap().is_none() {
        let told = String::from_utf8_lossy(&second.stderr);
        let pid = format!("(process {})", interrupted.id());
        let says = ["in use: `hoap load ycsb` by ", &pid];
        assert_eq!(second.status.code(), Some(3), "{told}");
        assert!(says.iter().all(|words| told.contains(words)), "{told}");
    }
    let pid = interrupted.id().to_string();
    let _ = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    let ended = interrupted.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    match ended.status.code() {
        Some(130) => assert!(told.contains("interrupted") && told.contains("--resume"), "{told}"),
        code => assert_eq!(code, Some(0), "{told}"),
    }
    resume();
}

/// Waits until a client has written, or the load has ended.
fn begun(documents: Documents<'_>, load: &mut Child) {
    let since = Instant::now();
    while load.try_wait().unwrap().is_none() && since.elapsed() < Duration::from_secs(120) {
        for slice in 1..=4 {
            let position = wait(async {
                let mut writer = documents.bulk(&format!("1 of 1, slice {slice} of 4")).await?;
                writer.position("usertable").await
            });
            // The table of progress may not be there yet.
            if position.is_ok_and(|position| position > 0) {
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Every record is there once, as it was made. Returns their bytes of JSON text.
fn holds_all(documents: Documents<'_>) -> u64 {
    let table = UserTable::new("usertable", RecordSpec { count: RECORDS, ..RecordSpec::default() });
    let table = table.unwrap();
    let fields: Vec<String> = (0..10).map(|n| format!("field{n}")).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let mut seen = std::collections::HashMap::new();
    let mut each = |key: &str, row: Row| {
        assert_eq!(seen.insert(key.to_owned(), row), None, "{key} came twice");
        Ok(())
    };
    wait(documents.scan("usertable", &fields, &mut each)).unwrap();
    assert_eq!(seen.len() as u64, RECORDS);
    let (mut key, mut text, mut bytes) = (String::new(), Vec::new(), 0);
    for index in 0..RECORDS {
        key.clear();
        text.clear();
        table.append(0, index, &mut key, &mut text);
        bytes += text.len() as u64;
        let made: Value = serde_json::from_slice(&text).unwrap();
        let row = seen.get(&key).unwrap_or_else(|| panic!("no {key}"));
        assert!(fields.iter().zip(row).all(|(name, value)| made[name] == *value), "{key}");
    }
    bytes
}
