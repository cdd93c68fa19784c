//! Files that are no bundles, and bundles that would harm who reads them.

use std::io::Write;

use super::*;
use crate::manifest::{Fact, MANIFEST, MOST_FILE, Manifest};

/// A bundle of these entries, whatever they are.
fn raw(fill: impl FnOnce(&mut tar::Builder<zstd::Encoder<'_, Vec<u8>>>)) -> Vec<u8> {
    let mut tar = tar::Builder::new(zstd::Encoder::new(pack::BEGIN.to_vec(), 1).unwrap());
    fill(&mut tar);
    tar.into_inner().unwrap().finish().unwrap()
}

type Tar<'a> = tar::Builder<zstd::Encoder<'a, Vec<u8>>>;

fn entry(tar: &mut Tar<'_>, name: &str, kind: tar::EntryType, told: u64, bytes: &[u8]) {
    let mut header = tar::Header::new_ustar();
    // As hostile as it is: `set_path` would refuse it.
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_size(told);
    header.set_mode(0o644);
    header.set_cksum();
    let out = tar.get_mut();
    out.write_all(header.as_bytes()).unwrap();
    out.write_all(bytes).unwrap();
    out.write_all(&vec![0; bytes.len().next_multiple_of(512) - bytes.len()]).unwrap();
}

fn manifest(tar: &mut Tar<'_>, change: impl FnOnce(&mut Manifest)) {
    let Parts { program, runs, reasons, .. } = parts(&Files::new());
    let mut of = Manifest { format: 1, program, runs, reasons, files: BTreeMap::new() };
    change(&mut of);
    let bytes = serde_json::to_vec(&of).unwrap();
    entry(tar, MANIFEST, tar::EntryType::Regular, bytes.len() as u64, &bytes);
}

#[test]
fn what_is_no_bundle_or_would_harm_its_reader_is_refused() {
    let plain = tar::EntryType::Regular;
    let whole = packed(&parts(&files("folders/open")));
    let with = |name: &'static str, kind: tar::EntryType, told: u64, bytes: &'static [u8]| {
        raw(move |tar| {
            manifest(tar, |_| {});
            entry(tar, name, kind, told, bytes);
        })
    };
    let behind = raw(|tar| {
        manifest(tar, |_| {});
        tar.get_mut().write_all(&[0; 1024]).unwrap();
        tar.get_mut().write_all(b"more").unwrap();
    });
    let mut flipped = whole.clone();
    let at = flipped.len() / 2;
    flipped[at] ^= 0x55;
    let rows: Vec<(&str, Vec<u8>, &str)> = vec![
        ("an empty file", Vec::new(), "begin as a bundle"),
        ("a text", b"this is a text of some length, and no bundle".to_vec(), "begin as a bundle"),
        ("nothing behind its begin", pack::BEGIN.to_vec(), "incomplete"),
        ("cut off in the middle", whole[..whole.len() / 2].to_vec(), ""),
        ("cut off at its last byte", whole[..whole.len() - 1].to_vec(), ""),
        ("a byte flipped", flipped, ""),
        ("no manifest", raw(|tar| entry(tar, "runs/01/run.json", plain, 2, b"{}")), "begins with"),
        ("two manifests", with(MANIFEST, plain, 2, b"{}"), "twice"),
        ("a name that goes up", with("../run.json", plain, 2, b"{}"), "no name"),
        ("a name that goes up later", with("runs/../../a", plain, 2, b"{}"), "no name"),
        ("an absolute name", with("/etc/passwd", plain, 2, b"{}"), "no name"),
        ("a hidden name", with("runs/01/.bashrc", plain, 2, b"{}"), "no name"),
        ("a name with a space", with("runs/01/a b", plain, 2, b"{}"), "no name"),
        (
            "a symbolic link",
            with("runs/01/run.json", tar::EntryType::Symlink, 0, b""),
            "plain file",
        ),
        ("a hard link", with("runs/01/run.json", tar::EntryType::Link, 0, b""), "plain file"),
        ("a folder", with("runs/01", tar::EntryType::Directory, 0, b""), "plain file"),
        ("a device", with("runs/01/a", tar::EntryType::Char, 0, b""), "plain file"),
        ("a sparse file", with("runs/01/a", tar::EntryType::GNUSparse, 2, b"{}"), "plain file"),
        ("a long name", with("runs/01/a", tar::EntryType::GNULongName, 2, b"{}"), "plain file"),
        ("attributes", with("runs/01/a", tar::EntryType::XHeader, 2, b"{}"), "plain file"),
        ("a huge file", with("runs/01/a", plain, MOST_FILE + 1, b""), "more than"),
        ("a huge run.json", with("runs/01/run.json", plain, 1 << 30, b""), "more than"),
        ("a length that is not there", with("runs/01/a", plain, 1 << 20, b"{}"), ""),
        ("something behind its end", behind, "behind its end"),
        ("another format", raw(|tar| manifest(tar, |of| of.format = 2)), "its format is 2"),
        ("no runs", raw(|tar| manifest(tar, |of| of.runs.clear())), "no run"),
        (
            "a manifest of something else",
            raw(|tar| entry(tar, MANIFEST, plain, 4, b"[42]")),
            "manifest.json",
        ),
    ];
    for (name, bytes, says) in rows {
        let e = audit(bytes.as_slice(), &()).expect_err(name).to_string();
        assert!(e.contains(says) && e.contains("audit a whole file"), "{name}: {e}");
    }
}

/// A small bundle may hold much of what is small on disk and large in memory, in one folder or in many.
#[test]
fn what_would_take_all_memory_is_refused() {
    let lines = |n: usize| "\n".repeat(n).into_bytes();
    let values = |n: usize| format!("[{}0]", "0,".repeat(n)).into_bytes();
    type Files = Vec<(&'static str, Vec<u8>)>;
    let rows: Vec<(&str, Files)> = vec![
        ("rows", vec![("runs/01/samples.csv", lines(2_000_001))]),
        (
            "rows of three files",
            vec![
                ("runs/01/samples.csv", lines(700_000)),
                ("runs/01/queries.csv", lines(700_000)),
                ("runs/01/machine.csv", lines(700_000)),
            ],
        ),
        ("a log", vec![("runs/01/step-01.hlog", lines(2_000_001))]),
        (
            "logs",
            vec![
                ("runs/01/step-01.hlog", lines(1_100_000)),
                ("runs/01/step-02.hlog", lines(1_100_000)),
            ],
        ),
        (
            "values beside rows",
            vec![
                ("runs/01/run.json", values(1_100_000)),
                ("runs/01/samples.csv", lines(1_100_000)),
            ],
        ),
    ];
    for (name, files) in rows {
        let bundle = raw(|tar| {
            manifest(tar, |_| {});
            for (file, bytes) in &files {
                entry(tar, file, tar::EntryType::Regular, bytes.len() as u64, bytes);
            }
        });
        assert!(bundle.len() < 10_000, "{name}: {}", bundle.len());
        let e = audit(bundle.as_slice(), &()).expect_err(name).to_string();
        let last = files.last().unwrap().0;
        assert!(e.contains(&format!("with {last} there are more than 2000000")), "{name}: {e}");
    }
    let steps: String =
        (0..2_100).map(|n| format!("{n},measured,1,1,READ,5,0,0,1,1,1,1\n")).collect();
    let head =
        "step,phase,at_seconds,seconds,kind,count,failed,retries,mean_us,p50_us,p99_us,max_us\n";
    let e = crate::rows::samples((head.to_owned() + &steps).as_bytes()).unwrap_err();
    assert!(e.contains("more than 2000 steps"), "{e}");
}

/// 3 GiB of zeros in a few hundred kilobytes: no more than a piece of it is ever in memory, and its
/// length is refused by what its header says.
#[test]
fn a_file_of_zeros_is_refused_before_it_is_unpacked() {
    let bomb = raw(|tar| {
        manifest(tar, |of| {
            let fact = Fact { bytes: 3 << 30, sha256: "0".repeat(64) };
            of.files.insert("runs/01/samples.csv".into(), fact);
        });
        entry(tar, "runs/01/samples.csv", tar::EntryType::Regular, 3 << 30, &[0; 1 << 20]);
    });
    assert!(bomb.len() < 10_000);
    let e = audit(bomb.as_slice(), &()).unwrap_err().to_string();
    assert!(e.contains("samples.csv has 3221225472 bytes, more than"), "{e}");
}
