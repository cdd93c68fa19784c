//! A cluster of one test's own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A lab in a folder of its own. Its server ends with it.
pub struct Lab {
    run: tempfile::TempDir,
    server: &'static str,
}

impl Lab {
    /// Starts a server of the lab with these variables.
    pub fn new(server: &'static str, variables: &[(&str, &str)]) -> Self {
        let run = tempfile::Builder::new().prefix("hoap-lab").tempdir().unwrap();
        let lab = Lab { run, server };
        lab.script("up", variables);
        lab
    }

    fn script(&self, name: &str, variables: &[(&str, &str)]) {
        let scripts = std::env::var_os("HOAP_LAB")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab"), PathBuf::from);
        let done = Command::new(scripts.join(name))
            .arg(self.server)
            .env("LAB_RUN", self.run.path())
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(done.status.success(), "lab/{name}: {done:?}");
    }

    fn file(&self, name: &str) -> String {
        let file = self.run.path().join(self.server).join(name);
        std::fs::read_to_string(&file).unwrap().trim().to_owned()
    }

    pub fn url(&self) -> String {
        self.file("url")
    }

    /// Ends a node, counted from 1, without a word.
    pub fn kill(&self, node: usize) {
        let pids = self.file("pid");
        let pid = pids.lines().nth(node - 1).unwrap();
        let killed = Command::new("kill").args(["-9", pid]).status().unwrap();
        assert!(killed.success());
        let files = Path::new("/proc").join(pid).join("fd");
        while files.read_dir().is_ok_and(|mut d| d.next().is_some()) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.script("down", &[])));
            return;
        }
        self.script("down", &[]);
    }
}
