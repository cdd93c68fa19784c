//! Run folders that no run wrote: an error that names file, place, value and limit, and soon.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{End, Place};

/// A short run as `a`, and the same as `b`.
fn runs() -> Place {
    let p = Place::new();
    let run =
        "run ycsb-a --target null: -p recordcount=100 --duration 300ms --warmup 100ms --out a";
    p.ok(run);
    let copied = Command::new("cp").args(["-r", "a", "b"]).current_dir(p.0.path()).status();
    assert!(copied.unwrap().success());
    p
}

/// Runs `hoap` with no more than two gigabytes of address space and half a minute.
fn bounded(p: &Place, line: &str) -> End {
    let limited = format!("ulimit -v 2000000 -t 30; exec {} {line}", env!("CARGO_BIN_EXE_hoap"));
    End::of(Command::new("bash").args(["-c", &limited]).current_dir(p.0.path()).output().unwrap())
}

/// Both commands refuse the folder `a` with exit code 2 and these words.
fn refused(p: &Place, says: &[&str]) {
    for line in ["report a -o page.html", "compare a b"] {
        let end = bounded(p, line);
        assert_eq!(end.code, 2, "hoap {line}: {says:?}: {end:?}");
        for words in says {
            assert!(end.err.contains(words), "hoap {line}: no {words:?} in {}", end.err);
        }
    }
}

/// A line of a log whose histogram has this head and states so many bytes of counts.
fn line(digits: u32, high: u64, stated: u32) -> String {
    let mut raw = 0x1c84_9313u32.to_be_bytes().to_vec();
    raw.extend(stated.to_be_bytes());
    raw.extend([0; 4]);
    raw.extend(digits.to_be_bytes());
    raw.extend(1u64.to_be_bytes());
    raw.extend(high.to_be_bytes());
    raw.extend(1f64.to_be_bytes());
    raw.push(2);
    format!("Tag=READ,0.100,1.000,1.000,{}\n", BASE64_STANDARD.encode(raw))
}

#[test]
fn a_short_line_of_a_log_cannot_ask_for_memory() {
    let p = runs();
    let log = p.text("a/step-01.hlog");
    let number = format!("line {}", log.lines().count() + 1);
    for (bad, says) in [
        (line(3, 1000, u32::MAX), "stated length"),
        (line(5, 1 << 62, 1), "5 significant digits, more than 3"),
        (line(3, 1 << 62, 1), "not within 1 to 8589934592"),
        ("Tag=READ,99999999999.000,1.000,1.000,AA==\n".to_owned(), "from 0 to 1000000000"),
        (format!("{}\n", "x".repeat(2_000_000)), "longer than 1048576 bytes"),
        ("what is this\n".to_owned(), "not a line of an interval log"),
    ] {
        p.write("a/step-01.hlog", &format!("{log}{bad}"));
        refused(&p, &["a/step-01.hlog", &number, says]);
    }
    let mut tags = log.clone();
    for tag in 0..200 {
        tags += &line(3, 1000, 1).replace("READ", &format!("T{tag}"));
    }
    p.write("a/step-01.hlog", &tags);
    let end = bounded(&p, "report a -o page.html");
    assert!(end.code == 2 && end.err.contains("more than 97 tags"), "{end:?}");
}

/// What a folder is changed to.
type Change = fn(&mut Value);

