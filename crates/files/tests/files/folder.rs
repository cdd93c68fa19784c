//! Folders: splitting, manifests, checking, resuming, and what is refused.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_data::Part;
use hoap_files::{
    Checked, Codec, ErrorKind, Existing, FilesWatch, Form, Format, Manifest, Options, Progress,
    Request, check, to_files,
};
use hoap_suites::benchmarks::known;
use serde_json::json;

use super::{data_set, form, options, read, request, shop, write, ycsb};

/// A request whose output is split into several files of at least one collection.
fn split(data: &DataSet, format: Format) -> Request<'_> {
    Request { form: split_form(format), ..request(data) }
}

fn split_form(format: Format) -> Form {
    form(Options { split: Some(1 << 20), ..options(format, Codec::None) })
}

fn checked(dir: &Path) -> Checked {
    check(dir, 2, FilesWatch { stop: &|| false, progress: &mut |_| (), known: &known }).unwrap()
}

fn manifest(dir: &Path, name: &str) -> Manifest {
    serde_json::from_slice(&fs::read(dir.join(name)).unwrap()).unwrap()
}

#[test]
fn no_file_is_larger_than_asked_and_together_they_are_the_whole() {
    let data = data_set(Schema::Ch2pp);
    for format in [Format::Ndjson, Format::Csv] {
        let dir = tempfile::tempdir().unwrap();
        let manifest = write(&split(&data, format), dir.path(), Existing::Refuse).unwrap().manifest;
        let orders: Vec<_> = manifest.files.iter().filter(|f| f.collection == "orders").collect();
        let mine: Vec<_> = orders.iter().filter(|f| f.file.starts_with("orders.")).collect();
        assert!(mine.len() > 1, "{format}: not split");
        let mut next = 0;
        for (n, file) in mine.iter().enumerate() {
            assert_eq!(file.file, format!("orders.{:04}.{format}", n + 1));
            assert_eq!(file.first, next);
            next += file.documents;
            assert!(file.bytes <= 1 << 20, "{file:?}");
            assert!(n + 1 == mine.len() || file.bytes > 1 << 19, "{file:?} is needlessly small");
        }
        assert_eq!(next, data.count(Collection::Orders));
        if format == Format::Csv {
            // Files of one number hold the same orders.
            let lines: Vec<_> =
                orders.iter().filter(|f| f.file.starts_with("orderline.")).collect();
            let key = |f: &hoap_files::FileEntry| (f.first, f.documents);
            assert!(lines.iter().map(|f| key(f)).eq(mine.iter().map(|f| key(f))));
        }
        assert_eq!(checked(dir.path()).problems, Vec::<String>::new());
    }
}

#[test]
fn the_manifest_tells_what_the_files_are() {
    let data = data_set(Schema::Ch2pp);
    let dir = tempfile::tempdir().unwrap();
    let written = write(&request(&data), dir.path(), Existing::Refuse).unwrap();
    let manifest = manifest(dir.path(), "manifest.json");
    assert_eq!(manifest, written.manifest);
    let parameters = &manifest.parameters;
    assert_eq!(parameters.data_version, hoap_ch2::data::DATA_VERSION);
    let expected = json!({
        "warehouses": 2, "seed": 1, "run_date": "2021-01-01",
        "extra_fields": "customer=3,orders=64,item=1", "scale_down": 100,
    });
    assert_eq!(json!(parameters.data), expected);
    for file in &manifest.files {
        let bytes = fs::read(dir.path().join(&file.file)).unwrap();
        assert_eq!(file.bytes, bytes.len() as u64);
        let hash = twox_hash::XxHash3_128::oneshot(&bytes);
        assert_eq!(file.xxh3_128, format!("{hash:032x}"));
        assert_eq!(file.documents, bytes.iter().filter(|&&b| b == b'\n').count() as u64);
    }
    let seen = checked(dir.path());
    assert_eq!((seen.files, seen.bytes, seen.documents), (11, written.bytes, written.documents));
    assert!(!dir.path().join("manifest.unfinished.json").exists());
}

