//! What the driver's machine did beside the load: the rows of `machine.csv` and the sums of a step.

use serde::{Deserialize, Serialize};

/// A core is busy where it was idle, or waited for a disk, for at most a tenth of the time.
pub const BUSY: f64 = 0.9;

/// A row of `machine.csv`: a span of a second or of a cell, whichever is longer, that lies in one
/// phase. CPU time is in cores: seconds of it per second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineRow {
    /// Number of the step.
    pub step: usize,
    /// "warmup" or "measured".
    pub phase: String,
    /// End of the span, seconds since the run's start.
    pub at_seconds: f64,
    /// Its length.
    pub seconds: f64,
    /// CPU time of the driver's process in user mode.
    pub user: f64,
    /// CPU time of the kernel for the driver's process.
    pub system: f64,
    /// CPU time of the busiest thread of the driver's process. Empty where the system does not
    /// tell, or the process has more than 64 threads.
    pub busiest_thread: Option<f64>,
    /// How long threads of the driver's process were ready to run and had no core, in cores. Empty
    /// like `busiest_thread`.
    pub waited: Option<f64>,
    /// CPU time of everything, the driver's process included, on the cores that the process may
    /// use, stolen time excluded.
    pub machine: f64,
    /// Time that the hypervisor gave to other guests while these cores had something to run, in
    /// cores.
    pub steal: f64,
    /// How busy the busiest of these cores was, stolen time included: 0 to 1.
    pub busiest_core: f64,
    /// How busy each of these cores was, per cent, in the order of their numbers, with spaces
    /// between.
    pub cores: String,
    /// Share of the time in which some task of the machine waited for CPU
    /// (`/proc/pressure/cpu`, "some"). Empty where the kernel does not tell.
    pub cpu_pressure: Option<f64>,
    /// The same for memory.
    pub memory_pressure: Option<f64>,
    /// The same for disks.
    pub io_pressure: Option<f64>,
    /// Context switches of the driver's threads that waited for something.
    pub voluntary_switches: u64,
    /// Context switches of the driver's threads that could have gone on.
    pub involuntary_switches: u64,
    /// Bytes that came in on all network interfaces but the loopback.
    pub received_bytes: u64,
    /// Bytes that went out on them.
    pub sent_bytes: u64,
    /// Bytes on the loopback interface, each counted once.
    pub loopback_bytes: u64,
    /// Memory of the driver's process (resident set) at the end of the span.
    pub resident_bytes: u64,
}

impl MachineRow {
    /// Adds the row after this one. CPU times are means over the time, the busiest core, the busiest
    /// thread and the memory the highest; counts are sums.
    pub fn join(&mut self, b: MachineRow) {
        let a = std::mem::take(self);
        let all = a.seconds + b.seconds;
        let mean = |x: f64, y: f64| match all > 0.0 {
            true => (x * a.seconds + y * b.seconds) / all,
            false => x,
        };
        let some = |x: Option<f64>, y: Option<f64>| Some(mean(x?, y?));
        *self = MachineRow {
            at_seconds: b.at_seconds,
            seconds: all,
            user: mean(a.user, b.user),
            system: mean(a.system, b.system),
            busiest_thread: a.busiest_thread.zip(b.busiest_thread).map(|(a, b)| a.max(b)),
            waited: some(a.waited, b.waited),
            machine: mean(a.machine, b.machine),
            steal: mean(a.steal, b.steal),
            busiest_core: a.busiest_core.max(b.busiest_core),
            cores: String::new(),
            cpu_pressure: some(a.cpu_pressure, b.cpu_pressure),
            memory_pressure: some(a.memory_pressure, b.memory_pressure),
            io_pressure: some(a.io_pressure, b.io_pressure),
            voluntary_switches: a.voluntary_switches.saturating_add(b.voluntary_switches),
            involuntary_switches: a.involuntary_switches.saturating_add(b.involuntary_switches),
            received_bytes: a.received_bytes.saturating_add(b.received_bytes),
            sent_bytes: a.sent_bytes.saturating_add(b.sent_bytes),
            loopback_bytes: a.loopback_bytes.saturating_add(b.loopback_bytes),
            resident_bytes: a.resident_bytes.max(b.resident_bytes),
            step: b.step,
            phase: b.phase,
        };
    }
}

/// The rows of a step's measured window, summed up: [`Step::driver`](crate::Step::driver).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverUse {
    /// Time that the rows cover, without those shorter than half a second, which tell nothing.
    pub seconds: f64,
    /// Cores that the driver's process may use.
    pub cores: usize,
    /// CPU time of the driver's process, seconds.
    pub cpu_seconds: f64,
    /// CPU time of everything on these cores, the driver's process included, seconds.
    pub machine_seconds: f64,
    /// Stolen time on these cores, seconds.
    pub steal_seconds: f64,
    /// Time in which one of these cores was above [`BUSY`].
    pub busy_core_seconds: f64,
    /// Time in which a thread of the driver's process took more than [`BUSY`] of a core. `None`
    /// where the system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_thread_seconds: Option<f64>,
    /// Time that threads of the driver's process were ready to run and had no core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_seconds: Option<f64>,
    /// Time that a limit of the control group held the driver's process back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back_seconds: Option<f64>,
}

impl DriverUse {
    /// Rows shorter than this have too few of the kernel's clock ticks (10 ms).
    const SHORTEST: f64 = 0.5;

    /// Adds a row.
    pub fn add(&mut self, row: &MachineRow, cores: usize) {
        if row.seconds < Self::SHORTEST {
            return;
        }
        let sum = |sum: Option<f64>, more: Option<f64>| Some(sum.unwrap_or(0.0) + more?);
        let busy = |share: f64| if share > BUSY { row.seconds } else { 0.0 };
        self.seconds += row.seconds;
        self.cores = cores;
        self.cpu_seconds += (row.user + row.system) * row.seconds;
        self.machine_seconds += row.machine * row.seconds;
        self.steal_seconds += row.steal * row.seconds;
        self.busy_core_seconds += busy(row.busiest_core);
        self.busy_thread_seconds = sum(self.busy_thread_seconds, row.busiest_thread.map(busy));
        self.waited_seconds = sum(self.waited_seconds, row.waited.map(|w| w * row.seconds));
    }
}
