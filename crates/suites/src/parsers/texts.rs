//! Texts that users write or that one run leaves for the next.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use hoap_ch2::answers::StoredAnswers;
use hoap_ch2::ledger::HistoryKey;
use hoap_ch2::queries::ParameterSet;
use hoap_data::{Date, Timestamp};
use hoap_own::file::Text;
use hoap_own::plan::Plan;
use hoap_own::plan::model::Collection;
use hoap_record::{Sla, Time};
use hoap_report::compare::Gate;
use hoap_report::prices::PriceList;
use hoap_workload::answers::AnswerFile;
use hoap_workload::contribution;
use hoap_workload::note::Note;
use hoap_ycsb as ycsb;
use hoap_ycsb::{Properties, Setup};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use hoap_testing::fuzz::{told, told_with};

/// Reads a text; what is read is written and read again as the same.
fn comes_back<T>(text: &str) -> Option<T>
where
    T: FromStr<Err: Display> + Display + PartialEq + Debug,
{
    match text.parse::<T>() {
        Ok(value) => {
            let written = value.to_string();
            let again = written.parse::<T>();
            assert!(matches!(&again, Ok(again) if *again == value), "{text:?}: {written:?}");
            Some(value)
        }
        Err(e) => {
            told(e);
            None
        }
    }
}

/// Times and dates.
pub fn times(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    comes_back::<Time>(text);
    comes_back::<Date>(text);
    comes_back::<Timestamp>(text);
    comes_back::<ParameterSet>(text);
    if let Some(key) = HistoryKey::parse(text) {
        assert_eq!(HistoryKey::parse(&key.text()), Some(key), "{text:?}");
    }
}

/// The bounds of `--sla` and `--fail-if`.
pub fn bounds(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    comes_back::<Sla>(text);
    comes_back::<Gate>(text);
}

/// YCSB's property files.
pub fn properties(input: &[u8]) {
    let mut read = Properties::new();
    if let Err(e) = read.text(input) {
        return told_with(e, &["line "]);
    }
    let mut again = Properties::new();
    again.text(escaped(&read).as_bytes()).unwrap();
    assert_eq!(again, read);
    if let Err(e) = Setup::new(&read) {
        told(e);
    }
}

/// The properties as Java writes them: whatever is no letter and no digit as an escape.
fn escaped(properties: &Properties) -> String {
    let escape = |text: &str| -> String {
        let unit = |unit: u16| match u8::try_from(unit) {
            Ok(letter) if letter.is_ascii_alphanumeric() => char::from(letter).to_string(),
            _ => format!("\\u{unit:04x}"),
        };
        text.encode_utf16().map(unit).collect()
    };
    properties.iter().map(|(k, v)| format!("{}={}\n", escape(k), escape(v))).collect()
}

/// Price lists.
pub fn prices(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match PriceList::parse(text) {
        Ok(list) => {
            assert!(list.items.iter().all(|item| item.price.is_finite() && item.price >= 0.0));
        }
        Err(e) => drop(told(e)),
    }
}

/// The most that a document costs of those that are made: files may name larger ones.
const MOST_COST: u64 = 1 << 20;

/// Workload files: what is read makes documents, which are JSON and whose keys tell their numbers.
pub fn workload(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // No file that it names is there.
    let text = Text { path: "no/such/folder/w.toml".into(), text: text.to_owned() };
    let plan = match text.read().and_then(|file| text.at(Plan::new(&file, 1.0))) {
        Ok(plan) => plan,
        Err(e) => return told_with(e, &["w.toml:"]),
    };
    let small = |of: &Collection| of.count > 0 && of.cost <= MOST_COST;
    for (at, of) in plan.collections.iter().enumerate().filter(|(_, of)| small(of)) {
        for n in [0, of.count - 1] {
            let (mut key, mut document) = (Vec::new(), Vec::new());
            plan.key(at, &plan.place(at, n), &mut key);
            let key = String::from_utf8(key).unwrap();
            let told = plan.number(at, &key, &|collection, n| plan.place(collection, n));
            assert_eq!(told, Some(n), "{key} of {}", of.name);
            plan.document(at, &plan.place(at, n), &mut document);
            let made: Value = serde_json::from_slice(&document).unwrap();
            assert!(made.is_object(), "{made}");
            let cost = of.cost + key.len() as u64;
            assert!(document.len() as u64 <= cost, "{} bytes cost {cost}", document.len());
        }
    }
}

/// What one run leaves for the next: ledgers, answers, the note of a load.
pub fn ledgers(input: &[u8]) {
    ledger::<hoap_ch2::ledger::contribution::Contribution>(input);
    ledger::<ycsb::Contribution>(input);
    ledger::<hoap_own::run::Contribution>(input);
    document::<StoredAnswers>(input);
    document::<AnswerFile>(input);
    document::<Note>(input);
}

fn ledger<T: Serialize + DeserializeOwned + PartialEq + Debug>(input: &[u8]) {
    match contribution::read::<T>("ledger.json", input) {
        Ok(read) => {
            let mut written = Vec::new();
            contribution::write(&read, &mut written).unwrap();
            assert_eq!(contribution::read::<T>("again", &written).unwrap(), read);
        }
        Err(e) => told_with(e, &["ledger.json"]),
    }
}

fn document<T: Serialize + DeserializeOwned + PartialEq + Debug>(input: &[u8]) {
    if let Ok(read) = serde_json::from_slice::<T>(input) {
        let written = serde_json::to_vec(&read).unwrap();
        assert_eq!(serde_json::from_slice::<T>(&written).unwrap(), read);
    }
}
