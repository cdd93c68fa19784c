//! `hoap run ch2pp --witness`.

use hoap_record::folder::read_history;
use hoap_record::history::End;

use super::{Place, remark};

const RUN: &str = "run ch2pp --operational sqlite:t.db --tx-clients 3 --query-clients 0 --duration 1s \
                   --warmup 100ms";

#[test]
fn a_witness_is_judged_beside_the_mix_and_counted_in_none_of_it() {
    let p = Place::new();
    p.load("t.db");
    let end = p.ok(&format!("{RUN} --witness=40% --out run"));
    let told = p.ok("show --full run").out;
    assert!(told.contains("Isolation of the transactions"), "{told}");
    let widest = end.out.lines().map(|l| l.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest} columns:\n{}", end.out);
    let record = p.json("run/run.json");
    let witness = &record["witness"];
    assert_eq!(witness["promised"], "serializable");
    assert_eq!(witness["found"], "strict-serializable", "{witness:#}");
    let checks = record["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "isolation").unwrap();
    assert_eq!((&check["verdict"], &check["checked"]), (&"pass".into(), &witness["committed"]));
    assert!(remark(&record, "witness-ran").is_some());
    let kinds = record["steps"][0]["transactions"].as_array().unwrap();
    assert_eq!(kinds.len(), 5, "the five of TPC-C");

    // The history is all that the verdict rests on.
    let history = read_history(&p.path("run")).unwrap();
    let committed = history.iter().filter(|attempt| attempt.end == End::Committed).count();
    assert!(committed > 8, "{committed}");
    assert_eq!(witness["committed"], committed);
    let clients = history.iter().map(|attempt| attempt.client).max();
    assert!(
        (Some(1)..=Some(3)).contains(&clients),
        "{clients:?}: three at most, and the last look"
    );

    p.ok("report run -o page.html");
    let page = p.text("page.html");
    assert!(page.contains("witness-section"));
    // Its documents are in nobody's way, and gone, or left where that is asked for.
    p.ok("verify ch2pp --target sqlite:t.db");
    p.ok(&format!("{RUN} --witness --keep-witness --out kept"));
    p.ok("load ch2pp --scale-down 100 --target sqlite:t.db --replace");
}

#[test]
fn a_witness_wants_transactions() {
    let p = Place::new();
    p.load("t.db");
    let none = "run ch2pp --operational sqlite:t.db --tx-clients 0 --query-clients 1 --duration 1s \
                --witness --out run";
    let end = p.run(none);
    assert_eq!(end.code, 2, "{end:?}");
    assert!(end.err.contains("--witness wants --tx-clients above 0"), "{}", end.err);
    let end = p.run("run ycsb-a --target null: --witness --out run");
    assert_eq!(end.code, 2, "{end:?}");
    assert!(end.err.contains("--witness"), "{}", end.err);
}
