//! What a run records of the driver's machine, and what it warns of.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::{End, Place, remark};

/// A process that is ended with the test.
struct Burner(Child);

impl Burner {
    /// Takes all that it gets of the first core.
    fn new() -> Burner {
        let loop_ = ["-c", "0", "sh", "-c", "while :; do :; done"];
        Burner(Command::new("taskset").args(loop_).stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The ids of the remarks that tell of the driver and its machine.
fn told(run: &Value) -> Vec<&str> {
    let all =
        run["remarks"].as_array().unwrap().iter().map(|remark| remark["id"].as_str().unwrap());
    all.filter(|id| ["cpu-stolen", "begun-late", "driver-busy", "cores-taken"].contains(id))
        .collect()
}

#[test]
fn a_run_records_its_machine_and_the_report_shows_it() {
    let p = Place::new();
    p.ok(
        "run ycsb-c --target null:?latency_us=1000 --clients 2 --duration 2s --warmup 1s --out run",
    );
    let rows = hoap_record::folder::read_machine(&p.path("run")).unwrap();
    let phases: Vec<&str> = rows.iter().map(|row| row.phase.as_str()).collect();
    assert!(phases.contains(&"warmup") && phases.contains(&"measured"), "{phases:?}");
    let run = p.json("run/run.json");
    let step = &run["steps"][0];
    let (start, seconds) =
        (step["start_seconds"].as_f64().unwrap(), step["seconds"].as_f64().unwrap());
    let mut covered = 0.0;
    for row in &rows {
        assert!(row.resident_bytes > 0 && !row.cores.is_empty(), "{row:?}");
        assert!((0.0..=1.0).contains(&row.busiest_core), "{row:?}");
        if row.phase == "measured" {
            assert!(row.at_seconds > start && row.at_seconds < start + seconds + 0.5, "{row:?}");
            covered += row.seconds;
        }
    }
    assert!((covered - seconds).abs() < 0.2, "{covered} of {seconds} s: {rows:?}");
    let sum: f64 = rows.iter().map(|row| (row.user + row.system) * row.seconds).sum();
    assert!(sum > 0.0, "the driver took no CPU: {rows:?}");
    let driver = &step["driver"];
    assert!(driver["cpu_seconds"].as_f64().unwrap() > 0.0, "{driver}");
    assert!(run["host"]["settings"]["usable cores"].is_string(), "{}", run["host"]);
    p.ok("report run --csv tables -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("Driver CPU over time") && page.contains("usable cores"));
    let table = p.text("tables/machine-over-time-0.csv");
    assert_eq!(table.lines().count(), rows.len() + 1, "{table}");
}

/// On a core that two other processes want as well, the text says so; they are the cause, for the
/// database does nothing.
#[test]
fn a_driver_whose_core_others_take_is_warned() {
    let p = Place::new();
    let line = "run ycsb-c --target null: --clients 2 --duration 4s --warmup 0s --out";
    let run = |out: &str| {
        let mut command = Command::new("taskset");
        command.args(["-c", "0", env!("CARGO_BIN_EXE_hoap")]).args(line.split(' ')).arg(out);
        let end = End::of(command.current_dir(p.0.path()).stdin(Stdio::null()).output().unwrap());
        assert_eq!(end.code, 0, "{end:#?}");
        (p.json(&format!("{out}/run.json")), end)
    };
    let (crowded, end) = {
        let _others = [Burner::new(), Burner::new()];
        run("crowded")
    };
    let taken = remark(&crowded, "cores-taken").expect("no remark");
    assert_eq!(taken["steps"], serde_json::json!([1]));
    let one = taken["text"].as_str().unwrap();
    assert!(one.contains("its threads waited for a core") && one.contains("of 1 core"), "{one}");
    assert!(end.out.contains("\n! a core of the driver was busy: "), "{}", end.out);
    // Alone it takes the core itself, as a closed loop on a database that does nothing must.
    let (alone, _) = run("alone");
    let driver = &alone["steps"][0]["driver"];
    let of = |name: &str| driver[name].as_f64().unwrap();
    let alone_there = of("cpu_seconds") > 0.75 * of("machine_seconds");
    let steal = of("steal_seconds") > 0.05 * of("seconds");
    assert!(told(&alone).is_empty() || !alone_there || steal, "{alone:#}");
}

/// However long a tick is: what ended before and after the stop lies in one.
#[test]
fn a_driver_that_was_stopped_says_so_and_its_gap_is_as_long() {
    let p = Place::new();
    let begin = |tick: &str| {
        let line = format!(
            "run ycsb-c --target null:?latency_us=1000 --clients 2 --duration 3s --warmup 0s \
             --tick {tick} --out {tick}"
        );
        let child = p.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Burner(child)
    };
    let mut drivers = ["1s", "10s"].map(|tick| (tick, begin(tick)));
    for (tick, driver) in &mut drivers {
        while !p.path(&format!("{tick}/step-01.hlog")).exists() {
            assert_eq!(driver.0.try_wait().unwrap(), None, "it ended");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let all = |signal| {
        let pids = drivers.iter().map(|(_, driver)| i32::try_from(driver.0.id()).unwrap());
        pids.for_each(|pid| kill(Pid::from_raw(pid), signal).unwrap());
        std::thread::sleep(Duration::from_secs(1));
    };
    std::thread::sleep(Duration::from_millis(500));
    all(Signal::SIGSTOP);
    all(Signal::SIGCONT);
    for (tick, driver) in &mut drivers {
        assert!(driver.0.wait().unwrap().success());
        let run = p.json(&format!("{tick}/run.json"));
        let step = &run["steps"][0];
        let seconds = |of: &Value| of["seconds"].as_f64().unwrap();
        let stopped = step["standstills"].as_array().expect("standstills").iter().map(seconds);
        let longest = stopped.fold(0.0, f64::max);
        assert!((0.9..3.0).contains(&longest), "{step:#}");
        assert!(seconds(&step["longest_gap"]) > 0.9, "{step:#}");
        assert!(remark(&run, "stood-still").is_some(), "{:#}", run["remarks"]);
    }
}

/// A driver that is stopped for 50 ms again and again begins operations late for which clients
/// wait.
#[test]
fn a_driver_that_is_stopped_in_an_open_loop_is_warned() {
    let p = Place::new();
    let line = "run ycsb-c --target null:?latency_us=100 --clients 4 --rate 200 --duration 4s \
                --warmup 0s --out run";
    let mut child = p.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let code = loop {
        if let Some(code) = child.try_wait().unwrap() {
            break code;
        }
        kill(pid, Signal::SIGSTOP).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        kill(pid, Signal::SIGCONT).unwrap();
        std::thread::sleep(Duration::from_millis(150));
    };
    assert!(code.success(), "{code}");
    let run = p.json("run/run.json");
    let late = run["steps"][0]["late_p99_us"].as_u64().unwrap();
    assert!(late > 10_000, "{late}");
    assert!(told(&run).contains(&"begun-late"), "{:#}", run["remarks"]);
}
