//! A server of one test's own, which may be killed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A lab in a folder of its own. Its servers end with it.
pub struct Lab {
    run: tempfile::TempDir,
}

impl Lab {
    pub fn start() -> Self {
        // Not in the folder of temporary files of this user alone: the server runs as another.
        let run = tempfile::Builder::new().prefix("hoap-lab").tempdir().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(run.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let lab = Lab { run };
        lab.up();
        lab
    }

    /// The folder with the lab's scripts.
    fn scripts() -> PathBuf {
        std::env::var_os("HOAP_LAB")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab"), PathBuf::from)
    }

    fn script(&self, name: &str) {
        let done = Command::new(Self::scripts().join(name))
            .arg("postgres")
            .env("LAB_RUN", self.run.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "lab/{name}: {done:?}");
    }

    /// Starts the server, or starts it again on the same data and port.
    pub fn up(&self) {
        self.script("up");
    }

    fn file(&self, name: &str) -> String {
        let file = self.run.path().join("postgres").join(name);
        std::fs::read_to_string(&file).unwrap().trim().to_owned()
    }

    pub fn url(&self) -> String {
        self.file("url")
    }

    /// Sends a signal to the server and to the processes of its connections.
    fn signal(&self, signal: &str) {
        let pid = self.file("pid");
        let children = Command::new("pgrep").args(["-P", &pid]).output().unwrap().stdout;
        let children = String::from_utf8(children).unwrap();
        let sent = Command::new("kill").arg(signal).arg(&pid).args(children.lines()).status();
        assert!(sent.unwrap().success());
    }

    /// Makes the server say nothing, with its connections open, until [`Lab::resume`].
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    /// Ends the server as a power failure would end it: without a word.
    pub fn kill(&self) {
        let pid = self.file("pid");
        let killed = Command::new("kill").args(["-9", &pid]).status().unwrap();
        assert!(killed.success());
        while Path::new("/proc")
            .join(&pid)
            .join("fd")
            .read_dir()
            .is_ok_and(|mut d| d.next().is_some())
        {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let down = Command::new(Self::scripts().join("down"))
            .arg("postgres")
            .env("LAB_RUN", self.run.path())
            .output();
        if !std::thread::panicking() {
            assert!(down.unwrap().status.success());
        }
    }
}
