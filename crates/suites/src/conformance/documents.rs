//! Whole collections.

use std::collections::BTreeMap;
use std::sync::Barrier;

use hoap_database::{Database, Index, Row};
use hoap_workload::{Error, ErrorKind};
use serde_json::json;

use super::{COLLECTION, batch, count, document, get, index, indexes, load, load_shop, wait};
use hoap_testing::errors::fails;

pub fn notes_are_compared_and_set(target: &Database) {
    let documents = target.documents().unwrap();
    wait(async {
        let (one, two) = (json!({"schema": "ch2", "w": 1}), json!({"w": 2, "text": "it's \"so\""}));
        assert_eq!(documents.note().await.unwrap(), None);
        assert!(!documents.set_note(Some(&one), &two).await.unwrap());
        assert_eq!(documents.note().await.unwrap(), None);
        assert!(documents.set_note(None, &one).await.unwrap());
        assert!(!documents.set_note(None, &two).await.unwrap());
        assert!(!documents.set_note(Some(&two), &two).await.unwrap());
        // Objects are equal whatever the order of their names.
        assert!(documents.set_note(Some(&json!({"w": 1, "schema": "ch2"})), &two).await.unwrap());
        assert_eq!(documents.note().await.unwrap(), Some(two));
        documents.drop(&[]).await.unwrap();
        assert_eq!(documents.note().await.unwrap(), None);
    });
}

pub fn notes_have_one_winner_among_many(target: &Database) {
    let start = Barrier::new(8);
    let race = |n: i32| {
        start.wait();
        let note = json!({ "winner": n });
        wait(target.documents().unwrap().set_note(None, &note)).unwrap().then_some(note)
    };
    let race = &race;
    let won: Vec<_> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..8).map(|n| scope.spawn(move || race(n))).collect();
        racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
    });
    assert_eq!(won.len(), 1);
    assert_eq!(wait(target.documents().unwrap().note()).unwrap().as_ref(), won.first());
}

pub fn collections_come_and_go(target: &Database) {
    let documents = target.documents().unwrap();
    wait(async {
        let exists = async |name: &str| documents.any_exists(&["absent", name]).await.unwrap();
        assert!(!exists(COLLECTION).await);
        documents.drop(&[COLLECTION, "item"]).await.unwrap();
        documents.create(&[COLLECTION]).await.unwrap();
        assert!(exists(COLLECTION).await);
        assert!(!exists("item").await);
        let mut bulk = documents.bulk("p").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=3), 3).await.unwrap();
        drop(bulk);
        // Creating what is there keeps its documents.
        documents.create(&[COLLECTION, "item"]).await.unwrap();
        assert!(exists("item").await);
    });
    assert_eq!(count(target), 3);
    wait(async {
        documents.settle(&[index()]).await.unwrap();
        assert!(documents.set_note(None, &json!(1)).await.unwrap());
        documents.drop(&[COLLECTION, "item"]).await.unwrap();
        documents.drop(&[COLLECTION, "item"]).await.unwrap();
        assert!(!documents.any_exists(&[COLLECTION, "item"]).await.unwrap());
        assert_eq!(documents.note().await.unwrap(), None);
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("p").await.unwrap();
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 0, "the progress went as well");
    });
    assert_eq!(count(target), 0);
    load(target, 1);
}

/// Of every kind of index that a benchmark needs. A database that makes none, or does not say, is
/// asked too.
pub fn indexes_that_are_missing_are_named_until_settling_made_them(target: &Database) {
    load_shop(target, &[]);
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("p").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=2), 2).await.unwrap();
        bulk.finish().await.unwrap();
    });
    let all = [vec![index()], indexes()].concat();
    let has = || wait(documents.has(&all)).unwrap();
    let Ok(before) = has() else { return };
    assert!(before.iter().all(|has| *has != Some(true)), "{before:?}");
    // One after the other, so that each is told from the others.
    for made in 1..=all.len() {
        wait(documents.settle(&all[..made])).unwrap();
        let now = has().unwrap();
        for (n, (before, now)) in before.iter().zip(&now).enumerate() {
            assert_eq!(*now, before.map(|_| n < made), "{now:?} with {made} of {all:?}");
        }
    }
    let other = Index { fields: vec!["o_entry_d".into()], ..index() };
    let same_name = wait(documents.has(&[other])).unwrap().unwrap();
    let by_name = ["Couchbase", "AsterixDB"];
    if !by_name.iter().any(|name| target.description().name.starts_with(name)) {
        assert_ne!(same_name, [Some(true)], "an index of this name on another field");
    }
    wait(documents.drop(&[COLLECTION, "shop_customer", "shop_orders"])).unwrap();
    assert!(has().unwrap().iter().all(|has| *has != Some(true)));
}