#[test]
fn a_record_cannot_ask_for_time() {
    let p = runs();
    let run = p.json("a/run.json");
    let changes: [(Change, &str); 9] = [
        (|r| r["seconds"] = json!(9e15), "seconds is 9000000000000000"),
        (|r| r["steps"][0]["seconds"] = json!(9e15), "steps[0]: seconds is 9000000000000000"),
        (|r| r["steps"][0]["start_seconds"] = json!(-1e300), "steps[0]: start_seconds is -1"),
        (|r| r["steps"] = json!(vec![r["steps"][0].clone(); 1001]), "1001 steps, more than 1000"),
        (|r| r["steps"] = json!(vec![r["steps"][0].clone(); 2]), "number 1 is that of another"),
        (
            |r| {
                let kind = r["steps"][0]["transactions"][0].clone();
                r["steps"][0]["transactions"] = json!(vec![kind; 33]);
            },
            "33 transactions, more than 32",
        ),
        (
            |r| r["steps"][0]["transactions"][0]["count"] = json!(u64::MAX),
            "more than 9007199254740992",
        ),
        (|r| r["hoap"] = json!("x".repeat(16_385)), "a text of more than 16384 bytes"),
        (|r| r["command"][0] = json!("\"".repeat(9000)), "a text of more than 16384 bytes"),
    ];
    for (change, says) in changes {
        let mut changed = run.clone();
        change(&mut changed);
        p.write("a/run.json", &changed.to_string());
        refused(&p, &["a/run.json", says]);
    }
    p.write("a/run.json", &" ".repeat(40_000_000));
    refused(&p, &["a/run.json", "more than 33554432 bytes"]);
    p.write("a/run.json", &run.to_string());
    let rows = p.text("a/samples.csv");
    let next = format!("line {}", rows.lines().count() + 1);
    for (row, says) in [
        ("1,measured,1,9e15,READ,5,0,0,1,1,1,1\n", "seconds is 9000000000000000"),
        ("1,measured,inf,1,READ,5,0,0,1,1,1,1\n", "at_seconds is inf"),
        ("1001,measured,1,1,READ,5,0,0,1,1,1,1\n", "step is 1001, more than 1000"),
        ("1,measured,1,NaN,READ,5,0,0,1,1,1,1\n", "seconds is NaN"),
        ("1,measured,1,1,READ,18446744073709551615,0,0,1,1,1,1\n", "count is 18446744073709551615"),
    ] {
        p.write("a/samples.csv", &format!("{rows}{row}"));
        refused(&p, &["a/samples.csv", &next, says]);
    }
    p.write("a/samples.csv", &format!("{rows}{}", "1,".repeat(1_000_000)));
    refused(&p, &["a/samples.csv", &next, "longer than 1048576 bytes"]);
    let cell = |at: usize| format!("1,measured,{at},1,NEW,5,0,0,1,1,1,1\n");
    p.write("a/samples.csv", &(rows + &(0..=14_400).map(cell).collect::<String>()));
    refused(&p, &["a/samples.csv", "its step has more than 14400 cells"]);
}

/// Many equal steps and many cells cost no more than their number.
#[test]
fn a_long_record_takes_a_time_that_grows_with_it() {
    let p = runs();
    let mut run = p.json("a/run.json");
    let mut rows = p.text("a/samples.csv");
    rows.truncate(rows.find('\n').unwrap() + 1);
    for at in 0..50_400 {
        // As many as a step may have.
        let (step, count) = (1 + at / 3_600, 40 + at * 7919 % 23);
        for kind in ["READ", "UPDATE"] {
            writeln!(rows, "{step},measured,{at},1,{kind},{count},0,0,1,1,1,1").unwrap();
        }
    }
    run["steps"][0]["seconds"] = json!(3_600.0);
    let step = run["steps"][0].clone();
    for number in 2..=1000 {
        let mut next = step.clone();
        next["number"] = json!(number);
        run["steps"].as_array_mut().unwrap().push(next);
    }
    for folder in ["a", "b"] {
        p.write(&format!("{folder}/run.json"), &run.to_string());
        p.write(&format!("{folder}/samples.csv"), &rows);
    }
    let end = bounded(&p, "compare a b --json");
    assert_eq!(end.code, 0, "{end:?}");
}

/// An output that is a pipe without a reader keeps a command waiting until it is interrupted.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_report_and_a_comparison() {
    let p = runs();
    assert!(Command::new("mkfifo").arg(p.path("pipe")).status().unwrap().success());
    for line in ["report a -o pipe", "show a --format text --config pipe"] {
        let mut child = p.spawn(line);
        std::thread::sleep(Duration::from_millis(500));
        assert!(child.try_wait().unwrap().is_none(), "hoap {line} did not wait");
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        super::until("it has ended", || child.try_wait().unwrap().is_some());
        let end = End::of(child.wait_with_output().unwrap());
        // One that has not begun is ended by the signal itself.
        assert!([130, -1].contains(&end.code), "{line}: {end:?}");
    }
}

