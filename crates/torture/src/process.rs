//! Commands of a plan, processes and signals. A process is known by number and start time, so that
//! another one that got the number is never taken for it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hoap_record::{Error, ErrorKind, Result};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// How often a wait looks.
pub const LOOK: Duration = Duration::from_millis(20);

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pid: i32,
    /// In the kernel's ticks since it started.
    start: u64,
}

/// What `/proc/PID/stat` says.
struct Stat {
    parent: i32,
    state: char,
    start: u64,
}

fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some(Stat {
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

impl Process {
    /// The process with this number, where there is one that has not ended.
    pub fn find(pid: i32) -> Option<Process> {
        // 0 and negative numbers would address groups, 1 is nobody's to signal.
        let stat = (pid > 1).then(|| stat(pid)).flatten()?;
        (!matches!(stat.state, 'Z' | 'X')).then_some(Process { pid, start: stat.start })
    }

    /// Whether it has not ended.
    pub fn is_alive(self) -> bool {
        Process::find(self.pid) == Some(self)
    }

    /// Sends a signal. One that has ended is no error.
    pub fn signal(self, signal: Signal) {
        if self.is_alive() {
            let _ = kill(Pid::from_raw(self.pid), signal);
        }
    }

    /// Its children, theirs, and so on.
    pub fn descendants(self) -> Vec<Process> {
        let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        for pid in entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok()) {
            if let Some(stat) = stat(pid) {
                children.entry(stat.parent).or_default().push(pid);
            }
        }
        let (mut found, mut next) = (Vec::new(), vec![self.pid]);
        while let Some(parent) = next.pop() {
            for &pid in children.get(&parent).into_iter().flatten() {
                found.extend(Process::find(pid));
                next.push(pid);
            }
        }
        found
    }
}

/// Processes with all their descendants, stopped, so that none of them starts another.
pub fn stopped_with_descendants(processes: &[Process]) -> Vec<Process> {
    let mut all: Vec<Process> = Vec::new();
    loop {
        let roots = processes.iter().chain(&all).copied().collect::<Vec<_>>();
        let family = processes.iter().flat_map(|p| [vec![*p], p.descendants()].concat());
        let new: Vec<Process> = family.filter(|p| !all.contains(p)).collect();
        if new.is_empty() || roots.len() > 10_000 {
            return all;
        }
        new.iter().for_each(|p| p.signal(Signal::SIGSTOP));
        all.extend(new);
    }
}

/// Waits until none of them is alive. Says whether that came within the limit.
pub fn wait_gone(processes: &[Process], limit: Duration) -> bool {
    let end = Instant::now() + limit;
    while processes.iter().any(|p| p.is_alive()) {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}

/// A child in a process group of its own, which ends with this value.
#[derive(Debug)]
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Starts a command, with its output appended to a file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] where it cannot be started.
    pub fn start(mut command: Command, log: &Path) -> Result<Running> {
        let program = command.get_program().to_string_lossy().into_owned();
        let failed =
            |e: std::io::Error| Error::new(ErrorKind::Unavailable, format!("start {program}"), e);
        let file = File::options().create(true).append(true).open(log).map_err(failed)?;
        let error = file.try_clone().map_err(failed)?;
        command.stdin(Stdio::null()).stdout(file).stderr(error).process_group(0);
        Ok(Running { child: command.spawn().map_err(failed)?, log: log.to_owned() })
    }

    /// The process.
    pub fn process(&self) -> Option<Process> {
        Process::find(i32::try_from(self.child.id()).ok()?)
    }

    /// Its exit code once it has ended; -1 where a signal ended it.
    pub fn ended(&mut self) -> Option<i32> {
        match self.child.try_wait() {
            Ok(status) => status.map(|status| status.code().unwrap_or(-1)),
            // It cannot be waited for: it is no longer ours.
            Err(_) => Some(-1),
        }
    }

    /// Waits for its end, a limit or `stop`.
    pub fn wait(&mut self, limit: Duration, stop: &dyn Fn() -> bool) -> Option<i32> {
        let end = Instant::now() + limit;
        loop {
            match self.ended() {
                Some(code) => return Some(code),
                None if stop() || Instant::now() > end => return None,
                None => std::thread::sleep(LOOK),
            }
        }
    }

    /// SIGKILL for it and its group, and waits for the end.
    pub fn kill(&mut self) {
        if self.ended().is_none() {
            if let Ok(pid) = i32::try_from(self.child.id()) {
                let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
            }
            let _ = self.child.wait();
        }
    }

    /// The last line that it wrote.
    pub fn last_line(&self) -> String {
        last_line(&self.log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The last line of a file that is not empty, at most 500 characters.
fn last_line(path: &Path) -> String {
    const END: u64 = 4096;
    let mut text = Vec::new();
    let mut read = || -> std::io::Result<()> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
        file.take(END).read_to_end(&mut text).map(drop)
    };
    if read().is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().take(500).collect()
}

/// The commands of a plan.
#[derive(Clone, Debug)]
pub struct Shell {
    /// Where they run.
    pub folder: PathBuf,
    /// Variables of each.
    pub environment: BTreeMap<String, String>,
    /// What they write on standard error is appended here.
    pub log: PathBuf,
}

impl Shell {
    /// The longest time of a command: three nodes of a Java server start within it.
    const LIMIT: Duration = Duration::from_secs(600);

    /// Runs a line of bash and returns what it wrote on standard output.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unavailable`] with the line and the end of what it said where it fails
    /// or takes longer than ten minutes, [`ErrorKind::Cancelled`] where `stop` was asked for.
    pub fn run(&self, line: &str, stop: &dyn Fn() -> bool) -> Result<String> {
        let failed = |answer: String| {
            Error::new(ErrorKind::Unavailable, format!("run the plan's command `{line}`"), answer)
                .advise(format!("look into {}", self.log.display()))
        };
        let io = |e: std::io::Error| failed(e.to_string());
        // A file, not a pipe: a server that the command leaves behind may keep a pipe open.
        let out = self.log.with_extension("out");
        fs::write(&out, "").map_err(io)?;
        let mut command = Command::new("bash");
        command.args(["-c", line]).current_dir(&self.folder).envs(&self.environment);
        let error = File::options().create(true).append(true).open(&self.log).map_err(io)?;
        command.stdin(Stdio::null()).stdout(File::create(&out).map_err(io)?).stderr(error);
        let child = command.process_group(0).spawn().map_err(io)?;
        let mut running = Running { child, log: self.log.clone() };
        match running.wait(Shell::LIMIT, stop) {
            Some(0) => fs::read(&out).map(|t| String::from_utf8_lossy(&t).into_owned()).map_err(io),
            Some(code) => Err(failed(format!("exit code {code}: {}", running.last_line()))),
            None if stop() => {
                Err(Error::new(ErrorKind::Cancelled, format!("run `{line}`"), "interrupted"))
            }
            None => Err(failed("no end within ten minutes".into())),
        }
    }

    /// The processes whose numbers a line prints.
    ///
    /// # Errors
    /// As [`Shell::run`], and where it prints no number of a process that is alive.
    pub fn processes(&self, line: &str, stop: &dyn Fn() -> bool) -> Result<Vec<Process>> {
        let text = self.run(line, stop)?;
        let numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
        let found: Vec<Process> = numbers.filter_map(Process::find).collect();
        match found.is_empty() {
            false => Ok(found),
            true => Err(Error::new(
                ErrorKind::Unavailable,
                format!("find the processes that `{line}` names"),
                format!("it printed {:?}, no number of a process that is alive", text.trim()),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
