//! A process of this machine and those that it started, as the kernel tells of them.

use std::collections::HashMap;
use std::fs;

use hoap_record::SeriesKind;

use crate::reading::Value;

/// Ticks of the kernel's clock in a second, in which it counts CPU time for users: 100 on Linux.
const TICKS: f64 = 100.0;

/// The process of this number.
pub struct Process {
    pid: u32,
    /// When it started, in ticks: the number may be given to another one.
    started: u64,
    /// The command.
    pub command: String,
    /// The totals so far. A process may end between two looks of one reading, and its share is then
    /// missed once: no total falls.
    totals: [f64; 2],
}

/// The line of `/proc/PID/stat`, as far as it matters.
struct Stat {
    command: String,
    parent: u32,
    /// CPU time in user and kernel mode, that of ended children included.
    ticks: u64,
    threads: u64,
    started: u64,
}

impl Process {
    /// The process of this number, which must be there.
    pub fn of(pid: u32) -> Result<Process, String> {
        if !fs::exists("/proc/self/stat").unwrap_or(false) {
            return Err("this system has no /proc, which tells of processes".into());
        }
        let stat = stat(pid).ok_or("there is no such process on this machine")?;
        Ok(Process { pid, started: stat.started, command: stat.command, totals: [0.0; 2] })
    }

    /// What it and its descendants took. Bytes read from disks are missing where the system does
    /// not tell this user of that process. Those written always are: the kernel counts the pages
    /// that a write makes dirty, by whole folios, which was 256 times what was written where a
    /// database rewrites pages of a log.
    pub fn read(&mut self) -> Result<Vec<Value>, String> {
        let family = self.family()?;
        let pids = || family.iter().map(|(pid, _)| *pid);
        let ticks: u64 = family.iter().map(|(_, stat)| stat.ticks).sum();
        let threads: u64 = family.iter().map(|(_, stat)| stat.threads).sum();
        let own = io(self.pid);
        let read: u64 = pids().filter_map(io).sum();
        let memory: Vec<(u64, u64)> = pids().filter_map(memory).collect();
        let anonymous: u64 = memory.iter().map(|(anonymous, _)| anonymous).sum();
        let shared = memory.iter().map(|(_, shared)| *shared).max().unwrap_or(0);
        let totals = [ticks as f64 / TICKS, read as f64];
        for (total, now) in self.totals.iter_mut().zip(totals) {
            *total = total.max(now);
        }
        let [cpu, read] = self.totals;
        let counter = |series: &str, value| (series.to_owned(), SeriesKind::Counter, value);
        let gauge = |series: &str, value: u64| (series.to_owned(), SeriesKind::Gauge, value as f64);
        let mut values = vec![counter("cpu_seconds_total", cpu)];
        if own.is_some() {
            values.push(counter("read_bytes_total", read));
        }
        values.push(gauge("anonymous_bytes", anonymous));
        values.push(gauge("shared_bytes", shared));
        values.push(gauge("processes", family.len() as u64));
        values.push(gauge("threads", threads));
        let value = |(series, kind, value)| Value { series, kind, value };
        Ok(values.into_iter().map(value).collect())
    }

