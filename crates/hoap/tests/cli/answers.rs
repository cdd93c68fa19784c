//! `hoap answers compare`: what it calls equal, what it says of the rest, and its exit codes.

use serde_json::{Value, json};

use super::Place;

impl Place {
    /// Answers to some queries with the parameters of the check, as `hoap query` leaves them.
    fn answers(&self, dir: &str, flags: &str) {
        let line = "query ch2pp --analytical sqlite:t.db --params check --queries 1,3,6,18";
        self.ok(&format!("{line} --answers-out {dir} {flags}"));
    }

    /// Changes an answer file.
    fn change(&self, file: &str, change: impl FnOnce(&mut Value)) {
        let mut answer = self.json(file);
        change(&mut answer);
        self.write(file, &answer.to_string());
    }
}

/// The verdicts of a comparison as JSON, by query.
fn verdicts(value: &Value) -> Vec<(u64, &str)> {
    let of = |q: &'static str| move |v: &Value| v[q].as_u64().unwrap();
    let queries = value["queries"].as_array().unwrap();
    queries.iter().map(|v| (of("query")(v), v["verdict"].as_str().unwrap())).collect()
}

#[test]
fn both_query_sets_give_equal_answers_and_a_run_folder_will_do() {
    let p = Place::new();
    p.load("t.db");
    p.answers("tuned", "");
    p.answers("run/answers", "--query-set naive");
    let end = p.ok("answers compare tuned run");
    let lines: Vec<&str> = end.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", end.out);
    assert!(lines.iter().all(|l| l.contains("equal")) && lines[1].starts_with("Q03"), "{lines:?}");
    let value = p.ok("answers compare tuned run --json").value();
    assert_eq!(verdicts(&value), [(1, "equal"), (3, "equal"), (6, "equal"), (18, "equal")]);
    assert_eq!(value["benchmark"], "ch2pp");
    assert_eq!(value["folders"], json!(["tuned", "run"]));
    let rows = p.json("tuned/q01.json")["rows"].as_array().unwrap().len();
    assert_eq!(value["queries"][0]["rows"], json!([rows, rows]));
}

#[test]
fn noise_below_a_cent_is_equal_and_a_cent_is_not() {
    let p = Place::new();
    p.load("t.db");
    p.answers("a", "");
    p.answers("b", "");
    let revenue = p.json("a/q06.json")["rows"][0][0].as_f64().unwrap();
    p.change("b/q06.json", |answer| answer["rows"][0][0] = json!(revenue + 1e-5));
    p.ok("answers compare a b");
    p.change("b/q06.json", |answer| answer["rows"][0][0] = json!(revenue + 0.01));
    let end = p.fails("answers compare a b", 1, &["1 of 4 answers not equal"]);
    let cents = (revenue * 100.0).round();
    let (first, second) = (format!("[{cents}] in a"), format!("[{}] in b", cents + 1.0));
    let told = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("Q06 differ 1 row in a, 1 in b;"), "{told}");
    assert!(told.contains(&first) && told.contains(&second), "{told}");
    let value = p.fails("answers compare a b --json", 1, &[]).value();
    assert_eq!(value["queries"][2]["verdict"], "differ");
    let has = [format!("[{cents}]"), format!("[{}]", cents + 1.0)];
    assert_eq!(value["queries"][2]["first_difference"], json!(has));
}

#[test]
fn a_row_out_of_order_and_an_answer_that_is_missing_are_told() {
    let p = Place::new();
    p.load("t.db");
    p.answers("a", "");
    p.answers("b", "");
    p.change("b/q01.json", |answer| answer["rows"].as_array_mut().unwrap().reverse());
    std::fs::remove_file(p.path("a/q18.json")).unwrap();
    let end = p.fails("answers compare a b", 1, &["2 of 4 answers not equal"]);
    let told = end.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("Q01 differ in b: check the answer of Q01: row 2 sorts before"),
        "{told}"
    );
    assert!(told.contains("Q18 missing not in a"), "{told}");
    assert!(end.out.lines().all(|l| l.chars().count() <= 80), "{}", end.out);
    let value = p.fails("answers compare a b --json", 1, &[]).value();
    assert_eq!(value["queries"][0]["no_answer_in"], "b");
    assert_eq!(value["queries"][3]["missing_in"], "a");
}

