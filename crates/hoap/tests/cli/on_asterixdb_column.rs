//! Pagination and JOIN on AsterixDB's rows and columns: the answers are those of SQLite.

use super::Place;

#[test]
fn pages_and_joins_of_rows_and_columns_are_those_of_sqlite() {
    let p = Place::new();
    let server = std::env::var("HOAP_TEST_ASTERIXDB_COLUMN").expect(
        "set HOAP_TEST_ASTERIXDB_COLUMN: eval \"$(lab/env)\", or leave these out with \
         ./test --no-servers",
    );
    let server = &server[..server.rfind('/').unwrap()];
    let at = |format: &str| {
        format!("{server}/shop_{format}_{}?storage={format}&analyze=on", std::process::id())
    };
    let targets =
        [("sqlite", "sqlite:s.db".to_owned()), ("row", at("row")), ("column", at("column"))];
    for (name, target) in &targets {
        p.ok(&format!("load shop --customers 1000 --target {target}"));
        for benchmark in ["pagination", "join"] {
            let run = format!("run {benchmark} --target {target} --operations 2 --warmup 1ms");
            p.ok(&format!("{run} --check-reads --keep-answers --out {benchmark}-{name}"));
        }
    }
    for b in ["pagination", "join"] {
        let line = format!("answers compare {b}-sqlite {b}-row {b}-column --json");
        let queries = p.ok(&line).value()["queries"].clone();
        assert_eq!(queries.as_array().unwrap().len(), 8);
        for query in queries.as_array().unwrap() {
            assert_eq!(query["verdicts"], serde_json::json!(["first", "equal", "equal"]));
        }
    }
}
