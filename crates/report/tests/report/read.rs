//! Runs as reports read and show them.

use hoap_record::Run;
use hoap_report::tables::Entry;
use hoap_report::{Loaded, Style, summary};
use hoap_testing::runs::Folder;

pub trait ReadBack {
    /// The folder, written to disk and read back under this name.
    fn loaded(&self, name: &str) -> Loaded;
}

impl ReadBack for Folder {
    fn loaded(&self, name: &str) -> Loaded {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run");
        self.write(&path);
        Loaded { name: name.to_string(), ..Loaded::open(&path).unwrap() }
    }
}

/// All that a terminal shows of a run.
pub fn full(run: &Run) -> String {
    summary(run, Style { full: true, ..Style::default() })
}

pub fn entry(run: &Run) -> [Entry<'_>; 1] {
    [Entry { name: "run", run }]
}