#[test]
fn a_check_finds_what_is_wrong() {
    let data = data_set(Schema::Ch2);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let e = check(dir, 1, FilesWatch { stop: &|| false, progress: &mut |_| (), known: &known })
        .unwrap_err();
    assert!(e.kind == ErrorKind::Usage && e.to_string().contains("no manifest.json"), "{e}");
    write(&request(&data), dir, Existing::Refuse).unwrap();
    let item = dir.join("item.ndjson");
    let whole = fs::read(&item).unwrap();
    let problem = || match checked(dir).problems.as_slice() {
        [one] => one.clone(),
        other => panic!("{other:?}"),
    };
    let mut flipped = whole.clone();
    flipped[1000] ^= 1;
    fs::write(&item, &flipped).unwrap();
    assert!(problem().starts_with("item.ndjson: other bytes"), "{}", problem());
    fs::write(&item, &whole[1..]).unwrap();
    assert!(problem().starts_with("item.ndjson: ") && problem().contains(" bytes, not "));
    fs::remove_file(&item).unwrap();
    assert!(problem().starts_with("item.ndjson: missing"));
    fs::write(&item, &whole).unwrap();
    fs::write(dir.join("orders.0007.ndjson"), "{}\n").unwrap();
    assert!(problem().contains("orders.0007.ndjson: in no manifest"));
    fs::rename(dir.join("orders.0007.ndjson"), dir.join(".hoap-1-7.tmp")).unwrap();
    assert!(problem().contains("interrupted"));
    fs::remove_file(dir.join(".hoap-1-7.tmp")).unwrap();
    fs::write(dir.join("notes.txt"), "mine").unwrap();
    assert_eq!(checked(dir).problems, Vec::<String>::new());
    fs::write(dir.join("manifest.json"), "{}").unwrap();
    assert!(problem().contains("no manifest"), "{}", problem());
}

#[test]
fn a_check_of_parts_wants_all_of_them() {
    let data = data_set(Schema::Ch2);
    let dir = tempfile::tempdir().unwrap();
    let part = |part| Request { part: Part { part, of: 3 }, ..request(&data) };
    write(&part(1), dir.path(), Existing::Refuse).unwrap();
    write(&part(3), dir.path(), Existing::Refuse).unwrap();
    assert!(dir.path().join("manifest.3.json").exists());
    assert_eq!(checked(dir.path()).problems, ["part 2 of 3 is missing (1 missing in all)"]);
    let other = DataSet::new(Spec { seed: 2, ..*data.spec() }).unwrap();
    write(&Request { data: &other, ..part(2) }, dir.path(), Existing::Refuse).unwrap();
    let problems = checked(dir.path()).problems;
    assert!(problems.len() == 1 && problems[0].contains("seed 2, not 1"), "{problems:?}");
    write(&part(2), dir.path(), Existing::Replace).unwrap();
    assert_eq!(checked(dir.path()).problems, Vec::<String>::new());
}

/// Interrupted at every few chunks, an output is finished to the same bytes, and what is whole is
/// not written again.
#[test]
fn resuming_finishes_without_writing_anything_twice() {
    let (ch2pp, shop, ycsb) = (data_set(Schema::Ch2pp), shop(), ycsb());
    finishes_by_resuming(&request(&ch2pp));
    finishes_by_resuming(&request(&shop));
    finishes_by_resuming(&request(&ycsb));
}

fn finishes_by_resuming(whole: &Request<'_>) {
    for format in [Format::Ndjson, Format::Csv] {
        let request = Request { form: split_form(format), ..*whole };
        let reference = tempfile::tempdir().unwrap();
        let all = write(&request, reference.path(), Existing::Refuse).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let (mut documents, mut calls) = (0, 0);
        loop {
            calls += 1;
            assert!(calls < 1000, "no progress");
            let whole = read(dir.path());
            // Enough for a file or two at every call, and not for all.
            let most = AtomicU64::new(0);
            let stop = || most.load(Ordering::SeqCst) > 1_500_000;
            let mut progress = |p: Progress| most.store(p.bytes, Ordering::SeqCst);
            let watch = FilesWatch { stop: &stop, progress: &mut progress, known: &known };
            let end = to_files(&request, dir.path(), Existing::Resume, watch);
            let after = read(dir.path());
            assert!(!after.keys().any(|name| name.ends_with(".tmp")), "{:?}", after.keys());
            for (name, bytes) in whole.iter().filter(|(name, _)| !name.starts_with("manifest")) {
                assert!(after[name] == *bytes);
            }
            match end {
                Ok(written) => {
                    documents += written.documents;
                    assert!(written.kept > 0);
                    assert_eq!(written.manifest, all.manifest);
                    break;
                }
                Err(e) => {
                    assert_eq!(e.kind, ErrorKind::Interrupted);
                    assert!(e.to_string().contains("--resume"));
                    assert!(after.contains_key("manifest.unfinished.json"));
                    assert!(!after.contains_key("manifest.json"), "a half output looks whole");
                    assert!(!checked(dir.path()).problems.is_empty());
                }
            }
        }
        assert!(calls > 2, "{format}: never interrupted");
        assert!(documents < all.documents);
        assert!(read(dir.path()) == read(reference.path()), "{format}");
        let again = write(&request, dir.path(), Existing::Resume).unwrap();
        assert_eq!((again.documents, again.bytes), (0, 0));
    }
}

