//! Files are whole or not there, what a server says is visible, and Ctrl-C is heard.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::compare::two_drivers;
use super::{End, Place, interrupted};

/// A run in `run`, and its page and tables in `page.html` and `tables`.
fn reported() -> Place {
    let p = Place::new();
    p.ok("run ycsb-a --target null: -p recordcount=100 --clients 1,2 --operations 2000 --warmup 10ms \
          --out run");
    p.ok("report run -o page.html --csv tables");
    p.ok("compare run run -o compared.txt");
    p
}

/// Two drivers' runs, in `driver-1` and `driver-2`.
fn driven() -> Place {
    let p = Place::new();
    let line = "run ycsb-a --target null: -p recordcount=100 --duration 1s --warmup 100ms";
    two_drivers(&p, 2, line, "--clients");
    p
}

/// Every file of the place with its bytes.
pub fn files(p: &Place) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![p.path(".")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push((path.display().to_string(), std::fs::read(path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

/// Runs `hoap` where no file may have more than so many blocks of 512 bytes, as if the disk were
/// full.
fn on_a_full_disk(p: &Place, blocks: u32, line: &str) -> End {
    let hoap = p.command(line);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
    limited.arg(hoap.get_program()).args(hoap.get_args()).current_dir(p.path("."));
    End::of(limited.stdin(Stdio::null()).output().unwrap())
}

#[test]
fn a_full_disk_leaves_the_files_that_were_there_and_no_others() {
    let p = reported();
    let before = files(&p);
    for line in [
        "report run run -o page.html --csv tables",
        "report run run -o other.html",
        "compare run run --format markdown -o compared.txt",
        "compare run run --format junit -o other.xml",
    ] {
        let end = on_a_full_disk(&p, 1, line);
        assert_eq!(end.code, 3, "{line}: {end:#?}");
        assert!(end.err.contains("hoap: write "), "{line}: {end:#?}");
        assert!(files(&p) == before, "{line} left other files");
    }
    p.ok("report run run -o page.html --csv tables");
    assert!(files(&p) != before);
}

/// A command for every place that a user can name for results.
#[test]
fn a_file_that_hoap_did_not_write_stays_and_is_named() {
    let (p, data) = (reported(), Place::new());
    data.load("t.db");
    let query =
        format!("query ch2pp --analytical sqlite:{} --queries 1", data.path("t.db").display());
    let run = "run ycsb-c --target null: -p recordcount=9 --operations 9 --warmup 0s --out new";
    for name in ["mine", "folder/mine.txt", "q/q01.json", "plans/q01.plan.json", "man/hoap.1"] {
        p.write(name, "mine\n");
    }
    let before = files(&p);
    for (line, named) in [
        ("report run -o mine", "mine"),
        ("report run -o run/run.json", "run/run.json"),
        ("report run -o run/samples.csv", "run/samples.csv"),
        ("report run -o run/observed.csv", "run/observed.csv"),
        ("report run -o prices.html --csv run", "run"),
        ("report run -o prices.html --csv .", "."),
        ("report run -o prices.html --csv folder", "mine.txt"),
        ("report run -o tables/operations.csv", "tables/operations.csv"),
        ("report run -o tables/new.csv --csv -", "standard output"),
        ("compare run run -o mine", "mine"),
        ("compare run run -o run/samples.csv", "run/samples.csv"),
        ("compare run run -o page.html", "page.html"),
        ("compare run run --format junit -o compared.txt", "compared.txt"),
        ("man -o man", "man/hoap.1"),
        ("man -o -", "standard output"),
        (&*format!("{query} --answers-out q"), "q/q01.json"),
        (&*format!("{query} --explain plans"), "plans/q01.plan.json"),
        (&*format!("{run} --export text=mine"), "mine"),
        (&*format!("{run} --export markdown=page.html"), "page.html"),
        (&*format!("{run} --export csv=run/samples.csv"), "run/samples.csv"),
        (&*format!("{run} --export json=run/run.json"), "run/run.json"),
        (&*format!("{run} --export ycsb=mine"), "mine"),
        (&*format!("{run} --export text=twice --export markdown=./twice"), "another export"),
        ("report run -o - --json", "--json"),
    ] {
        p.fails(line, 2, &[named]);
        assert!(files(&p) == before && !p.path("new").exists(), "{line} changed a file");
    }
}

#[test]
fn what_hoap_wrote_is_replaced_and_no_table_of_an_earlier_report_stays() {
    let p = reported();
    p.ok("report run run -o page.html --csv tables");
    let names = |folder: &str| -> Vec<_> {
        let entries = std::fs::read_dir(p.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let more = names("tables");
    p.write("tables/notes.txt", "mine\n");
    p.ok("report run -o page.html --csv tables");
    std::fs::remove_file(p.path("tables/notes.txt")).unwrap();
    p.ok("report run -o other.html --csv other");
    assert_eq!(names("tables"), names("other"));
    assert!(names("tables").len() < more.len(), "{more:?}");
    let run = "run ycsb-c --target null: -p recordcount=9 --operations 9 --warmup 0s";
    for (number, export) in ["text=t", "markdown=m", "csv=c", "json=j", "ycsb=y"].iter().enumerate()
    {
        for again in [0, 1] {
            p.ok(&format!("{run} --export {export} --out run-{number}-{again}"));
        }
    }
    for format in ["text", "markdown", "junit"] {
        p.ok(&format!("compare run run --format {format} -o {format}"));
        p.ok(&format!("compare run run --format {format} -o {format}"));
    }
    p.ok("man -o man");
    p.ok("man -o man");
    // A file that somebody made for the result, such as mktemp does.
    p.write("empty", "");
    p.ok("report run -o empty");
}

#[test]
fn a_result_goes_to_standard_output_where_its_file_is_a_dash() {
    let p = reported();
    let page = p.ok("report run -o -").out;
    assert_eq!(page.trim_end(), p.text("page.html").trim_end());
    let junit = p.ok("compare run run --format junit -o -").out;
    assert!(junit.starts_with("<?xml") && junit.trim_end().ends_with("</testsuites>"), "{junit}");
    let run = "run ycsb-c --target null: -p recordcount=9 --operations 9 --warmup 0s --out new";
    let told = p.ok(&format!("{run} --export ycsb=-")).out;
    assert!(told.contains("\n[OVERALL], RunTime(ms), "), "{told}");
    assert!(!p.path("-").exists());
}

#[test]
fn a_full_disk_leaves_no_part_of_a_merged_run() {
    let p = driven();
    let before = files(&p);
    for blocks in [0, 1, 4] {
        let end = on_a_full_disk(&p, blocks, "merge driver-1 driver-2 -o whole");
        assert_eq!(end.code, 3, "{end:#?}");
        assert!(files(&p) == before, "{blocks} blocks");
    }
    p.ok("merge driver-1 driver-2 -o whole");
}

/// A merge that is killed leaves half a folder with its mark.
#[test]
fn half_a_merged_run_of_a_killed_process_is_replaced_and_what_is_put_into_it_stays() {
    let p = driven();
    p.ok("merge driver-1 driver-2 -o whole");
    let whole: Vec<_> = files(&p);
    let half = || {
        p.write("whole/.hoap-made", "Made by hoap: merge 0123456789abcdef\n");
        std::fs::remove_file(p.path("whole/run.json")).unwrap();
    };
    half();
    p.ok("merge driver-1 driver-2 -o whole");
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&files(&p)), names(&whole));
    p.fails("merge driver-1 driver-2 -o whole", 2, &["is not empty"]);
    half();
    p.write("whole/thesis.txt", "mine\n");
    let before = files(&p);
    p.fails("merge driver-1 driver-2 -o whole", 2, &["thesis.txt", "hoap did not make"]);
    assert!(files(&p) == before);
    let held = File::open(p.path("whole")).unwrap();
    held.try_lock().unwrap();
    p.fails("merge driver-1 driver-2 -o whole", 3, &["another hoap is at work in it"]);
}

#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    let p = reported();
    for line in [
        "compare run run --format junit",
        "targets",
        "report run -o p.html --json",
        "gen ycsb -p recordcount=10 --stdout",
        "run --help",
        "init ch2pp",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let end = p.command(line).stdout(full).output().unwrap();
        let told = String::from_utf8(end.stderr).unwrap();
        assert_eq!(end.status.code(), Some(3), "{line}: {told}");
        assert!(told.contains("standard output"), "{line}: {told}");
    }
}

/// Waits until this command reads the file.
#[cfg(target_os = "linux")]
fn once_read(path: &Path, child: &mut Child) {
    let files = format!("/proc/{}/fd", child.id());
    loop {
        let open = std::fs::read_dir(&files).into_iter().flatten().flatten();
        if open.filter_map(|fd| std::fs::read_link(fd.path()).ok()).any(|file| file == path) {
            return;
        }
        assert_eq!(child.try_wait().unwrap(), None, "it never read {}", path.display());
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Two seconds on a quiet machine.
const SOON: Duration = Duration::from_secs(10);

/// Reading a file of two million rows stands for all work that takes long.
#[cfg(target_os = "linux")]
#[test]
fn commands_that_read_runs_end_at_ctrl_c_and_leave_nothing() {
    let p = driven();
    let path = std::fs::canonicalize(p.path("driver-2/samples.csv")).unwrap();
    let mut rows = std::fs::read_to_string(&path).unwrap();
    let last = rows.lines().last().unwrap().to_owned() + "\n";
    rows.extend(std::iter::repeat_n(last, 2_000_000));
    std::fs::write(&path, rows).unwrap();
    let before = files(&p);
    for line in [
        "report driver-1 driver-2 -o page.html --csv tables",
        "compare driver-2 driver-2 -o compared.txt",
        "merge driver-1 driver-2 -o whole",
    ] {
        let mut child = p.spawn(line);
        once_read(&path, &mut child);
        let (end, took) = interrupted(child);
        assert!(took < SOON && end.code == 130, "{line}: {took:?} {end:#?}");
    }
    assert!(files(&p) == before && !p.path("whole").exists());
}

#[test]
fn loads_and_runs_end_at_ctrl_c_where_no_database_is_waited_for() {
    let p = Place::new();
    let lines = [
        "load ch2pp --target null: --warehouses 1000",
        "load ycsb --target null: -p recordcount=1000000000",
        "run ycsb-a --target null: -p recordcount=100 --start-at 2100-01-01T00:00:00Z --out a",
        "run ycsb-a --target null: -p recordcount=100 --duration 1h --rate 1 --out b",
    ];
    let running = lines.map(|line| p.spawn(line));
    std::thread::sleep(Duration::from_millis(1500));
    for (line, child) in lines.iter().zip(running) {
        let (end, took) = interrupted(child);
        assert!(took < SOON && end.code == 130, "{line}: {took:?} {end:#?}");
    }
}

#[test]
fn what_a_run_folder_says_moves_no_cursor() {
    let p = reported();
    let path = p.path("run/run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let name = "\"name\": \"";
    let evil = text.replace(name, &format!("{name}=\\u001b]0;evil\\u0007\\u202e\\ufffe"));
    assert_ne!(evil, text);
    std::fs::write(&path, evil).unwrap();
    p.ok("report run -o page.html --csv tables");
    let ends = ["report run -o page.html", "compare run run", "compare run run --format junit"];
    let mut texts: Vec<String> = ends.map(|line| p.ok(line)).map(|end| end.out + &end.err).into();
    texts.extend(
        files(&p)
            .into_iter()
            .filter(|(name, _)| !name.ends_with(".json"))
            .map(|file| String::from_utf8_lossy(&file.1).into_owned()),
    );
    for text in &texts {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{fffe}']), "{text:?}");
    }
    assert!(texts.iter().any(|text| text.contains("]0;evil")));
}

#[test]
fn what_an_error_repeats_moves_no_cursor() {
    let p = Place::new();
    for line in ["load ycsb --target", "report", "targets"] {
        let evil = "sqlite:no\u{1b}[2J\u{9b}31m\u{202e}\rsuch/x.db";
        let end = End::of(p.command(line).arg(evil).output().unwrap());
        assert!(end.code > 0 && end.err.contains("such/x.db"), "{line}: {end:#?}");
        assert!(!end.err.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\r']), "{line}: {end:#?}");
    }
}

#[test]
fn clients_that_memory_has_no_room_for_are_refused_before_the_run() {
    let p = Place::new();
    let says = ["clients", "at least", "GB are available", "use fewer clients"];
    for target in ["null:", "sqlite:t.db"] {
        p.ok(&format!("load ycsb --target {target} -p recordcount=100"));
        let line =
            format!("run ycsb-a --target {target} -p recordcount=100 --clients 1,4000000000");
        p.fails(&format!("{line} --out run"), 2, &says);
        assert!(!p.path("run").exists());
    }
    p.load("ch2.db");
    let line = "run ch2pp --operational sqlite:ch2.db --tx-clients 1 --query-clients 90000000";
    p.fails(&format!("{line} --out run"), 2, &says);
}

#[test]
fn a_run_leaves_its_ledger_where_that_is_asked_for_and_checks_all_the_same() {
    let p = Place::new();
    p.load("t.db");
    let line = "run ch2pp --operational sqlite:t.db --tx-clients 2 --query-clients 0 --warmup 0s";
    p.ok(&format!("{line} --duration 1s --tick 100ms --ledger --out with"));
    let (run, ledger) = (p.json("with/run.json"), p.json("with/ledger.json"));
    let checked = |name: &str| {
        let check = run["checks"].as_array().unwrap().iter().find(|c| c["name"] == name);
        let check = check.unwrap_or_else(|| panic!("no {name}: {run:#}"));
        assert_eq!(check["verdict"], "pass", "{check:#}");
        check["checked"].as_u64().unwrap()
    };
    let orders = ledger["ledger"]["orders"].as_array().unwrap().len() as u64;
    assert!(orders > 0 && checked("nothing lost: NewOrder") >= orders, "{orders}");
    assert_eq!(
        (&run["configuration"]["tick"], &run["configuration"]["ledger"]),
        (&"100ms".into(), &true.into())
    );
    let samples = p.text("with/samples.csv");
    let ends: std::collections::BTreeSet<_> =
        samples.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert!(ends.len() >= 5, "a tick lasts longer where the machine is busy: {ends:?}");

    p.ok(&format!("{line} --duration 500ms --out without"));
    assert!(!p.path("without/ledger.json").exists());
    p.fails(&format!("{line} --tick 1ms --out fast"), 2, &["at least 10ms", "--tick"]);
}
