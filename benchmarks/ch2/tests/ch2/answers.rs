//! Specification section 5, last bullet: when answers are equal; section 6: answers on record.

use hoap_ch2::answers::StoredAnswers;
use hoap_ch2::data::{Schema, Spec};
use hoap_ch2::queries::catalogue::{self, CH2, CH2PP, QUERIES};
use hoap_ch2::queries::parameters::ParameterSet;
use hoap_database::{Answer, Row};
use hoap_workload::answers::{AnswerFile, AnswerFolder, Query, compare};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Value, json};

const SCHEMA: Schema = Schema::Ch2pp;

fn query(number: u8) -> &'static Query {
    catalogue::query(number).unwrap()
}

/// An answer to a query with these rows (a JSON array of arrays).
fn answer(number: u8, rows: Value) -> Answer {
    let Value::Array(rows) = rows else { panic!("rows are an array") };
    let row = |row| match row {
        Value::Array(values) => values,
        other => panic!("a row is an array, not {other}"),
    };
    Answer {
        columns: query(number).columns.iter().map(|c| c.name.into()).collect(),
        rows: rows.into_iter().map(row).collect(),
    }
}

fn compared(number: u8, expected: Value, found: Value) -> Result<()> {
    compare(SCHEMA.name(), query(number), &answer(number, expected), &answer(number, found))
}

fn assert_equal(number: u8, expected: Value, found: Value) {
    assert_eq!(compared(number, expected.clone(), found.clone()), Ok(()));
    assert_eq!(compared(number, found, expected), Ok(()));
}

/// Asserts that two answers differ, with this text in the message.
fn assert_different(number: u8, expected: Value, found: Value, message: &str) {
    assert!(compared(number, found.clone(), expected.clone()).is_err());
    let error = compared(number, expected, found).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Broken);
    let text = error.to_string();
    assert!(text.contains(message), "{text}");
    assert!(!text.contains('\n'), "{text}");
}

#[test]
fn rows_are_a_multiset_where_no_order_by_decides() {
    assert_equal(4, json!([[5, 10], [6, 20], [7, 30]]), json!([[7, 30], [5, 10], [6, 20]]));
    assert_equal(4, json!([]), json!([]));
    assert_different(
        4,
        json!([[5, 10], [5, 10], [6, 20]]),
        json!([[5, 10], [6, 20], [6, 20]]),
        "compare the answers of Q04: 3 rows expected, 3 found; \
         first difference (money in cents): [5,10] expected, [6,20] found",
    );
    assert_different(
        4,
        json!([[5, 10]]),
        json!([[5, 10], [6, 20]]),
        "1 row expected, 2 found; first difference (money in cents): no row expected, [6,20] found",
    );
}

#[test]
fn money_is_equal_after_rounding_to_cents() {
    // Rounding noise of a sum of doubles, on either side of the cents.
    assert_equal(6, json!([[16132475.58]]), json!([[16132475.580000002]]));
    assert_equal(6, json!([[16132475.58]]), json!([[16132475.579999998]]));
    assert_equal(6, json!([[12]]), json!([[12.0]]));
    assert_equal(6, json!([[null]]), json!([[null]]));
    assert_different(6, json!([[0.1]]), json!([[0.11]]), "[10] expected, [11] found");
    assert_different(6, json!([[0]]), json!([[null]]), "[0] expected, [null] found");
}

/// "averages and ratios to 1e-9 relative"
#[test]
fn ratios_are_equal_to_a_billionth() {
    let of = |share: f64| json!([[2017, share], [2018, 0.0]]);
    assert_equal(8, of(0.309), of(0.309 * (1.0 + 0.9e-9)));
    assert_equal(8, json!([[2017, 0]]), json!([[2017, 0.0]]));
    assert_different(8, of(0.309), of(0.309 * (1.0 + 1.1e-9)), "[2017,0.309] expected");
    assert_different(8, of(0.0), of(1e-12), "[2017,0.0] expected");
    assert_different(8, json!([[2017, null]]), json!([[2017, 0.0]]), "[2017,null] expected");
    // Half a cent in Q17 is not at a rounding border.
    assert_equal(17, json!([[2969465.515]]), json!([[2969465.5149999997]]));
    assert_different(17, json!([[2969465.515]]), json!([[2969465.52]]), "2969465.515");
}

#[test]
fn whole_numbers_are_equal_however_they_are_written() {
    assert_equal(4, json!([[5, 10]]), json!([[5.0, 1e1]]));
    assert_different(4, json!([[5, 10]]), json!([[5, 11]]), "[5,10] expected, [5,11] found");
}