pub fn a_collection_that_is_gone_is_missing(target: &Database) {
    load(target, 2);
    let documents = target.documents().unwrap();
    wait(documents.drop(&[COLLECTION])).unwrap();
    for fields in [&[][..], &["o_id"]] {
        let e = wait(documents.scan(COLLECTION, fields, &mut |_, _| Ok(()))).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Missing, "{e}");
        assert!(e.to_string().contains(COLLECTION), "{e}");
    }
}

pub fn a_batch_is_all_or_nothing_and_so_is_its_progress(target: &Database) {
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=5), 5).await.unwrap();
        // The last document of the second batch is there already.
        let e = bulk.write(COLLECTION, &batch(1, [6, 7, 5]), 8).await.unwrap_err();
        assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 5);
    });
    assert_eq!(count(target), 5);
    assert_eq!(get(target, "1.6", &[]), None);
    wait(async {
        let mut bulk = documents.bulk("1/1").await.unwrap();
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 5, "another writer goes on from it");
        bulk.write(COLLECTION, &batch(1, [6, 7]), 7).await.unwrap();
        bulk.write(COLLECTION, &batch(1, []), 9).await.unwrap();
        assert_eq!(bulk.position(COLLECTION).await.unwrap(), 9);
    });
    assert_eq!(count(target), 7);
}

/// What a load that ended between a batch and its progress left is completed by the next one, where
/// a batch is not one step.
pub fn a_batch_written_again_is_written_once(target: &Database) {
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=700), 700).await.unwrap();
        bulk.write(COLLECTION, &batch(1, 701..=800), 700).await.unwrap();
        let mut next = documents.bulk("1/1").await.unwrap();
        assert_eq!(next.position(COLLECTION).await.unwrap(), 700);
        next.write(COLLECTION, &batch(1, 600..=900), 900).await.unwrap();
        // A batch with what is no document is refused as a whole.
        let mut bad = batch(1, [901]);
        bad.push(|key, text| {
            key.push('x');
            text.extend_from_slice(b"[1]");
        });
        let refused = next.write(COLLECTION, &bad, 902).await;
        fails(refused, ErrorKind::Invalid, &["document x: it is no JSON object"]);
        assert_eq!(next.position(COLLECTION).await.unwrap(), 900);
        next.write(COLLECTION, &batch(1, []), 903).await.unwrap();
        assert_eq!(next.position(COLLECTION).await.unwrap(), 903);
        documents.settle(&[]).await.unwrap();
    });
    assert_eq!(count(target), 900);
}

/// A collection that somebody else has made under this name is neither used nor overwritten.
pub fn what_others_made_is_left_alone(target: &Database, name: &str, advice: &str) {
    let documents = target.documents().unwrap();
    fails(wait(documents.create(&[name])), ErrorKind::Unavailable, &[name, "is not ours", advice]);
    assert!(wait(documents.any_exists(&[name])).unwrap());
}

pub fn progress_is_kept_by_part_and_collection(target: &Database) {
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION, "item"]).await.unwrap();
        let mut one = documents.bulk("1/2").await.unwrap();
        let mut two = documents.bulk("2/2").await.unwrap();
        one.write(COLLECTION, &batch(1, [1]), 1).await.unwrap();
        two.write(COLLECTION, &batch(1, [2, 3]), 2).await.unwrap();
        two.write("item", &batch(1, [1, 2, 3]), 3).await.unwrap();
        assert_eq!(one.position(COLLECTION).await.unwrap(), 1);
        assert_eq!(one.position("item").await.unwrap(), 0);
        assert_eq!(two.position(COLLECTION).await.unwrap(), 2);
        assert_eq!(two.position("item").await.unwrap(), 3);
    });
}

