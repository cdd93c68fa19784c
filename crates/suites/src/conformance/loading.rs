//! Loads by several clients.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use async_trait::async_trait;
use hoap_data::Part;
use hoap_database::engine::{self, About, Bulk, Calls, Done, Each, Engine, Offered};
use hoap_database::failure::Failure;
use hoap_database::{Batch, BulkWriter, Database, Documents, Index, NotApplicable};
use hoap_record::Description;
use hoap_workload::load::{Clients, Existing, Load, LoadSource, Loaded, Stopping, load};
use hoap_workload::note;
use hoap_workload::{ErrorKind, Result};
use serde_json::{Value, json};

use super::{COLLECTION, document, index, wait};

/// Documents of the tests' collection: some thirty batches of [`BATCH`] bytes.
const COUNT: u64 = 400;
const BATCH: usize = 2500;

/// The orders of warehouse 1 as the data of a benchmark.
struct Orders;

impl LoadSource for Orders {
    fn benchmark(&self) -> &'static str {
        "orders"
    }

    fn parameters(&self) -> Value {
        json!({ "count": COUNT })
    }

    fn collections(&self) -> Vec<&str> {
        vec![COLLECTION]
    }

    fn part(&self, _: usize, part: u64, of: u64) -> Range<u64> {
        COUNT * (part - 1) / of..COUNT * part / of
    }

    fn append(&self, _: usize, index: u64, key: &mut String, text: &mut Vec<u8>) {
        let order = index as i64 + 1;
        key.push_str(&format!("1.{order}"));
        text.extend_from_slice(document(1, order).to_string().as_bytes());
    }

    fn indexes(&self) -> Vec<Index> {
        vec![index()]
    }
}

/// When a write fails.
#[derive(Clone, Copy, Debug)]
enum When {
    /// Nothing is written.
    Before,
    /// All is written, and the answer is lost.
    After,
}

/// A write that fails after so many others.
struct Fault {
    writes: AtomicI64,
    when: When,
}

/// A database with small batches, of which one may fail.
struct Small {
    inner: Database,
    fault: Option<Arc<Fault>>,
}

struct SmallWriter {
    inner: BulkWriter,
    fault: Option<Arc<Fault>>,
}

impl Small {
    /// It as a database.
    fn of(inner: &Database, fault: Option<Arc<Fault>>) -> Database {
        Database::new(Small { inner: inner.clone(), fault })
    }

    fn documents(&self) -> Documents<'_> {
        self.inner.documents().unwrap()
    }
}

impl Engine for Small {
    fn about(&self) -> About {
        About::new("Small", "small:", &[], Calls::InProcess)
    }

    fn description(&self) -> Description {
        self.inner.description()
    }

    fn documents(&self) -> Option<&dyn engine::Documents> {
        Some(self)
    }
}

#[async_trait]
impl engine::Documents for Small {
    async fn note(&self) -> Done<Option<Value>> {
        Ok(self.documents().note().await?)
    }

    async fn set_note(&self, expected: Option<&Value>, note: &Value) -> Done<bool> {
        Ok(self.documents().set_note(expected, note).await?)
    }

    async fn exists(&self, collection: &str) -> Done<bool> {
        Ok(self.documents().any_exists(&[collection]).await?)
    }

    fn elsewhere(&self) -> &'static str {
        self.documents().elsewhere()
    }

    async fn drop(&self, collections: &[&str]) -> Done<()> {
        Ok(self.documents().drop(collections).await?)
    }

    async fn create(&self, collections: &[&str]) -> Done<()> {
        Ok(self.documents().create(collections).await?)
    }

    fn in_parts(&self) -> Offered<()> {
        self.documents().in_parts().map_err(|lacks| lacks.because)
    }

    fn several_writers(&self) -> Offered<()> {
        self.documents().several_writers().map_err(|lacks| lacks.because)
    }

    async fn bulk(&self, part: &str) -> Done<Box<dyn Bulk>> {
        let inner = self.documents().bulk(part).await?;
        Ok(Box::new(SmallWriter { inner, fault: self.fault.clone() }))
    }

    async fn settle(&self, indexes: &[Index]) -> Done<()> {
        Ok(self.documents().settle(indexes).await?)
    }

    async fn has(&self, indexes: &[Index]) -> Done<Offered<Vec<Option<bool>>>> {
        Ok(self.documents().has(indexes).await?.map_err(|lacks| lacks.because))
    }

    async fn scan(&self, collection: &str, fields: &[&str], each: &mut Each<'_>) -> Done<()> {
        let mut each = |key: &str, row| each(key, row).map_err(|e| e.into_error("take a document"));
        Ok(self.documents().scan(collection, fields, &mut each).await?)
    }
}

