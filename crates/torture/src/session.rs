//! One run with its faults.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use hoap_record::folder::read_run;
use hoap_record::{Description, Error, ErrorKind, Result, Run, Time, Verdict as CheckVerdict};

use crate::clock::{self, Clock};
use crate::inject::{Injected, Surroundings, rest};
use crate::outage::{Tick, effect, succeeded_after, ticks};
use crate::plan::Kind;
use crate::process::{LOOK, Running};
use crate::recount::{payments, recount};
use crate::result::{Checked, FaultOutcome, Recounted, RunOutcome, Verdict};
use crate::schedule::Fault;

/// Interval of a run's time series, to which outages are exact.
pub const TICK: &str = "100ms";
/// The longest time from the start of a run to its first success.
const BEGIN: Duration = Duration::from_secs(180);
/// The longest time from the end of a run's window to the end of its checks, besides the recovery
/// limit.
const CHECKS: Duration = Duration::from_secs(300);

/// What a run needs.
pub struct Session<'a> {
    pub place: Surroundings<'a>,
    /// The program.
    pub hoap: &'a Path,
    /// URLs of the server itself and as the run opens it.
    pub direct: &'a str,
    pub through: &'a str,
    /// The folder for the runs.
    pub folder: PathBuf,
}

/// A fault that occurred, by the run's clock.
struct Occurred {
    kind: Kind,
    began: f64,
    lifted: f64,
    detail: String,
}

impl Session<'_> {
    /// `hoap` with these words of the plan, its URLs filled in.
    pub fn command(&self, words: &str, url: &str, more: &[String]) -> Command {
        let mut command = Command::new(self.hoap);
        command.args(words.split_whitespace().map(|word| word.replace("{url}", url))).args(more);
        command.envs(&self.place.shell.environment);
        command
    }

    fn log(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:04}.log"))
    }

    /// Runs a command of `hoap` to its end. Returns its exit code and its last line.
    ///
    /// # Errors
    /// Fails where it cannot be started, and with [`ErrorKind::Cancelled`] where the campaign is
    /// stopped.
    pub fn to_end(&self, command: Command, number: u64) -> Result<(i32, String)> {
        let mut running = Running::start(command, &self.log(number))?;
        match running.wait(BEGIN + CHECKS, self.place.stop) {
            Some(code) => Ok((code, running.last_line())),
            None if (self.place.stop)() => Err(interrupted()),
            None => Ok((-1, format!("no end within {}", Time(BEGIN + CHECKS)))),
        }
    }

    /// Runs the benchmark with these faults and says what came of it, and which database it was on.
    ///
    /// # Errors
    /// Returns what kept the faults from happening: commands of the plan, an interruption.
    pub fn run(&self, number: u64, faults: &[Fault]) -> Result<(RunOutcome, Option<Description>)> {
        let begun = Instant::now();
        let Surroundings { plan, shell, stop, .. } = self.place;
        let folder = self.folder.join(format!("{number:04}"));
        let killed_before = match faults.last() {
            Some(Fault { kind: Kind::KillDriver, .. }) => {
                plan.recount.as_ref().map(|r| payments(r, shell, stop))
            }
            _ => None,
        };
        let (mut driver, mut clock) = self.start(number, &folder, faults)?;
        let mut occurred = Vec::new();
        let started = self.first_success(&folder, &mut driver)?;
        if let Some((started, first)) = started {
            let end = first + plan.duration.as_secs_f64() - plan.settle.as_secs_f64();
            self.faults(
                faults,
                (&folder, started, end),
                &mut driver,
                clock.as_mut(),
                &mut occurred,
            )?;
        }
        let limit = plan.duration + plan.recovery_limit + CHECKS;
        let exit = driver.wait(limit, stop);
        if exit.is_none() && stop() {
            return Err(interrupted());
        }
        driver.kill();
        let ticks = ticks(&folder);
        let killed = occurred.last().is_some_and(|o| o.kind == Kind::KillDriver);
        let run = read_run(&folder);
        let checked = match (exit, &run) {
            (None, _) => Checked::Broken(format!("no end within {}", Time(limit))),
            _ if killed => self.verify(number)?,
            (Some(code), Ok(run)) => checked(code, run, &driver.last_line()),
            (Some(code), Err(_)) => {
                Checked::Broken(format!("exit code {code}: {}", driver.last_line()))
            }
        };
        let recounted = match (&plan.recount, killed_before) {
            (None, _) => Err("the plan has no [recount]".to_owned()),
            (Some(by), Some(before)) if killed => before
                .and_then(|before| Ok((before, payments(by, shell, stop)?)))
                .map(|(before, after)| crate::recount::grown(by, before, after, &folder))
                .map_err(|e| e.to_string()),
            (Some(by), _) => recount(by, shell, &folder, stop).map_err(|e| e.to_string()),
        };
        if stop() {
            return Err(interrupted());
        }
        let recount = recounted.map_or_else(|why| Recounted::No { why }, Recounted::Yes);
        let (benchmark, database) =
            run.map(|run| (run.benchmark, run.operational)).unwrap_or_default();
        let outcome = RunOutcome {
            number,
            folder: Some(format!("runs/{number:04}")),
            benchmark,
            seconds: millis(begun.elapsed().as_secs_f64()),
            operations: ticks.iter().map(|tick| tick.count).sum(),
            failed: ticks.iter().map(|tick| tick.failed).sum(),
            exit: exit.unwrap_or(-1),
            verdict: Verdict::of(&checked, &recount),
            checked,
            recount,
            faults: effects(&ticks, occurred),
        };
        Ok((outcome, database))
    }

    fn start(
        &self,
        number: u64,
        folder: &Path,
        faults: &[Fault],
    ) -> Result<(Running, Option<Clock>)> {
        let plan = self.place.plan;
        let more = [
            ("--duration", Time(plan.duration).to_string()),
            ("--warmup", "0s".into()),
            ("--recovery-limit", Time(plan.recovery_limit).to_string()),
            // Faults are put in so that operations fail.
            ("--max-failures", "off".into()),
            ("--tick", TICK.into()),
            ("--run-seed", number.to_string()),
            ("--out", folder.display().to_string()),
        ];
        let more: Vec<String> =
            more.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]).collect();
        let more = [&["--ledger".to_owned()], &more[..]].concat();
        let mut command = self.command(&format!("run {}", plan.run), self.through, &more);
        let steps = faults.iter().any(|fault| fault.kind == Kind::ClockStep);
        let clock = match clock::library().filter(|_| steps) {
            Some(library) => {
                let file = self.folder.join(format!("{number:04}.clock"));
                Some(Clock::give(&mut command, library, file)?)
            }
            None => None,
        };
        Ok((Running::start(command, &self.log(number))?, clock))
    }

    /// When the run started and the time from then to the begin of its first tick with a success.
    /// `None` where it ended before, or there is none within three minutes.
    fn first_success(
        &self,
        folder: &Path,
        driver: &mut Running,
    ) -> Result<Option<(SystemTime, f64)>> {
        let begun = Instant::now();
        while begun.elapsed() < BEGIN && driver.ended().is_none() {
            if (self.place.stop)() {
                return Err(interrupted());
            }
            if let Some(first) = ticks(folder).iter().find(|tick| tick.count > 0) {
                return Ok(read_run(folder)
                    .ok()
                    .and_then(|r| started(&r))
                    .map(|s| (s, first.from)));
            }
            std::thread::sleep(5 * LOOK);
        }
        Ok(None)
    }

    /// Makes the faults happen, each a quiet time after the recovery from the one before it.
    fn faults(
        &self,
        faults: &[Fault],
        (folder, started, end): (&Path, SystemTime, f64),
        driver: &mut Running,
        mut clock: Option<&mut Clock>,
        occurred: &mut Vec<Occurred>,
    ) -> Result<()> {
        let stop = self.place.stop;
        let at = |time: SystemTime| time.duration_since(started).unwrap_or_default().as_secs_f64();
        for fault in faults {
            rest(fault.quiet, stop);
            if stop() {
                return Err(interrupted());
            }
            if driver.ended().is_some() || at(SystemTime::now()) > end {
                return Ok(());
            }
            let Injected { began, lifted, detail } =
                self.place.inject(fault, driver, clock.as_deref_mut())?;
            // A session that outlived its server for a moment is no recovery.
            let ready = at(SystemTime::now());
            let (began, lifted) = (at(began), at(lifted));
            occurred.push(Occurred { kind: fault.kind, began, lifted, detail });
            while at(SystemTime::now()) < end
                && driver.ended().is_none()
                && !stop()
                && !succeeded_after(&ticks(folder), ready)
            {
                std::thread::sleep(5 * LOOK);
            }
        }
        Ok(())
    }

    /// What `hoap verify` says after the driver was killed.
    fn verify(&self, number: u64) -> Result<Checked> {
        let words = self.place.plan.verify.as_deref().unwrap_or_default();
        let command = self.command(&format!("verify {words}"), self.direct, &[]);
        let (code, last) = self.to_end(command, number)?;
        Ok(match code {
            0 => Checked::Sound,
            1 => Checked::Wrong(vec![last]),
            3 => Checked::Unknown(last),
            code => Checked::Broken(format!("hoap verify: exit code {code}: {last}")),
        })
    }
}

