//! `hoap gen`: files, parts, pipes.

use std::io::Read;
use std::process::Stdio;

use super::Place;

const DATA: &str = "ch2pp --scale-down 100 -w 2 --extra-fields 3";

#[test]
fn a_file_for_each_collection_and_the_same_bytes_every_time() {
    let p = Place::new();
    let end = p.ok(&format!("gen {DATA} -o a --json")).value();
    p.ok(&format!("gen {DATA} -o b"));
    let files = end["files"].as_array().unwrap();
    assert_eq!(files.len(), 11);
    let mut documents = 0;
    for file in files {
        let name = file["file"].as_str().unwrap();
        let text = p.read(name);
        assert_eq!(text, p.read(&name.replacen('a', "b", 1)));
        assert_eq!(text.len() as u64, file["bytes"]);
        let lines: Vec<_> = text.split_inclusive(|&b| b == b'\n').collect();
        assert_eq!(lines.len() as u64, file["documents"]);
        documents += lines.len() as u64;
        for line in lines {
            serde_json::from_slice::<serde_json::Value>(line).unwrap();
        }
    }
    assert_eq!(end["documents"], documents);
}

#[test]
fn parts_concatenate_to_the_whole_as_files_and_on_standard_output() {
    let p = Place::new();
    let whole = p.ok(&format!("gen {DATA} --stdout")).out;
    let parts: String =
        (1..=3).map(|i| p.ok(&format!("gen {DATA} --stdout --part {i}/3")).out).collect();
    assert!(whole == parts);
    p.ok(&format!("gen {DATA} -o whole --collections customer,region"));
    for i in 1..=4 {
        p.ok(&format!("gen {DATA} -o parts --collections customer,region --part {i}/4"));
    }
    for collection in ["customer", "region"] {
        let parts: Vec<u8> =
            (1..=4).flat_map(|i| p.read(&format!("parts/{collection}.{i}.ndjson"))).collect();
        assert!(parts == p.read(&format!("whole/{collection}.ndjson")));
    }
    assert!(!p.path("whole/orders.ndjson").exists());
}

#[test]
fn files_that_are_there_are_kept_unless_asked() {
    let p = Place::new();
    p.write("d/item.ndjson", "mine\n");
    p.fails(&format!("gen {DATA} -o d"), 2, &["item.ndjson", "--replace"]);
    assert_eq!(p.read("d/item.ndjson"), b"mine\n");
    assert!(!p.path("d/customer.ndjson").exists(), "written beside a refused file");
    p.ok(&format!("gen {DATA} -o d --replace"));
    assert_ne!(p.read("d/item.ndjson"), b"mine\n");
    p.write("file", "");
    p.fails(&format!("gen {DATA} -o file/d"), 3, &["file/d"]);
}

#[test]
fn a_reader_that_has_enough_ends_it_quietly() {
    let p = Place::new();
    let mut child = p
        .command("gen ch2pp --stdout")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 1000];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let end = child.wait_with_output().unwrap();
    assert!(end.status.success(), "{end:?}");
    assert!(end.stderr.is_empty(), "{end:?}");
}