#[test]
fn three_folders_make_a_table() {
    let p = Place::new();
    p.load("t.db");
    for dir in ["a", "b", "c"] {
        p.answers(dir, "");
    }
    let revenue = p.json("b/q06.json")["rows"][0][0].as_f64().unwrap();
    p.change("b/q06.json", |answer| answer["rows"][0][0] = json!(revenue + 0.01));
    std::fs::remove_file(p.path("c/q18.json")).unwrap();
    std::fs::remove_file(p.path("a/q03.json")).unwrap();
    let end = p.fails("answers compare a b c", 1, &["4 of 8 answers not equal"]);
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let table: Vec<_> = end.out.lines().map(cells).collect();
    assert_eq!(table[..4], [cells("1 a"), cells("2 b"), cells("3 c"), cells("1 2 3")]);
    let rows = [
        "Q01 first equal equal",
        "Q03 missing only here only here",
        "Q06 first differ equal",
        "Q18 first equal missing",
    ];
    assert_eq!(table[4..8], rows.map(cells), "{}", end.out);
    assert!(end.out.contains("b:\n") && end.out.contains("Q06  differ"), "{}", end.out);
    let value = p.fails("answers compare a b c --json", 1, &[]).value();
    assert_eq!(value["folders"], json!(["a", "b", "c"]));
    assert_eq!(value["queries"][2]["verdicts"], json!(["first", "differ", "equal"]));
    assert_eq!(value["compared_with_first"][1]["queries"][3]["missing_in"], "c");
    std::fs::write(p.path("a/q03.json"), p.read("b/q03.json")).unwrap();
    std::fs::write(p.path("c/q18.json"), p.read("b/q18.json")).unwrap();
    std::fs::write(p.path("b/q06.json"), p.read("a/q06.json")).unwrap();
    p.ok("answers compare a b c");
}

/// Runs of all benchmarks that only ask keep answers that another database must give too.
#[test]
fn runs_keep_answers_for_a_comparison() {
    let p = Place::new();
    for t in ["t", "u"] {
        p.load(&format!("{t}.db"));
        p.ok(&format!("load shop --customers 1000 --target sqlite:{t}-shop.db"));
        let run = "--tx-clients 0 --query-clients 1 --loops 1 --params check";
        let keep = format!("--keep-answers --out ch2pp-{t}");
        p.ok(&format!("run ch2pp --operational sqlite:{t}.db {run} {keep}"));
        for benchmark in ["pagination", "join"] {
            let keep = format!("--keep-answers --out {benchmark}-{t}");
            let target = format!("--target sqlite:{t}-shop.db --operations 2 --warmup 1ms");
            p.ok(&format!("run {benchmark} {target} {keep}"));
        }
    }
    for (benchmark, answers) in [("ch2pp", 22), ("pagination", 8), ("join", 8)] {
        let line = format!("answers compare {benchmark}-t {benchmark}-u");
        let value = p.ok(&format!("{line} --json")).value();
        assert_eq!(value["benchmark"], benchmark);
        assert_eq!(verdicts(&value).len(), answers);
        // Few of these customers have what some of the 22 queries look for.
        let rows = value["queries"].as_array().unwrap().iter().map(|q| q["rows"][0].as_u64());
        assert!(benchmark == "ch2pp" || rows.clone().all(|n| n > Some(0)), "{value}");
        // Another value, another answer.
        p.change(&format!("{benchmark}-u/answers/q01.json"), |answer| {
            answer["rows"].as_array_mut().unwrap().remove(0);
        });
        p.fails(&line, 1, &["1 of ", "not equal"]);
    }
    p.fails("answers compare pagination-t join-t", 2, &["two benchmarks", "pagination and join"]);
    let run = "run ch2pp --operational sqlite:t.db --query-clients 0 --tx-clients 1";
    p.fails(&format!("{run} --keep-answers"), 2, &["--keep-answers wants --query-clients"]);
}

#[test]
fn what_cannot_be_compared_is_a_usage_error() {
    let p = Place::new();
    p.load("t.db");
    p.answers("a", "");
    let other = "query ch2pp --analytical sqlite:t.db --queries 1,6 --answers-out b";
    p.ok(other);
    let end = p.fails("answers compare a b", 2, &["2 of 4", "other parameters", "--params-seed"]);
    assert!(end.out.contains("$after is"), "{}", end.out);
    let value = p.fails("answers compare a b --json", 2, &[]).value();
    assert_eq!(verdicts(&value)[0], (1, "other parameters"));
    assert_eq!(value["queries"][0]["parameters"][1]["after"], "2014-07-01 00:00:00.000000");

    p.change("b/q01.json", |answer| answer["benchmark"] = json!("ch2"));
    p.fails("answers compare a b", 2, &["read answers b", "ch2pp", "others"]);
    p.change("b/q06.json", |answer| answer["benchmark"] = json!("ch2"));
    p.fails("answers compare a b", 2, &["a and b", "two benchmarks", "ch2pp and ch2"]);
    p.change("b/q01.json", |answer| answer["benchmark"] = json!("tpch"));
    p.fails("answers compare a b", 2, &["b/q01.json", "tpch"]);
    p.change("a/q06.json", |answer| answer["query"] = json!(7));
    p.fails("answers compare a b", 2, &["a/q06.json", "query 7"]);
    p.write("a/q06.json", "{");
    p.fails("answers compare a b", 2, &["a/q06.json"]);
    p.fails("answers compare none a", 2, &["none", "no such folder"]);
    p.write("empty/readme.txt", "");
    p.fails("answers compare empty a", 2, &["empty", "no q01.json", "--answers-out"]);
    p.fails("answers compare a", 2, &["--help"]);
    p.fails("answers contrast a b", 2, &["--help"]);
}
