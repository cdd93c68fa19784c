//! `deploy/action/compare`, which the GitHub action runs.

use std::process::Command;

use super::{End, Place};

/// Two checkouts of a project, in one of which a file says that the database is slow.
fn project() -> Place {
    let p = Place::new();
    for (side, latency) in [("base", 100), ("head", 5_000)] {
        std::fs::create_dir(p.path(side)).unwrap();
        p.write(&format!("{side}/latency"), &latency.to_string());
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
            assert!(git.current_dir(p.path(side)).output().unwrap().status.success());
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "--message", side]);
    }
    p
}

/// Runs the script, each side twice.
fn compare(p: &Place, prepare: &str, fail_if: &str) -> End {
    compare_pairs(p, "2", prepare, (fail_if, "warn"))
}

/// Runs the script, each side so often.
fn compare_pairs(p: &Place, pairs: &str, prepare: &str, (fail_if, unproven): (&str, &str)) -> End {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/action/compare");
    let prepare = format!("echo \"prepare $HOAP_SIDE\" >>../order; {prepare}");
    let output = Command::new(script)
        .args(["base", "head", "out"])
        .current_dir(p.path("."))
        .env("HOAP", env!("CARGO_BIN_EXE_hoap"))
        .env("RUN", "ycsb-c --config 'run.toml' -p recordcount=100 --operations 200 --warmup 0s")
        .env("PREPARE", prepare)
        .env("FINISH", "echo \"finish $HOAP_SIDE\" >>../order")
        .env("PAIRS", pairs)
        .env("FAIL_IF", fail_if)
        .env("UNPROVEN", unproven)
        .env_remove("GITHUB_BASE_REF")
        .output();
    End::of(output.unwrap())
}

/// The branch that a checkout is on.
fn branch(p: &Place, side: &str) -> String {
    let head = p.text(&format!("{side}/.git/HEAD"));
    head.trim().rsplit('/').next().unwrap().to_owned()
}

const TARGET: &str = "printf 'target = \"null:?latency_us=%s\"\\n' \"$(cat latency)\" >run.toml";

#[test]
fn two_checkouts_run_in_turn_and_are_compared() {
    let p = project();
    let end = compare(&p, TARGET, "ops>1000%\n");
    assert_eq!(end.code, 0, "{end:#?}");
    let order = p.text("order");
    let sides = ["base", "head", "head", "base"];
    let expected: String = sides.map(|s| format!("prepare {s}\nfinish {s}\n")).concat();
    assert_eq!(order, expected);
    for run in ["base/01", "base/02", "head/01", "head/02"] {
        let record = p.json(&format!("out/{run}/run.json"));
        let seed = run[run.len() - 1..].parse::<u64>().unwrap();
        let commit = p.text(&format!("{}/.git/refs/heads/{}", &run[..4], branch(&p, &run[..4])));
        assert_eq!(record["labels"]["commit"], commit.trim(), "{run}");
        assert_eq!(record["configuration"]["run-seed"], seed, "{run}");
    }
    let text = p.text("out/comparison.md");
    assert!(text.contains("head (2 runs) against base (2 runs)"), "{text}");
    assert!(p.path("out/report.html").exists());
}

#[test]
fn a_bound_that_is_broken_and_a_preparation_that_fails_are_failures() {
    let p = project();
    // Two runs of a side on a busy machine may differ by chance: the ratio alone is judged.
    let end = compare(&p, TARGET, "ops<-50%:point");
    assert!(end.code == 1 && end.err.contains("1 of 1 bound broken"), "{end:#?}");
    assert!(p.path("out/comparison.md").exists());

    let p = project();
    let end = compare(
        &p,
        "[ \"$HOAP_SIDE\" = base ] || exit 7; printf 'target = \"null:\"' >run.toml",
        "",
    );
    assert!(end.code == 7 && end.err.contains("run 01 of head failed"), "{end:#?}");
    let order = p.text("order");
    assert!(order.ends_with("prepare head\nfinish head\n"), "{order}");
    assert!(!p.path("out/head/01").exists());
}

/// One pair decides nothing: that warns and passes, unless it is to fail.
#[test]
fn a_bound_that_is_not_proven_warns_or_fails() {
    for (unproven, code) in [("warn", 0), ("fail", 4)] {
        let p = project();
        let end = compare_pairs(&p, "1", TARGET, ("ops<-50%", unproven));
        assert!(end.code == code && end.err.contains("1 of 1 bound not proven"), "{end:#?}");
        assert_eq!(end.out.contains("::warning"), code == 0, "{end:#?}");
        assert!(p.path("out/comparison.md").exists());
    }
}
