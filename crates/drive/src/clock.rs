//! The clock of the clients.

use std::time::Instant;

/// A monotonic clock that costs about a third of [`Instant::now`] where the processor's time stamp
/// counter runs at a constant rate: it is read and multiplied with a factor measured once against the
/// system's clock. Elsewhere it is the system's clock.
///
/// The factor is off by a few millionths at most, which no percentile shows; a schedule drifts from the
/// wall by as little.
#[derive(Clone)]
pub(crate) struct Clock(Source);

#[derive(Clone)]
enum Source {
    Counter { clock: quanta::Clock, origin: u64 },
    System(Instant),
}

impl Clock {
    /// Starts at 0. The first one of a process measures the counter, which takes about a millisecond.
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

/// Linux watches the counter and names a slow clock in its place when it finds it unfit.
fn counter_is_trusted() -> bool {
    let current = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let name = std::fs::read_to_string(current).unwrap_or_default();
    !matches!(name.trim(), "hpet" | "acpi_pm" | "jiffies" | "pit" | "refined-jiffies")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Both sources agree with the system's clock, read around them, to a thousandth.
    #[test]
    fn a_second_lasts_a_second() {
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
    fn it_never_goes_back_between_threads() {
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