fn interrupted() -> Error {
    Error::new(ErrorKind::Cancelled, "torture", "interrupted; the same command continues it")
}

fn started(run: &Run) -> Option<SystemTime> {
    run.started.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}

/// What a run that ended made of its data.
fn checked(code: i32, run: &Run, last_line: &str) -> Checked {
    let failed = run.checks.iter().filter(|check| check.verdict == CheckVerdict::Fail);
    let told: BTreeMap<&str, &str> =
        failed.map(|c| (c.name.as_str(), c.detail.as_deref().unwrap_or_default())).collect();
    match (code, told.get("database reachable")) {
        (0, _) if told.is_empty() => Checked::Sound,
        (1, Some(unknown)) => Checked::Unknown((*unknown).to_owned()),
        (1, None) if !told.is_empty() => {
            Checked::Wrong(told.iter().map(|(name, detail)| format!("{name}: {detail}")).collect())
        }
        _ => Checked::Broken(format!("exit code {code}: {last_line}")),
    }
}

fn effects(ticks: &[Tick], occurred: Vec<Occurred>) -> Vec<FaultOutcome> {
    let next: Vec<f64> = occurred.iter().skip(1).map(|o| o.began).collect();
    let until = next.into_iter().chain([f64::INFINITY]);
    occurred
        .into_iter()
        .zip(until)
        .map(|(o, until)| {
            let effect = effect(ticks, (o.began, o.lifted, until));
            // The driver's own time series cannot show when the driver stood still.
            let seen = |time: Option<f64>| time.filter(|_| !o.kind.is_of_driver()).map(millis);
            FaultOutcome {
                kind: o.kind,
                at_seconds: millis(o.began),
                lasted_seconds: millis(o.lifted - o.began),
                detail: o.detail,
                outage_seconds: seen(effect.outage),
                recovery_seconds: seen(effect.recovery),
                failed: effect.failed,
            }
        })
        .collect()
}

/// Seconds to the millisecond.
fn millis(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
