//! How long a step warms up.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hoap_record::Time;

/// What ends the warm-up of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// This time.
    For(Time),
    /// A level of the throughput, or this time.
    UntilLevel(Time),
}

impl Warmup {
    /// The longest warm-up of `auto`.
    const MOST: Time = Time(Duration::from_secs(300));
}

impl FromStr for Warmup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("auto") {
            Some("") => Ok(Warmup::UntilLevel(Warmup::MOST)),
            Some(most) => match most.strip_prefix(':') {
                Some(most) => Ok(Warmup::UntilLevel(most.parse()?)),
                None => Err("a warm-up is a time such as 30s, auto, or auto:10m".to_owned()),
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_is_a_time_or_until_a_level() {
        for (text, written) in
            [("30s", "30s"), ("0s", "0s"), ("auto", "auto:300s"), ("auto:10m", "auto:600s")]
        {
            let warmup: Warmup = text.parse().unwrap();
            assert_eq!(warmup.to_string(), written);
            assert_eq!(written.parse(), Ok(warmup));
        }
        for wrong in ["", "Auto", "automatic", "auto:", "auto:x", "auto=5m", "5"] {
            assert!(wrong.parse::<Warmup>().is_err(), "{wrong}");
        }
    }
}
