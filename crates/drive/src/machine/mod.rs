//! Records what the driver's machine does beside the load: `machine.csv`, and the sums of a step.

mod reading;
mod standstill;

use std::time::{Duration, Instant};

use hoap_record::Result;
use hoap_record::{DriverUse, Gap, MachineRow, RunFolder};
use reading::{Core, Reading, Thread, usable};
use standstill::Timer;

use crate::plan::Phase;

/// A span is this long at least, but for the last one of a phase. Ticks of a second come early at
/// times. Spans within a cell of the time series are a row together.
const SPAN: Duration = Duration::from_millis(900);

/// Watches the machine during a step.
pub(crate) struct Watch {
    step: usize,
    phase: Phase,
    /// The numbers of the cores that this process may use.
    usable: Vec<usize>,
    /// Where the span began. `None` where the system does not tell.
    last: Option<Reading>,
    /// The spans of the cell that goes on.
    open: Option<MachineRow>,
    /// The span that the last tick ended, if it ended one.
    ended: Option<MachineRow>,
    window: DriverUse,
    /// Held back by a limit of the control group, before the window.
    held_back: Option<Duration>,
    timer: Timer,
}

impl Watch {
    /// Of a step whose clients connect.
    pub fn new(step: usize) -> Watch {
        let window = DriverUse::default();
        let (phase, usable) = (Phase::Connecting, usable());
        let timer = Timer::start();
        let (last, open, ended, held_back) = (None, None, None, None);
        Watch { step, phase, usable, last, open, ended, window, held_back, timer }
    }

    /// A phase begins; the span of the one before ends.
    ///
    /// # Errors
    /// Fails where the folder cannot be written.
    pub fn enter(&mut self, phase: Phase, folder: &mut RunFolder) -> Result<()> {
        let now = Reading::take();
        let held_back = now.as_ref().and_then(|now| now.held_back);
        match (self.phase, phase) {
            (_, Phase::Measured) => self.held_back = held_back,
            (Phase::Measured, _) => {
                let held_back = held_back.zip(self.held_back);
                self.window.held_back_seconds =
                    held_back.map(|(end, begin)| end.saturating_sub(begin).as_secs_f64());
            }
            _ => {}
        }
        self.span(now, folder);
        self.phase = phase;
        self.open.take().map_or(Ok(()), |row| folder.add_machine(&row))
    }

    /// A tick ended, and with it a cell of the time series or not.
    ///
    /// # Errors
    /// Fails where the folder cannot be written.
    pub fn tick(&mut self, folder: &mut RunFolder, ends_cell: bool) -> Result<()> {
        let due = |last: &Reading| self.phase != Phase::Ended && last.at.elapsed() >= SPAN;
        self.ended = None;
        if self.last.as_ref().is_some_and(due) {
            self.span(Reading::take(), folder);
        }
        match self.open.take_if(|_| ends_cell) {
            Some(row) => folder.add_machine(&row),
            None => Ok(()),
        }
    }

    /// The span that the last tick ended, if it ended one.
    pub fn ended(&self) -> Option<&MachineRow> {
        self.ended.as_ref()
    }

    /// The sums over the measured window. `None` where the system does not tell, and of a window
    /// shorter than half a second.
    pub fn window(&self) -> Option<DriverUse> {
        (self.window.seconds > 0.0).then(|| self.window.clone())
    }

    /// When the process did not run in a window.
    pub fn standstills(&self, start: Instant, length: Duration, folder: &RunFolder) -> Vec<Gap> {
        self.timer.within(start, length, folder)
    }

    /// Ends a span and begins the next one.
    fn span(&mut self, now: Option<Reading>, folder: &RunFolder) {
        let before = std::mem::replace(&mut self.last, now);
        let (Some(before), Some(now)) = (before, &self.last) else { return };
        if self.phase == Phase::Connecting {
            return;
        }
        let row = MachineRow {
            step: self.step,
            phase: self.phase.name().into(),
            at_seconds: folder.seconds_at(now.at),
            ..row(&before, now, &self.usable)
        };
        if self.phase == Phase::Measured {
            let cores = row.cores.split(' ').count();
            self.window.add(&row, cores);
        }
        self.ended = Some(row.clone());
        match &mut self.open {
            Some(open) => open.join(row),
            none => *none = Some(row),
        }
    }
}

