//! What a plan may say.

use super::*;

/// A plan in which these lines replace those that begin alike.
fn text(lines: &str) -> String {
    let start = "title = \"t\"\nseed = 7\nfaults = 10\nduration = \"60s\"\nquiet = [\"1s\", \"3s\"]\n\
                 durable = true\nload = \"l\"\nrun = \"r\"\nverify = \"v\"\n";
    let key = |line: &str| line.split(" = ").next().map(str::to_owned);
    let replaced: Vec<_> = lines.lines().map(key).collect();
    let kept = start.lines().filter(|line| !replaced.contains(&key(line)));
    let kept: String = kept.map(|line| format!("{line}\n")).collect();
    format!(
        "{kept}{lines}[server]\nurl = \"echo u\"\nup = \"true\"\nproxy = true\n\
         [server.processes]\np = \"echo 1\"\n\
         [[fault]]\nkind = \"cut\"\nbytes = 100\nweight = 3\n\
         [[fault]]\nkind = \"kill\"\nof = \"p\"\ntime = [\"0s\", \"2s\"]\n\
         [[fault]]\nkind = \"pause\"\nof = \"p\"\ntime = [\"1s\", \"2s\"]\nweight = 0\n\
         [[fault]]\nkind = \"kill-driver\"\n"
    )
}

pub fn plan(lines: &str) -> Plan {
    let plan: Plan = toml::from_str(&text(lines)).unwrap();
    plan.check().unwrap();
    plan
}

#[test]
fn every_plan_of_the_project_is_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../torture");
    let plans = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let plans: Vec<_> = plans.filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    assert!(plans.len() >= 5, "{plans:?}");
    for path in plans {
        let named = Plan::read(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(named.digest.len(), 64);
    }
}

#[test]
fn a_plan_that_makes_no_sense_is_refused_with_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let whole = text("");
    for (from, to, says) in [
        ("title", "titel", "unknown field"),
        ("\"60s\"", "\"60\"", "a time is a number with a unit"),
        ("\"60s\"", "\"3s\"", "longer than settle"),
        ("[\"1s\", \"3s\"]", "[\"3s\", \"1s\"]", "begins with the shorter"),
        ("faults = 10", "faults = 0", "at least 1"),
        ("bytes = 100", "", "kind cut needs `bytes`"),
        ("bytes = 100", "bytes = 100\ntime = [\"1s\", \"2s\"]", "kind cut has no `time`"),
        ("verify = \"v\"", "", "kind kill-driver needs `verify`"),
        ("proxy = true", "", "kind cut needs `proxy = true`"),
        ("up = \"true\"", "", "kind kill needs `up`"),
        ("of = \"p\"", "of = \"q\"", "which [server.processes] does not name"),
        ("kind = \"cut\"", "kind = \"burn\"", "unknown variant"),
        ("seed = 7", "", "missing field `seed`"),
    ] {
        assert!(whole.contains(from), "{from}");
        std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        let e = Plan::read(&path).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid);
        assert!(e.to_string().contains(says) && e.to_string().contains("plan.toml"), "{to}: {e}");
    }
    let weightless = whole.replace("weight = 3", "weight = 0");
    std::fs::write(&path, weightless.replace("kind = \"kill", "weight = 0\nkind = \"kill"))
        .unwrap();
    assert!(Plan::read(&path).unwrap_err().to_string().contains("weight above 0"));
    assert!(Plan::read(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
}
