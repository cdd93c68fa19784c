//! `--explain`: plans beside the answers of `hoap query`, and in the folder of a run.

use serde_json::Value;

use super::{Place, remark};

#[test]
fn a_run_has_the_plan_of_every_query_with_the_parameters_of_reference() {
    let p = Place::new();
    p.load("t.db");
    let run = "run ch2pp --operational sqlite:t.db --warmup 10ms --explain";
    p.fails(&format!("{run} --tx-clients 1 --query-clients 0 --out none"), 2, &["--query-clients"]);
    p.ok(&format!(
        "{run} --tx-clients 0 --query-clients 1 --duration 200ms --params random --out run"
    ));
    p.ok("query ch2pp --analytical sqlite:t.db --queries 1,6 --explain plans");
    for number in 1..=22 {
        let plan = p.json(&format!("run/plans/q{number:02}.plan.json"));
        assert_eq!((&plan["query"], &plan["profile"]), (&number.into(), &Value::Null));
        let steps = plan["plan"].as_array().unwrap();
        assert!(steps.iter().any(|s| s["detail"].as_str().unwrap().starts_with("SCAN")), "{plan}");
        if [1, 6].contains(&number) {
            assert_eq!(p.json(&format!("plans/q{number:02}.plan.json")), plan);
        }
    }
    let record = p.json("run/run.json");
    assert_eq!(record["configuration"]["explain"], true);
    assert_eq!(remark(&record, "plans-missing"), None);
    p.ok("report run -o page.html");
}
