//! `hoap show`, and the exports of a run.

use std::path::Path;

use super::Place;

const RUN: &str = "run ycsb-c --target null:?latency_us=2000 --duration 300ms --warmup 50ms";

/// What a line of YCSB is about, and whether its value is a whole number.
fn shape(text: &str) -> Vec<(String, bool)> {
    let line = |line: &str| {
        let (about, value) = line.rsplit_once(", ").unwrap_or_else(|| panic!("{line}"));
        value.parse::<f64>().unwrap_or_else(|e| panic!("{line}: {e}"));
        (about.to_owned(), value.parse::<u64>().is_ok())
    };
    text.lines().map(line).collect()
}

#[test]
fn ycsbs_lines_are_those_of_its_jar() {
    let p = Place::new();
    p.ok(&format!("{RUN} --clients 2 --out run"));
    let ours = p.ok("show run --format ycsb").out;
    let value = |about: &str| -> f64 {
        let line = ours.lines().find_map(|line| line.strip_prefix(about));
        line.unwrap_or_else(|| panic!("no {about} in {ours}")).trim().parse().unwrap()
    };
    let step = &p.json("run/run.json")["steps"][0];
    let read = &step["transactions"][0];
    assert_eq!(value("[OVERALL], Throughput(ops/sec),"), read["per_second"].as_f64().unwrap());
    assert_eq!(value("[READ], Return=OK,"), read["count"].as_f64().unwrap());
    let p99 = read["latency"]["p99_us"].as_f64().unwrap();
    assert_eq!(value("[READ], 99thPercentileLatency(us),"), p99);
    let least = value("[READ], MinLatency(us),");
    assert!((2_000.0..=read["latency"]["p50_us"].as_f64().unwrap()).contains(&least), "{ours}");

    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/Measured.java");
    let kept = env!("CARGO_TARGET_TMPDIR");
    match hoap_testing::ycsb_jar::run(&source, "Measured", &[], kept) {
        Ok(theirs) => {
            let all = theirs.lines().count();
            assert_eq!(all, 10, "{theirs}");
            // In YCSB nothing is in flight at the end: it waits.
            let mut ours = shape(&ours);
            ours.retain(|(about, _)| !about.starts_with("[READ-UNFINISHED]"));
            assert_eq!(ours, shape(&theirs), "{theirs}");
        }
        Err(why) => eprintln!("not compared with YCSB's jar: {why}"),
    }
}

#[test]
fn an_open_loop_has_both_of_ycsbs_times() {
    let p = Place::new();
    p.ok(&format!("{RUN} --clients 4 --rate 200 --out run --export ycsb=y.txt"));
    let text = p.text("y.txt");
    assert_eq!(text.trim_end(), p.ok("show run --format ycsb").out.trim_end());
    let metrics: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    let count = |name: &str| metrics.iter().filter(|metric| **metric == name).count();
    assert_eq!(
        (count("[OVERALL]"), count("[READ]"), count("[Intended-READ]")),
        (2, 8, 7),
        "{text}"
    );
}

#[test]
fn a_run_is_shown_again_in_every_format() {
    let p = Place::new();
    let ran =
        p.ok(&format!("{RUN} --clients 1,2 --out run --export markdown=r.md --export ycsb=y.txt"));
    let text = p.ok("show run").out;
    assert!(ran.out.starts_with(text.trim_end()), "{text}\n{}", ran.out);
    let markdown = p.text("r.md");
    assert!(markdown.contains("\n| step | ops/s | READ p99 |\n"), "{markdown}");
    let full = p.ok("show run --format markdown --full").out;
    assert!(full.contains("### Every kind of operation per step"), "{full}");
    assert_eq!(p.ok("show run --format markdown").out.trim_end(), markdown.trim_end());
    for step in [1, 2] {
        let shown = p.ok(&format!("show run --format ycsb --step {step}")).out;
        let exported = p.text(&format!("y.0{step}.txt"));
        assert_eq!(shown.trim_end(), exported.trim_end());
    }
    let csv = p.ok("show run run --format csv").out;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("run,step,") && lines.len() == 5, "{csv}");
    let value = p.ok("show run --format json").value();
    assert_eq!(value["runs"][0]["run"], p.json("run/run.json"));
    assert_eq!(p.ok("show run --json").value(), value);
}

#[test]
fn the_runs_of_a_folder_are_listed_a_line_each() {
    let p = Place::new();
    p.ok(&format!("{RUN} --clients 1 --out runs/once"));
    p.ok(&format!("{RUN} --clients 1 --repeat 2 --out runs/twice"));
    for folder in ["runs/broken", "runs/empty"] {
        std::fs::create_dir_all(p.path(folder)).unwrap();
    }
    p.write("runs/broken/run.json", "{}");
    let listed = p.ok("runs").out;
    let lines: Vec<&str> = listed.lines().collect();
    let [once, first, second, broken] = lines[..] else { panic!("{listed}") };
    assert!(broken.starts_with("runs/broken: "), "{listed}");
    for (line, folder) in [(once, "runs/once"), (first, "runs/twice/01"), (second, "runs/twice/02")]
    {
        assert!(line.contains(&format!(" {folder} ")) && line.contains(" ops/s "), "{listed}");
        assert!(line.contains(" YCSB C on null"), "{listed}");
    }
    assert_eq!(p.ok("runs --json").value()["runs"].as_array().unwrap().len(), 3);
    p.fails("runs nowhere", 2, &["nowhere"]);
}

#[test]
fn what_cannot_be_shown_or_exported_is_refused() {
    let p = Place::new();
    p.ok(&format!("{RUN} --clients 1,2 --out run"));
    p.fails("show run --format ycsb", 2, &["--step", "1, 2"]);
    p.fails("show run --format ycsb --step 3", 2, &["1, 2"]);
    p.fails("show run run --format ycsb", 2, &["one run folder"]);
    p.fails("show run --format csv --table tpm", 2, &["tpm", "throughput, operations"]);
    p.fails("show nowhere", 2, &["nowhere"]);
    p.fails("show run --format pdf", 2, &["ycsb"]);
    for (export, says) in
        [("pdf=x", "an export is"), ("ycsb", "an export is"), ("json=no/such/x", "no/such/x")]
    {
        p.fails(&format!("{RUN} --out other --export {export}"), 2, &[says]);
    }
    let hybrid = "run ch2pp --operational sqlite:none.db --export ycsb=y.txt --out other";
    p.fails(hybrid, 2, &["another format"]);
    assert!(!p.path("other").exists() && !p.path("y.txt").exists());
}
