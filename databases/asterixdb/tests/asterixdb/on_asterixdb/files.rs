//! Loading by files that the nodes read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hoap_ch2::data::{DataSet, Schema, Spec};
use hoap_data::Part;
use hoap_database::{BulkWriter, Database};
use hoap_workload::load::{Existing, Load, Stopping, load};
use hoap_workload::{Error, ErrorKind};

use crate::conformance::{COLLECTION, batch, count, wait};
use crate::{Guard, open, place};

/// A database with a folder for its files, and the same one without.
struct Files {
    folder: tempfile::TempDir,
    url: String,
    target: Database,
    plain: Database,
    _guard: Guard,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plain = place("HOAP_TEST_ASTERIXDB");
        let url = format!("{plain}?load_folder={}", folder.path().display());
        let (target, plain) = (open(&url), open(&plain));
        let _guard = Guard(plain.clone());
        wait(plain.documents().unwrap().create(&[COLLECTION])).unwrap();
        Files { folder, url, target, plain, _guard }
    }

    fn bulk(&self, target: &Database) -> BulkWriter {
        wait(target.documents().unwrap().bulk("1 of 1")).unwrap()
    }

    /// Writes these orders and ends.
    fn load(&self, orders: impl IntoIterator<Item = i64>) -> Result<(), Error> {
        let mut bulk = self.bulk(&self.target);
        let batch = batch(1, orders);
        wait(async {
            bulk.write(COLLECTION, &batch, batch.len() as u64).await?;
            bulk.finish().await
        })
    }

    fn positions(&self) -> [u64; 2] {
        [&self.target, &self.plain].map(|t| wait(self.bulk(t).position(COLLECTION)).unwrap())
    }

    fn left(&self) -> Vec<PathBuf> {
        let all = std::fs::read_dir(self.folder.path()).unwrap();
        all.map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn what_was_interrupted_is_loaded_anew() {
    let f = Files::new();
    // Written and not loaded.
    let mut bulk = f.bulk(&f.target);
    wait(bulk.write(COLLECTION, &batch(1, 1..=5), 5)).unwrap();
    assert_eq!(f.left().len(), 1);
    drop(bulk);
    assert_eq!((f.left().len(), count(&f.plain)), (0, 0));
    assert_eq!(f.positions(), [0, 0]);
    // Loaded in batches, in part.
    wait(f.bulk(&f.plain).write(COLLECTION, &batch(2, 1..=5), 5)).unwrap();
    assert_eq!((f.positions(), count(&f.plain)), ([0, 5], 5));
    f.load(1..=12).unwrap();
    assert_eq!((f.positions(), count(&f.plain)), ([12, 12], 12));
    // What a load that was killed left goes with the next one.
    let left = f.folder.path().join("x");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("y"), "z").unwrap();
    let own = own_folder(&f.url);
    std::fs::rename(&left, &own).unwrap();
    f.load(1..=13).unwrap();
    assert_eq!((f.left().len(), count(&f.plain)), (0, 13));
}

/// The folder of a load, as its writer names it.
fn own_folder(url: &str) -> PathBuf {
    let (server, folder) = url.split_once("?load_folder=").unwrap();
    let (authority, dataverse) = server.rsplit_once('/').unwrap();
    let (_, port) = authority.rsplit_once(':').unwrap();
    Path::new(folder).join(format!("hoap-load-{port}-{dataverse}"))
}

#[test]
fn what_the_nodes_do_not_find_is_told_and_never_counted() {
    let f = Files::new();
    let file = own_folder(&f.url).join(format!("{COLLECTION}.0.json"));
    let failed = |f: &Files, meanwhile: &dyn Fn()| {
        let mut bulk = f.bulk(&f.target);
        wait(bulk.write(COLLECTION, &batch(1, 1..=3), 3)).unwrap();
        meanwhile();
        let e = wait(bulk.finish()).unwrap_err();
        drop(bulk);
        assert_eq!((f.left().len(), f.positions()), (0, [0, 0]), "{e}");
        assert!(e.to_string().contains("load_folder"), "{e}");
        e
    };
    let e = failed(&f, &|| std::fs::remove_file(&file).unwrap());
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("path not found"), "{e}");
    // A file that ends in a document is no error to LOAD.
    let e = failed(&f, &|| {
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "{\"hoap_key\": \"a\"}\n{\"hoap_key\": \"b\", ").unwrap();
    });
    assert_eq!(e.kind, ErrorKind::Broken, "{e}");
    assert!(e.to_string().contains("1 of 3 documents"), "{e}");
    f.load(1..=3).unwrap();
    assert_eq!(count(&f.plain), 3);

    let e = f.load([1, 2, 2]).unwrap_err();
    assert_eq!((e.kind, f.left().len()), (ErrorKind::Duplicate, 0), "{e}");
    let mut bulk = f.bulk(&f.target);
    let e = wait(async {
        bulk.write("item", &batch(1, [1]), 1).await.unwrap();
        bulk.write(COLLECTION, &batch(1, [1]), 1).await.unwrap();
        bulk.write("item", &batch(1, [2]), 2).await.unwrap_err()
    });
    assert_eq!(e.kind, ErrorKind::Broken, "{e}");
    drop(bulk);
    let nowhere = format!("{}/nowhere", f.url);
    let e = wait(open(&nowhere).documents().unwrap().bulk("1 of 1")).map(drop).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unavailable, "{e}");
    assert!(e.to_string().contains("load_folder"), "{e}");
}

#[test]
fn a_benchmark_is_loaded_whole_and_goes_on_where_it_stopped() {
    let f = Files::new();
    let documents = f.target.documents().unwrap();
    wait(documents.drop(&[COLLECTION])).unwrap();
    let data = DataSet::new(Spec { scale_down: 100, ..Spec::new(Schema::Ch2pp, 1) }).unwrap();
    let run = |part: Part, existing, stop: Stopping| {
        let what = Load { part, ..Load::whole(data, existing) };
        wait(load(documents, what, stop, &mut |_| ()))
    };
    let never = || -> Stopping { Arc::new(|| false) };
    let part = Part { part: 1, of: 2 };
    let e = run(part, Existing::Refuse, never()).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("a load in parts") && e.to_string().contains("whole"), "{e}");
    let plain = f.plain.clone();
    let some: Stopping = Arc::new(move || count_of(&plain, "customer") > 0);
    let e = run(Part::WHOLE, Existing::Refuse, some).unwrap_err();
    assert_eq!((e.kind, f.left().len()), (ErrorKind::Cancelled, 0), "{e}");
    let loaded = run(Part::WHOLE, Existing::Resume, never()).unwrap();
    assert!(loaded.whole);
    for c in hoap_ch2::data::Collection::ALL {
        assert_eq!(count_of(&f.plain, c.name()), data.count(c), "{c}");
    }
    let again = run(Part::WHOLE, Existing::Resume, never()).unwrap();
    assert_eq!((again.documents, f.left().len()), (0, 0));
    let all = hoap_ch2::data::Collection::ALL.map(hoap_ch2::data::Collection::name);
    wait(documents.drop(&all)).unwrap();
}

/// Documents of a collection; 0 where it is not there.
fn count_of(target: &Database, collection: &str) -> u64 {
    let mut count = 0;
    let mut each = |_: &str, _| {
        count += 1;
        Ok(())
    };
    let scanned = tokio::task::block_in_place(|| {
        wait(target.documents().unwrap().scan(collection, &[], &mut each))
    });
    scanned.map_or(0, |()| count)
}
