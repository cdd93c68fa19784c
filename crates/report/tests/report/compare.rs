//! Comparisons of run folders, from the files to the words.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hoap_record::{Freshness, Latency, Percentile, Remark, RemarkId};
use hoap_report::compare::{
    ComparedLine, Comparison, Gate, Judged, Metric, Outcome, Question, Reason, Scope, Side,
    document, json, junit, markdown, plain,
};
use hoap_report::statistics::{Basis, ChangeVerdict};
use hoap_testing::runs::{Folder, folder};
use quick_xml::events::Event;

/// Folders made once for all tests: repetitions of one configuration, and slower ones.
struct Made {
    place: tempfile::TempDir,
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let place = tempfile::tempdir().unwrap();
        for (name, speed, seeds) in [("a", 1.0, 1..4), ("same", 1.0, 4..7), ("slow", 0.85, 7..10)] {
            for seed in seeds {
                let folder = folder(seed, speed);
                folder.write(&place.path().join(name).join(format!("{seed:02}")));
            }
        }
        Made { place }
    })
}

impl Made {
    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn side(&self, name: &str) -> Side {
        Side::open(&self.path(name)).unwrap()
    }
}

fn compare(baseline: &str, candidate: &str, gates: &[&str]) -> Comparison {
    let gates: Vec<Gate> = gates.iter().map(|gate| gate.parse().unwrap()).collect();
    let question = Question { gates, relevant: 0.01, details: true };
    Comparison::new(made().side(baseline), vec![made().side(candidate)], question).unwrap()
}

fn line<'a>(c: &'a Comparison, step: &str, metric: Metric, kind: Option<&str>) -> &'a ComparedLine {
    let place = Scope::Step(step.into());
    c.lines
        .iter()
        .find(|l| l.place == place && l.metric == metric && l.kind.as_deref() == kind)
        .unwrap_or_else(|| panic!("no {metric:?} {kind:?} in {step}"))
}

/// Writes a changed folder and opens it.
fn changed(place: &Path, name: &str, change: impl FnOnce(&mut Folder)) -> Side {
    let mut folder = folder(1, 1.0);
    change(&mut folder);
    folder.write(&place.join(name));
    Side::open(&place.join(name)).unwrap()
}

fn refused(baseline: Side, candidate: Side) -> String {
    let question = Question { gates: vec![], relevant: 0.01, details: true };
    Comparison::new(baseline, vec![candidate], question).unwrap_err().to_string()
}

#[test]
fn repeated_runs_that_are_slower_are_worse_and_by_how_much() {
    let c = compare("a", "slow", &[]);
    let tpm = line(&c, "4 tx", Metric::Tpm, None);
    let ratio = tpm.ratio.unwrap();
    assert!((0.82..0.88).contains(&ratio.value), "{ratio:?}");
    let (low, high) = ratio.interval(0.95).unwrap();
    assert!(low < 0.85 && 0.85 < high && high < 1.0, "{low} {high}");
    assert_eq!((tpm.finding.verdict, tpm.headline), (ChangeVerdict::Worse, true));
    assert_eq!(tpm.baseline.as_ref().unwrap().estimate.basis, Basis::Runs(3));
    let p50 = line(&c, "4 tx", Metric::Percentile(Percentile::P50), Some("NewOrder"));
    assert_eq!((p50.finding.verdict, p50.headline), (ChangeVerdict::Worse, false));
    assert!(p50.ratio.unwrap().value > 1.1);
    let overall = c.lines.iter().find(|l| l.place == Scope::Overall(6)).unwrap();
    assert_eq!(overall.finding.verdict, ChangeVerdict::Worse);
    // Step 7 failed a query on both sides: it has no power, and says so.
    let power = line(&c, "8 tx, 1 query", Metric::Power, None);
    assert!(power.baseline.as_ref().unwrap_err().contains("Q20 failed"), "{power:?}");
}

#[test]
fn repeated_runs_of_the_same_speed_are_undecided() {
    let c = compare("a", "same", &[]);
    for line in &c.lines {
        assert_eq!(
            line.finding.verdict,
            ChangeVerdict::Undecided,
            "{} {:?}",
            line.title(),
            line.ratio
        );
    }
    assert!(c.remarks().is_empty(), "{:?}", c.remarks());
}

