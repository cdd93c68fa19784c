//! This process, as another one of the same machine knows it again.

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};

use serde::{Deserialize, Serialize};

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Whose it is, by name.
    pub user: String,
    /// The name of its machine.
    pub host: String,
    /// Its number there.
    pub pid: u32,
    /// The machine since it was started, and the processes that see each other on it. Empty where
    /// the system does not say.
    pub machine: String,
    /// When it was started, by the clock of that machine.
    pub started: String,
}

impl Process {
    /// This one.
    pub fn this() -> Process {
        let name = |names: &[&str]| names.iter().find_map(|name| env::var(name).ok());
        let pid = std::process::id();
        let host = read("/proc/sys/kernel/hostname").or_else(|| name(&["HOSTNAME", "HOST"]));
        Process {
            user: name(&["USER", "LOGNAME"]).or_else(user).unwrap_or_else(|| "somebody".into()),
            host: host.unwrap_or_else(|| "a machine without a name".into()),
            pid,
            machine: machine().unwrap_or_default(),
            started: started(pid).unwrap_or_default(),
        }
    }

    /// Whether it has ended, so far as this machine knows.
    pub fn has_ended(&self) -> bool {
        let is_here = !self.machine.is_empty() && machine().as_ref() == Some(&self.machine);
        is_here && started(self.pid).as_ref() != Some(&self.started)
    }
}

/// Who owns this process, by number.
fn user() -> Option<String> {
    let status = read("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    Some(format!("user {}", line.split_whitespace().next()?))
}

/// Linux says which start of the machine it is, and which processes see each other.
fn machine() -> Option<String> {
    let processes = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", read("/proc/sys/kernel/random/boot_id")?, processes.display()))
}

/// When a process was started that has not ended.
fn started(pid: u32) -> Option<String> {
    let text = read(&format!("/proc/{pid}/stat"))?;
    // Its name is in parentheses, and may have some.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X");
    // The 22nd field of all.
    fields.nth(18).filter(|_| !has_ended).map(Into::into)
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// A number that nobody else draws.
pub(crate) fn number() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_has_ended_once_it_is_killed_though_nobody_has_waited_for_it() {
        let this = Process::this();
        assert!(!this.has_ended() && !this.machine.is_empty(), "{this:?}");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let of = Process {
            pid: child.id(),
            started: started(child.id()).unwrap(),
            machine: this.machine.clone(),
            ..this
        };
        assert!(!of.has_ended());
        child.kill().unwrap();
        while started(of.pid).is_some() {
            std::thread::yield_now();
        }
        assert!(of.has_ended());
        child.wait().unwrap();
        assert!(of.has_ended());
        let elsewhere = Process { machine: "another".into(), ..of };
        assert!(!elsewhere.has_ended());
    }
}
