//! The benchmark at the command line of its `hoap`, on SQLite.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A folder with a database that is loaded.
struct Place(TempDir);

impl Place {
    fn loaded() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        let (told, code) = place.hoap("load counters --target sqlite:c.db");
        assert!(code == Some(0) && told.contains("8 documents"), "{told}");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What `hoap` prints, as one line, and its exit code.
    fn hoap(&self, words: &str) -> (String, Option<i32>) {
        let mut hoap = Command::new(env!("CARGO_BIN_EXE_own-benchmark"));
        let out = hoap.args(words.split_whitespace()).current_dir(self.0.path()).output().unwrap();
        let texts = [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text));
        let line = texts.concat().split_whitespace().collect::<Vec<_>>().join(" ");
        (line, out.status.code())
    }

    fn record(&self, folder: &str) -> Value {
        read(&self.path(folder).join("run.json"))
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Each check with its verdict.
fn verdicts(run: &Value) -> Vec<String> {
    let checks = run["checks"].as_array().unwrap().iter();
    let each = |check: &Value| format!("{} {}", check["name"], check["verdict"]).replace('"', "");
    checks.map(each).collect()
}

#[test]
fn a_run_has_steps_and_checks_and_a_page() {
    let place = Place::loaded();
    let run = "run counters --target sqlite:c.db --clients 1,3 --operations 60 --warmup 0s";
    let (told, code) = place.hoap(&format!("{run} --out first"));
    assert!(code == Some(0) && told.contains("ADD"), "{told}");
    let record = place.record("first");
    assert_eq!(record["steps"].as_array().unwrap().len(), 2);
    assert_eq!(
        verdicts(&record),
        [
            "document counts pass",
            "nothing changed pass",
            "document counts pass",
            "nothing lost: writes pass",
            "nothing changed pass"
        ]
    );
    let (told, code) = place.hoap("report first -o first.html");
    assert_eq!(code, Some(0), "{told}");
    let page = std::fs::read_to_string(place.path("first.html")).unwrap();
    assert!(page.contains("<h1>counters on SQLite") && page.contains("ADD"));
    // Counters that are not zero: no step runs, and the numbers are void.
    let (told, code) = place.hoap(&format!("{run} --out again"));
    assert_eq!(code, Some(1), "{told}");
    let record = place.record("again");
    assert_eq!(verdicts(&record), ["document counts pass", "nothing changed fail"]);
    assert_eq!(record["steps"].as_array().unwrap().len(), 0);
}

/// Of what each counter must be all levels are made.
#[test]
fn a_benchmark_that_says_what_its_documents_must_be_has_every_level_of_check() {
    let place = Place::loaded();
    let (counts, same) = ("document counts skip", "nothing changed pass");
    let (wrote, others) = ("nothing lost: writes pass", "other documents skip");
    let (by_query, fields) = ("document counts, by the database pass", "other fields skip");
    let not_looked_for = "conditions, nothing lost skip";
    for (level, checks) in [
        ("touched", &[counts, same, others, counts, wrote, same, others][..]),
        ("sample", &[counts, same, not_looked_for, counts, same, not_looked_for]),
        ("database", &[by_query, same, fields, by_query, wrote, same, fields]),
        ("off", &[]),
    ] {
        let target = format!("--target sqlite:{level}.db");
        assert_eq!(place.hoap(&format!("load counters {target}")).1, Some(0));
        let run = "run counters --clients 2 --operations 40 --warmup 0s --check";
        let (told, code) = place.hoap(&format!("{run} {level} {target} --out {level}"));
        assert_eq!(code, Some(0), "{told}");
        let record = place.record(level);
        assert_eq!(verdicts(&record), checks, "{level}");
        assert_eq!(record["configuration"]["check"], level);
        assert_eq!(told.contains("UNCHECKED"), level == "off", "{told}");
        assert_eq!(
            record["checks_read"].as_array().map_or(0, Vec::len),
            2 * usize::from(level != "off")
        );
    }
}

#[test]
fn drivers_leave_ledgers_that_find_a_lost_write_together() {
    let place = Place::loaded();
    let start = jiff::Timestamp::now() + Duration::from_secs(3);
    std::thread::scope(|scope| {
        for part in [1, 2] {
            let place = &place;
            scope.spawn(move || {
                let (told, code) = place.hoap(&format!(
                    "run counters --target sqlite:c.db --duration 1s --warmup 0s \
                     --start-at {start} --part {part}/2 --out {part}"
                ));
                assert_eq!(code, Some(0), "{told}");
            });
        }
    });
    let (told, code) = place.hoap("merge 1 2 --operational sqlite:c.db -o whole");
    assert_eq!(code, Some(0), "{told}");
    // One acknowledged addition is gone.
    let database = rusqlite::Connection::open(place.path("c.db")).unwrap();
    let lose = "UPDATE counters SET doc = jsonb_set(doc, '$.value', '3') WHERE key = 'c1'";
    assert_eq!(database.execute(lose, []).unwrap(), 1);
    let (told, code) = place.hoap("merge 1 2 --operational sqlite:c.db -o lost");
    assert!(code == Some(1) && told.contains("counters c1: value is \"3\""), "{told}");
    // Nobody knows of the last two additions whether they were made, or still will be: then one puts
    // back what it found.
    let ledger = place.path("2/ledger.json");
    let mut left = read(&ledger);
    let sure = left["c1"][0].as_u64().unwrap();
    left["c1"] = serde_json::json!([sure, [sure - 1, sure + 1]]);
    std::fs::write(ledger, left.to_string()).unwrap();
    let (told, code) = place.hoap("merge 1 2 --operational sqlite:c.db -o other");
    assert!(code == Some(2) && told.contains("2/ledger.json: it is not the ledger"), "{told}");
    // As a version left it that does not say which one it was.
    let mut run = place.record("2");
    run.as_object_mut().unwrap().remove("ledger");
    std::fs::write(place.path("2/run.json"), run.to_string()).unwrap();
    for (value, code) in
        [(sure - 2, 1), (sure - 1, 0), (sure, 0), (sure + 1, 0), (sure + 2, 0), (sure + 3, 1)]
    {
        let set = "UPDATE counters SET doc = jsonb_set(doc, '$.value', ?1) WHERE key = 'c1'";
        assert_eq!(database.execute(set, [value.to_string()]).unwrap(), 1);
        let merge = format!("merge 1 2 --operational sqlite:c.db -o unknown-{value}");
        let (told, end) = place.hoap(&merge);
        assert_eq!(end, Some(code), "{value} of {sure}: {told}");
    }
}
