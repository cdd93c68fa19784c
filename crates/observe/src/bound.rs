//! A bound that observed series are to pass.

use std::fmt;
use std::str::FromStr;

/// `SERIES>VALUE` or `SERIES<VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricBound {
    /// A series as `observed.csv` has it, or its name alone, which is that of all its series.
    pub series: String,
    /// Whether they are to be above the value.
    pub above: bool,
    /// The value.
    pub value: f64,
}

impl MetricBound {
    /// Whether it is about this series.
    pub fn names(&self, series: &str) -> bool {
        series == self.series || series.split_once('{').is_some_and(|(name, _)| name == self.series)
    }

    /// Whether this value has passed it.
    pub fn passed(&self, value: f64) -> bool {
        if self.above { value > self.value } else { value < self.value }
    }
}

impl FromStr for MetricBound {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricBound, String> {
        let wrong = || format!("{text:?} is no bound: write SERIES>NUMBER or SERIES<NUMBER");
        let at = text.rfind(['>', '<']).ok_or_else(wrong)?;
        let (series, value) = (text[..at].trim(), text[at + 1..].trim().parse::<f64>());
        let value = value.ok().filter(|value| value.is_finite()).ok_or_else(wrong)?;
        match series.is_empty() {
            true => Err(wrong()),
            false => {
                let above = text[at..].starts_with('>');
                Ok(MetricBound { series: series.to_owned(), above, value })
            }
        }
    }
}

impl fmt::Display for MetricBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MetricBound { series, above, value } = self;
        write!(f, "{series}{}{value}", if *above { '>' } else { '<' })
    }
}