#[async_trait]
impl Bulk for SmallWriter {
    async fn position(&mut self, collection: &str) -> Done<u64> {
        Ok(self.inner.position(collection).await?)
    }

    async fn write(&mut self, collection: &str, batch: &Batch, position: u64) -> Done<()> {
        let fails = self.fault.as_ref().filter(|f| f.writes.fetch_sub(1, Ordering::Relaxed) == 0);
        let when = fails.map(|fault| fault.when);
        if !matches!(when, Some(When::Before)) {
            self.inner.write(collection, batch, position).await?;
        }
        match when {
            None => Ok(()),
            Some(_) => Err(Failure::new(ErrorKind::Unavailable, "it is to fail")),
        }
    }

    async fn finish(&mut self) -> Done<()> {
        Ok(self.inner.finish().await?)
    }

    fn batch_bytes(&self) -> usize {
        BATCH
    }

    fn batch_documents(&self) -> usize {
        self.inner.batch_documents()
    }
}

fn never() -> Stopping {
    Arc::new(|| false)
}

fn orders(documents: Documents<'_>, existing: Existing, clients: Clients) -> Result<Loaded> {
    let what = Load { clients, ..Load::whole(Orders, existing) };
    wait(load(documents, what, never(), &mut |_| ()))
}

/// So many clients where the database takes several, else one.
fn clients(documents: Documents<'_>, number: u64) -> (Clients, u64) {
    match documents.several_writers() {
        Ok(()) => (Clients::Number(number), number),
        Err(NotApplicable { .. }) => (Clients::Auto, 1),
    }
}

/// Every order is there as it was made, once, and nothing else.
fn holds_all(documents: Documents<'_>) {
    let fields = ["o_id", "o_w_id", "o_total", "o_name.last", "o_words[1]", "o_orderline"];
    let mut seen = BTreeMap::new();
    let mut each = |key: &str, row: Vec<Value>| {
        assert_eq!(seen.insert(key.to_owned(), row), None, "{key} came twice");
        Ok(())
    };
    wait(documents.scan(COLLECTION, &fields, &mut each)).unwrap();
    for order in 1..=COUNT as i64 {
        let d = document(1, order);
        let row = [
            &d["o_id"],
            &d["o_w_id"],
            &d["o_total"],
            &d["o_name"]["last"],
            &d["o_words"][1],
            &d["o_orderline"],
        ];
        let there = seen.remove(&format!("1.{order}"));
        assert!(there.as_ref().is_some_and(|there| there.iter().eq(row)), "{order}: {there:?}");
    }
    assert!(seen.is_empty(), "{:?}", seen.keys());
}

pub fn a_load_replaces_what_a_load_made_and_nothing_else(target: &Database) {
    let small = Small::of(target, None);
    let small = small.documents().unwrap();
    let load = |existing| orders(small, existing, Clients::Auto);
    let refused = |existing, says: &[&str]| {
        let e = load(existing).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Unavailable, "{existing:?}: {e}");
        let told = e.to_string();
        assert!(says.iter().all(|words| told.contains(words)), "{existing:?}: {says:?}: {told}");
    };
    // A collection that no load made, with documents.
    super::load(target, 3);
    for existing in [Existing::Refuse, Existing::Replace, Existing::Resume] {
        let elsewhere = target.documents().unwrap().elsewhere();
        refused(existing, &["no load of hoap made", COLLECTION, "stays", elsewhere]);
        assert!(!load(existing).unwrap_err().to_string().contains("--replace"));
    }
    assert_eq!(super::count(target), 3);
    wait(small.drop(&[COLLECTION])).unwrap();

    load(Existing::Refuse).unwrap();
    let own = wait(note::read(small)).unwrap().unwrap().load.collections;
    assert_eq!(own, [COLLECTION]);
    // One whose removal was interrupted is neither used nor filled, and is removed whole.
    wait(note::update(small, |note| {
        note.load.removing = true;
        Ok(())
    }))
    .unwrap();
    refused(Existing::Refuse, &["being removed", "--replace"]);
    refused(Existing::Resume, &["being removed", "--replace"]);
    let e = wait(note::expect_loaded(target, "orders")).unwrap_err().to_string();
    assert!(e.contains("being removed") && e.contains("--replace"), "{e}");
    load(Existing::Replace).unwrap();
    holds_all(small);
}

