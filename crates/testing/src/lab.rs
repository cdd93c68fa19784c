//! A server of one test's own, which may be killed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A lab of one server in a folder of its own. The server, and those that it needs, end with it.
pub struct Lab {
    run: tempfile::TempDir,
    server: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

impl Lab {
    /// With PostgreSQL.
    pub fn start() -> Self {
        Lab::of("postgres")
    }

    /// With this server of the lab.
    pub fn of(server: &'static str) -> Self {
        Lab::with(server, &[])
    }

    /// With this server, made with these variables of its script.
    pub fn with(server: &'static str, variables: &'static [(&'static str, &'static str)]) -> Self {
        // Not in the folder of temporary files of this user alone: the server runs as another.
        let run = tempfile::Builder::new().prefix("hoap-lab").tempdir().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(run.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let lab = Lab { run, server, variables };
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
            .arg(self.server)
            .env("LAB_RUN", self.run.path())
            .envs(self.variables.iter().copied())
            .output()
            .unwrap();
        assert!(done.status.success(), "lab/{name}: {done:?}");
    }

    /// A line of bash that starts the server, or starts it again.
    pub fn up_line(&self) -> String {
        format!(
            "LAB_RUN={} {} postgres",
            self.run.path().display(),
            Self::scripts().join("up").display()
        )
    }

    /// The folder with its files `pid`, `url` and `superuser_url`.
    pub fn folder(&self) -> PathBuf {
        self.run.path().join(self.server)
    }

    /// Starts the server, or starts it again on the same data and port.
    pub fn up(&self) {
        self.script("up");
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder().join(name)).unwrap().trim().to_owned()
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
        self.kill_process(1);
    }

    /// The same of one of its processes, counted from 1 as `lab/up` does.
    pub fn kill_process(&self, number: usize) {
        let pids = self.file("pid");
        let pid = pids.lines().nth(number - 1).unwrap();
        let killed = Command::new("kill").args(["-9", pid]).status().unwrap();
        assert!(killed.success());
        while Path::new("/proc")
            .join(pid)
            .join("fd")
            .read_dir()
            .is_ok_and(|mut d| d.next().is_some())
        {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops the server and its sessions where they are: it is there, and says nothing.
    pub fn freeze(&self) -> Frozen {
        let server = self.file("pid");
        signal("STOP", std::slice::from_ref(&server));
        // It cannot make another session now.
        let sessions = std::fs::read_to_string(format!("/proc/{server}/task/{server}/children"));
        let sessions = sessions.unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let frozen = Frozen { processes: [sessions, vec![server]].concat() };
        signal("STOP", &frozen.processes);
        frozen
    }
}

/// A server that was stopped; it goes on when this is dropped.
pub struct Frozen {
    processes: Vec<String>,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal("CONT", &self.processes);
    }
}

fn signal(name: &str, processes: &[String]) {
    let done = Command::new("kill").arg(format!("-{name}")).args(processes).status().unwrap();
    // One of them may have ended by itself.
    assert!(done.success() || processes.len() > 1, "kill -{name} {processes:?}");
}

impl Drop for Lab {
    fn drop(&mut self) {
        // All of this lab: what a server needed was started with it.
        let down =
            Command::new(Self::scripts().join("down")).env("LAB_RUN", self.run.path()).output();
        if !std::thread::panicking() {
            assert!(down.unwrap().status.success());
        }
    }
}
