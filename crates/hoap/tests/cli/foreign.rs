//! What Hoap did not make stays in the folders that commands make.

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
    p.write("d/runs/0001/thesis.txt", "mine\n");
    p.fails("torture --plan plan.toml -o d", 2, &["runs/0001", "hoap did not make"]);
    assert_eq!(p.read("d/runs/0001/thesis.txt"), b"mine\n");
}