/// 18 of 50 such verdicts were false between equal runs on a shared machine.
#[test]
fn single_runs_decide_nothing_and_have_intervals_within_the_run() {
    let c = compare("a/01", "slow/07", &[]);
    for (metric, kind) in [
        (Metric::Tpm, None),
        (Metric::Percentile(Percentile::P50), Some("Payment")),
        (Metric::Percentile(Percentile::P99), Some("NewOrder")),
    ] {
        let line = line(&c, "8 tx", metric, kind);
        let shown = line.baseline.as_ref().unwrap();
        assert!(matches!(shown.estimate.basis, Basis::Series(n) if n > 3.0), "{shown:?}");
        let ((low, high), within) = line.interval().unwrap();
        assert!(low < high && within, "{line:?}");
    }
    for line in &c.lines {
        assert_eq!(line.finding.verdict, ChangeVerdict::Undecided, "{line:?}");
    }
    let text = plain(&document(&c));
    assert!(text.contains("95 % within the run") && !text.contains("95 % interval"), "{text}");
    let query = line(&c, "2 tx, 1 query", Metric::Query, Some("Q07"));
    assert_eq!(query.baseline.as_ref().unwrap().estimate.basis, Basis::Executions(2));
    assert!(c.remarks().iter().any(|r| r.id == RemarkId::SingleRun), "{:?}", c.remarks());
    // What is shown is what the record says.
    let recorded = c.baseline.first().steps.iter().find(|s| s.name == "8 tx").unwrap();
    let shown = line(&c, "8 tx", Metric::Tpm, None).baseline.clone().unwrap();
    assert_eq!(Some(shown.value), recorded.tpm);
}

/// What came once in a run is not in the error that its series shows; between repeated runs it is.
#[test]
fn a_single_run_that_changed_or_stood_still_says_that_its_intervals_are_too_narrow() {
    let told = |runs: &str, id: RemarkId| {
        let mut side = made().side(runs);
        side.runs[0].run.remarks.push(Remark::new(id, "once").of_step(2));
        side.remarks().into_iter().find(|remark| remark.text == "once")
    };
    for id in [RemarkId::LevelChanged, RemarkId::LevelDrifted, RemarkId::NothingSucceeded] {
        let remark = told("slow/07", id).unwrap();
        assert!(remark.advice.as_ref().unwrap().contains("too narrow"), "{remark:?}");
        assert_eq!((remark.steps.as_slice(), remark.runs.len()), ([2].as_slice(), 1));
        assert_eq!(told("slow", id), None);
    }
    assert_eq!(told("slow/07", RemarkId::BegunLate), None);
}

#[test]
fn bounds_fail_when_they_are_crossed_and_not_by_chance() {
    let gates = [
        "tpm<-5%",
        "tpm<-40%",
        "tpm<-5%:sure",
        "p50[NewOrder]>1.05x",
        "p90[neworder]>1000%",
        "overall<-5%",
        "power>1%",
        "failures>0%",
    ];
    let c = compare("a", "slow", &gates);
    let broken: Vec<bool> = c.gates.iter().map(|g| !g.broken.is_empty()).collect();
    assert_eq!(broken[..6], [true, false, true, true, false, true], "{:#?}", c.gates);
    assert_eq!(c.gates[0].looked_at, 6);
    // A power that is missing cannot be judged, and that is a failure.
    assert!(c.gates[6].broken.iter().any(|b| b.why.contains("cannot be judged")));
    assert!(!broken[7], "as many failures on both sides: {:#?}", c.gates[7]);
    // Chance crosses a bound of nothing, but not for sure.
    let gates = ["tpm<0%", "tpm<0%:point", "tpm<0%:sure", "tpm<-20%:strict", "tpm<0%:strict"];
    let c = compare("a", "same", &gates);
    let outcomes: Vec<Outcome> = c.gates.iter().map(Judged::outcome).collect();
    use Outcome::{Broken, Holds, NotProven};
    assert_eq!(outcomes, [NotProven, Broken, Holds, Holds, Broken], "{:#?}", c.gates);
}

