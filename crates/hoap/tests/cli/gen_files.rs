//! `hoap gen`: files, parts, pipes.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::{End, Place, until};

const DATA: &str = "ch2pp --scale-down 100 -w 2 --extra-fields 3";

#[test]
fn a_file_for_each_collection_and_the_same_bytes_every_time() {
    let p = Place::new();
    let end = p.ok(&format!("gen {DATA} -o a --json")).value();
    p.ok(&format!("gen {DATA} -o b"));
    let files = end["files"].as_array().unwrap();
    assert_eq!(files.len(), 11);
    assert_eq!(p.json("a/manifest.json")["files"].as_array().unwrap().len(), 11);
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
    p.fails(&format!("gen {DATA} -o d --replace"), 2, &["item.ndjson", "so it stays"]);
    assert_eq!(p.read("d/item.ndjson"), b"mine\n");
    std::fs::remove_file(p.path("d/item.ndjson")).unwrap();
    p.ok(&format!("gen {DATA} -o d"));
    p.ok(&format!("gen {DATA} -o d --replace"));
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

#[test]
fn threads_change_no_byte() {
    let p = Place::new();
    let one = p.ok(&format!("gen {DATA} --stdout --threads 1")).out;
    assert!(one == p.ok(&format!("gen {DATA} --stdout --threads 3")).out);
    assert!(one == p.ok(&format!("gen {DATA} --stdout")).out);
}

#[test]
fn every_format_is_written_checked_and_split() {
    let p = Place::new();
    for (flags, file) in [
        ("--format json", "orders.json"),
        ("--format csv --schema flat", "orderline.csv"),
        ("--compress gzip --level 6", "orders.ndjson.gz"),
        ("--format csv --schema flat --compress zstd", "customer_phone.csv.zst"),
        ("--split 1MB", "item.0001.ndjson"),
        #[cfg(feature = "parquet")]
        ("--format parquet --compression zstd --row-group 8MiB", "orders.parquet"),
    ] {
        p.ok(&format!("gen {DATA} {flags} -o d --replace"));
        assert!(!p.read(&format!("d/{file}")).is_empty(), "{flags}");
        let checked = p.ok("gen --check d --json").value();
        assert_eq!(checked["problems"].as_array().unwrap().len(), 0, "{flags}: {checked}");
        assert!(checked["documents"].as_u64().unwrap() > 10_000);
    }
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is() {
    let p = Place::new();
    for (flags, says) in [
        ("--format csv", "--schema flat"),
        ("--schema flat", "csv"),
        ("--compress snappy", "none, gzip, zstd"),
        ("--compress gzip --level 12", "1 to 9"),
        ("--row-group 8MiB", "row groups"),
        ("--split 10kB", "1MB"),
        ("--collections item,item", "twice"),
        #[cfg(not(feature = "parquet"))]
        ("--format parquet", "cargo build --release --features parquet"),
    ] {
        p.fails(&format!("gen {DATA} {flags} -o d"), 2, &[says]);
    }
    p.fails(&format!("gen {DATA} --stdout --format json"), 2, &["ndjson"]);
    for flags in ["--compress lzma", "--part 3/2", "--threads 0", "--replace --resume"] {
        assert_eq!(p.run(&format!("gen {DATA} {flags} -o d")).code, 2, "{flags}");
    }
    assert!(!p.path("d").exists());
    p.fails("gen --check d", 2, &["d"]);
}

#[test]
fn a_check_that_fails_names_the_file() {
    let p = Place::new();
    p.ok(&format!("gen {DATA} -o d"));
    p.ok("gen --check d");
    p.write("d/item.ndjson", "mine");
    p.fails("gen --check d", 1, &["item.ndjson", "--resume"]);
    let end = p.ok(&format!("gen {DATA} -o d --resume --json")).value();
    assert_eq!((&end["kept"], &end["documents"]), (&10.into(), &1000.into()));
    p.ok("gen --check d");
    p.fails(&format!("gen {DATA} --seed 2 -o d --resume"), 2, &["seed 1, not 2", "--replace"]);
}

const YCSB: &str = "ycsb -p recordcount=3000 -p fieldcount=5 -p table=records --seed 3";
const SHOP: &str = "shop --customers 400 --customers-per-country 200 --customers-per-zip 50";

#[test]
fn records_and_customers_come_in_every_format() {
    let p = Place::new();
    for (data, flags, file, documents) in [
        (YCSB, "", "records.ndjson", 3000),
        (YCSB, "--format csv --schema flat --split 1MB", "records.0002.csv", 3000),
        (SHOP, "--format json --compress zstd", "shop_orders.json.zst", 800),
        (SHOP, "--format csv --schema flat", "shop_customer_visited_city.csv", 800),
        (SHOP, "--collections shop_customer", "shop_customer.ndjson", 400),
        #[cfg(feature = "parquet")]
        (YCSB, "--format parquet", "records.parquet", 3000),
        #[cfg(feature = "parquet")]
        (SHOP, "--format parquet --compress zstd", "shop_customer.parquet", 800),
    ] {
        p.ok(&format!("gen {data} {flags} -o d --replace"));
        assert!(!p.read(&format!("d/{file}")).is_empty(), "{flags}");
        let checked = p.ok("gen --check d --threads 1 --json").value();
        assert_eq!(checked["problems"].as_array().unwrap().len(), 0, "{flags}: {checked}");
        assert_eq!(checked["documents"], documents, "{flags}");
    }
    let whole = p.ok(&format!("gen {YCSB} --stdout")).out;
    let parts: String =
        (1..=3).map(|i| p.ok(&format!("gen {YCSB} --stdout --part {i}/3")).out).collect();
    assert!(whole == parts);
    p.ok(&format!("gen {SHOP} -o e --part 2/2"));
    p.fails("gen --check e", 1, &["part 1 of 2"]);
    p.ok(&format!("gen {SHOP} -o e --part 1/2"));
    p.ok("gen --check e");
    p.fails(&format!("gen {SHOP} --seed 2 -o e --part 1/2 --resume"), 2, &["seed 1, not 2"]);
}

/// Files of records hold what a load of the same flags leaves in a database, and the keys.
#[test]
fn files_hold_what_a_load_writes() {
    let p = Place::new();
    p.write("w", "insertstart=5\nfieldlengthdistribution=uniform\nrecordcount=1000\n");
    let ycsb = "ycsb -P w -p insertcount=300 -p zeropadding=12 --seed 3";
    for data in [ycsb, SHOP] {
        p.ok(&format!("load {data} --target sqlite:t.db --replace"));
        p.ok(&format!("gen {data} -o d --replace"));
        let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
        for file in p.json("d/manifest.json")["files"].as_array().unwrap() {
            let collection = file["collection"].as_str().unwrap();
            let text = p.read(&format!("d/{}", file["file"].as_str().unwrap()));
            let mut documents = 0;
            for line in text.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
                let mut document: serde_json::Value = serde_json::from_slice(line).unwrap();
                let key = document["_id"].as_str().unwrap().to_owned();
                if data == ycsb {
                    document.as_object_mut().unwrap().shift_remove("_id");
                }
                let query = format!("SELECT json(doc) FROM {collection} WHERE key = ?1");
                let stored: String = database.query_row(&query, [&key], |row| row.get(0)).unwrap();
                let stored: serde_json::Value = serde_json::from_str(&stored).unwrap();
                assert_eq!(stored, document, "{key}");
                documents += 1;
            }
            let count = format!("SELECT count(*) FROM {collection}");
            let stored: i64 = database.query_row(&count, [], |row| row.get(0)).unwrap();
            assert_eq!(stored, documents, "{collection}");
        }
    }
}

#[test]
fn flags_of_another_benchmark_are_refused() {
    let p = Place::new();
    for line in [
        "gen ycsb -o d -w 2",
        "gen ycsb -o d --customers 5",
        "gen ycsb -o d --collections usertable",
        "gen shop -o d --extra-fields 3",
        "gen shop -o d -p recordcount=5",
        "gen shop -o d --collections customer",
        "gen ch2 -o d --customers-per-zip 5",
        "gen ch2pp -o d --collections shop_customer",
        "gen ycsb",
        "gen shop --threads 0 -o d",
        "gen ycsb-a -o d",
    ] {
        p.fails(line, 2, &["--help"]);
    }
    p.fails("gen", 2, &["name a benchmark", "--check"]);
    p.fails("gen --check d shop -o d", 2, &["--check", "benchmark"]);
    p.fails("gen ycsb -o d -p recordcount=0", 2, &["recordcount"]);
    p.fails("gen ycsb -o d -p reckordcount=5", 2, &["reckordcount"]);
    p.fails("gen ycsb -o d -P nowhere", 2, &["nowhere"]);
    p.fails("gen ycsb -o d -p table=../x", 2, &["table=../x"]);
    p.fails("gen ycsb -o d -p table=manifest", 2, &["name of a file"]);
    p.fails("gen shop -o d --customers 1001", 2, &["1001"]);
    p.fails("gen shop -o d --collections shop_orders,shop_orders", 2, &["twice"]);
    p.fails("gen shop --stdout --format csv", 2, &["--schema flat"]);
    assert!(!p.path("d").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_environment_error() {
    let p = Place::new();
    let mut command = p.command(&format!("gen {DATA} --stdout"));
    let out = command.stdout(File::options().write(true).open("/dev/full").unwrap()).output();
    let out = out.unwrap();
    assert_eq!(out.status.code(), Some(3));
    assert!(String::from_utf8(out.stderr).unwrap().starts_with("hoap: write standard output: No"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_output_says_so_and_looks_it() {
    let p = Place::new();
    let child = p.spawn("gen ch2pp -w 30 -o d");
    // A file is whole, and gigabytes are to come.
    until("a file is whole", || p.path("d/district.ndjson").exists());
    let told = super::interrupted(child).0.err;
    assert!(told.contains("hoap: write d: interrupted") && told.contains("--resume"), "{told}");
    assert!(p.path("d/manifest.unfinished.json").exists());
    let names = std::fs::read_dir(p.path("d")).unwrap().map(|e| e.unwrap().file_name());
    assert!(names.into_iter().all(|n| !n.to_string_lossy().ends_with(".tmp")));
    p.fails("gen --check d", 1, &["not finished"]);
    p.fails("gen ch2pp -w 30 -o d", 2, &["--resume"]);
}

/// The shell's limit on the size of a file is a disk that is full for this process.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_half_file() {
    let p = Place::new();
    for flags in [
        "--format ndjson",
        "--format csv --schema flat",
        #[cfg(feature = "parquet")]
        "--format parquet",
    ] {
        let gen_files = format!("gen {DATA} {flags} -o d");
        let hoap = env!("CARGO_BIN_EXE_hoap");
        let limited = format!("trap '' XFSZ; ulimit -f 300; exec {hoap} {gen_files} --replace");
        let mut shell = Command::new("bash");
        let end = shell.args(["-c", &limited]).current_dir(p.0.path()).output().unwrap();
        let told = String::from_utf8(end.stderr).unwrap();
        assert_eq!(end.status.code(), Some(3), "{told}");
        assert!(told.contains("write d/") && told.contains("too large"), "{told}");
        let files = std::fs::read_dir(p.path("d")).unwrap().map(|e| e.unwrap().file_name());
        let half: Vec<_> = files.filter(|n| n.to_string_lossy().ends_with(".tmp")).collect();
        assert!(half.is_empty(), "{half:?}");
        p.fails("gen --check d", 1, &["not finished"]);
        // With space again it goes on from there.
        assert_ne!(p.ok(&format!("{gen_files} --resume --json")).value()["kept"], 0);
        p.ok("gen --check d");
    }
}

/// Long enough for a loaded machine, and far from the time that any of these would take.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(20);

/// Interrupts a command a while after it began and returns what it said. It ends soon.
#[cfg(unix)]
fn interrupted(p: &Place, line: &str, after: Duration) -> String {
    let mut child = p.spawn(line);
    sleep(after);
    assert!(child.try_wait().unwrap().is_none(), "hoap {line} ended by itself");
    let (End { err: told, .. }, took) = super::interrupted(child);
    assert!(took < PATIENCE, "hoap {line} goes on after Ctrl-C: {took:?}");
    assert!(told.lines().any(|l| l.starts_with("hoap: ") && l.contains("interrupted")), "{told}");
    told
}

/// The standard output is a pipe that nobody reads: the call waits for its reader.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_call_in_the_middle_of_a_chunk_and_before_a_reader_that_does_not_read() {
    let p = Place::new();
    let second = Duration::from_secs(1);
    interrupted(&p, "gen ch2pp --stdout", second);
    interrupted(&p, "gen ch2pp -w 500 --compress zstd --level 22 -o d", 2 * second);
    let half = || {
        let names = std::fs::read_dir(p.path("d")).unwrap().map(|e| e.unwrap().file_name());
        names.filter(|n| n.to_string_lossy().ends_with(".tmp")).collect::<Vec<_>>()
    };
    assert!(half().is_empty(), "{:?}", half());
    interrupted(&p, "gen ch2pp -w 500 --compress zstd --level 22 -o d --resume", second);
    assert!(half().is_empty(), "{:?}", half());
}

/// A file of 2 TB that takes no space takes minutes to hash.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_check_in_the_middle_of_a_file() {
    const BYTES: u64 = 2_000_000_000_000;
    let p = Place::new();
    p.ok("gen ch2 --scale-down 100 --collections item -o d");
    let mut manifest = p.json("d/manifest.json");
    manifest["files"][0]["bytes"] = BYTES.into();
    p.write("d/manifest.json", &manifest.to_string());
    File::options().write(true).open(p.path("d/item.ndjson")).unwrap().set_len(BYTES).unwrap();
    interrupted(&p, "gen --check d", Duration::from_secs(1));
    // What is no file is not waited for.
    std::fs::remove_file(p.path("d/item.ndjson")).unwrap();
    assert!(Command::new("mkfifo").arg(p.path("d/item.ndjson")).status().unwrap().success());
    p.fails("gen --check d", 1, &["item.ndjson", "no regular file"]);
}

/// A manifest from elsewhere neither keeps a call going for ever nor costs a good file.
#[test]
fn a_manifest_that_says_too_much_is_refused_by_a_call_that_ends() {
    let p = Place::new();
    p.ok(&format!("gen {DATA} -o d"));
    let good = p.read("d/item.ndjson");
    let mut manifest = p.json("d/manifest.json");
    let files = manifest["files"].as_array_mut().unwrap();
    let item = files.iter().position(|f| f["file"] == "item.ndjson").unwrap();
    files[item]["documents"] = u64::MAX.into();
    p.write("d/manifest.json", &manifest.to_string());
    let says = ["d/manifest.json", "item.ndjson", "18446744073709551615", "another folder"];
    p.fails(&format!("gen {DATA} -o d --resume"), 1, &says);
    p.fails("gen --check d", 1, &says);
    assert!(p.read("d/item.ndjson") == good);
}
