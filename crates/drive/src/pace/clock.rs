//! The clients' clock.

use std::time::Instant;

/// A monotonic clock that costs about a third of [`Instant::now`] on processors whose time stamp
/// counter runs at a constant rate: it reads the counter and multiplies it by a factor that was
/// measured once against the system's clock. On other machines it is the system's clock.
///
/// The factor is off by some hundred-thousandths (30 millionths were seen). No percentile shows
/// that, and a schedule drifts from wall time by no more. But two moments of different clocks have
/// no order: 200 ms by this clock can end 6 µs later than by the system's.
#[derive(Clone)]
pub(crate) struct Clock(Source);

#[derive(Clone)]
enum Source {
    Counter { clock: quanta::Clock, origin: u64 },
    System(Instant),
}

impl Clock {
    /// A clock that starts at 0. The first one of a process calibrates the counter, which takes
    /// about a millisecond.
    pub fn new() -> Self {
        if !counter_is_trusted() {
            return Clock(Source::System(Instant::now()));
        }
        let clock = quanta::Clock::new();
        let origin = clock.raw();
        Clock(Source::Counter { clock, origin })
    }

    /// Nanoseconds since the clock was made. Threads may share a clock or have clones of it.
    #[inline]
    pub fn now(&self) -> u64 {
        match &self.0 {
            Source::Counter { clock, origin } => clock.delta_as_nanos(*origin, clock.raw()),
            Source::System(origin) => {
                u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
            }
        }
    }
}

/// Whether Linux trusts the counter. If it does not, it selects one of the slow clocks below.
fn counter_is_trusted() -> bool {
    let current = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let name = std::fs::read_to_string(current).unwrap_or_default();
    !matches!(name.trim(), "hpet" | "acpi_pm" | "jiffies" | "pit" | "refined-jiffies")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Both sources agree to a thousandth with the system's clock, which is read around them.
    #[test]
    fn both_sources_measure_the_same_time_as_the_system_clock() {
        for clock in [Clock::new(), Clock(Source::System(Instant::now()))] {
            let outer = Instant::now();
            let start = clock.now();
            let inner = Instant::now();
            std::thread::sleep(Duration::from_millis(300));
            let shortest = inner.elapsed();
            let took = Duration::from_nanos(clock.now() - start);
            let longest = outer.elapsed();
            assert!(took >= shortest.mul_f64(0.999), "{took:?} of {shortest:?}");
            assert!(took <= longest.mul_f64(1.001), "{took:?} of {longest:?}");
        }
    }

    #[test]
    fn the_clock_never_goes_back_between_threads() {
        let clock = Clock::new();
        let mut last = clock.now();
        for _ in 0..1_000 {
            let other = clock.clone();
            let now = std::thread::scope(|s| s.spawn(move || other.now()).join().unwrap());
            assert!(now >= last);
            last = clock.now();
            assert!(last >= now);
        }
    }
}