/// Three runs of each side whose speeds are given: what a bound of 5 % says of them.
#[test]
fn a_bound_holds_is_broken_or_is_not_proven() {
    let place = tempfile::tempdir().unwrap();
    let side = |speeds: &[f64]| {
        let path = place.path().join(format!("{speeds:?}"));
        let new = !path.exists();
        for (n, speed) in speeds.iter().enumerate().filter(|_| new) {
            let mut folder = folder(1, 1.0);
            let steps = folder.run.steps.iter_mut().filter_map(|s| s.tpm.as_mut());
            steps.for_each(|tpm| *tpm *= speed);
            folder.write(&path.join(n.to_string()));
        }
        Side::open(&path).unwrap()
    };
    let gate = |candidate: &[f64], gate: &str| {
        let gates = vec![gate.parse().unwrap()];
        let question = Question { gates, relevant: 0.01, details: false };
        Comparison::new(side(&[1.0, 1.01, 0.99]), vec![side(candidate)], question).unwrap()
    };
    use Outcome::{Broken, Holds, NotProven};
    for (speeds, text, outcome) in [
        (&[1.0, 1.01, 0.99][..], "tpm<-5%", Holds),
        (&[0.9, 0.91, 0.89], "tpm<-5%", Broken),
        (&[0.97, 0.99, 0.95], "tpm<-5%", NotProven),
        (&[0.5, 0.9, 0.8], "tpm<-5%", NotProven),
        (&[1.3, 1.31, 1.29], "tpm<-5%", Holds),
        (&[1.3, 1.31, 1.29], "tpm>5%", Broken),
        (&[1.0, 1.4, 0.8], "tpm>5%", NotProven),
        // As they were: these two say what is seen, and what is sure.
        (&[0.5, 0.9, 0.8], "tpm<-5%:point", Broken),
        (&[0.5, 0.9, 0.8], "tpm<-5%:sure", Holds),
    ] {
        let c = gate(speeds, text);
        assert_eq!(c.gates[0].outcome(), outcome, "{speeds:?} {text}: {:#?}", c.gates);
    }
    let c = gate(&[0.5, 0.9, 0.8], "tpm<-5%");
    let why = &c.gates[0].unproven[0].why;
    assert!(why.starts_with("−28.9 % (−") && why.contains("% is possible; about "), "{why}");
    assert!(why.ends_with(" more runs a side resolve −5.0 %"), "{why}");
    let xml = junit(&c);
    assert!(xml.contains("skipped=\"1\"") && xml.contains("not proven in "), "{xml}");
    assert_eq!(json(&c)["gates"][0]["outcome"], "not proven");
    assert_eq!(json(&c)["gates"][0]["holds"], false);
}

#[test]
fn two_runs_a_side_are_said_to_be_too_few_with_the_number_that_would_do() {
    let place = tempfile::tempdir().unwrap();
    for (side, seeds) in [("base", 1..3), ("new", 3..5)] {
        for seed in seeds {
            folder(seed, 1.0).write(&place.path().join(side).join(seed.to_string()));
        }
    }
    let side = |name: &str| Side::open(&place.path().join(name)).unwrap();
    let question = Question { gates: vec![], relevant: 0.01, details: false };
    let c = Comparison::new(side("base"), vec![side("new")], question).unwrap();
    let text = plain(&document(&c));
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("two runs a side are too few: the interval of "), "{said}");
    assert!(said.contains(" runs a side tell a difference of 5 %"), "{said}");
}

/// Every query failed, and tpM rose since nothing competed with the transactions.
#[test]
fn queries_that_fail_break_a_bound_on_failures() {
    let place = tempfile::tempdir().unwrap();
    let side = |name: &str, failing: bool| {
        for seed in 1..4 {
            let mut folder = folder(seed, 1.0);
            let steps = folder.run.steps.iter_mut();
            for query in steps.flat_map(|s| &mut s.queries).filter(|_| failing) {
                (query.failed, query.count) = (query.count.max(1), 0);
            }
            folder.write(&place.path().join(name).join(seed.to_string()));
        }
        Side::open(&place.path().join(name)).unwrap()
    };
    let gates =
        vec!["failures>1.0x".parse().unwrap(), "failures[queries]>2x:sure".parse().unwrap()];
    let question = Question { gates, relevant: 0.01, details: true };
    let c = Comparison::new(side("base", false), vec![side("new", true)], question).unwrap();
    for gate in &c.gates {
        let of_queries = |r: &&Reason| r.what.ends_with(": failures of queries");
        assert!(gate.broken.iter().any(|r| of_queries(&r)), "{gate:#?}");
    }
}