/// su_address is an object in CH2++; an engine returns it as an object or as its JSON text.
#[test]
fn objects_are_equal_as_json() {
    let with = |address: Value| json!([["Supplier#000000001", address]]);
    let text = with(json!("{\"su_zip\":\"12\", \"su_city\":\"x\"}"));
    assert_equal(20, with(json!({"su_city": "x", "su_zip": "12"})), text.clone());
    assert_different(
        20,
        text,
        with(json!({"su_city": "x", "su_zip": "13"})),
        r#"["Supplier#000000001","{\"su_city\":\"x\",\"su_zip\":\"12\"}"] expected"#,
    );
    assert_equal(20, with(json!("a street")), with(json!("a street")));
}

#[test]
fn rows_must_stand_in_the_order_that_the_order_by_decides() {
    let error = compared(
        1,
        json!([[1, 2, 3.5, 1.0, 2.0, 1], [2, 2, 3.5, 1.0, 2.0, 1]]),
        json!([[2, 2, 3.5, 1.0, 2.0, 1], [1, 2, 3.5, 1.0, 2.0, 1]]),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "check the answer of Q01: row 2 sorts before row 1: [1] after [2]"
    );
    // Descending, then ascending: Q3 by revenue, then by date.
    let [a, b, c] = [
        json!([7, 1, 1, 20.0, "2014"]),
        json!([8, 1, 1, 10.0, "2014"]),
        json!([9, 1, 1, 10.0, "2015"]),
    ];
    assert_equal(3, json!([a, b, c]), json!([a, b, c]));
    assert!(compared(3, json!([a, b, c]), json!([a, c, b])).is_err());
    assert!(compared(3, json!([a, b, c]), json!([b, a, c])).is_err());
}

/// Rows that the ORDER BY does not order may come in any order, and sums that are equal in cents
/// tie.
#[test]
fn rows_with_the_same_sort_key_come_in_any_order() {
    assert_equal(5, json!([["Iran", 5.0], ["Iraq", 5.0]]), json!([["Iraq", 5.0], ["Iran", 5.0]]));
    let noisy = json!([["Iran", 4.999999999], ["Iraq", 5.000000001], ["Oman", 1]]);
    assert_equal(5, noisy, json!([["Iraq", 5.0], ["Iran", 5.0], ["Oman", 1]]));
}

/// Rows of Q10, whose limit is 20: one for each of `revenues`, with c_id from 1.
fn twenty(revenues: [f64; 20]) -> Vec<Row> {
    let row = |(i, r): (usize, f64)| {
        vec![json!(i), json!("BAR"), json!(r), json!("city"), json!("1"), json!("Iran")]
    };
    revenues.into_iter().enumerate().map(row).collect()
}

/// "ties at a LIMIT accepted by their sort key"
#[test]
fn any_row_of_the_tie_at_the_limit_is_right() {
    let mut revenues = [9.0; 20];
    revenues[18..].fill(8.0);
    let rows = twenty(revenues);
    let mut other = rows.clone();
    other[19][0] = json!(77);
    other[18][0] = json!(78);
    assert_equal(10, json!(rows), json!(other));

    let mut above = rows.clone();
    above[3][0] = json!(77);
    assert_different(10, json!(rows), json!(above), "20 rows expected, 20 found; first difference");
    let mut key = rows.clone();
    key[19][2] = json!(7.99);
    assert_different(10, json!(rows), json!(key), "");
    let mut fewer = rows.clone();
    fewer.pop();
    assert_different(10, json!(rows), json!(fewer), "20 rows expected, 19 found");
    let mut more = rows.clone();
    more.push(rows[19].clone());
    assert_different(10, json!(rows), json!(more), "it has 21 rows, the limit is 20");
}

/// Below the limit nothing was cut, so the last rows are decided too.
#[test]
fn there_is_no_tie_below_the_limit() {
    let rows = &twenty([9.0; 20])[..19];
    let mut other = rows.to_vec();
    other[18][0] = json!(77);
    assert_different(10, json!(rows), json!(other), "first difference");
}

/// CH2 cuts Q3 after ten rows, CH2++ does not.
#[test]
fn the_limit_is_that_of_the_schema() {
    let rows: Vec<_> = (0..11).map(|i| json!([i, 1, 1, 5.0, "2014"])).collect();
    let rows = answer(3, json!(rows));
    assert_eq!(compare("ch2pp", query(3), &rows, &rows), Ok(()));
    let error = compare("ch2", query(3), &rows, &rows).unwrap_err();
    assert_eq!(error.answer, "it has 11 rows, the limit is 10");
}