pub fn clients_load_what_one_client_loads(target: &Database) {
    let small = Small::of(target, None);
    let small = small.documents().unwrap();
    let one = orders(small, Existing::Refuse, Clients::Number(1)).unwrap();
    assert_eq!((one.documents, one.clients, one.whole), (COUNT, 1, true));
    holds_all(small);
    let (four, number) = clients(small, 4);
    if number == 1 {
        let e = orders(small, Existing::Replace, Clients::Number(4)).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
        assert!(e.to_string().contains("a load by several clients"), "{e}");
        holds_all(small);
    }
    let all = orders(small, Existing::Replace, four).unwrap();
    assert_eq!((all.documents, all.bytes, all.clients), (COUNT, one.bytes, number));
    holds_all(small);
    let note = wait(note::read(small)).unwrap().unwrap().load;
    assert_eq!((note.slices, note.clients, note.documents), (number, number, COUNT));
    assert!(note.settled);
    // It is whole whoever asks.
    let again = orders(small, Existing::Resume, Clients::Auto).unwrap();
    assert_eq!((again.documents, again.clients, again.whole), (0, 0, true));
}

pub fn an_interrupted_load_goes_on_with_other_clients(target: &Database) {
    let small = Small::of(target, None);
    let small = small.documents().unwrap();
    let looks = AtomicUsize::new(0);
    let stop: Stopping = Arc::new(move || looks.fetch_add(1, Ordering::Relaxed) >= 7);
    let what = Load { clients: clients(small, 4).0, ..Load::whole(Orders, Existing::Refuse) };
    let e = wait(load(small, what, stop, &mut |_| ())).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Cancelled, "{e}");
    assert!(e.to_string().contains("--resume"), "{e}");
    let (two, number) = clients(small, 2);
    let rest = orders(small, Existing::Resume, two).unwrap();
    assert!(rest.documents > 0 && rest.documents < COUNT, "{rest:?}");
    assert_eq!((rest.clients, rest.whole), (number, true));
    holds_all(small);
}

pub fn a_client_that_fails_ends_the_load_which_goes_on_whole(target: &Database) {
    for when in [When::Before, When::After] {
        let fault = Some(Arc::new(Fault { writes: AtomicI64::new(6), when }));
        let failing = Small::of(target, fault);
        let failing = failing.documents().unwrap();
        let four = clients(failing, 4).0;
        let e = orders(failing, Existing::Replace, four).unwrap_err();
        assert_eq!((e.kind, &*e.answer), (ErrorKind::Unavailable, "it is to fail"), "{e}");
        let small = Small::of(target, None);
        let small = small.documents().unwrap();
        let rest = orders(small, Existing::Resume, Clients::Auto).unwrap();
        assert!(rest.whole && rest.documents < COUNT, "{when:?}: {rest:?}");
        holds_all(small);
    }
}

pub fn clients_load_parts_at_the_same_time(target: &Database) {
    let small = Small::of(target, None);
    let small = small.documents().unwrap();
    let (three, number) = clients(small, 3);
    let part = |part| {
        let what = Load {
            part: Part { part, of: 2 },
            clients: three,
            ..Load::whole(Orders, Existing::Refuse)
        };
        wait(load(small, what, never(), &mut |_| ())).unwrap()
    };
    let part = &part;
    let loaded: Vec<Loaded> = std::thread::scope(|scope| {
        let parts: Vec<_> = [1, 2].map(|n| scope.spawn(move || part(n))).into();
        parts.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(loaded.iter().any(|part| part.whole), "{loaded:?}");
    assert!(loaded.iter().all(|part| part.clients == number), "{loaded:?}");
    holds_all(small);
    let note = wait(note::read(small)).unwrap().unwrap().load;
    assert_eq!((note.documents, note.clients), (COUNT, 2 * number));
}