/// An age of nothing has no ratio: a millisecond is added to both sides before they are compared.
#[test]
fn freshness_is_compared_and_gated_also_where_everything_was_seen() {
    let place = tempfile::tempdir().unwrap();
    let side = |name: &str, p99_us: [u64; 3]| {
        for (n, p99_us) in p99_us.into_iter().enumerate() {
            let mut folder = folder(n as u64 + 1, 1.0);
            for step in folder.run.steps.iter_mut().filter(|s| s.tx_clients > 0) {
                let unseen = Latency { p99_us, max_us: p99_us, ..Latency::default() };
                let freshness = Freshness { probes: 100, unseen, ..Freshness::default() };
                step.freshness = Some(freshness);
            }
            folder.write(&place.path().join(name).join(n.to_string()));
        }
        Side::open(&place.path().join(name)).unwrap()
    };
    let gates = ["freshness>5%", "freshness>2000x"].map(|gate| gate.parse().unwrap()).to_vec();
    let question = Question { gates, relevant: 0.01, details: true };
    let fresh = side("fresh", [0, 0, 0]);
    let late = vec![side("fresh too", [0, 0, 0]), side("late", [900_000, 1_000_000, 1_100_000])];
    let c = Comparison::new(fresh, late, question).unwrap();
    let of = |number| c.of(number).filter(|l| l.metric == Metric::Freshness).collect::<Vec<_>>();
    assert_eq!((of(0).len(), of(1).len()), (6, 6));
    for line in of(0) {
        assert_eq!(line.finding.verdict, ChangeVerdict::Undecided);
        assert_eq!(line.candidate_value.as_ref().unwrap().value, 0.0);
    }
    for line in of(1) {
        assert_eq!(line.finding.verdict, ChangeVerdict::Worse);
        let shown = line.candidate_value.as_ref().unwrap().value;
        assert!((0.98..1.0).contains(&shown), "the geometric mean of the runs: {shown}");
        let ratio = line.ratio.unwrap().value;
        assert!((980.0..1000.0).contains(&ratio), "{ratio}");
    }
    assert!(c.gates[0].broken.iter().all(|b| b.candidate == 1));
    assert_eq!((c.gates[0].broken.len(), c.gates[1].broken.len()), (6, 0), "{:#?}", c.gates);
}

#[test]
fn a_bound_on_what_is_not_there_is_refused() {
    let gates = vec!["p99[Nothing]>5%".parse().unwrap()];
    let question = Question { gates, relevant: 0.01, details: true };
    let (a, b) = (made().side("a"), made().side("same"));
    let error = Comparison::new(a, vec![b], question).unwrap_err().to_string();
    assert!(error.contains("p99[Nothing]>5%"), "{error}");
}

#[test]
fn what_does_not_compare_is_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let base = || changed(place, "base", |_| {});
    let other = changed(place, "ch2", |f| f.run.benchmark = "ch2".into());
    let error = refused(base(), other);
    assert!(error.contains("ch2") && error.contains("benchmark is ch2 here and ch2pp there"));
    let other = changed(place, "big", |f| f.run.data["warehouses"] = 10.into());
    let error = refused(base(), other);
    assert!(error.contains("data.warehouses is 10 here and 1 there"), "{error}");
    let other = changed(place, "tuned", |f| f.run.query_set = Some("tuned".into()));
    assert!(refused(base(), other).contains("query set is tuned"));
    let other = changed(place, "think", |f| {
        f.run.configuration.insert("think-times".into(), true.into());
    });
    assert!(refused(base(), other).contains("think-times is true"));
    let other =
        changed(place, "other-steps", |f| f.run.steps.iter_mut().for_each(|s| s.tx_clients += 90));
    assert!(refused(base(), other).contains("no step"));
    // Runs in one folder that are no repetitions of one another.
    changed(place, "mixed/01", |_| {});
    changed(place, "mixed/02", |f| f.run.data["seed"] = 7.into());
    let error = refused(Side::open(&place.join("mixed")).unwrap(), base());
    assert!(error.contains("mixed/02") && error.contains("data.seed"), "{error}");
    let error = Side::open(&place.join("nowhere")).unwrap_err().to_string();
    assert!(error.contains("nowhere"), "{error}");
    std::fs::create_dir(place.join("empty")).unwrap();
    let error = Side::open(&place.join("empty")).unwrap_err().to_string();
    assert!(error.contains("empty") && error.contains("run.json"), "{error}");
}

