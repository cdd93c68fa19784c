//! One fault, from its beginning until it is lifted.

use std::time::{Duration, Instant, SystemTime};

use hoap_record::{Error, ErrorKind, Result, Time};
use nix::sys::signal::Signal;

use crate::clock::Clock;
use crate::plan::{Kind, Plan};
use crate::process::{LOOK, Process, Running, Shell, stopped_with_descendants, wait_gone};
use crate::proxy::{Cut, Mode, Proxy, Way};
use crate::schedule::Fault;

/// The longest time until killed processes are gone.
const GONE: Duration = Duration::from_secs(30);
/// The longest wait for connections to break whose bytes do not come.
const UNBROKEN: Duration = Duration::from_secs(2);

/// What faults act on.
pub struct Surroundings<'a> {
    pub plan: &'a Plan,
    pub shell: &'a Shell,
    pub proxy: Option<&'a Proxy>,
    pub stop: &'a dyn Fn() -> bool,
}

/// A fault that occurred.
pub struct Injected {
    pub began: SystemTime,
    /// When the restart began, the process continued, the network was whole again.
    pub lifted: SystemTime,
    /// What exactly happened.
    pub detail: String,
}

/// Stopped processes, which continue when this is dropped.
struct Paused(Vec<Process>);

impl Drop for Paused {
    fn drop(&mut self) {
        self.0.iter().for_each(|p| p.signal(Signal::SIGCONT));
    }
}

/// Waits for so long, or until `stop`.
pub fn rest(time: Duration, stop: &dyn Fn() -> bool) {
    let end = Instant::now() + time;
    while Instant::now() < end && !stop() {
        std::thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
    }
}