    /// It and its descendants.
    fn family(&self) -> Result<Vec<(u32, Stat)>, String> {
        let gone = || format!("process {} ({}) has ended", self.pid, self.command);
        let names = fs::read_dir("/proc").map_err(|e| format!("read /proc: {e}"))?;
        let pids = names.filter_map(|name| name.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut all: HashMap<u32, Stat> = pids.filter_map(|pid| Some((pid, stat(pid)?))).collect();
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (pid, stat) in &all {
            children.entry(stat.parent).or_default().push(*pid);
        }
        let first = all.remove(&self.pid).filter(|stat| stat.started == self.started);
        let mut family = vec![(self.pid, first.ok_or_else(gone)?)];
        let mut at = 0;
        while at < family.len() {
            let next = children.remove(&family[at].0).unwrap_or_default();
            family.extend(next.into_iter().filter_map(|pid| Some((pid, all.remove(&pid)?))));
            at += 1;
        }
        Ok(family)
    }
}

/// `/proc/PID/stat`: "pid (command) state ppid …", where the command may hold spaces and brackets.
/// The fields are numbered as in proc(5).
fn stat(pid: u32) -> Option<Stat> {
    parsed(&text(pid, "stat")?)
}

/// What the kernel tells of a process. A name may be of any bytes, and is cut off after 15 of them.
fn text(pid: u32, what: &str) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/{what}")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn parsed(line: &str) -> Option<Stat> {
    let (begin, rest) = line.rsplit_once(')')?;
    let command = begin.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The third field is the first here.
    let number = |n: usize| -> Option<u64> { fields.get(n - 3)?.parse().ok() };
    let signed =
        |n: usize| -> Option<u64> { fields.get(n - 3)?.parse::<i64>().ok()?.try_into().ok() };
    Some(Stat {
        command,
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)? + signed(16)? + signed(17)?,
        threads: number(20)?,
        started: number(22)?,
    })
}

/// Bytes that the process and its ended children read from disks.
fn io(pid: u32) -> Option<u64> {
    field(&text(pid, "io")?, "read_bytes:")
}

/// Bytes of memory that are its own, and that it may share with others.
fn memory(pid: u32) -> Option<(u64, u64)> {
    let text = text(pid, "status")?;
    let bytes = |name| Some(field(&text, name)?.saturating_mul(1024));
    Some((bytes("RssAnon:")?, bytes("RssFile:")?.saturating_add(bytes("RssShmem:")?)))
}

fn field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_kernels_line_is_read_whatever_the_command_is() {
        let line = "7 (a) (b c) S 3 7 7 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 99 1 2";
        let stat = parsed(line).unwrap();
        assert_eq!((stat.command.as_str(), stat.parent), ("a) (b c", 3));
        assert_eq!((stat.ticks, stat.threads, stat.started), (100, 5, 99));
        assert!(parsed("7 (a").is_none() && parsed("7 (a) S 3").is_none());
    }

    /// A shell whose child takes CPU time and ends: the time is the shell's then.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_read_with_its_children_also_with_those_that_ended() {
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let script = format!("sh -c '{busy}'; sleep 60 & echo; wait");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).stdout(std::process::Stdio::piped());
        let mut shell = command.spawn().unwrap();
        let mut process = Process::of(shell.id()).unwrap();
        let mut line = String::new();
        let out = shell.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
        let value = |values: &[Value], name: &str| {
            values.iter().find(|value| value.series == name).map(|value| value.value).unwrap()
        };
        let values = process.read().unwrap();
        assert!(value(&values, "cpu_seconds_total") > 0.02, "{values:?}");
        assert_eq!(value(&values, "processes"), 2.0, "{values:?}");
        assert!(value(&values, "anonymous_bytes") > 0.0, "{values:?}");
        // The sleep is ended first, by its own number.
        for (pid, _) in process.family().unwrap().iter().rev() {
            Command::new("kill").arg(pid.to_string()).status().unwrap();
        }
        shell.wait().unwrap();
        let e = process.read().unwrap_err();
        assert!(e.ends_with("(sh) has ended"), "{e}");
    }

    /// The name of a program is cut off within a letter, and that of a thread may be any bytes.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_of_any_name_is_read() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        for name in ["ääääääää".as_bytes(), b"\xff) (\xfe"] {
            let program = folder.path().join(std::ffi::OsStr::from_bytes(name));
            fs::copy("/bin/sleep", &program).unwrap();
            let mut child = Command::new(&program).arg("60").spawn().unwrap();
            let read = Process::of(child.id()).map(|mut process| process.read());
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(matches!(read, Ok(Ok(_))), "{name:?}");
        }
    }

    #[test]
    fn a_process_that_is_not_there_is_refused() {
        assert!(Process::of(u32::MAX).is_err());
    }
}