/// Where freshness is measured a transaction writes a document more: the rest of the difference is
/// not the database's alone.
#[test]
fn runs_that_measure_freshness_otherwise_are_refused_and_told_by_how_much_they_differ() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let side = |name: &str, on: bool, every: &str| {
        changed(place, name, |f| {
            f.run.configuration.insert("freshness".into(), on.into());
            f.run.configuration.insert("freshness-every".into(), every.into());
        })
    };
    let size = "every transaction that writes updates one document more";
    let error = refused(side("off", false, "100ms"), side("on", true, "100ms"));
    for says in ["freshness is on (every 100ms) here and off there", size, "--freshness-every"] {
        assert!(error.contains(says), "{says}: {error}");
    }
    let error = refused(side("on", true, "100ms"), side("often", true, "1ms"));
    assert!(error.contains("on (every 1ms) here and on (every 100ms) there"), "{error}");
    assert!(error.contains("takes more of the database") && !error.contains(size), "{error}");
    // Where nothing is measured its cadence is nothing, nor is it where nothing is written.
    let question = || Question { gates: vec![], relevant: 0.01, details: true };
    let (off, often) = (side("off", false, "100ms"), side("off often", false, "1ms"));
    let c = Comparison::new(off, vec![often], question()).unwrap();
    assert_eq!(c.differences, []);
    let queries = changed(place, "queries", |f| {
        f.run.configuration.insert("freshness".into(), true.into());
        f.run.steps.iter_mut().for_each(|step| step.tx_clients = 0);
    });
    let off = side("off", false, "100ms");
    assert!(Comparison::new(off, vec![queries], question()).is_ok());
    // Repetitions are averaged.
    side("mixed/01", false, "100ms");
    side("mixed/02", true, "100ms");
    let error = refused(Side::open(&place.join("mixed")).unwrap(), side("on", true, "100ms"));
    assert!(error.contains("mixed/02 as a repetition of") && error.contains(size), "{error}");
}

#[test]
fn versions_settings_and_flags_that_differ_are_told_not_refused() {
    let place = tempfile::tempdir().unwrap();
    // Both servers have a setting that is called as a flag.
    let named_alike = |f: &mut Folder| {
        let database = f.run.operational.as_mut().unwrap();
        database.settings.insert("duration".into(), "1".into());
    };
    let base = changed(place.path(), "base", named_alike);
    let other = changed(place.path(), "other", |f| {
        named_alike(f);
        f.run.hoap = "0.2.0".into();
        let database = f.run.operational.as_mut().unwrap();
        database.version = "3.52.0".into();
        database.settings.insert("synchronous".into(), "off".into());
        f.run.configuration.insert("duration".into(), "60s".into());
        f.run.configuration.insert("run-seed".into(), 99.into());
        f.run.host.cores += 1;
        f.run.host.system = "another".into();
    });
    let c = Comparison::new(
        base,
        vec![other],
        Question { gates: vec![], relevant: 0.01, details: true },
    )
    .unwrap();
    let names: Vec<&str> = c.differences.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["hoap", "database", "duration", "cores", "system", "synchronous"]);
    assert_eq!(c.differences[2].values[1], "60s");
    assert_eq!(c.differences[5].values, ["full", "off"]);
    let told = plain(&document(&c));
    assert!(told.contains("\nand 1 more: synchronous\n") && !told.contains("off"), "{told}");
    let folded = markdown(&document(&c));
    assert!(folded.contains("<details><summary>and 1 more</summary>\n\n| "), "{folded}");
    assert!(folded.contains("| synchronous | full | off |"), "{folded}");
    assert!(c.remarks().iter().any(|r| r.id == RemarkId::VersionsDiffer));
}