#[test]
fn an_answer_of_the_wrong_shape_is_refused() {
    let good = answer(4, json!([[5, 10]]));
    let refused = |found: &Answer| {
        compare(SCHEMA.name(), query(4), &good, found).unwrap_err().into_parts().answer
    };
    let columns = Answer { columns: vec!["O_OL_CNT".into(), "count".into()], ..good.clone() };
    assert_eq!(
        refused(&columns),
        "its columns are O_OL_CNT, count instead of o_ol_cnt, order_count"
    );
    let upper = Answer { columns: vec!["O_OL_CNT".into(), "ORDER_COUNT".into()], ..good.clone() };
    assert_eq!(compare(SCHEMA.name(), query(4), &good, &upper), Ok(()));
    assert_eq!(refused(&answer(4, json!([[5, 10, 1]]))), "row 1 has 3 values");
    assert_eq!(
        refused(&answer(4, json!([[5, 10], [5.5, 1]]))),
        "row 2: o_ol_cnt is 5.5, which is no whole number or string"
    );
    for value in [json!(true), json!([1]), json!({"a": 1}), json!(1e300)] {
        assert!(refused(&answer(4, json!([[5, value]]))).starts_with("row 1: order_count is "));
    }
    let money = compared(6, json!([[1]]), json!([["1.00"]])).unwrap_err();
    assert_eq!(money.answer, "row 1: revenue is \"1.00\", which is no amount of money");
    assert!(compared(17, json!([[1]]), json!([["x"]])).is_err());
}

/// A long row is shortened in a message.
#[test]
fn a_message_shows_the_start_of_a_row() {
    let error = compared(20, json!([["x", "é".repeat(5000)]]), json!([])).unwrap_err();
    assert!(error.to_string().chars().count() < 400);
}

// ---------------------------------------------------------------------------------------------
// Answers on record
// ---------------------------------------------------------------------------------------------

fn spec() -> Spec {
    Spec { scale_down: 100, ..Spec::new(SCHEMA, 1) }
}

fn record(number: u8, rows: Value) -> StoredAnswers {
    let answers = [(query(number), &answer(number, rows))];
    StoredAnswers::make(&spec(), ParameterSet::Check, answers).unwrap()
}

fn checked(record: &StoredAnswers, number: u8, rows: Value) -> Result<()> {
    let parameters = ParameterSet::Check.parameters(&spec(), query(number));
    record.check(query(number), &parameters, &answer(number, rows))
}

fn broken(result: Result<()>) -> String {
    let error: Error = result.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Broken);
    error.to_string()
}

#[test]
fn a_record_detects_a_changed_cent() {
    let record = record(5, json!([["Iran", 10.01], ["Iraq", 5.0]]));
    assert_eq!(checked(&record, 5, json!([["Iran", 10.010000001], ["Iraq", 5]])), Ok(()));
    let message = broken(checked(&record, 5, json!([["Iran", 10.02], ["Iraq", 5.0]])));
    assert!(message.starts_with("check the answer of Q05: among 2 rows at least one is wrong"));
    assert_eq!(
        broken(checked(&record, 5, json!([["Iran", 10.01]]))),
        "check the answer of Q05: 2 rows on record, 1 found"
    );
}

#[test]
fn a_record_accepts_another_order_and_another_row_of_a_tie() {
    let free = record(4, json!([[5, 10], [6, 20]]));
    assert_eq!(checked(&free, 4, json!([[6, 20], [5, 10]])), Ok(()));
    let mut revenues = [9.0; 20];
    revenues[17..].fill(8.0);
    let rows = twenty(revenues);
    let cut = record(10, json!(rows));
    let mut other = rows.clone();
    other.swap(0, 16);
    other.swap(17, 19);
    other[18][0] = json!(77);
    assert_eq!(checked(&cut, 10, json!(other)), Ok(()));

    let mut key = rows.clone();
    key[17..].iter_mut().for_each(|row| row[2] = json!(7.99));
    let message = broken(checked(&cut, 10, json!(key)));
    assert!(message.contains("at the limit 3 rows of [800] on record, 3 rows of [799]"));
    let mut above = rows.clone();
    above[16][0] = json!(77);
    assert!(broken(checked(&cut, 10, json!(above))).contains("among 20 rows"));
    let mut shorter_tie = rows;
    shorter_tie[17][2] = json!(8.5);
    assert!(broken(checked(&cut, 10, json!(shorter_tie))).contains("2 rows of [800] found"));
}