#[test]
fn a_damaged_file_is_made_anew_by_resuming() {
    let data = data_set(Schema::Ch2);
    let dir = tempfile::tempdir().unwrap();
    write(&request(&data), dir.path(), Existing::Refuse).unwrap();
    let whole = read(dir.path());
    fs::write(dir.path().join("item.ndjson"), "short").unwrap();
    fs::remove_file(dir.path().join("orders.ndjson")).unwrap();
    let written = write(&request(&data), dir.path(), Existing::Resume).unwrap();
    assert_eq!(written.kept, 9);
    assert_eq!(written.documents, data.count(Collection::Item) + data.count(Collection::Orders));
    assert!(read(dir.path()) == whole);
}

#[test]
fn what_is_there_is_not_overwritten_unasked() {
    let data = data_set(Schema::Ch2);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let request = request(&data);
    for existing in [Existing::Refuse, Existing::Resume, Existing::Replace] {
        fs::write(dir.join("item.ndjson"), "mine").unwrap();
        let e = write(&request, dir, existing).unwrap_err();
        assert!(e.kind == ErrorKind::Usage && e.to_string().contains("item.ndjson"), "{e}");
        assert_eq!(read(dir).len(), 1, "written beside a refused file");
    }
    fs::remove_file(dir.join("item.ndjson")).unwrap();
    write(&request, dir, Existing::Replace).unwrap();
    let e = write(&request, dir, Existing::Refuse).unwrap_err();
    assert!(e.to_string().contains("--replace") && e.to_string().contains("--resume"), "{e}");
    // A split output of before, of which a smaller one would leave files behind.
    let large = DataSet::new(Spec { warehouses: 4, ..*data_set(Schema::Ch2pp).spec() }).unwrap();
    write(&split(&large, Format::Ndjson), dir, Existing::Replace).unwrap();
    let small = data_set(Schema::Ch2pp);
    let e = write(&split(&small, Format::Ndjson), dir, Existing::Refuse).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Usage);
    write(&split(&small, Format::Ndjson), dir, Existing::Replace).unwrap();
    assert_eq!(checked(dir).problems, Vec::<String>::new());
    // Resuming something else.
    let e = write(&split(&large, Format::Ndjson), dir, Existing::Resume).unwrap_err();
    assert!(e.kind == ErrorKind::Usage && e.to_string().contains("warehouses 2, not 4"), "{e}");
}

#[test]
fn a_manifest_cannot_point_outside_its_folder() {
    let data = data_set(Schema::Ch2);
    let outside = tempfile::tempdir().unwrap();
    let dir = outside.path().join("inside");
    let mine = outside.path().join("mine.ndjson");
    fs::write(&mine, "mine").unwrap();
    write(&request(&data), &dir, Existing::Refuse).unwrap();
    let text = fs::read_to_string(dir.join("manifest.json")).unwrap();
    fs::write(dir.join("manifest.json"), text.replace("item.ndjson", "../mine.ndjson")).unwrap();
    assert!(checked(&dir).problems.iter().any(|p| p.contains("not a file name")));
    write(&request(&data), &dir, Existing::Replace).unwrap_err();
    assert_eq!(fs::read(&mine).unwrap(), b"mine");
}