#[test]
fn steps_that_one_side_lacks_or_that_are_not_whole_are_left_out_and_named() {
    let place = tempfile::tempdir().unwrap();
    let base =
        changed(place.path(), "base", |f| f.run.steps[1].partial = Some("interrupted".into()));
    let other = changed(place.path(), "other", |f| {
        f.run.steps.remove(3);
    });
    let c = Comparison::new(
        base,
        vec![other],
        Question { gates: vec![], relevant: 0.01, details: true },
    )
    .unwrap();
    assert_eq!(c.left_out.len(), 2, "{:?}", c.left_out);
    assert!(c.left_out[0].contains("2 tx") && c.left_out[0].contains("interrupted"));
    assert!(c.left_out[1].contains("8 tx") && c.left_out[1].contains("no such step"));
}

#[test]
fn broken_files_are_named() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let base = || changed(place, "base", |_| {});
    let log = changed(place, "log", |f| f.logs[1].1 = b"Tag=NewOrder,1,1,1,garbage\n".to_vec());
    let error = refused(base(), log);
    assert!(error.contains("log/step-02.hlog"), "{error}");
    // A log that was cut off in the middle of a line is what a killed run leaves.
    let cut = changed(place, "cut", |f| {
        let half = f.logs[1].1.len() / 2;
        f.logs[1].1.truncate(half);
    });
    Comparison::new(base(), vec![cut], Question { gates: vec![], relevant: 0.01, details: true })
        .unwrap();
    changed(place, "json", |_| {});
    let path = place.join("json/run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    for (broken, says) in [
        (text[..text.len() / 2].to_owned(), "EOF"),
        (text.replacen("\"format\": 3", "\"format\": 99", 1), "format 99"),
    ] {
        std::fs::write(&path, broken).unwrap();
        let error = Side::open(&place.join("json")).unwrap_err().to_string();
        assert!(error.contains("json/run.json") && error.contains(says), "{error}");
    }
}

#[test]
fn every_form_says_the_same() {
    let c = compare("a", "slow", &["tpm<-5%", "overall<-90%"]);
    let blocks = document(&c);
    let text = plain(&blocks);
    let widest = text.lines().map(|l| l.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest}:\n{text}");
    for words in ["3 runs", "worse", "BROKEN", "tpm<-5%", "Geometric mean of 6 steps"] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    let page = markdown(&blocks);
    assert!(page.contains("| tpM |") && page.contains("**worse**") && page.contains("---:"));

    let value = json(&c);
    assert_eq!(value["format"], 2);
    let lines = value["comparisons"][0]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), c.lines.len());
    let tpm = lines.iter().find(|l| l["metric"] == "tpm" && l["step"] == "4 tx").unwrap();
    assert_eq!((&tpm["verdict"], &tpm["baseline"]["basis"]["runs"]), (&"worse".into(), &3.into()));
    assert!(tpm["interval"][0].as_f64().unwrap() < tpm["ratio"].as_f64().unwrap());
    assert_eq!(value["gates"][0]["holds"], false);

    let xml = junit(&c);
    let mut reader = quick_xml::Reader::from_str(&xml);
    let (mut cases, mut failures, mut open) = (0, 0, Vec::new());
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{e}:\n{xml}")) {
            Event::Eof => break,
            Event::Start(tag) => {
                cases += usize::from(tag.name().as_ref() == "testcase");
                failures += usize::from(tag.name().as_ref() == "failure");
                open.push(tag.name().as_ref().to_owned());
            }
            Event::Empty(tag) => cases += usize::from(tag.name().as_ref() == "testcase"),
            Event::End(tag) => assert_eq!(open.pop().as_deref(), Some(tag.name().as_ref())),
            _ => {}
        }
    }
    assert_eq!((cases, failures, open.len()), (c.lines.len() + 2, 1, 0), "{xml}");
    assert!(xml.contains("tpm&lt;-5%"), "{xml}");
}

#[test]
fn several_candidates_are_judged_together() {
    let sides = vec![made().side("same"), made().side("slow")];
    let question =
        Question { gates: vec!["tpm<-5%".parse().unwrap()], relevant: 0.01, details: true };
    let c = Comparison::new(made().side("a"), sides, question).unwrap();
    let verdicts = |number| {
        c.of(number)
            .filter(|l| l.metric == Metric::Tpm)
            .map(|l| l.finding.verdict)
            .collect::<Vec<_>>()
    };
    assert!(verdicts(0).iter().all(|v| *v == ChangeVerdict::Undecided));
    assert!(verdicts(1).iter().all(|v| *v == ChangeVerdict::Worse), "{:?}", verdicts(1));
    assert!(c.gates[0].broken.iter().all(|b| b.candidate == 1));
}