impl Surroundings<'_> {
    /// Makes the fault happen and lifts it. Waits until a server that it ended answers again.
    ///
    /// # Errors
    /// Returns the errors of the plan's commands, and what keeps a fault from happening.
    pub fn inject(
        &self,
        fault: &Fault,
        driver: &Running,
        clock: Option<&mut Clock>,
    ) -> Result<Injected> {
        let began = SystemTime::now();
        let lasted = Time(Duration::from_millis(fault.time.as_millis() as u64));
        let now = |detail: String| Ok(Injected { began, lifted: SystemTime::now(), detail });
        match fault.kind {
            Kind::Kill | Kind::KillParent => self.kill(fault),
            Kind::Pause => {
                let (processes, name) = self.processes(fault)?;
                let began = SystemTime::now();
                let paused = Paused(stopped_with_descendants(&processes));
                let count = paused.0.len();
                rest(fault.time, self.stop);
                drop(paused);
                let detail = format!("{count} processes of {name} stopped for {lasted}");
                Ok(Injected { began, lifted: SystemTime::now(), detail })
            }
            Kind::PauseDriver => {
                let process = driver.process();
                let paused = Paused(process.into_iter().collect());
                paused.0.iter().for_each(|p| p.signal(Signal::SIGSTOP));
                rest(fault.time, self.stop);
                drop(paused);
                now(format!("the driver stopped for {lasted}"))
            }
            Kind::KillDriver => {
                let process: Vec<Process> = driver.process().into_iter().collect();
                process.iter().for_each(|p| p.signal(Signal::SIGKILL));
                match wait_gone(&process, GONE) {
                    true => now("the driver killed".into()),
                    false => Err(not_gone("the driver")),
                }
            }
            Kind::Delay => {
                self.network(fault, Mode::Delay(fault.by));
                now(format!("all data {} later for {lasted}", Time(fault.by)))
            }
            Kind::Silence => {
                self.network(fault, Mode::Silence);
                now(format!("no data for {lasted}, then all connections broken"))
            }
            Kind::Refuse => {
                self.network(fault, Mode::Refuse);
                now(format!("all connections broken and refused for {lasted}"))
            }
            Kind::Cut => {
                let detail = self.cut(fault);
                now(detail)
            }
            Kind::DiskFull => self.disk_full(fault),
            Kind::ClockStep => match clock {
                Some(clock) => {
                    let off = clock.step(fault.by, fault.back)?;
                    now(format!("the driver's clock set {off:+} s off"))
                }
                None => Err(Error::new(ErrorKind::Invalid, "step the clock", "it has none")),
            },
        }
    }

    /// The processes that a fault is of, and their name.
    fn processes(&self, fault: &Fault) -> Result<(Vec<Process>, &str)> {
        let of = self.plan.fault[fault.plan].of.as_deref().unwrap_or_default();
        let line = self.plan.server.processes.get(of).map(String::as_str).unwrap_or_default();
        Ok((self.shell.processes(line, self.stop)?, of))
    }

    fn kill(&self, fault: &Fault) -> Result<Injected> {
        let (processes, name) = self.processes(fault)?;
        let began = SystemTime::now();
        let victims = match fault.kind {
            Kind::Kill => stopped_with_descendants(&processes),
            _ => processes,
        };
        victims.iter().for_each(|p| p.signal(Signal::SIGKILL));
        if !wait_gone(&victims, GONE) {
            return Err(not_gone(name));
        }
        rest(fault.time, self.stop);
        let lifted = SystemTime::now();
        self.up()?;
        let away = Time(Duration::from_millis(fault.time.as_millis() as u64));
        let detail = format!("{} processes of {name} killed, away for {away}", victims.len());
        Ok(Injected { began, lifted, detail })
    }

    fn up(&self) -> Result<()> {
        self.plan.server.up.as_ref().map_or(Ok(()), |up| self.shell.run(up, self.stop).map(drop))
    }

    fn network(&self, fault: &Fault, mode: Mode) {
        let Some(proxy) = self.proxy else { return };
        proxy.set(mode);
        rest(fault.time, self.stop);
        if mode == Mode::Silence {
            // What was held back never comes: the connections break before anything passes.
            proxy.set(Mode::Refuse);
            rest(LOOK, &|| false);
        }
        proxy.set(Mode::Pass);
    }

    fn cut(&self, fault: &Fault) -> String {
        let Some(proxy) = self.proxy else { return String::new() };
        let way = if fault.from_server { Way::FromServer } else { Way::ToServer };
        let cut = Cut { way, bytes: fault.bytes, reset: fault.reset };
        let which = (!fault.all).then_some(fault.which);
        let (before, count) = (proxy.broken(), proxy.cut(cut, which));
        let begun = Instant::now();
        while proxy.broken() < before + count as u64 && begun.elapsed() < UNBROKEN && !(self.stop)()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        let broken = proxy.broken().saturating_sub(before).min(count as u64);
        let side = if fault.from_server { "from" } else { "to" };
        let how = if fault.reset { "reset" } else { "ended" };
        format!(
            "{broken} of {count} connections {how} after {} more bytes {side} the server",
            fault.bytes
        )
    }

    fn disk_full(&self, fault: &Fault) -> Result<Injected> {
        let plan = &self.plan.fault[fault.plan];
        let command = |line: &Option<String>| match line {
            Some(line) => self.shell.run(line, self.stop).map(drop),
            None => Ok(()),
        };
        let began = SystemTime::now();
        let filled = command(&plan.begin);
        if filled.is_ok() {
            rest(fault.time, self.stop);
        }
        let lifted = SystemTime::now();
        // Freed also where filling failed half-way or the campaign is interrupted.
        let freed = plan.end.as_ref().map(|line| self.shell.run(line, &|| false));
        filled?;
        freed.transpose()?;
        self.up()?;
        let time = Time(Duration::from_millis(fault.time.as_millis() as u64));
        Ok(Injected { began, lifted, detail: format!("the disk full for {time}") })
    }
}

fn not_gone(name: &str) -> Error {
    let tried = format!("kill the processes of {name}");
    Error::new(ErrorKind::Unavailable, tried, "they are there 30 s after SIGKILL")
        .advise("a process in an uninterruptible wait hangs in its disk: look there")
}
