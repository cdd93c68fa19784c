//! The run folder.

use std::fs;

use hoap_record::ErrorKind;
use hoap_record::folder::{NOT_ENDED, read_queries, read_run, read_samples};
use hoap_record::{FORMAT, Remark, RemarkId, RunFolder};

use crate::fake::{Bench, run};

#[test]
fn a_folder_that_is_not_empty_is_refused_and_not_changed() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("precious"), "x").unwrap();
    let error = RunFolder::create(place.path(), &run()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.to_string().contains("not empty"), "{error}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    let file = place.path().join("precious");
    assert_eq!(RunFolder::create(&file, &run()).err().unwrap().kind, ErrorKind::Unavailable);
}

#[test]
fn the_record_of_a_run_is_partial_until_the_run_has_ended() {
    let Bench { folder, path, _place } = Bench::new();
    assert_eq!(read_run(&path).unwrap().partial.as_deref(), Some(NOT_ENDED));
    let mut done = run();
    done.remarks.push(Remark::new(RemarkId::ScaledDown, "scaled down"));
    folder.checkpoint(&done).unwrap();
    let saved = read_run(&path).unwrap();
    assert_eq!(saved.partial.as_deref(), Some(NOT_ENDED));
    assert_eq!(saved.remarks, done.remarks);
    folder.finish(&done).unwrap();
    assert_eq!(read_run(&path).unwrap(), done);
    assert!(!path.join("run.json.tmp").exists());
}

#[test]
fn an_invalid_record_is_refused_in_one_line() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run.json");
    let (earlier, later) = (FORMAT - 1, FORMAT + 1);
    for (text, answer) in [
        (
            format!("{{\"format\": {earlier}, \"hoap\": \"0.1.0\", \"warnings\": []}}"),
            "run it again: only the hoap that wrote it (0.1.0) reads it",
        ),
        (format!("{{\"format\": {later}, \"hoap\": \"9.9\"}}"), "hoap that wrote it (9.9)"),
        ("{\"format\": \"x\"}".into(), "names no format"),
        ("[]".into(), "names no format"),
        ("{\"form".into(), "EOF"),
        (format!("{{\"format\": {FORMAT}}}"), "missing field"),
    ] {
        fs::write(&path, text).unwrap();
        let error = read_run(place.path()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Invalid);
        let line = error.to_string();
        assert!(line.contains(answer) && !line.contains('\n'), "{line}");
    }
    fs::remove_file(&path).unwrap();
    assert!(read_run(place.path()).unwrap_err().to_string().contains("name the folder of a run"));
}

/// A killed run may leave an incomplete line at the end of a file.
#[test]
fn an_incomplete_last_line_is_ignored() {
    let place = tempfile::tempdir().unwrap();
    let header = "step,phase,at_seconds,seconds,kind,count,failed,retries,mean_us,p50_us,p99_us,\
                  max_us\n";
    let row = "1,measured,2.5,1.0,NewOrder,7,0,0,10.0,9,12,13\n";
    let file = place.path().join("samples.csv");
    fs::write(&file, format!("{header}{row}1,measured,3.5,1.0,NewOr")).unwrap();
    let rows = read_samples(place.path()).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].at_seconds, rows[0].count), (2.5, 7));
    fs::write(&file, format!("{header}{row}1,measured\n{row}")).unwrap();
    assert_eq!(read_samples(place.path()).unwrap_err().kind, ErrorKind::Invalid);
    fs::write(place.path().join("queries.csv"), "").unwrap();
    assert!(read_queries(place.path()).unwrap().is_empty());
}
