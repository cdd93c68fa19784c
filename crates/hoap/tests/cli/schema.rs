//! `run.json` is what `docs/run.schema.json` says, field by field.

use hoap_record::RemarkId;
use jsonschema::Validator;
use serde_json::{Value, json};

use super::Place;

const SCHEMA: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run.schema.json"));

fn validator() -> Validator {
    jsonschema::draft202012::new(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

pub fn valid(run: &Value) {
    let errors: Vec<String> =
        validator().iter_errors(run).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn runs_of_every_kind_are_what_the_schema_says() {
    let p = Place::new();
    p.load("t.db");
    p.ok(
        "run ch2pp --operational sqlite:t.db --tx-clients 2 --query-clients 0,1 --duration 500ms \
          --warmup 100ms --freshness on --witness=30% --out hybrid",
    );
    valid(&p.json("hybrid/run.json"));
    p.ok("run ycsb-a --target null: -p recordcount=100 --clients 2 --rate 2000 --duration 500ms \
          --warmup 100ms --out open");
    valid(&p.json("open/run.json"));
    p.ok(
        "run ycsb-c --target null:?latency_us=5000 -p recordcount=100 --clients 2 --duration 100ms \
          --warmup 50ms --max-rate --sla p50=20ms --out search",
    );
    let search = p.json("search/run.json");
    assert!(!search["search"]["probes"].as_array().unwrap().is_empty());
    valid(&search);
}

#[test]
fn the_ids_of_remarks_are_in_the_schema_and_under_their_severity_in_the_documentation() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let ids = &schema["$defs"]["Remark"]["properties"]["id"]["enum"];
    assert_eq!(*ids, json!(RemarkId::ALL.to_vec()));
    let documented = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run-folder.md"));
    for id in RemarkId::ALL {
        let severity = json!(id.severity());
        let row = format!("| `{}` | ", severity.as_str().unwrap());
        let row = documented.lines().find(|line| line.starts_with(&row)).unwrap();
        assert!(row.contains(&format!("`{id}`")), "{id} is not in the row of {severity}");
    }
}

#[test]
fn the_schema_refuses_what_is_no_run() {
    let p = Place::new();
    p.ok("run ycsb-a --target null: -p recordcount=100 --operations 100 --warmup 10ms --out run");
    let run = p.json("run/run.json");
    let schema = validator();
    assert!(schema.is_valid(&run));
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 7] = [
        ("a newer format", |run| run["format"] = json!(hoap_record::FORMAT + 1)),
        ("a field that nobody documented", |run| run["news"] = json!(1)),
        ("a count that is none", |run| run["steps"][0]["transactions"][0]["count"] = json!(-1)),
        ("a remark of no known id", |run| {
            run["remarks"] = json!([{"id": "x", "severity": "note", "steps": [], "text": ""}]);
        }),
        ("a remark that is a text", |run| run["remarks"] = json!(["scaled down"])),
        ("no steps", |run| {
            run.as_object_mut().unwrap().remove("steps");
        }),
        ("a latency without its median", |run| {
            let latency = &mut run["steps"][0]["transactions"][0]["latency"];
            latency.as_object_mut().unwrap().remove("p50_us");
        }),
    ];
    for (what, change) in changes {
        let mut changed = run.clone();
        change(&mut changed);
        assert!(!schema.is_valid(&changed), "{what}");
    }
    let mut marked = run;
    let remark = hoap_record::Remark::new(RemarkId::HeldBack, "held back").advise("more CPU");
    marked["remarks"] = json!([remark.clone().of_step(1), remark.of_run("driver-2")]);
    assert!(schema.is_valid(&marked));
    let curve = vec![hoap_record::Ingested::default()];
    let ingestion = hoap_record::Ingestion { curve, ..Default::default() };
    marked["load"] = json!({
        "documents": 1, "bytes": 1, "seconds": 1.5, "clients": 1, "ingestion": ingestion
    });
    assert!(schema.is_valid(&marked));
    let of = hoap_record::StoredCollection::default();
    marked["load"]["stored"] = json!(hoap_record::Stored::sum(vec![of]));
    assert!(schema.is_valid(&marked));
    marked["load"]["ingestion"]["curve"][0]["when"] = json!(1);
    assert!(!schema.is_valid(&marked));
}
