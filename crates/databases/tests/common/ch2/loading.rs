//! Loading: whole, in parts, resumed, refused (spec §1; what a user may expect of a load).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_ch2::note::expect_loaded;
use hoap_data::Part;
use hoap_database::Database;
use hoap_databases::open;
use hoap_suites::ch2::loaded::{data, load_part};
use hoap_testing::wait;
use hoap_workload::ErrorKind;
use hoap_workload::load::{Existing, Load, load};
use serde_json::Value;

/// All documents of some collections that hold every kind of value.
fn content(target: &Database) -> BTreeMap<String, Vec<Value>> {
    let mut content = BTreeMap::new();
    let fields = ["c_balance", "c_name", "c_phones", "o_orderline", "s_dists", "su_comment"];
    for c in Collection::ALL {
        let documents = target.documents().unwrap();
        wait(documents.scan(c.name(), &fields, &mut |key, row| {
            let old = content.insert(format!("{} {key}", c.name()), row);
            assert!(old.is_none(), "{c} {key} twice");
            Ok(())
        }))
        .unwrap();
    }
    content
}

#[test]
fn a_load_holds_every_document_of_the_generator() {
    let loaded = super::loaded(Schema::Ch2pp);
    let content = content(&loaded.target);
    let wanted: u64 = Collection::ALL.iter().map(|&c| loaded.data.count(c)).sum();
    assert_eq!(content.len() as u64, wanted);
    for c in Collection::ALL {
        for index in [0, loaded.data.count(c) / 2, loaded.data.count(c) - 1] {
            let (mut key, mut text) = (String::new(), Vec::new());
            loaded.data.append_key(c, index, &mut key);
            loaded.data.append(c, index, &mut text);
            let document: Value = serde_json::from_slice(&text).unwrap();
            let names: Vec<&str> =
                document.as_object().unwrap().keys().map(String::as_str).collect();
            let row = loaded.get(c.name(), &key, &names).unwrap();
            for (name, value) in names.iter().zip(row) {
                assert_eq!(document[name], value, "{c} {key} {name}");
            }
        }
    }
}

#[test]
fn parts_loaded_apart_equal_one_load() {
    let whole = super::loaded(Schema::Ch2pp);
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?synchronous=off", dir.path().join("p.db").display());
    let threads: Vec<_> = [3, 1, 2]
        .map(|part| {
            let url = url.clone();
            std::thread::spawn(move || {
                let target = wait(open(&url)).unwrap();
                let part = Part { part, of: 3 };
                load_part(&target, &data(Schema::Ch2pp), part, Existing::Refuse).unwrap().whole
            })
        })
        .into();
    let ends: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    assert!(ends.contains(&true), "the last part must find the load whole");
    let parts = wait(open(&url)).unwrap();
    wait(expect_loaded(&parts, Schema::Ch2pp)).unwrap();
    assert!(content(&parts) == content(&whole.target));
}

#[test]
fn an_interrupted_load_is_refused_for_use_and_resumes_without_writing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?synchronous=off", dir.path().join("i.db").display());
    let data = DataSet::new(Spec { scale_down: 20, ..Spec::new(Schema::Ch2pp, 1) }).unwrap();
    let target = wait(open(&url)).unwrap();
    let documents = target.documents().unwrap();
    // The flag is looked at before each batch: it falls in the middle of the customers.
    let looks = AtomicUsize::new(0);
    let stop = move || looks.fetch_add(1, Ordering::Relaxed) >= 3;
    let what = Load::whole(data, Existing::Refuse);
    let end = wait(load(documents, what, Arc::new(stop), &mut |_| ()));
    assert_eq!(end.unwrap_err().kind, ErrorKind::Cancelled);
    let before = content(&target).len() as u64;
    assert!(before > 0);

    let use_it = wait(expect_loaded(&target, Schema::Ch2pp)).unwrap_err();
    assert!(use_it.to_string().contains("half-loaded"), "{use_it}");
    assert!(use_it.to_string().contains("--resume"), "{use_it}");

    let rest = load_part(&target, &data, Part::WHOLE, Existing::Resume).unwrap();
    let all: u64 = Collection::ALL.iter().map(|&c| data.count(c)).sum();
    assert_eq!(rest.documents, all - before);
    assert!(rest.whole);
    assert_eq!(content(&target).len() as u64, all);
    let again = load_part(&target, &data, Part::WHOLE, Existing::Resume).unwrap();
    assert_eq!(again.documents, 0);
}

#[test]
fn what_is_there_is_never_overwritten_unasked() {
    let loaded = super::loaded(Schema::Ch2pp);
    let target = &loaded.target;
    let refused = |data: &DataSet, part, existing, what: &str| {
        let e = load_part(target, data, part, existing).unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
    };
    let whole = Part::WHOLE;
    refused(&loaded.data, whole, Existing::Refuse, "--replace");
    let seed = Spec { seed: 2, ..*loaded.data.spec() };
    let other = DataSet::new(seed).unwrap();
    refused(&other, whole, Existing::Refuse, "seed 1, not 2");
    refused(&other, whole, Existing::Resume, "seed 1, not 2");
    refused(&data(Schema::Ch2), whole, Existing::Resume, "ch2pp, not ch2");
    let second = Part { part: 2, of: 2 };
    refused(&loaded.data, second, Existing::Resume, "divided into 1 parts");
    refused(&loaded.data, second, Existing::Replace, "only the first part");
    assert!(load_part(target, &other, whole, Existing::Replace).unwrap().whole);
}

#[test]
fn data_of_another_version_or_benchmark_or_maker_is_refused() {
    let loaded = super::loaded(Schema::Ch2);
    let documents = loaded.target.documents().unwrap();
    let other = wait(expect_loaded(&loaded.target, Schema::Ch2pp)).unwrap_err();
    assert!(other.to_string().contains("the database holds ch2"), "{other}");

    let note = wait(documents.note()).unwrap().unwrap();
    let mut newer = note.clone();
    newer["data"]["version"] = 99.into();
    assert!(wait(documents.set_note(Some(&note), &newer)).unwrap());
    let version = wait(expect_loaded(&loaded.target, Schema::Ch2)).unwrap_err();
    assert!(version.to_string().contains("data version 99"), "{version}");

    let damaged = serde_json::json!({ "something": "else" });
    assert!(wait(documents.set_note(Some(&newer), &damaged)).unwrap());
    let damage = wait(expect_loaded(&loaded.target, Schema::Ch2)).unwrap_err();
    assert_eq!(damage.kind, ErrorKind::Unavailable);

    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", dir.path().join("f.db").display());
    let foreign = wait(open(&url)).unwrap();
    wait(foreign.documents().unwrap().create(&["customer"])).unwrap();
    let e = load_part(&foreign, &loaded.data, Part::WHOLE, Existing::Refuse).unwrap_err();
    assert!(e.to_string().contains("no load of hoap made"), "{e}");
}