/// Nothing at all needs no interval to be told from something.
#[test]
fn a_side_on_which_nothing_completed_is_worse_and_two_are_equal() {
    let place = tempfile::tempdir().unwrap();
    // In the first step of transactions, or in all of them.
    let stop = |folder: &mut Folder, all: bool| {
        let steps = folder.run.steps.iter_mut().filter(|s| s.tx_clients > 0);
        for step in steps.take(if all { 6 } else { 1 }) {
            step.tpm = Some(0.0);
            for operation in &mut step.transactions {
                (operation.count, operation.per_second) = (0, 0.0);
                operation.latency = Latency::default();
            }
            folder.samples.retain(|s| s.step != step.number);
        }
    };
    let good = || changed(place.path(), "good", |_| {});
    let bad = || changed(place.path(), "bad", |f| stop(f, false));
    let dead = || changed(place.path(), "dead", |f| stop(f, true));
    let with = |baseline, candidate, gates: &[&str]| {
        let gates = gates.iter().map(|gate| gate.parse().unwrap()).collect();
        Comparison::new(
            baseline,
            vec![candidate],
            Question { gates, relevant: 0.01, details: true },
        )
        .unwrap()
    };
    let gates = ["tpm<-5%", "tpm<-5%:sure", "tpm<-5%:strict", "tpm>5%"];
    let broken = |c: &Comparison| c.gates.iter().map(|g| g.broken.len()).collect::<Vec<_>>();
    let tpm = |c: &Comparison| line(c, "2 tx", Metric::Tpm, None).clone();
    let overall = |c: &Comparison| {
        let of =
            |l: &&ComparedLine| matches!(l.place, Scope::Overall(_)) && l.metric == Metric::Tpm;
        c.lines.iter().find(of).map(|l| l.finding.verdict)
    };
    // Every number of the JSON is one: there is no division by zero.
    let said = |c: &Comparison| {
        let text = format!("{} {} {}", json(c), plain(&document(c)), junit(c));
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };

    let c = with(good(), bad(), &gates);
    assert_eq!(
        (tpm(&c).finding.verdict, tpm(&c).ratio.unwrap().value),
        (ChangeVerdict::Worse, 0.0)
    );
    assert_eq!(overall(&c), Some(ChangeVerdict::Worse));
    let strict = broken(&c)[2];
    assert_eq!((broken(&c)[0], broken(&c)[1], broken(&c)[3]), (1, 1, 0), "{:#?}", c.gates);
    assert!(strict >= 1 && said(&c).contains("−100 %"));
    assert!(said(&c).contains("tpM: nothing completed in the candidate."), "{}", said(&c));

    let c = with(bad(), good(), &gates);
    assert_eq!((tpm(&c).finding.verdict, tpm(&c).ratio), (ChangeVerdict::Better, None));
    assert_eq!(broken(&c)[3], 1, "more than 5 % above nothing: {:#?}", c.gates);
    assert!(said(&c).contains("tpM: nothing completed in the baseline"), "{}", said(&c));

    let c = with(dead(), dead(), &gates);
    assert_eq!((tpm(&c).finding.verdict, tpm(&c).ratio), (ChangeVerdict::Undecided, None));
    assert_eq!((overall(&c), broken(&c)), (None, vec![6; 4]), "{:#?}", c.gates);
    assert!(said(&c).contains("tpM: nothing completed on either side"), "{}", said(&c));

    // A repeated candidate that stopped once has no mean; such a baseline is none to compare with.
    for (name, all) in [("mixed/01", true), ("mixed/02", false)] {
        changed(place.path(), name, |f| {
            if all {
                stop(f, true)
            }
        });
    }
    let mixed = || Side::open(&place.path().join("mixed")).unwrap();
    let c = with(good(), mixed(), &[]);
    assert_eq!(
        (tpm(&c).finding.verdict, overall(&c)),
        (ChangeVerdict::Worse, Some(ChangeVerdict::Worse))
    );
    said(&c);
    let c = with(mixed(), good(), &[]);
    let why = tpm(&c).baseline.unwrap_err();
    assert_eq!(
        (tpm(&c).finding.verdict, why.as_str()),
        (ChangeVerdict::Undecided, "nothing completed in one of its runs")
    );
    said(&c);
}