/// Each file of a folder × what stands in its place × each command that reads it.
#[cfg(unix)]
#[test]
fn no_file_of_a_folder_makes_a_reader_wait_or_take_memory() {
    let p = runs();
    let whole = p.path("whole");
    std::fs::rename(p.path("a"), &whole).unwrap();
    let copy = |from: &str, to: &str| {
        let _ = std::fs::remove_dir_all(p.path(to));
        let copied = Command::new("cp").args(["-r", from, to]).current_dir(p.0.path()).status();
        assert!(copied.unwrap().success());
    };
    let commands = ["report a -o page.html", "compare a b", "show a", "merge a b -o merged"];
    for (file, readers) in [
        ("run.json", &commands[..]),
        ("samples.csv", &commands[..2]),
        ("step-01.hlog", &commands[..2]),
        ("queries.csv", &commands[1..3]),
        ("observed.csv", &commands[..1]),
        ("machine.csv", &commands[..1]),
    ] {
        for place in ["pipe", "/dev/zero", "folder"] {
            copy("whole", "a");
            let path = p.path(&format!("a/{file}"));
            let _ = std::fs::remove_file(&path);
            match place {
                "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                "folder" => std::fs::create_dir(&path).unwrap(),
                device => std::os::unix::fs::symlink(device, &path).unwrap(),
            }
            for line in readers {
                let end = bounded(&p, line);
                let told = format!("{line}: {file} as {place}: {end:?}");
                assert!(end.code == 2 && end.err.contains("not a regular file"), "{told}");
                assert!(end.err.contains(file), "{told}");
            }
        }
    }
}

/// Text that is small on disk and large in memory, or long in an error.
#[test]
fn a_record_of_many_values_is_refused_before_it_is_read() {
    let p = runs();
    let run = p.text("a/run.json");
    let with = |key: &str, value: &str| run.replacen('{', &format!("{{{key:?}:{value},"), 1);
    let many = vec!["{\"\":{}}"; 3_000_000].join(",");
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let mut long = p.json("a/run.json");
    long["seconds"] = "x".repeat(20_000_000).into();
    for (text, says) in [
        (with("x", &format!("[{many}]")), "more than 1500000 values"),
        (with("x", &format!("{:?}", ",".repeat(3_000_000))), "more than 1500000 values"),
        (with("hoap", &deep), "recursion limit"),
        (with("data", &deep), "recursion limit"),
        (long.to_string(), "a text of more than 16384 bytes"),
    ] {
        p.write("a/run.json", &text);
        for line in ["report a -o page.html", "compare a b", "show a"] {
            let end = bounded(&p, line);
            assert!(end.code == 2 && end.err.contains(says), "hoap {line}: no {says:?} in {end:?}");
            assert!(end.err.len() < 5_000, "{}", end.err.len());
        }
    }
    p.write("a/run.json", &run);
    let mut rows = "at_seconds,source,series,kind,value\n".to_owned();
    for n in 0..100_000 {
        writeln!(rows, "1,s,c{n},gauge,1").unwrap();
    }
    let samples = p.text("a/samples.csv");
    for (row, says) in [
        ("1,measured,1,1,K{},5,0,0,1,1,1,1\n", "more than 97 kinds"),
        ("1,p{},1,1,READ,5,0,0,1,1,1,1\n", "more than 32 phases"),
    ] {
        let many: String = (0..100).map(|n| row.replace("{}", &n.to_string())).collect();
        p.write("a/samples.csv", &(samples.clone() + &many));
        refused(&p, &["a/samples.csv", says]);
    }
    p.write("a/samples.csv", &samples);
    p.write("a/observed.csv", &rows);
    let end = bounded(&p, "report a -o page.html");
    assert!(
        end.code == 2 && end.err.contains("line 5002: it has more than 5000 series"),
        "{end:?}"
    );
}

/// A row of `hoap runs` is one line of a length that no record decides.
#[test]
fn a_list_of_runs_has_a_short_line_for_each() {
    let p = runs();
    let mut run = p.json("a/run.json");
    run["started"] = format!("2026\n{}", "x".repeat(200_000)).into();
    p.write("a/run.json", &run.to_string());
    let end = bounded(&p, "runs .");
    assert!(end.code == 0 && end.out.lines().count() == 2 && end.out.len() < 6_000, "{end:?}");
}