pub fn parts_load_at_the_same_time(target: &Database) {
    const PARTS: i64 = 4;
    const BATCHES: i64 = 25;
    let documents = target.documents().unwrap();
    wait(documents.create(&[COLLECTION])).unwrap();
    std::thread::scope(|scope| {
        for part in 1..=PARTS {
            scope.spawn(move || {
                wait(async {
                    let mut bulk = documents.bulk(&format!("{part}/{PARTS}")).await.unwrap();
                    for n in 0..BATCHES {
                        let orders = n * 10 + 1..=n * 10 + 10;
                        let position = (n as u64 + 1) * 10;
                        bulk.write(COLLECTION, &batch(part, orders), position).await.unwrap();
                    }
                });
            });
        }
    });
    assert_eq!(count(target), (PARTS * BATCHES * 10) as usize);
}

pub fn settling_twice_is_settling_once(target: &Database) {
    load(target, 20);
    wait(target.documents().unwrap().settle(&[index()])).unwrap();
    assert_eq!(count(target), 20);
}

/// The drivers of a fleet whose parts end at the same moment each find the load whole.
pub fn settling_at_the_same_time_is_settling_once(target: &Database) {
    const DRIVERS: usize = 4;
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1..=20), 20).await.unwrap();
    });
    let start = Barrier::new(DRIVERS);
    std::thread::scope(|scope| {
        for _ in 0..DRIVERS {
            scope.spawn(|| {
                start.wait();
                wait(documents.settle(&[index()])).unwrap();
            });
        }
    });
    assert_eq!(count(target), 20);
    wait(documents.settle(&[index()])).unwrap();
}

pub fn a_scan_reads_every_document_once(target: &Database) {
    load(target, 300);
    let mut seen = BTreeMap::new();
    let mut each = |key: &str, row: Row| {
        assert_eq!(seen.insert(key.to_owned(), row), None, "{key} came twice");
        Ok(())
    };
    let fields = ["o_id", "o_name.last", "o_carrier_id", "o_words[1]", "o_orderline"];
    wait(target.documents().unwrap().scan(COLLECTION, &fields, &mut each)).unwrap();
    assert_eq!(seen.len(), 300);
    for o in 1..=300 {
        let d = document(1, o);
        let row = [&d["o_id"], &d["o_name"]["last"], &json!(null), &json!("b"), &d["o_orderline"]];
        assert!(seen[&format!("1.{o}")].iter().eq(row));
    }
}

pub fn a_scan_stops_at_the_first_error(target: &Database) {
    load(target, 10);
    let mut calls = 0;
    let mut each = |_: &str, _: Row| {
        calls += 1;
        match calls {
            3 => Err(Error::new(ErrorKind::Broken, "look", "enough")),
            _ => Ok(()),
        }
    };
    let documents = target.documents().unwrap();
    let e = wait(documents.scan(COLLECTION, &["o_id"], &mut each)).unwrap_err();
    assert_eq!((e.to_string().as_str(), calls), ("look: enough", 3));
}

/// A database that says what it stores says it of the whole, and of every collection or none.
pub fn the_stored_size_is_of_what_is_there(target: &Database) {
    load(target, 400);
    let stored = match wait(target.documents().unwrap().stored(&[COLLECTION])).unwrap() {
        Ok(stored) => stored,
        Err(lacking) => {
            let told = lacking.to_string();
            assert!(told.contains("stored size") && told.contains("because"), "{told}");
            return;
        }
    };
    assert!(stored.bytes > 0, "{stored:?}");
    if let [of] = &*stored.collections {
        assert_eq!(of.name, COLLECTION);
        assert!(0 < of.bytes && of.bytes <= stored.bytes, "{stored:?}");
    } else {
        assert!(stored.collections.is_empty(), "{stored:?}");
    }
}
