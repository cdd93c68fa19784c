//! `step-NN.hlog`: the histograms of a step.

use std::collections::BTreeMap;

use crate::histogram::Histogram;

/// The most intervals of a log.
const MOST_INTERVALS: usize = 97 * 14_400;

/// What an interval says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// Seconds from the run's start.
    pub start: f64,
    /// Its length, seconds.
    pub seconds: f64,
    /// Operations.
    pub total: u64,
    /// Their median, microseconds.
    pub p50: u64,
    /// Their 99th percentile.
    pub p99: u64,
    /// The bounds between which the longest is.
    pub top: (u64, u64),
    /// The bounds between which the mean is.
    pub mean: (f64, f64),
}

/// All intervals of a tag, and what they are together.
#[derive(Clone, Debug, Default)]
pub struct Tagged {
    /// In the order of the log.
    pub intervals: Vec<Interval>,
    /// All of them.
    pub whole: Histogram,
}

/// A log, by tag.
pub type Log = BTreeMap<String, Tagged>;

/// Reads a log.
///
/// # Errors
/// Says which line is wrong and how.
pub fn read(text: &str) -> Result<Log, String> {
    let (mut log, mut intervals) = (Log::new(), 0);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with(['#', '"']) || line.is_empty() {
            continue;
        }
        intervals += 1;
        if intervals > MOST_INTERVALS {
            return Err(format!("it has more than {MOST_INTERVALS} intervals"));
        }
        one(line, &mut log).map_err(|what| format!("line {}: {what}", number + 1))?;
    }
    Ok(log)
}

fn one(line: &str, log: &mut Log) -> Result<(), String> {
    let fields: Vec<&str> = line.split(',').collect();
    let [tag, start, seconds, longest, histogram] = fields[..] else {
        return Err(format!("{} fields in place of 5", fields.len()));
    };
    let tag = tag.strip_prefix("Tag=").ok_or("it has no tag")?;
    let number = |text: &str| match text.parse::<f64>() {
        Ok(number) if (0.0..=1e10).contains(&number) => Ok(number),
        _ => Err(format!("{text:?} is no number of seconds")),
    };
    let decoded = Histogram::decode(histogram)?;
    let interval = Interval {
        start: number(start)?,
        seconds: number(seconds)?,
        total: decoded.total,
        p50: decoded.quantile(0.5),
        p99: decoded.quantile(0.99),
        top: decoded.top(),
        mean: decoded.mean(),
    };
    let (lowest, highest) = (interval.top.0 as f64, interval.top.1 as f64);
    let longest = number(longest)?;
    if !(lowest..=highest + 1.0).contains(&longest) {
        return Err(format!("the longest is {longest}, of the histogram it is {highest}"));
    }
    if log.len() > 97 {
        return Err("it has more than 97 tags".into());
    }
    let of = log.entry(tag.to_owned()).or_default();
    of.whole.join(&decoded);
    of.intervals.push(interval);
    Ok(())
}