/// What happened between two readings on these cores, or on all where there are none.
fn row(before: &Reading, now: &Reading, usable: &[usize]) -> MachineRow {
    let seconds = now.at.saturating_duration_since(before.at).as_secs_f64().max(1e-6);
    let cores = now.cores.iter().enumerate().filter(|(n, core)| match usable {
        [] => core.all > 0,
        usable => usable.contains(n),
    });
    let cores: Vec<Core> = cores
        .map(|(n, now)| {
            let before = before.cores.get(n).copied().unwrap_or_default();
            let since = |of: fn(&Core) -> u64| of(now).saturating_sub(of(&before));
            Core { busy: since(|c| c.busy), steal: since(|c| c.steal), all: since(|c| c.all) }
        })
        .collect();
    let share = |part: u64, core: &Core| (part as f64 / core.all.max(1) as f64).min(1.0);
    let busy = |core: &Core| share(core.busy + core.steal, core);
    let threads = now.threads.as_ref().zip(before.threads.as_ref()).map(|(now, before)| {
        let since = |(id, now): (&u64, &Thread)| {
            let before = before.get(id).copied().unwrap_or_default();
            Thread {
                ran: now.ran.saturating_sub(before.ran),
                waited: now.waited.saturating_sub(before.waited),
            }
        };
        let each: Vec<Thread> = now.iter().map(since).collect();
        let busiest = each.iter().map(|thread| thread.ran).max().unwrap_or(0);
        (busiest, each.iter().map(|thread| thread.waited).sum::<u64>())
    });
    let per_second = |amount: f64| digits(amount / seconds);
    let cpu =
        |now: Duration, before: Duration| per_second(now.saturating_sub(before).as_secs_f64());
    let pressure = |n: usize| -> Option<f64> {
        let since = now.pressure[n]?.saturating_sub(before.pressure[n]?);
        Some(per_second(since as f64 / 1e6))
    };
    let since = |of: fn(&Reading) -> u64| of(now).saturating_sub(of(before));
    MachineRow {
        seconds: hoap_record::folder::micros(seconds),
        user: cpu(now.user, before.user),
        system: cpu(now.system, before.system),
        busiest_thread: threads.map(|(ran, _)| per_second(ran as f64 / 1e9)),
        waited: threads.map(|(_, waited)| per_second(waited as f64 / 1e9)),
        machine: digits(cores.iter().map(|core| share(core.busy, core)).sum()),
        steal: digits(cores.iter().map(|core| share(core.steal, core)).sum()),
        busiest_core: digits(cores.iter().map(busy).fold(0.0, f64::max)),
        cores: cores
            .iter()
            .map(|core| format!("{:.0}", 100.0 * busy(core)))
            .collect::<Vec<_>>()
            .join(" "),
        cpu_pressure: pressure(0),
        memory_pressure: pressure(1),
        io_pressure: pressure(2),
        voluntary_switches: since(|r| r.switches.0),
        involuntary_switches: since(|r| r.switches.1),
        received_bytes: since(|r| r.network.received),
        sent_bytes: since(|r| r.network.sent),
        loopback_bytes: since(|r| r.network.loopback),
        resident_bytes: now.resident,
        ..MachineRow::default()
    }
}

/// Four digits behind the point: the kernel counts in hundredths of a second.
fn digits(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn reading(at: Instant, n: u64) -> Reading {
        let core = |busy, steal, all| Core { busy: n * busy, steal: n * steal, all: n * all };
        let thread = |ran, waited| Thread { ran: n * ran, waited: n * waited };
        Reading {
            at,
            user: Duration::from_millis(800 * n),
            system: Duration::from_millis(200 * n),
            switches: (n * 30, n * 4),
            cores: vec![core(50, 10, 200), core(180, 10, 200), core(200, 0, 200)],
            threads: Some(HashMap::from([
                (7, thread(1_900_000_000, 1_000_000)),
                (8, thread(9, 1_000_000_000)),
            ])),
            pressure: [Some(n * 500_000), None, Some(0)],
            network: reading::Network { received: n * 5, sent: n * 6, loopback: n * 7 },
            resident: 4096,
            held_back: None,
        }
    }

    /// Two seconds, of which the machine's counters saw two hundred ticks a core.
    #[test]
    fn a_row_is_what_happened_between_two_readings_on_the_cores_that_may_be_used() {
        let start = Instant::now();
        let (before, now) = (reading(start, 1), reading(start + Duration::from_secs(2), 2));
        let row = row(&before, &now, &[0, 1]);
        assert_eq!((row.user, row.system, row.seconds), (0.4, 0.1, 2.0));
        assert_eq!((row.busiest_thread, row.waited), (Some(0.95), Some(0.5005)));
        assert_eq!((row.machine, row.steal, row.busiest_core), (1.15, 0.1, 0.95));
        assert_eq!(row.cores, "30 95");
        assert_eq!((row.cpu_pressure, row.memory_pressure), (Some(0.25), None));
        assert_eq!((row.voluntary_switches, row.involuntary_switches), (30, 4));
        assert_eq!((row.received_bytes, row.sent_bytes, row.loopback_bytes), (5, 6, 7));
        assert_eq!(super::row(&before, &now, &[]).cores, "30 95 100");
        let mut sum = DriverUse::default();
        sum.add(&row, 2);
        sum.add(&MachineRow { seconds: 0.4, ..row }, 2);
        assert_eq!((sum.seconds, sum.cpu_seconds, sum.busy_core_seconds), (2.0, 1.0, 2.0));
        assert_eq!((sum.busy_thread_seconds, sum.waited_seconds), (Some(2.0), Some(1.001)));
    }
}
