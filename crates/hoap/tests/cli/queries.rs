//! `hoap query` and `hoap verify` where queries fail: the others are asked all the same.

use serde_json::{Value, json};

use super::{Place, remark};

impl Place {
    /// The naive texts of CH2++ in the folder `texts`, with a change of one of them.
    pub fn texts(&self, dialect: &str, file: &str, (from, to): (&str, &str)) {
        let all = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/ch2/queries");
        for number in 1..=22 {
            let name = format!("q{number:02}.sql");
            let own = std::fs::read_to_string(format!("{all}/ch2pp/{dialect}/{name}"));
            let ch2s = || std::fs::read_to_string(format!("{all}/ch2/{dialect}/{name}"));
            let mut text = own.or_else(|_| ch2s()).unwrap();
            if name == file {
                assert!(text.contains(from), "{text}");
                text = text.replace(from, to);
            }
            self.write(&format!("texts/ch2pp/{dialect}/{name}"), &text);
        }
    }
}

/// The numbers of queries in a list of results.
pub fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|q| q["query"].as_u64().unwrap()).collect()
}

const TEXTS: &str = "--query-set naive --queries-dir texts";

#[test]
fn a_query_that_fails_leaves_the_others_to_be_asked() {
    let p = Place::new();
    p.load("t.db");
    p.texts("sqlite", "q03.sql", ("FROM neworder", "FROM nowhere"));
    let line =
        format!("query ch2pp --analytical sqlite:t.db --params check {TEXTS} --queries 1,3,6");
    let says = ["1 of 3 queries did not pass, first Q03", "no such table: nowhere"];
    let end = p.fails(&line, 3, &says);
    let has = |words: &str| end.out.lines().any(|l| l.starts_with(words));
    assert!(has("Q01 ") && has("Q06 ") && has("Q03 failed: "), "{}", end.out);
    let value = p.fails(&format!("{line} --json"), 3, &says).value();
    assert_eq!(numbers(&value["queries"]), [1, 6]);
    assert_eq!(numbers(&value["failed"]), [3]);
    assert_eq!(value["failed"][0]["kind"], "missing");
    assert_eq!((&value["left_out"], &value["power_seconds"]), (&json!([]), &Value::Null));
    // Of those that answered there is a mean, which is never called power.
    assert!(end.out.contains("power incomplete, of the other 2 queries"), "{}", end.out);
    let seconds = |n: usize| value["queries"][n]["seconds"].as_f64().unwrap();
    let mean = value["power_of_others_seconds"].as_f64().unwrap();
    assert!((mean - (seconds(0) * seconds(1)).sqrt()).abs() < 1e-9, "{value}");
    let line = "query ch2pp --analytical sqlite:t.db --params check --queries 1,6 --json";
    assert_eq!(p.ok(line).value()["power_of_others_seconds"], Value::Null, "none failed");
}

/// Specification section 7: a query that failed makes power and QpH "incomplete", never smaller.
#[test]
fn a_run_goes_on_beside_a_query_that_fails_and_gives_power_of_the_others() {
    let p = Place::new();
    p.load("t.db");
    p.texts("sqlite", "q03.sql", ("FROM neworder", "FROM nowhere"));
    let run = "run ch2pp --operational sqlite:t.db --tx-clients 0 --query-clients 1 --loops 2 \
               --warmup-loops 0";
    let line = format!("{run} {TEXTS} --keep-answers --out run");
    let end = p.fails(&line, 1, &["check \"failures\" failed", "Q03: all 2 failed"]);
    assert!(!end.err.contains("Q04"), "{end:#?}");
    let told = (end.out + &end.err).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("power incomplete: Q03 failed 2 times"), "{told}");
    assert!(told.contains("power of the other 21 queries"), "{told}");
    let record = p.json("run/run.json");
    let step = &record["steps"][0];
    assert_eq!(step["power_seconds"], Value::Null);
    let counts = |n: usize| (&step["queries"][n]["count"], &step["queries"][n]["failed"]);
    assert_eq!([counts(2), counts(3)], [(&json!(0), &json!(2)), (&json!(2), &json!(0))]);
    let missing = remark(&record, "answers-missing").unwrap()["text"].to_string();
    assert!(missing.contains("answers of Q03 are missing"), "{missing}");
    assert!(!p.path("run/answers/q03.json").exists() && p.path("run/answers/q22.json").exists());
}

#[test]
fn an_answer_that_is_not_given_fails_its_check_and_no_other() {
    let p = Place::new();
    p.load("t.db");
    p.ok("query ch2pp --analytical sqlite:t.db --params check --answers-out answers");
    p.texts("sqlite", "q03.sql", ("FROM neworder", "FROM nowhere"));
    let line = format!("verify ch2pp --target sqlite:t.db --answers answers {TEXTS} --json");
    let verdicts = |value: &Value| {
        let checks = value["checks"].as_array().unwrap();
        let answers = checks.iter().filter(|c| c["name"].as_str().unwrap().starts_with("answer Q"));
        let failed = answers.clone().filter(|c| c["verdict"] == "fail");
        let failed: Vec<String> = failed.map(|c| c["name"].to_string()[8..11].into()).collect();
        (answers.count(), failed)
    };
    // The database refused a query, and broke no promise.
    let says = ["1 of ", " checks failed: ", "no such table: nowhere"];
    let value = p.fails(&line, 3, &says).value();
    assert_eq!(verdicts(&value), (22, vec!["Q03".to_owned()]));
    // A wrong answer comes before that.
    let mut wrong = p.json("answers/q06.json");
    wrong["rows"][0][0] = json!(1);
    p.write("answers/q06.json", &wrong.to_string());
    let value = p.fails(&line, 1, &["2 of "]).value();
    assert_eq!(verdicts(&value), (22, vec!["Q03".to_owned(), "Q06".to_owned()]));
}
