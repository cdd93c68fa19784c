//! A streaming replica that takes in what its primary is loaded with; `psql` is the observer.

use std::process::Command;
use std::time::Duration;

use hoap_ch2::data::Collection;
use hoap_testing::experiment::rehearse;
use hoap_testing::lab::Lab;

use super::Place;
use super::ingestion::Waiting;

/// What `psql` prints of one statement.
pub fn psql(url: &str, text: &str) -> String {
    let done = Command::new("psql").args(["-XAtq", url, "-c", text]).output().unwrap();
    assert!(done.status.success(), "{text}: {done:?}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

#[test]
fn the_time_that_a_replica_takes_is_that_of_its_replay() {
    let (p, lab) = (Place::new(), Lab::of("postgres-replica"));
    let primary_folder = lab.folder().with_file_name("postgres");
    let read =
        |name: &str| std::fs::read_to_string(primary_folder.join(name)).unwrap().trim().to_owned();
    let (primary, replica) = (read("url"), lab.url());
    let port = |url: &str| {
        let after = url.rsplit(':').next().unwrap();
        format!(":{}/", after.split('/').next().unwrap())
    };
    let superuser = read("superuser_url").replace(&port(&primary), &port(&replica));
    let documents = |url: &str| -> u64 {
        let count = |c: &Collection| psql(url, &format!("select count(*) from {}", c.name()));
        Collection::ALL.iter().map(|c| count(c).parse::<u64>().unwrap()).sum()
    };

    let load =
        format!("load ch2pp --scale-down 100 --json --target {primary} --analytical {replica}");
    psql(&superuser, "select pg_wal_replay_pause()");
    let waiting = Waiting::begin(&p, &load);
    std::thread::sleep(Duration::from_secs(1));
    let all = documents(&primary);
    assert_eq!(psql(&replica, "select to_regclass('orders') is null"), "t", "nothing is replayed");
    psql(&superuser, "select pg_wal_replay_resume()");
    let end = waiting.end();
    assert_eq!(end.code, 0, "{end:#?}");
    let found = end.value()["ingestion"].clone();
    assert_eq!((documents(&replica), found["documents"].as_u64()), (all, Some(all)), "{found:#}");
    assert_eq!(found["documents_at_written"], 0, "{found:#}");
    let seconds = |name: &str| found[name].as_f64().unwrap();
    assert!(seconds("after_seconds") >= 1.0, "{found:#}");
    // A machine that is busy counts too seldom for a rate.
    let seldom = seconds("resolution_seconds") >= 0.05 * seconds("after_seconds");
    assert!(seldom || found["per_second_after"].as_f64().is_some(), "{found:#}");

    // Old data of the same number and kind is none of the new load's.
    psql(&superuser, "select pg_wal_replay_pause()");
    let line = format!("{load} --replace --catch-up-limit 2s");
    p.fails(&line, 3, &["to remove what the load replaces: not within 2 s", " of orders"]);
    psql(&superuser, "select pg_wal_replay_resume()");
    let end = p.ok(&format!("{load} --replace"));
    assert_eq!(
        (documents(&replica), end.value()["ingestion"]["documents"].as_u64()),
        (all, Some(all))
    );
}

/// It writes nothing, not even that it ran.
#[test]
fn a_run_that_only_reads_runs_on_a_replica() {
    let (p, lab) = (Place::new(), Lab::of("postgres-replica"));
    let primary_folder = lab.folder().with_file_name("postgres");
    let primary = std::fs::read_to_string(primary_folder.join("url")).unwrap().trim().to_owned();
    let replica = lab.url();
    p.ok(&format!("load ycsb -p recordcount=100 --target {primary}?schema=only_read --replace"));
    let written = psql(&primary, "select pg_current_wal_lsn()");
    let replayed = format!("select pg_last_wal_replay_lsn() >= '{written}'");
    while psql(&replica, &replayed) != "t" {
        std::thread::sleep(Duration::from_millis(20));
    }
    let run = |name: &str, url: &str| {
        format!(
            "run {name} --target {url}?schema=only_read --operations 50 --warmup 1ms --out {name}"
        )
    };
    p.ok(&run("ycsb-c", &replica));
    let checks = p.json("ycsb-c/run.json")["checks"].clone();
    assert!(checks.as_array().unwrap().iter().all(|c| c["verdict"] == "pass"), "{checks:#}");
    p.fails(&run("ycsb-a", &replica), 3, &["read-only"]);
    // No run that read is counted as one after which the data differs from what was loaded.
    let note = "select value::json ->> 'runs' from only_read.hoap_note where value like '%runs%'";
    assert_eq!(psql(&primary, note), "0");
}

/// Figures 8 and 9: transactions on the primary, queries on the replica.
#[test]
fn the_papers_experiments_are_rehearsed_on_a_primary_and_its_replica() {
    let (p, lab) = (Place::new(), Lab::of("postgres-replica"));
    let primary_folder = lab.folder().with_file_name("postgres");
    let primary = std::fs::read_to_string(primary_folder.join("url")).unwrap().trim().to_owned();
    let replica = lab.url();
    let both = [("--operational", &*primary), ("--analytical", &*replica)];
    for (name, label) in [("ch2pp-fig8", "4Q+4A"), ("ch2pp-postgres", "1Q+1A")] {
        for run in rehearse(env!("CARGO_BIN_EXE_hoap"), p.0.path(), name, label, &both) {
            let of = |side: &str| run[side]["url"].as_str().unwrap().to_owned();
            assert_ne!(of("operational"), of("analytical"), "{name}");
        }
    }
}
