//! Somebody at work: who writes to a database or a folder that another uses is refused, and told who.

use std::process::{Child, Command};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{End, Place, remark, until};

/// A load, a run that writes to what it loads and takes long, and one that only reads.
const BENCHMARKS: [(&str, &str, &str); 2] = [
    (
        "ycsb -p recordcount=1000",
        "ycsb-a --target sqlite:t.db --rate 20 --warmup 0s",
        "ycsb-c --target sqlite:t.db --operations 20 --warmup 0s",
    ),
    (
        "ch2pp --scale-down 100",
        "ch2pp --operational sqlite:t.db --tx-clients 1 --query-clients 0 --rate 20 --warmup 0s",
        "ch2pp --operational sqlite:t.db --tx-clients 0 --query-clients 1 --loops 1 --params check",
    ),
];

fn note(p: &Place) -> Value {
    let open = Connection::open(p.path("t.db")).unwrap();
    let text = "SELECT value FROM hoap_note WHERE name = 'note'";
    let text: String = open.query_row(text, [], |row| row.get(0)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn set_note(p: &Place, note: &Value) {
    let open = Connection::open(p.path("t.db")).unwrap();
    let text = "UPDATE hoap_note SET value = ? WHERE name = 'note'";
    assert_eq!(open.execute(text, [note.to_string()]).unwrap(), 1);
}

/// Starts a run that writes for a minute, and waits until its first step has begun.
fn writing(p: &Place, run: &str) -> Child {
    let mut child = p.spawn(&format!("run {run} --duration 1m --out first"));
    until("the step has begun", || {
        let samples = std::fs::read(p.path("first/samples.csv")).unwrap_or_default();
        assert_eq!(child.try_wait().unwrap(), None);
        samples.split(|byte| *byte == b'\n').count() > 2
    });
    child
}

/// Asks a run for its end, and waits for it.
fn ended(child: Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let end = End::of(child.wait_with_output().unwrap());
    assert!([1, 130].contains(&end.code), "{end:#?}");
}

/// Of processes that are killed and one that ends the load, the record has what all of them wrote.
#[test]
fn a_load_that_is_killed_and_resumed_has_all_of_it_on_record() {
    let p = Place::new();
    let load = "load ycsb -p recordcount=30000 --target sqlite:";
    p.ok(&format!("{load}whole.db"));
    let mut killed = p.spawn(&format!("{load}t.db"));
    until("records are there, or all of them", || {
        let open = Connection::open(p.path("t.db")).unwrap();
        let some = "SELECT 1 FROM usertable LIMIT 1";
        open.query_row(some, [], |_| Ok(())).is_ok() || killed.try_wait().unwrap().is_some()
    });
    killed.kill().unwrap();
    killed.wait().unwrap();
    p.ok(&format!("{load}t.db --resume"));
    let of = |file: &str| {
        let open = Connection::open(p.path(file)).unwrap();
        let text = "SELECT value FROM hoap_note WHERE name = 'note'";
        let text: String = open.query_row(text, [], |row| row.get(0)).unwrap();
        let load = serde_json::from_str::<Value>(&text).unwrap()["load"].clone();
        (load["documents"].clone(), load["bytes"].clone(), load["untimed"] == true)
    };
    let (documents, bytes, _) = of("whole.db");
    let resumed = of("t.db");
    assert_eq!((resumed.0, resumed.1), (documents, bytes));
    // The load may have ended before it was killed.
    p.ok("run ycsb-c --target sqlite:t.db --operations 9 --warmup 0s --out run");
    let seconds = p.json("run/run.json")["load"]["seconds"].as_f64().unwrap();
    assert_eq!(seconds == 0.0, resumed.2);
}

#[test]
fn who_writes_where_another_writes_is_refused_and_who_reads_writes_nothing() {
    for (data, writes, reads) in BENCHMARKS {
        let p = Place::new();
        p.ok(&format!("load {data} --target sqlite:t.db"));
        let name = writes.split(' ').next().unwrap();
        let first = writing(&p, writes);
        let (before, pid) = (note(&p), first.id());
        let mark = &before["at_work"][0];
        let lasts = mark["until"].as_i64().unwrap() - mark["since"].as_i64().unwrap();
        assert!((60..=300).contains(&lasts), "a minute, and one more: {mark}");
        let says = [&format!("`hoap run {name}` by "), &*format!("(process {pid})")];
        for line in [
            &*format!("run {writes} --operations 10 --out second"),
            &format!("load {data} --target sqlite:t.db"),
            &format!("load {data} --target sqlite:t.db --resume"),
            &format!("load {data} --target sqlite:t.db --replace"),
            "load shop --customers 2000 --customers-per-zip 100 --target sqlite:t.db --replace",
        ] {
            p.fails(line, 3, &["in use: ", says[0], says[1], "until 20", "--beside-others"]);
            assert!(note(&p) == before && !p.path("second").exists(), "{line}");
        }
        p.ok(&format!("run {reads} --out reading"));
        assert_eq!(note(&p), before);
        // Its checks may find what the other one did.
        let second = p.run(&format!("run {writes} --operations 10 --out second --beside-others"));
        assert!([0, 1].contains(&second.code), "{second:#?}");
        let beside = |run: &str| {
            let record = p.json(&format!("{run}/run.json"));
            let text = remark(&record, "beside-others").map(|remark| remark["text"].to_string());
            (text.unwrap_or_default(), record["configuration"]["beside-others"].clone())
        };
        let (told, asked) = beside("second");
        assert!(told.contains(says[0]) && told.contains(says[1]) && asked == true, "{told}");
        // Asked for the end, it checks too, and may find what the second did.
        ended(first);
        let (told, asked) = beside("first");
        assert!(told.contains(says[0]) && !told.contains(says[1]) && asked.is_null(), "{told}");
        assert_eq!(beside("reading").0, "");
        assert_eq!(note(&p).get("at_work"), None);
    }
}

#[test]
fn a_mark_counts_no_more_once_its_process_or_its_time_is_over() {
    let p = Place::new();
    let (data, writes, _) = BENCHMARKS[0];
    let load = format!("load {data} --target sqlite:t.db --replace");
    let run = |out: &str| p.ok(&format!("run {writes} --operations 10 --out {out}"));
    p.ok(&load);
    let mut killed = writing(&p, writes);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = note(&p);
    let is_known = cfg!(target_os = "linux");
    if is_known {
        let told = run("second").err;
        assert!(told.contains("not in use any more: `hoap run ycsb-a` by "), "{told}");
        assert!(told.contains("its process has ended"), "{told}");
    }
    // On another machine nobody knows, until its time is over.
    let mut away = left;
    away["at_work"][0]["machine"] = json!("another");
    set_note(&p, &away);
    p.fails(&load, 3, &["in use: `hoap run ycsb-a` by "]);
    p.fails(&format!("run {writes} --operations 10 --out third"), 3, &["in use: "]);
    away["at_work"][0]["until"] = json!(1_700_000_000);
    set_note(&p, &away);
    let told = run("third").err;
    assert!(told.contains("its time is over") && told.contains("until 2023-"), "{told}");
    assert!(remark(&p.json("third/run.json"), "beside-others").is_none());
    set_note(&p, &away);
    let told = p.ok(&load).err;
    assert!(told.contains("its time is over"), "{told}");
}

#[test]
fn of_two_loads_at_once_that_replace_one_is_whole_and_the_other_refused_or_after_it() {
    let p = Place::new();
    p.ok("load ycsb -p recordcount=7 --target sqlite:t.db");
    let line = "load ycsb -p recordcount=20000 --target sqlite:t.db --replace";
    let both = [line, line].map(|line| p.spawn(line));
    let ends = both.map(|child| End::of(child.wait_with_output().unwrap()));
    assert!(ends.iter().any(|end| end.code == 0), "{ends:#?}");
    for end in ends.iter().filter(|end| end.code != 0) {
        let says = "in use: `hoap load ycsb` by ";
        assert!(end.code == 3 && end.err.contains(says), "{ends:#?}");
    }
    let open = Connection::open(p.path("t.db")).unwrap();
    let count = "SELECT count(*) FROM usertable";
    assert_eq!(open.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 20_000);
    let load = &note(&p)["load"];
    assert!(load["settled"] == true && load["documents"] == 20_000, "{load}");
}

#[test]
fn a_folder_in_which_another_is_at_work_is_refused() {
    let p = Place::new();
    p.write("plan.toml", super::torture::PLAN);
    let experiment = "experiment run ch2-fig9 --configuration 8Q+8A --operational sqlite:t.db \
                      --analytical sqlite:t.db --scale-down 1000 --out d";
    std::fs::create_dir(p.path("d")).unwrap();
    let held = std::fs::File::open(p.path("d")).unwrap();
    held.try_lock().unwrap();
    for line in ["demo --out d", "torture --plan plan.toml -o d", experiment] {
        p.fails(line, 3, &["another hoap is at work in it", "name another folder"]);
        assert_eq!(std::fs::read_dir(p.path("d")).unwrap().count(), 0, "{line}");
    }
}

#[test]
fn runs_that_begin_in_the_same_second_have_folders_of_their_own() {
    let p = Place::new();
    let line = "run ycsb-c --target null: -p recordcount=9 --operations 9 --warmup 0s";
    let all = [line, line, line].map(|line| p.spawn(line));
    for child in all {
        assert_eq!(End::of(child.wait_with_output().unwrap()).code, 0);
    }
    let runs: Vec<_> = std::fs::read_dir(p.path("runs")).unwrap().collect();
    assert_eq!(runs.len(), 3);
    // Of those that name the same one, one has it.
    let line = format!("{line} --out same");
    let all = [(); 4].map(|()| p.spawn(&line));
    let ends = all.map(|child| End::of(child.wait_with_output().unwrap()));
    let whole = ends.iter().filter(|end| end.code == 0).count();
    let refused = ends.iter().filter(|end| end.code == 2 && end.err.contains("is not empty"));
    assert_eq!((whole, refused.count()), (1, 3), "{ends:#?}");
    assert_eq!(p.json("same/run.json")["partial"], Value::Null);
}
