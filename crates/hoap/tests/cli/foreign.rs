//! What Hoap did not make stays: in the folders that commands make, and in databases.

use rusqlite::Connection;

use super::Place;
use super::outputs::files;

const DEMO: &str = "demo --out d";
const EXPERIMENT: &str = "experiment run ch2-fig9 --configuration 8Q+8A --operational sqlite:t.db \
                          --analytical sqlite:t.db --scale-down 1000 --out d";

/// The mark of a folder that Hoap made.
const MARK: &str = "d/.hoap-made";
const MARKED: &str = "Made by hoap: demo 0123456789abcdef\n";

#[test]
fn a_folder_that_hoap_did_not_make_stays_and_what_is_in_it_is_named() {
    for (line, file, named) in [
        (DEMO, "d/run/thesis.txt", "run"),
        (DEMO, "d/pair/thesis.txt", "pair"),
        (DEMO, "d/report.html", "report.html"),
        (DEMO, "d/demo.db", "demo.db"),
        (DEMO, "d/demo.duckdb", "demo.duckdb"),
        (DEMO, "d/thesis.txt", "thesis.txt"),
        ("torture --plan plan.toml -o d", "d/runs/0001/thesis.txt", "runs"),
        ("torture --plan plan.toml -o d", "d/runs/0001.log", "runs"),
        (EXPERIMENT, "d/8Q+8A/thesis.txt", "8Q+8A"),
        (EXPERIMENT, "d/experiment.toml", "experiment.toml"),
    ] {
        let p = Place::new();
        p.write("plan.toml", super::torture::PLAN);
        p.write(file, "mine\n");
        let before = files(&p);
        p.fails(line, 2, &[named, "hoap did not make", "name another folder"]);
        assert!(files(&p) == before, "{line}: {file}");
    }
}

#[test]
fn what_is_put_into_a_folder_that_hoap_made_stays_and_is_named() {
    for (more, file, named) in [
        (None, "d/thesis.txt", "thesis.txt"),
        (None, "d/report.html", "report.html"),
        (None, "d/run/thesis.txt", "d/run"),
        (None, "d/pair/run.json", "d/pair"),
        (Some("d/run/.hoap-made"), "d/run/thesis.txt", "d/run/thesis.txt"),
        (Some("d/pair/.hoap-made"), "d/pair/sub/run.json", "d/pair/sub/run.json"),
    ] {
        let p = Place::new();
        for mark in [Some(MARK), more].into_iter().flatten() {
            p.write(mark, MARKED);
        }
        p.write(file, "mine\n");
        let before = files(&p);
        p.fails(DEMO, 2, &[named]);
        assert!(files(&p) == before, "{file}");
    }
    let p = Place::new();
    p.write("plan.toml", super::torture::PLAN);
    p.write(MARK, &MARKED.replace("demo", "campaign"));
    for (file, named) in [
        ("d/runs/0001/thesis.txt", "runs/0001"),
        ("d/runs/0001.log", "runs/0001.log"),
        ("d/runs/0001.clock", "runs/0001.clock"),
    ] {
        p.write(file, "mine\n");
        p.fails("torture --plan plan.toml -o d", 2, &[named, "hoap did not make"]);
        assert_eq!(p.read(file), b"mine\n");
        std::fs::remove_file(p.path(file)).unwrap();
        let _ = std::fs::remove_dir(p.path("d/runs/0001"));
    }
}

/// A table of somebody else's.
fn foreign(p: &Place, file: &str, table: &str) {
    let text = format!("CREATE TABLE {table} (title TEXT); INSERT INTO {table} VALUES ('mine')");
    Connection::open(p.path(file)).unwrap().execute_batch(&text).unwrap();
}

