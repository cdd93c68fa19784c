//! What the kernel says of this process and its machine at one moment.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::host::held_back;

/// The threads of more are not read one by one: of an embedded database with a thread for each of
/// many clients, that would cost more than a thousandth of a core.
const MOST_THREADS: usize = 64;

/// The time of a core in ticks of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Core {
    pub busy: u64,
    pub steal: u64,
    pub all: u64,
}

/// What has run and waited for a core, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Thread {
    pub ran: u64,
    pub waited: u64,
}

/// Bytes of the network interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Network {
    pub received: u64,
    pub sent: u64,
    pub loopback: u64,
}

/// All of it, counted since the machine or the process started.
pub(crate) struct Reading {
    pub at: Instant,
    pub user: Duration,
    pub system: Duration,
    /// Context switches, voluntary and involuntary.
    pub switches: (u64, u64),
    /// By the number of the core.
    pub cores: Vec<Core>,
    /// By their ids. `None` where the kernel does not tell, or there are more than
    /// [`MOST_THREADS`].
    pub threads: Option<HashMap<u64, Thread>>,
    /// Time in which some task waited for CPU, memory or disks, microseconds.
    pub pressure: [Option<u64>; 3],
    pub network: Network,
    /// Bytes.
    pub resident: u64,
    pub held_back: Option<Duration>,
}

impl Reading {
    /// Reads. `None` where there is no `/proc`.
    pub fn take() -> Option<Reading> {
        let at = Instant::now();
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let cores = cores(&fs::read_to_string("/proc/stat").ok()?);
        let count = |switches: i64| u64::try_from(switches).unwrap_or(0);
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        Some(Reading {
            at,
            user: time(usage.user_time()),
            system: time(usage.system_time()),
            switches: (
                count(usage.voluntary_context_switches()),
                count(usage.involuntary_context_switches()),
            ),
            cores,
            threads: threads(),
            pressure: ["cpu", "memory", "io"]
                .map(|of| pressure(&read(&format!("/proc/pressure/{of}")))),
            network: network(&read("/proc/self/net/dev")),
            resident: resident(&read("/proc/self/status")),
            held_back: held_back(),
        })
    }
}

/// The numbers of the cores that this process may use; none where the kernel does not tell.
pub(crate) fn usable() -> Vec<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.map(ranges).unwrap_or_default()
}

fn time(of: TimeVal) -> Duration {
    let micros = i128::from(of.tv_sec()) * 1_000_000 + i128::from(of.tv_usec());
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// "0-3,8" as numbers.
fn ranges(text: &str) -> Vec<usize> {
    let part = |part: &str| -> Option<std::ops::RangeInclusive<usize>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    text.split(',').filter_map(part).flatten().collect()
}

/// The lines "cpuN user nice system idle iowait irq softirq steal guest guest_nice" of
/// `/proc/stat`. The time of guests is part of user and nice.
fn cores(stat: &str) -> Vec<Core> {
    let mut cores = Vec::new();
    for line in stat.lines() {
        let mut words = line.split_ascii_whitespace();
        let number = words.next().and_then(|name| name.strip_prefix("cpu")?.parse::<usize>().ok());
        // A machine that takes a core away keeps the numbers of the others.
        let Some(number) = number.filter(|number| *number < 1 << 16) else { continue };
        let times: Vec<u64> = words.take(8).map(|word| word.parse().unwrap_or(0)).collect();
        let at = |n: usize| times.get(n).copied().unwrap_or(0);
        let (idle, steal) = (at(3) + at(4), at(7));
        let all: u64 = times.iter().sum();
        cores.resize(cores.len().max(number + 1), Core::default());
        cores[number] = Core { busy: all - idle - steal, steal, all };
    }
    cores
}

/// `schedstat` of each thread: nanoseconds that it ran, nanoseconds that it waited for a core, …
fn threads() -> Option<HashMap<u64, Thread>> {
    let ids = fs::read_dir("/proc/self/task").ok()?;
    let ids = ids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u64>().ok());
    let ids: Vec<u64> = ids.take(MOST_THREADS + 1).collect();
    if ids.len() > MOST_THREADS {
        return None;
    }
    // A thread may end between the two.
    let read = |id: &u64| fs::read_to_string(format!("/proc/self/task/{id}/schedstat")).ok();
    let all: HashMap<u64, Thread> =
        ids.iter().filter_map(|id| Some((*id, thread(&read(id)?)?))).collect();
    (!all.is_empty()).then_some(all)
}

fn thread(schedstat: &str) -> Option<Thread> {
    let mut words = schedstat.split_ascii_whitespace().map(|word| word.parse().ok());
    Some(Thread { ran: words.next()??, waited: words.next()?? })
}

/// The total of "some avg10=0.00 avg60=0.00 avg300=0.00 total=0".
fn pressure(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// The lines "eth0: bytes packets errs drop fifo frame compressed multicast bytes …".
fn network(dev: &str) -> Network {
    let mut sum = Network::default();
    for (name, counts) in dev.lines().filter_map(|line| line.split_once(':')) {
        let counts: Vec<u64> =
            counts.split_ascii_whitespace().map(|word| word.parse().unwrap_or(0)).collect();
        let at = |n: usize| counts.get(n).copied().unwrap_or(0);
        match name.trim() {
            // What goes out there comes in there.
            "lo" => sum.loopback += at(0),
            _ => {
                sum.received += at(0);
                sum.sent += at(8);
            }
        }
    }
    sum
}

fn resident(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_is_read() {
        let stat = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 1 20 60 5 1 2 1 4 0\ncpu2 1 0 0 9\nintr 5\n";
        let core = |busy, steal, all| Core { busy, steal, all };
        assert_eq!(cores(stat), [core(34, 1, 100), Core::default(), core(1, 0, 10)]);
        assert_eq!(thread("120 7 3\n"), Some(Thread { ran: 120, waited: 7 }));
        let psi = "some avg10=2.04 avg60=1.71 avg300=1.53 total=519\nfull avg10=0.00 total=3\n";
        assert_eq!(pressure(psi), Some(519));
        let dev = "Inter-| Receive\n face |bytes packets\n    lo: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n \
                   eth0:10 2 0 0 0 0 0 0 20 3 0\neth1: 1 0 0 0 0 0 0 0 2 0\n";
        assert_eq!(network(dev), Network { received: 11, sent: 22, loopback: 7 });
        assert_eq!(resident("Name:\thoap\nVmRSS:\t    2028 kB\n"), 2028 * 1024);
        assert_eq!(ranges("\t0-2,8\n"), [0, 1, 2, 8]);
    }

    #[test]
    fn what_the_kernel_does_not_write_is_absent() {
        assert_eq!(cores("cpu 1 2\ncpux 1\ncpu99999999 1 1\n\n"), []);
        for none in ["", "1", "a b"] {
            assert_eq!((thread(none), pressure(none)), (None, None), "{none:?}");
        }
        assert_eq!((network("lo"), resident("VmRSS: x kB")), (Network::default(), 0));
        assert_eq!(ranges("x,-,3-1"), [0; 0]);
    }

    /// A reading a second costs less than a thousandth of a core.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_reading_takes_less_than_a_millisecond_of_cpu() {
        let own = || {
            let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
            thread(&text).map_or(0, |thread| thread.ran)
        };
        let (before, readings) = (own(), 100);
        for _ in 0..readings {
            let reading = Reading::take().unwrap();
            assert!(reading.resident > 0 && !reading.cores.is_empty());
        }
        let each = Duration::from_nanos((own() - before) / readings);
        println!("a reading takes {each:?}");
        assert!(each < Duration::from_millis(1), "{each:?}");
    }
}