#[test]
fn a_record_compares_ratios_as_numbers() {
    let stored = record(8, json!([[2017, 0.3], [2018, null]]));
    assert_eq!(checked(&stored, 8, json!([[2017, 0.3000000001], [2018, null]])), Ok(()));
    let message = broken(checked(&stored, 8, json!([[2017, 0.3000001], [2018, null]])));
    assert!(message.contains("ratios [0.3] are on record, the row found is [2017,0.3000001]"));
    assert!(broken(checked(&stored, 8, json!([[2017, 0.3], [2018, 0.0]]))).contains("digest"));
    // The same two ratios, swapped between the rows.
    let two = record(8, json!([[2017, 0.3], [2018, 0.4]]));
    assert!(checked(&two, 8, json!([[2017, 0.4], [2018, 0.3]])).is_err());
}

#[test]
fn a_record_is_for_its_query_and_parameters() {
    let record = record(5, json!([["Iran", 10.01]]));
    let of = |set: ParameterSet, number: u8| {
        let parameters = set.parameters(&spec(), query(number));
        record.check(query(number), &parameters, &answer(number, json!([]))).unwrap_err()
    };
    let error = of(ParameterSet::Reference, 5);
    assert_eq!(error.to_string(), "check the answer of Q05: it was asked something else");
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert_eq!(of(ParameterSet::Check, 6).answer, "there is none on record");
}

#[test]
fn a_record_reads_back_from_its_text() {
    let tied = record(10, json!(twenty([9.0; 20])));
    let ratios = record(8, json!([[2017, 0.30920112425233925], [2018, null]]));
    for record in [tied, ratios] {
        let read: StoredAnswers = serde_json::from_str(&record.text()).unwrap();
        assert_eq!(read, record);
    }
}

// ---------------------------------------------------------------------------------------------
// Answer files
// ---------------------------------------------------------------------------------------------

fn file() -> AnswerFile {
    let parameters = ParameterSet::Reference.parameters(&spec(), query(3));
    let rows = json!([[7, 1, 1, 20.25, "2014 \"x\""], [8, 1, 1, null, "2015"]]);
    let of = (SCHEMA.name(), "sqlite:bench.db");
    AnswerFile::new(of, (query(3), &parameters), answer(3, rows), 0.25)
}

/// The names and the order of the members, as the design fixes them.
#[test]
fn an_answer_file_has_the_published_form() {
    let text = serde_json::to_string(&file()).unwrap();
    assert_eq!(
        text,
        r#"{"query":3,"benchmark":"ch2pp","target":"sqlite:bench.db","#.to_owned()
            + r#""parameters":{"state":"a","before":"2017-03-15 00:00:00.000000"},"#
            + r#""columns":["o_id","o_w_id","o_d_id","revenue","o_entry_d"],"#
            + r#""rows":[[7,1,1,20.25,"2014 \"x\""],[8,1,1,null,"2015"]],"seconds":0.25}"#
    );
}

#[test]
fn an_answer_file_reads_back_and_has_a_line_for_each_row() {
    let path = std::env::temp_dir().join(format!("hoap-answer-{}.json", std::process::id()));
    for rows in [vec![], file().rows] {
        let file = AnswerFile { rows, ..file() };
        file.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(AnswerFile::read(&path), Ok(file.clone()), "{text}");
        let as_value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(as_value, serde_json::to_value(&file).unwrap());
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\n[8,1,1,null,\"2015\"]\n"), "{text}");
    for bad in [r#"{"query": 3}"#, ""] {
        std::fs::write(&path, bad).unwrap();
        let error = AnswerFile::read(&path).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(error.tried.contains(path.to_str().unwrap()));
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(AnswerFile::read(&path).unwrap_err().kind, ErrorKind::Invalid);
    assert_eq!(AnswerFile::name(3), "q03.json");
}

#[test]
fn a_folder_with_an_answer_to_no_query_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let read = || AnswerFolder::read(folder.path(), &[&CH2, &CH2PP]);
    file().write(&folder.path().join("q03.json")).unwrap();
    assert_eq!(read().unwrap().answers.len(), 1);
    AnswerFile { query: 23, ..file() }.write(&folder.path().join("q23.json")).unwrap();
    let error = read().unwrap_err();
    assert_eq!((error.kind, error.answer.as_str()), (ErrorKind::Invalid, "there is no query 23"));
}

#[test]
fn every_query_has_a_name_for_its_file() {
    let names: Vec<_> = QUERIES.iter().map(|query| AnswerFile::name(query.number)).collect();
    assert_eq!((names[0].as_str(), names[21].as_str()), ("q01.json", "q22.json"));
}