fn rows(p: &Place, file: &str, table: &str) -> i64 {
    let count = format!("SELECT count(*) FROM {table}");
    Connection::open(p.path(file)).unwrap().query_row(&count, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_table_that_no_load_made_stays_and_is_named() {
    let p = Place::new();
    for (benchmark, table) in [
        ("ch2pp --scale-down 100", "orders"),
        ("ch2 --scale-down 100", "witness"),
        ("ycsb -p recordcount=10", "usertable"),
        ("ycsb -p recordcount=10 -p table=mine", "mine"),
        ("shop --customers 2000 --customers-per-zip 100", "shop_orders"),
    ] {
        let file = format!("{table}.db");
        foreign(&p, &file, table);
        for flag in ["", "--replace", "--resume"] {
            let line = format!("load {benchmark} --target sqlite:{file} {flag}");
            let end = p.fails(&line, 3, &["no load of hoap made", table, "another file"]);
            assert!(!end.err.contains("--replace"), "{line}: {}", end.err);
            assert_eq!(rows(&p, &file, table), 1, "{line}");
        }
        // Beside what another load made.
        let file = format!("beside-{table}.db");
        p.ok(&format!("load ycsb -p recordcount=7 -p table=own --target sqlite:{file}"));
        foreign(&p, &file, table);
        let line = format!("load {benchmark} --target sqlite:{file} --replace");
        p.fails(&line, 3, &["no load of hoap made", table, "another file"]);
        assert_eq!((rows(&p, &file, table), rows(&p, &file, "own")), (1, 7), "{line}");
    }
    p.write(MARK, MARKED);
    foreign(&p, "d/demo.db", "orders");
    p.fails(DEMO, 3, &["no load of hoap made", "orders"]);
    assert_eq!(rows(&p, "d/demo.db", "orders"), 1);
}

#[test]
fn what_a_load_made_is_replaced_whatever_the_benchmark() {
    let p = Place::new();
    p.ok("load ycsb -p recordcount=10 --target sqlite:t.db");
    foreign(&p, "t.db", "thesis");
    p.ok("load shop --customers 2000 --customers-per-zip 100 --target sqlite:t.db --replace");
    let open = Connection::open(p.path("t.db")).unwrap();
    let there = "SELECT count(*) FROM sqlite_schema WHERE name = 'usertable'";
    assert_eq!(open.query_row(there, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    assert_eq!(rows(&p, "t.db", "thesis"), 1);
    // An interrupted load of Hoap is replaced, too.
    let unsettled = "UPDATE hoap_note SET value = json_set(value, '$.load.settled', json('false'))
                     WHERE name = 'note'";
    open.execute_batch(unsettled).unwrap();
    p.ok("load ycsb -p recordcount=10 --target sqlite:t.db --replace");
    assert_eq!(rows(&p, "t.db", "usertable"), 10);
}

/// Of a file with no table of a wanted name nothing changes either, not even how it is written.
#[test]
fn a_file_that_hoap_did_not_make_stays_as_it_is_and_one_that_it_made_is_marked() {
    let p = Place::new();
    foreign(&p, "mine.db", "thesis");
    Connection::open(p.path("another.db"))
        .unwrap()
        .execute_batch("PRAGMA application_id = 1196444487")
        .unwrap();
    for file in ["mine.db", "another.db"] {
        let before = p.read(file);
        let named = if file == "mine.db" { "it holds thesis" } else { "application_id" };
        for flag in ["", "--replace", "--resume"] {
            let line = format!("load ycsb -p recordcount=10 --target sqlite:{file} {flag}");
            p.fails(&line, 3, &["no load of hoap made this file", named, "another file"]);
            assert!(p.read(file) == before, "{line}");
        }
        let told = p.run(&format!("doctor sqlite:{file}"));
        assert!(told.code == 1 && told.err.contains("another file"), "{told:#?}");
        assert!(p.read(file) == before, "doctor {file}");
    }
    // What is empty is anybody's.
    p.write("empty.db", "");
    for file in ["empty.db", "new.db"] {
        p.ok(&format!("load ycsb -p recordcount=10 --target sqlite:{file}"));
        let open = Connection::open(p.path(file)).unwrap();
        let mark = open.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0));
        assert_eq!(mark.unwrap().to_be_bytes(), *b"Hoap");
    }
}

#[test]
fn an_examination_leaves_no_file_that_was_not_there_and_every_one_that_was() {
    let p = Place::new();
    p.write("empty.db", "");
    p.ok("doctor sqlite:new.db");
    p.ok("doctor sqlite:empty.db");
    let names = || files(&p).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names().len(), 1, "{:?}", names());
    assert!(names()[0].ends_with("empty.db"));
}
