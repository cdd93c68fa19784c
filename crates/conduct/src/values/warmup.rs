//! How long a step warms up.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hoap_observe::MetricBound;
use hoap_record::Time;

/// What ends the warm-up of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Warmup {
    /// This time.
    For(Time),
    /// A level of the throughput, or this time.
    UntilLevel(Time),
    /// A bound of what is observed beside the load, or this time.
    UntilMetric(MetricBound, Time),
}

impl Warmup {
    /// The longest warm-up of `auto` and `until`.
    const MOST: Time = Time(Duration::from_secs(300));
}

impl FromStr for Warmup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(until) = text.strip_prefix("until:") {
            // A series may have colons, a number has none.
            let at = until.rfind(['>', '<']).unwrap_or(0);
            let (bound, most) = match until[at..].split_once(':') {
                Some((number, most)) => (&until[..at + number.len()], most.parse()?),
                None => (until, Warmup::MOST),
            };
            return Ok(Warmup::UntilMetric(bound.parse()?, most));
        }
        match text.strip_prefix("auto") {
            Some("") => Ok(Warmup::UntilLevel(Warmup::MOST)),
            Some(most) => match most.strip_prefix(':') {
                Some(most) => Ok(Warmup::UntilLevel(most.parse()?)),
                None => Err("a warm-up is a time such as 30s, auto, auto:10m, or \
                             until:SERIES>0.6:10m"
                    .to_owned()),
            },
            None => text.parse().map(Warmup::For),
        }
    }
}

impl fmt::Display for Warmup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warmup::For(time) => time.fmt(f),
            Warmup::UntilLevel(most) => write!(f, "auto:{most}"),
            Warmup::UntilMetric(bound, most) => write!(f, "until:{bound}:{most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_is_a_time_or_until_a_level_or_a_bound() {
        for (text, written) in [
            ("30s", "30s"),
            ("0s", "0s"),
            ("auto", "auto:300s"),
            ("auto:10m", "auto:600s"),
            ("until:hits>0.6", "until:hits>0.6:300s"),
            ("until:a:b{c=\"d:e>1\"}<2:10m", "until:a:b{c=\"d:e>1\"}<2:600s"),
        ] {
            let warmup: Warmup = text.parse().unwrap();
            assert_eq!(warmup.to_string(), written);
            assert_eq!(written.parse(), Ok(warmup));
        }
        for wrong in [
            "",
            "Auto",
            "automatic",
            "auto:",
            "auto:x",
            "auto=5m",
            "5",
            "until:",
            "until:hits",
            "until:>1",
            "until:hits>",
            "until:hits>x",
            "until:hits>1:",
            "until:hits>1:x",
            "until:hits>inf",
        ] {
            assert!(wrong.parse::<Warmup>().is_err(), "{wrong}");
        }
    }
}
