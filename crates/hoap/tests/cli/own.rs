//! Workload files: generated, loaded and verified on SQLite.

use std::path::Path;

use crate::{End, Place};

/// A place with the examples of workload files.
fn place() -> Place {
    let p = Place::new();
    for name in ["shop.toml", "telemetry.toml", "sessions.toml"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workloads");
        p.write(name, &std::fs::read_to_string(folder.join(name)).unwrap());
    }
    p
}

fn lines(p: &Place, file: &str) -> usize {
    p.text(file).lines().count()
}

#[test]
fn a_workload_file_stands_in_the_place_of_a_benchmark() {
    let p = place();
    for (name, scale, collections) in [
        ("shop", "0.004", &["products", "customers", "orders"][..]),
        ("telemetry", "0.005", &["devices", "readings"]),
        ("sessions", "0.002", &["users", "sessions"]),
    ] {
        p.ok(&format!("gen {name}.toml --scale {scale} -o {name}"));
        p.ok(&format!("gen {name}.toml --scale {scale} --stdout"));
        // The manifest is known without the file.
        assert!(p.ok(&format!("gen --check {name}")).out.contains("all as written"));
        let told = p
            .ok(&format!("load --dry-run {name}.toml --scale {scale} --target sqlite:{name}.db"))
            .out;
        assert!(collections.iter().all(|of| told.contains(&format!("  {of}: "))), "{told}");
        p.ok(&format!("load {name}.toml --scale {scale} --target sqlite:{name}.db"));
        let verified =
            p.ok(&format!("verify {name}.toml --target sqlite:{name}.db --json")).value();
        let checks = verified["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 1 + collections.len());
        for (check, of) in checks[1..].iter().zip(collections) {
            assert_eq!(check["verdict"], "pass", "{check}");
            assert_eq!(check["checked"], lines(&p, &format!("{name}/{of}.ndjson")), "{check}");
        }
    }
    p.fails("load shop.toml --scale 0.004 --target sqlite:shop.db", 3, &["whole there already"]);
    p.fails("load shop.toml --scale 0.005 --target sqlite:shop.db", 3, &["scale 0.004, not 0.005"]);
    p.fails("verify telemetry.toml --target sqlite:shop.db", 3, &["name shop, not telemetry"]);
    p.fails("verify telemetry.toml --target sqlite:none.db", 3, &["none.db"]);
}

/// Wherever flags and their values stand before it.
#[test]
fn a_workload_file_is_found_behind_flags() {
    let p = place();
    let expected = p.ok("gen own shop.toml --scale 0.001 --stdout").out;
    p.write("c.toml", "scale = 0.001\n");
    for line in [
        "gen --threads 2 ./shop.toml --scale 0.001 --stdout",
        "gen --threads=2 --quiet shop.toml --scale=0.001 --stdout",
        "--config c.toml gen shop.toml --stdout",
        "gen shop.toml --config c.toml --stdout",
    ] {
        assert!(p.ok(line).out == expected, "{line}");
    }
    p.fails("gen shop.tml --stdout", 2, &["unrecognized subcommand 'shop.tml'"]);
}

/// Parts are the whole, and a load in parts is what verify expects.
#[test]
fn parts_of_a_workload_file_are_the_whole() {
    let p = place();
    p.ok("gen sessions.toml --scale 0.002 -o whole");
    let mut parts = String::new();
    for part in 1..=3 {
        p.ok(&format!("gen sessions.toml --scale 0.002 --part {part}/3 -o parts"));
        parts += &p.text(&format!("parts/sessions.{part}.ndjson"));
    }
    assert_eq!(parts, p.text("whole/sessions.ndjson"));
    p.ok("load sessions.toml --scale 0.002 --target sqlite:p.db --part 1/2");
    p.fails("verify sessions.toml --target sqlite:p.db", 3, &["half-loaded"]);
    p.ok("load sessions.toml --scale 0.002 --target sqlite:p.db --part 2/2");
    p.ok("verify sessions.toml --target sqlite:p.db");
}

/// Every format holds what NDJSON holds, and CSV the arrays as tables of their own.
#[test]
fn a_workload_file_has_every_format() {
    let p = place();
    for name in ["shop", "telemetry", "sessions"] {
        let of = format!("gen {name}.toml --scale 0.003");
        p.ok(&format!("{of} --format csv --schema flat -o {name}-csv"));
        p.ok(&format!("{of} --format json --compress zstd -o {name}-json"));
        #[cfg(feature = "parquet")]
        p.ok(&format!("{of} --format parquet -o {name}-parquet"));
        assert!(p.ok(&format!("gen --check {name}-csv")).out.contains("all as written"));
    }
    let orders = p.text("shop-csv/orders.csv");
    assert!(orders.starts_with("_id,customer,at,status,total\n0,"), "{}", &orders[..80]);
    let of = p.text("shop-csv/orders_lines.csv");
    assert!(
        of.starts_with("orders_id,position,product,category,price,quantity,amount\n0,1,"),
        "{}",
        &of[..80]
    );
    let users = p.text("sessions-csv/users.csv");
    assert!(users.starts_with("_id,email,born,version,bio,prefs,kind,seats\n"), "{}", &users[..80]);
}

/// A document that is lost, changed or foreign is named.
#[test]
fn verify_names_what_is_not_as_the_file_makes_it() {
    let p = place();
    p.ok("load shop.toml --scale 0.004 --target sqlite:t.db");
    let tamper = |statement: &str| -> End {
        let path = p.path("t.db");
        std::fs::copy(&path, p.path("w.db")).unwrap();
        let database = rusqlite::Connection::open(p.path("w.db")).unwrap();
        assert_eq!(database.execute(statement, []).unwrap(), 1, "{statement}");
        database.close().unwrap();
        p.run("verify shop.toml --target sqlite:w.db")
    };
    for (statement, says) in [
        ("DELETE FROM orders WHERE key = '7'", "7 is missing"),
        (
            "UPDATE orders SET doc = jsonb_set(doc, '$.status', 'lost') WHERE key = '8'",
            "8: status is \"lost\"",
        ),
        (
            "UPDATE orders SET doc = jsonb_set(doc, '$.customer', '1') WHERE key = (SELECT key FROM orders WHERE doc ->> '$.customer' <> '1' LIMIT 1)",
            ": customer is \"1\"",
        ),
        (
            "UPDATE customers SET doc = jsonb_set(doc, '$.spent', -1) WHERE key = '3'",
            "3: spent is -1",
        ),
        (
            "INSERT INTO products (key, doc) VALUES ('x', jsonb('{}'))",
            "x is there, which the file does not make",
        ),
    ] {
        let end = tamper(statement);
        assert!(end.code == 1 && end.told().contains(says), "{statement}: {end:#?}");
    }
}

/// What is learned of a sample is generated, loaded and verified as it is.
#[test]
fn a_workload_file_is_learned_of_a_sample() {
    let p = place();
    p.ok("gen shop.toml --scale 0.004 -o sample");
    let samples = ["products", "customers", "orders"].map(|of| format!("{of}=sample/{of}.ndjson"));
    let samples = samples.join(" ");
    let told = p.ok(&format!("learn {samples} -o learned.toml")).out;
    let orders = lines(&p, "sample/orders.ndjson");
    assert!(told.contains(&format!("orders: {orders} documents of ")), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let learned = p.text("learned.toml");
    assert!(learned.contains("per = \"customers\""), "{learned}");
    // It may be learned again, and standard output is the file alone.
    let json = p.ok(&format!("learn {samples} -o learned.toml --json")).value();
    assert_eq!(json["collections"].as_array().unwrap().len(), 3);
    assert_eq!(p.ok(&format!("learn {samples} -o -")).out.trim(), learned.trim());
    p.ok("gen learned.toml -o made");
    p.ok("load learned.toml --target sqlite:l.db");
    let checks = p.ok("verify learned.toml --target sqlite:l.db --json").value();
    let checks = checks["checks"].as_array().unwrap();
    assert!(checks.len() == 4 && checks.iter().all(|of| of["verdict"] == "pass"), "{checks:?}");
    for (line, says) in [
        (
            "learn products=sample/products.ndjson -o shop.toml",
            "not a workload file that was learned",
        ),
        ("learn products=none.ndjson -o l.toml", "read none.ndjson"),
        ("learn sample/products.ndjson -o l.toml", "write NAME=FILE"),
        ("learn 1=sample/products.ndjson -o l.toml", "a collection's name"),
    ] {
        p.fails(line, 2, &[says]);
    }
    assert!(!p.path("l.toml").exists());
}

/// The example that `init` prints is a workload file, and its errors have their places.
#[test]
fn the_example_is_a_workload_file_and_errors_have_their_places() {
    let p = Place::new();
    let example = p.ok("init own").out;
    p.write("mine.toml", &example);
    assert!(p.ok("gen mine.toml --scale 0.001 --stdout").out.starts_with("{\"_id\":\"0\","));
    p.write("bad.toml", &example.replacen("count = 10_000", "cuont = 10_000", 1));
    let line = example.lines().position(|line| line.starts_with("count = 10_000")).unwrap() + 1;
    let place =
        format!("bad.toml:{line}:1: `cuont` is no key of a collection; did you mean `count`?");
    for command in
        ["gen bad.toml --stdout", "gen ./bad.toml -o d", "load bad.toml --target sqlite:a.db"]
    {
        p.fails(command, 2, &[place.trim_start_matches("./")]);
    }
    p.fails("load none.toml --target sqlite:a.db", 2, &["none.toml", "hoap init own"]);
    p.fails("gen mine.toml --scale 0 --stdout", 2, &["above 0", "hoap gen own --help"]);
    assert!(!p.path("a.db").exists());
}

/// Editors complete a workload file by the schema: the examples are what it says, and what is no key
/// is none there either.
#[test]
fn workload_files_are_what_their_schema_says() {
    let text = include_str!("../../../../docs/workload.schema.json");
    let schema = jsonschema::draft202012::new(&serde_json::from_str(text).unwrap()).unwrap();
    let p = place();
    let read = |text: &str| {
        let table: toml::Table = text.parse().unwrap();
        serde_json::to_value(&table).unwrap()
    };
    for name in ["shop.toml", "telemetry.toml", "sessions.toml"] {
        let text = p.text(name);
        // A date of TOML is no value of JSON.
        let text = text.replace("2024-01-01T00:00:00Z", "\"a date\"");
        let errors: Vec<String> = schema.iter_errors(&read(&text)).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
    for wrong in [
        "fields.x = { integer = '1', unit = 1 }",
        "fields.x = 1\nkye = 'a'",
        "fields.x = { word = '1' }",
    ] {
        let text = format!("hoap = 1\n[collections.a]\ncount = 1\n{wrong}");
        assert!(!schema.is_valid(&read(&text)), "{wrong}");
    }
}
