//! Workload files: generated, loaded, run and verified on SQLite.

use std::path::Path;

use serde_json::Value;

use crate::{End, Place};

/// A place with the examples of workload files.
pub fn place() -> Place {
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
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        p.ok(&format!("load {name}.toml --scale {scale} --target sqlite:{name}.db"));
        let verified =
            p.ok(&format!("verify {name}.toml --target sqlite:{name}.db --json")).value();
        let checks = verified["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 1 + collections.len());
        for (check, of) in checks[1..].iter().zip(collections) {
            assert_eq!(check["verdict"], "pass", "{check}");
            // Each field counts.
            let documents = lines(&p, &format!("{name}/{of}.ndjson")) as u64;
            assert!(check["checked"].as_u64().unwrap() > documents, "{check}");
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
        ("DELETE FROM orders WHERE key = '7'", "orders 7 is not there"),
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
            "products x is there, which the file does not make",
        ),
        ("UPDATE orders SET key = '0007' WHERE key = '7'", "orders 0007 is there"),
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

/// Whatever number of documents the note of a load says.
#[test]
fn verify_takes_no_memory_for_what_a_note_says() {
    let p = place();
    p.ok("load sessions.toml --scale 0.002 --target sqlite:t.db");
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    let the = "value LIKE '{\"benchmark\"%'";
    let select = format!("SELECT value FROM hoap_note WHERE {the}");
    let note: String = database.query_row(&select, [], |row| row.get(0)).unwrap();
    let mut note: serde_json::Value = serde_json::from_str(&note).unwrap();
    let plan = p.ok("load --dry-run sessions.toml --scale 100000000 --target sqlite:x.db").out;
    note["data"]["scale"] = 1e8.into();
    for (name, count) in note["data"]["counts"].as_object_mut().unwrap() {
        let line = plan.split(&format!("  {name}: ")).nth(1).unwrap();
        *count = line.split(' ').next().unwrap().parse::<u64>().unwrap().into();
    }
    let update = format!("UPDATE hoap_note SET value = ?1 WHERE {the}");
    database.execute(&update, [note.to_string()]).unwrap();
    p.fails(
        "verify sessions.toml --target sqlite:t.db",
        2,
        &["verify 20000000000000 documents of users", "another scale"],
    );
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

/// The examples run as a whole, and again on what the run before has left. Every answer is compared,
/// and after each run all that was acknowledged is there.
#[test]
fn the_examples_run_and_every_answer_is_compared() {
    let p = place();
    for (name, scale, kinds) in [
        ("shop", "0.01", &["product-page", "order-history", "checkout", "ship"][..]),
        (
            "telemetry",
            "0.01",
            &["ingest", "last-readings", "an-hour", "from-then-on", "heartbeat", "retention"],
        ),
        (
            "sessions",
            "0.002",
            &["session", "touch", "log-in", "edit-profile", "log-out-everywhere"],
        ),
    ] {
        let target = format!("--target sqlite:{name}.db");
        p.ok(&format!("load {name}.toml --scale {scale} {target}"));
        for number in 1..=3 {
            let line = format!(
                "run {name}.toml {target} --clients 1,3 --operations 300 --warmup 0s --check-reads \
                 --run-seed {number} --json --out {name}-{number}"
            );
            let run = p.ok(&line).value()["run"].take();
            assert_eq!(run["benchmark"], format!("own: {name}"));
            for step in run["steps"].as_array().unwrap() {
                let of = step["transactions"].as_array().unwrap();
                let names: Vec<&str> = of.iter().map(|o| o["kind"].as_str().unwrap()).collect();
                assert_eq!(names, kinds);
                assert!(
                    of.iter().all(|o| o["failures"].as_object().unwrap().is_empty()),
                    "{of:#?}"
                );
            }
            let checks = run["checks"].as_array().unwrap();
            assert!(checks.iter().all(|check| check["verdict"] == "pass"), "{checks:#?}");
            let lost = checks.iter().find(|c| c["name"] == "nothing lost: writes").unwrap();
            assert!(lost["checked"].as_u64().unwrap() > 50, "{lost}");
        }
        p.ok(&format!("verify {name}.toml {target}"));
    }
}

/// What the checks of a run found, and the first errors of its operations.
pub fn found(end: &End) -> String {
    let run = end.value()["run"].take();
    let all = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let details = all(&run["checks"]).into_iter().map(|check| check["detail"].clone());
    let steps = all(&run["steps"]).into_iter().flat_map(|step| all(&step["transactions"]));
    let errors = steps.flat_map(|of| of["first_errors"].as_object().cloned().unwrap_or_default());
    let errors = errors.map(|(_, error)| error);
    details.chain(errors).map(|text| text.as_str().unwrap_or_default().to_owned() + "\n").collect()
}

/// What a database does wrong beside what it acknowledges is found, and named.
#[test]
fn what_a_database_loses_or_changes_is_found_and_named() {
    let p = place();
    p.ok("load shop.toml --scale 0.004 --target sqlite:shop.db");
    p.ok("load telemetry.toml --scale 0.005 --target sqlite:telemetry.db");
    for (name, trigger, says) in [
        (
            "shop",
            "AFTER INSERT ON orders WHEN NEW.key % 2 = 0 BEGIN DELETE FROM orders WHERE key = NEW.key; END",
            "is not there",
        ),
        (
            "shop",
            "AFTER UPDATE ON customers BEGIN UPDATE customers SET doc = OLD.doc WHERE key = OLD.key; END",
            ": placed is ",
        ),
        (
            "shop",
            "AFTER UPDATE ON orders BEGIN UPDATE orders SET doc = OLD.doc WHERE key = OLD.key; END",
            "it must be \"shipped\"",
        ),
        (
            "shop",
            "AFTER INSERT ON orders BEGIN UPDATE orders SET doc = jsonb_set(doc, '$.total', 1) WHERE key = NEW.key; END",
            ": total is 1",
        ),
        (
            "shop",
            "AFTER UPDATE ON customers BEGIN DELETE FROM customers WHERE key = '3'; END",
            "customers 3 is not there",
        ),
        (
            "shop",
            "AFTER UPDATE ON customers BEGIN INSERT OR IGNORE INTO products (key, doc) VALUES ('x', jsonb('{}')); END",
            "products has 41 documents, not 40",
        ),
        (
            "shop",
            "AFTER UPDATE ON customers BEGIN UPDATE orders SET doc = jsonb_set(doc, '$.customer', 'x') WHERE key % 3 = 0; END",
            ": customer is \"x\"",
        ),
        (
            "shop",
            "AFTER UPDATE ON customers BEGIN DELETE FROM orders WHERE doc ->> '$.customer' = NEW.key; END",
            ", and what it is made of is 0",
        ),
        (
            "telemetry",
            "AFTER DELETE ON readings BEGIN INSERT INTO readings (key, doc) VALUES (OLD.key, OLD.doc); END",
            "is there, and must not be",
        ),
    ] {
        std::fs::copy(p.path(&format!("{name}.db")), p.path("w.db")).unwrap();
        let database = rusqlite::Connection::open(p.path("w.db")).unwrap();
        database.execute_batch(&format!("CREATE TRIGGER wrong {trigger}")).unwrap();
        database.close().unwrap();
        let end = p.run(&format!(
            "run {name}.toml --target sqlite:w.db --operations 300 --warmup 0s --max-failures off \
             --json"
        ));
        assert!(end.code == 1 && found(&end).contains(says), "{trigger}: {end:#?}");
        assert!(end.told().contains("VOID"), "{trigger}: {end:#?}");
    }
}

/// A field's name may be any text, and is compared all the same.
#[test]
fn fields_of_any_name_are_checked() {
    let p = Place::new();
    let file = "hoap = 1\noperations = [{ name = \"read\", read = \"movies\" }, { name = \"new\", \
                insert = \"movies\" }]\n[collections.movies]\ncount = 50\n[collections.movies.fields]\n\
                \"US Gross\" = { integer = \"1..9\" }\n\"a.b\" = { absent = 0.5, boolean = 0.5 }\nplain = 1\n";
    p.write("movies.toml", file);
    p.ok("load movies.toml --target sqlite:m.db");
    let verify = "verify movies.toml --target sqlite:m.db";
    let compared = |documents: i64| {
        let check = &p.ok(&format!("{verify} --json")).value()["checks"][1];
        // Each field counts.
        let fields = check["checked"].as_i64().unwrap();
        assert!(fields >= 2 * documents && !check.to_string().contains("without"), "{check}");
    };
    compared(50);
    let run =
        "run movies.toml --target sqlite:m.db --operations 50 --warmup 0s --check-reads --json";
    p.ok(run);
    p.ok(run);
    let database = rusqlite::Connection::open(p.path("m.db")).unwrap();
    let there = database.query_row("SELECT count(*) FROM movies", [], |row| row.get::<_, i64>(0));
    compared(there.unwrap());
    database.execute("UPDATE movies SET doc = jsonb_set(doc, '$.\"US Gross\"', 99)", []).unwrap();
    let end = p.run(run);
    assert!(end.code == 1 && found(&end).contains("US Gross is 99, it must be "), "{end:#?}");
    let end = p.fails(verify, 1, &["1 of 2 checks failed"]);
    assert!(end.out.contains("US Gross is 99, it must be "), "{end:#?}");
}

/// Answers that are wrong fail, if they are compared.
#[test]
fn a_wrong_answer_is_a_failure() {
    let p = place();
    p.ok("load shop.toml --scale 0.004 --target sqlite:shop.db");
    for (statement, operation, says) in [
        (
            "UPDATE products SET doc = jsonb_set(doc, '$.title', 'x')",
            "product-page",
            "title is \"x\"",
        ),
        ("UPDATE products SET doc = jsonb_set(doc, '$.more', 1)", "product-page", "more is 1"),
        ("DELETE FROM products", "product-page", "there is no such document"),
        ("DELETE FROM orders WHERE key % 2 = 0", "order-history", " came back, not "),
        ("UPDATE orders SET key = 'x' || key", "order-history", "which the file does not make"),
        (
            "UPDATE orders SET doc = jsonb_set(doc, '$.at', '2024-06-0' || substr(key, 1, 1) || 'T00:00:00.000Z')",
            "order-history",
            "at is ",
        ),
    ] {
        std::fs::copy(p.path("shop.db"), p.path("w.db")).unwrap();
        let database = rusqlite::Connection::open(p.path("w.db")).unwrap();
        database.execute(statement, []).unwrap();
        database.close().unwrap();
        let shop = p.text("shop.toml");
        let (head, rest) = shop.split_once("operations = [").unwrap();
        let one = rest.lines().find(|line| line.contains(operation)).unwrap();
        let (_, rest) = rest.split_once("\n]\n").unwrap();
        p.write("one.toml", &format!("{head}name = \"shop\"\noperations = [{one}]\n{rest}"));
        let end = p.run(
            "run one.toml --target sqlite:w.db --operations 50 --warmup 0s --check off \
             --check-reads --json",
        );
        assert!(end.code == 1 && found(&end).contains(says), "{statement}: {end:#?}");
    }
}

/// What a database cannot do is refused by the name of the operation, and what does not fit the file
/// by its reason, before anything is opened.
#[test]
fn an_operation_that_cannot_run_is_refused_by_its_name() {
    let p = place();
    for (line, says) in [
        (
            "run shop.toml --target redis://127.0.0.1:1",
            &["operation order-history of shop", "not applicable", "--without \"order-history\""][..],
        ),
        ("run sessions.toml --target duckdb:x.duckdb", &["operation session of sessions"]),
        (
            "run shop.toml --target sqlite:x.db --without shop",
            &["no operation \"shop\"; there are"],
        ),
        ("run shop.toml --target sqlite:x.db --mix ship", &["a weight is OPERATION=N"]),
        ("run shop.toml --target sqlite:x.db --mix ship=-1", &["not negative"]),
    ] {
        p.fails(line, 2, says);
    }
    assert!(!p.path("x.db").exists() && !p.path("runs").exists());
    p.fails("run shop.toml --target sqlite:x.db", 3, &["x.db"]);
    p.ok("load shop.toml --scale 0.004 --target sqlite:shop.db");
    p.fails("run telemetry.toml --target sqlite:shop.db", 3, &["name shop, not telemetry"]);
    let run = p.ok("run shop.toml --target sqlite:shop.db --operations 20 --warmup 0s --without checkout --mix ship=10 --json");
    assert_eq!(run.value()["run"]["benchmark"], "own: shop, ship=10, without checkout");
}

/// One command runs a file on several databases, and its page compares them.
#[cfg(unix)]
#[test]
fn a_workload_file_compares_databases() {
    let p = place();
    let targets = "--target a=sqlite:a.db --target b=sqlite:b.db?synchronous=off";
    p.ok(&format!("load telemetry.toml --scale 0.005 {targets}"));
    let line = format!("run telemetry.toml {targets} --operations 100 --warmup 0s --out both");
    let told = p.ok(&line).told();
    assert!(told.contains("own: telemetry on a, b: 3 runs each, by turns"), "{told}");
    assert!(p.path("both/report.html").exists());
}
