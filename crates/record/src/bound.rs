//! Bounds on response times, such as `p99=10ms`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::percentile::{Latency, Percentile};
use crate::time::Time;

/// The longest limit, microseconds: a JSON number that every reader reads exactly.
const MOST_US: u64 = 9_000_000_000_000_000;

/// A bound: a percentile of the response times of every kind of operation has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sla {
    /// The percentile.
    pub percentile: Percentile,
    /// Microseconds.
    pub limit_us: u64,
}

/// The bounds that a rate must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Bounds on response times, all of which must hold. If there is none, the rate need only be
    /// reached.
    pub slas: Vec<Sla>,
    /// The largest share of the operations that may fail.
    pub failures: f64,
}

impl Sla {
    /// Whether the bound holds.
    pub fn holds(&self, latency: &Latency) -> bool {
        self.percentile.of(latency) <= self.limit_us
    }

    /// How the response times of this kind of operation break it, if they do.
    pub fn broken(&self, kind: &str, latency: &Latency) -> Option<String> {
        (!self.holds(latency)).then(|| {
            let (name, us) = (self.percentile.name(), self.percentile.of(latency));
            format!("{kind}: {name} is {us} µs, the bound {} µs", self.limit_us)
        })
    }
}

impl fmt::Display for Sla {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:?}", self.percentile.name(), Duration::from_micros(self.limit_us))
    }
}

impl FromStr for Sla {
    type Err = Error;

    /// Reads `PERCENTILE=TIME`: the percentile is p50, p90, p95, p99, p99.9 or max, the time a
    /// [`Time`] from a microsecond on.
    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = |answer: String| {
            Error::new(ErrorKind::Invalid, format!("read the bound {text:?}"), answer)
                .advise("write it as p99=10ms")
        };
        let (name, time) = text
            .split_once('=')
            .ok_or_else(|| refuse("it has no = between percentile and time".into()))?;
        let percentile = Percentile::ALL.into_iter().find(|p| p.name() == name.trim());
        let percentile = percentile.ok_or_else(|| {
            let names = Percentile::ALL.map(Percentile::name).join(", ");
            refuse(format!("{:?} is none of {names}", name.trim()))
        })?;
        let limit_us = micros(time.trim()).ok_or_else(|| {
            refuse(format!("{:?} is not a time with a unit, from 1us on", time.trim()))
        })?;
        Ok(Sla { percentile, limit_us })
    }
}

/// Whole microseconds, at least one.
fn micros(text: &str) -> Option<u64> {
    let Time(time) = text.parse().ok()?;
    let micros = u64::try_from((time.as_nanos() + 500) / 1000).ok()?;
    (1..=MOST_US).contains(&micros).then_some(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_parsed_and_displayed_in_the_same_form() {
        for (text, percentile, limit_us) in [
            ("p99=10ms", Percentile::P99, 10_000),
            ("p99.9=1.5s", Percentile::P999, 1_500_000),
            ("p50=250us", Percentile::P50, 250),
            ("p95=250µs", Percentile::P95, 250),
            (" p90 = 2 ms ", Percentile::P90, 2_000),
            ("max=3s", Percentile::Max, 3_000_000),
            ("max=1m30s", Percentile::Max, 90_000_000),
            ("p50=0.6us", Percentile::P50, 1),
        ] {
            let sla: Sla = text.parse().unwrap();
            assert_eq!(sla, Sla { percentile, limit_us }, "{text}");
            assert_eq!(sla.to_string().parse::<Sla>().unwrap(), sla, "{sla}");
        }
    }

    #[test]
    fn an_invalid_bound_is_refused_in_one_line() {
        for text in [
            "",
            "=",
            "p99",
            "p99=",
            "p99=10",
            "p99=ms",
            "p98=10ms",
            "p99=-1ms",
            "p99=0ms",
            "p99=0.0001ms",
            "p99=infs",
            "p99=nans",
            "p99=1e3ms",
            "p99=1.2.3ms",
            "P99=1m",
            "p99=99999999999999999999s",
            "p99=9000000001s",
            "p99=10ms,p50=1ms",
            "p99=.s",
        ] {
            let error = text.parse::<Sla>().unwrap_err();
            assert_eq!(error.kind, ErrorKind::Invalid, "{text}");
            assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn a_bound_holds_up_to_its_limit() {
        let latency = Latency {
            p50_us: 1,
            p90_us: 2,
            p95_us: 3,
            p99_us: 4,
            p999_us: 5,
            max_us: 6,
            mean_us: 1.5,
        };
        for (percentile, value) in Percentile::ALL.into_iter().zip(1..) {
            assert!(Sla { percentile, limit_us: value }.holds(&latency));
            assert!(!Sla { percentile, limit_us: value - 1 }.holds(&latency));
        }
    }
}
