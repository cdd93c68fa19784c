//! Manifests that no call wrote, and files in the way.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use hoap_ch2::data::Schema;
use hoap_files::{
    Codec, ErrorKind, Existing, FilesWatch, Format, Options, Request, check, to_files,
};
use hoap_suites::benchmarks::known;
use serde_json::{Value, json};

use super::{data_set, form, options, read, request, write};

fn edit(dir: &Path, change: impl FnOnce(&mut Value)) {
    let path = dir.join("manifest.json");
    let mut manifest = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).unwrap();
}

fn problems(dir: &Path) -> Vec<String> {
    check(dir, 2, FilesWatch { stop: &|| false, progress: &mut |_| (), known: &known })
        .unwrap()
        .problems
}

/// A change of one value of a manifest, and what the error says of it.
type Change = (fn(&mut Value), &'static str);

/// `files[3]` is one of customer's, which begins with 0.
const CHANGES: [Change; 22] = [
    (|m| m["files"][3]["documents"] = json!(u64::MAX), "18446744073709551615 documents from 0 on"),
    (|m| m["files"][3]["documents"] = json!(1), "ends before"),
    (|m| m["files"][3]["first"] = json!(1), "begins with document 1, not 0"),
    (|m| m["files"][3]["first"] = json!(u64::MAX), "begins with document 18446744073709551615"),
    (|m| m["files"][3]["file"] = json!("/etc/passwd"), "not a file name"),
    (|m| m["files"][3]["file"] = json!("../customer.ndjson"), "not a file name"),
    (|m| m["files"][3]["file"] = json!("a/customer.ndjson"), "not a file name"),
    (|m| m["files"][3]["file"] = json!(".."), "not a file name"),
    (|m| m["files"][3]["file"] = json!(""), "not a file name"),
    (|m| m["files"][3]["file"] = json!("manifest.ndjson"), "not a file name"),
    (|m| m["files"][3]["file"] = json!("customer.txt"), "customer.ndjson"),
    (|m| m["files"][3]["collection"] = json!("secrets"), "secrets"),
    (|m| m["files"][3]["xxh3_128"] = json!("XYZ"), "32 hexadecimal digits"),
    (|m| m["files"][3] = m["files"][4].clone(), "files[4]"),
    (|m| m["files"].as_array_mut().unwrap().truncate(3), "are missing"),
    (
        |m| {
            m["files"][3]["bytes"] = json!(u64::MAX);
            m["files"][4]["bytes"] = json!(u64::MAX);
        },
        "bytes are not possible",
    ),
    (|m| m["part"] = json!(2), "part 2 of 1"),
    (|m| m["of"] = json!(3), "manifest.1.json"),
    (|m| m["warehouses"] = json!(u64::MAX), "warehouses is 18446744073709551615"),
    (|m| m["parameters"] = json!(null), "null"),
    (|m| m["format"] = json!("exe"), "exe"),
    (|m| m["collections"] = json!(["customer", "customer"]), "listed twice"),
];

/// Parameters and files are apart in a manifest; the changes name a parameter by itself.
fn apply(manifest: &mut Value, change: fn(&mut Value)) {
    let mut flat = manifest.clone();
    let parameters = manifest["parameters"].as_object().unwrap().clone();
    flat.as_object_mut().unwrap().extend(parameters.clone());
    change(&mut flat);
    for name in parameters.keys() {
        manifest["parameters"][name] = flat[name].clone();
    }
    manifest["files"] = flat["files"].clone();
    if flat["parameters"].is_null() {
        manifest["parameters"] = Value::Null;
    }
}

#[test]
fn a_manifest_that_no_call_wrote_is_refused_and_nothing_is_touched() {
    let data = data_set(Schema::Ch2);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(&request(&data), dir, Existing::Refuse).unwrap();
    let good = fs::read(dir.join("manifest.json")).unwrap();
    for (number, (change, says)) in CHANGES.into_iter().enumerate() {
        fs::write(dir.join("manifest.json"), &good).unwrap();
        edit(dir, |manifest| apply(manifest, change));
        let before = read(dir);
        let e = write(&request(&data), dir, Existing::Resume).unwrap_err();
        let told = e.to_string();
        assert_eq!(e.kind, ErrorKind::Broken, "{number}: {told}");
        assert!(told.contains(says) && !told.contains('\n'), "{number}: no {says:?} in {told}");
        assert!(told.contains("manifest.json") && told.contains("another folder"), "{told}");
        assert!(read(dir) == before, "{number}: {told}");
        assert!(problems(dir).contains(&told), "{number}: {:?}", problems(dir));
        let e = write(&request(&data), dir, Existing::Replace).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Usage, "{number}: {e}");
        assert!(read(dir) == before, "{number}: {e}");
    }
    fs::write(dir.join("manifest.json"), &good).unwrap();
    write(&request(&data), dir, Existing::Replace).unwrap();
    assert_eq!((problems(dir), fs::read(dir.join("manifest.json")).unwrap()), (vec![], good));
}

