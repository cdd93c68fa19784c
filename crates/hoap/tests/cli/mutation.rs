//! `bench/mutation`: a fault that can no longer be put into the code shows nothing of the tests.

use std::path::Path;
use std::process::Command;

#[test]
fn every_fault_can_be_put_into_the_code() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let faults = top.join("bench/mutation/faults");
    let mut wrong = String::new();
    for fault in std::fs::read_dir(&faults).unwrap().map(|fault| fault.unwrap().path()) {
        if fault.extension().is_some_and(|extension| extension == "patch") {
            let mut git = Command::new("git");
            let tried =
                git.args(["apply", "--check"]).arg(&fault).current_dir(top).output().unwrap();
            if !tried.status.success() {
                let why = String::from_utf8_lossy(&tried.stderr);
                wrong += &format!("{}: {why}", fault.file_name().unwrap().display());
            }
        }
    }
    assert!(wrong.is_empty(), "make them anew:\n{wrong}");
}