/// With split files the one of a wrong number, and one twice, have the name of another.
#[test]
fn split_files_follow_each_other_in_a_manifest() {
    let data = data_set(Schema::Ch2pp);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let split = form(Options { split: Some(1 << 20), ..options(Format::Ndjson, Codec::None) });
    let request = Request { form: split, ..request(&data) };
    write(&request, dir, Existing::Refuse).unwrap();
    let good = fs::read(dir.join("manifest.json")).unwrap();
    let of_orders = |m: &Value| {
        let files = m["files"].as_array().unwrap();
        files.iter().position(|f| f["file"] == "orders.0002.ndjson").unwrap()
    };
    type Split = (fn(&mut Value, usize), &'static str);
    let changes: [Split; 3] = [
        (|m, at| m["files"][at] = m["files"][at - 1].clone(), "listed twice"),
        (
            |m, at| {
                m["files"].as_array_mut().unwrap().remove(at);
            },
            "is orders.0002.ndjson",
        ),
        (
            |m, at| m["files"][at]["documents"] = json!(u64::MAX - 5),
            "18446744073709551610 documents",
        ),
    ];
    for (change, says) in changes {
        fs::write(dir.join("manifest.json"), &good).unwrap();
        edit(dir, |m| {
            let at = of_orders(m);
            change(m, at);
        });
        let e = write(&request, dir, Existing::Resume).unwrap_err();
        assert!(e.kind == ErrorKind::Broken && e.to_string().contains(says), "{says}: {e}");
    }
}

#[test]
fn replacing_removes_what_the_manifest_lists_and_nothing_else() {
    let data = data_set(Schema::Ch2);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(&request(&data), dir, Existing::Refuse).unwrap();
    fs::write(dir.join("customer.ndjson"), "mine now").unwrap();
    fs::write(dir.join("notes.ndjson"), "mine").unwrap();
    let csv = Request { form: form(options(Format::Csv, Codec::None)), ..request(&data) };
    write(&csv, dir, Existing::Replace).unwrap();
    let left: BTreeMap<_, _> =
        read(dir).into_iter().filter(|(name, _)| name.ends_with(".ndjson")).collect();
    let mine = ["customer.ndjson", "notes.ndjson"];
    assert!(left.keys().eq(mine), "{:?}", left.keys());
    assert_eq!(left["customer.ndjson"], b"mine now");
}

/// What is there under a name that is wanted and no manifest lists as it is.
#[test]
fn what_no_manifest_lists_is_neither_replaced_nor_resumed() {
    let data = data_set(Schema::Ch2);
    let whole = tempfile::tempdir().unwrap();
    write(&request(&data), whole.path(), Existing::Refuse).unwrap();
    for (name, existing, ends_early) in [
        ("item.ndjson", Existing::Replace, false),
        ("orders.ndjson", Existing::Resume, true),
        ("manifest.json", Existing::Resume, true),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let stops = AtomicBool::new(false);
        let stop = || ends_early && stops.load(Ordering::SeqCst);
        let mut progress = |_| stops.store(true, Ordering::SeqCst);
        let watch = FilesWatch { stop: &stop, progress: &mut progress, known: &known };
        let end = to_files(&request(&data), dir, Existing::Refuse, watch);
        assert_eq!(end.is_err(), ends_early);
        fs::write(dir.join(name), "mine").unwrap();
        let before = read(dir);
        let e = write(&request(&data), dir, existing).unwrap_err();
        assert_eq!(e.kind, ErrorKind::Usage, "{e}");
        let told = e.to_string();
        assert!(told.contains(name) && told.contains("so it stays; move it away"), "{told}");
        assert!(read(dir) == before, "{name}, {existing:?}");
        fs::remove_file(dir.join(name)).unwrap();
        write(&request(&data), dir, Existing::Resume).unwrap();
        assert!(read(dir) == read(whole.path()), "{name}, {existing:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed_a_leftover_is_removed_and_what_no_manifest_lists_stays() {
    let data = data_set(Schema::Ch2);
    let place = tempfile::tempdir().unwrap();
    let (dir, mine) = (place.path().join("d"), place.path().join("mine"));
    fs::write(&mine, "mine").unwrap();
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join(".hoap-1-1.tmp"), "left by a call that was killed").unwrap();
    std::os::unix::fs::symlink(&mine, dir.join("item.ndjson.tmp")).unwrap();
    for name in ["item.ndjson", "manifest.json", "manifest.unfinished.json"] {
        std::os::unix::fs::symlink(&mine, dir.join(name)).unwrap();
        for existing in [Existing::Refuse, Existing::Replace, Existing::Resume] {
            let e = write(&request(&data), &dir, existing).unwrap_err();
            assert!(e.to_string().contains(name), "{existing:?}: {e}");
        }
        assert!(dir.join(name).is_symlink());
        fs::remove_file(dir.join(name)).unwrap();
    }
    write(&request(&data), &dir, Existing::Replace).unwrap();
    assert_eq!(problems(&dir), Vec::<String>::new());
    assert!(!dir.join(".hoap-1-1.tmp").exists() && dir.join("item.ndjson.tmp").is_symlink());
    // A name that is a link is replaced, not what it leads to.
    fs::remove_file(dir.join("item.ndjson")).unwrap();
    std::os::unix::fs::symlink(&mine, dir.join("item.ndjson")).unwrap();
    write(&request(&data), &dir, Existing::Resume).unwrap();
    assert_eq!(problems(&dir), Vec::<String>::new());
    assert!(!dir.join("item.ndjson").is_symlink());
    assert_eq!(fs::read(&mine).unwrap(), b"mine");
}
