//! What several drivers measured in one step, added up while their run goes on: a search for the
//! highest rate decides by it. The rules are those of merging their folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operations::{self, Part};
use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::histogram::histogram;
use crate::hlog;
use crate::limits::{self, MOST_COUNT, MOST_KINDS};
use crate::step::{Operation, Query, Step};

/// The most letters of a reason.
const LONGEST: usize = 500;

/// What one driver measured in a step, without what decides nothing: the parts of response times,
/// messages, freshness and counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Its record.
    pub step: Step,
    /// The response times of each kind of operation: a histogram as in an interval log (V2,
    /// Base64).
    pub times: BTreeMap<String, String>,
}

impl Measured {
    /// Of a step that has ended, and whose log is in `folder`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where the log cannot be read.
    pub fn of(step: &Step, folder: &Path) -> Result<Measured> {
        let operation = |o: &Operation| Operation {
            first_errors: BTreeMap::new(),
            service: None,
            wait: None,
            ..o.clone()
        };
        let query = |q: &Query| Query { error: None, ..q.clone() };
        let own = Step {
            transactions: step.transactions.iter().map(operation).collect(),
            queries: step.queries.iter().map(query).collect(),
            incomplete: short(&step.incomplete),
            rate_shortfall: short(&step.rate_shortfall),
            partial: short(&step.partial),
            start: None,
            longest_gap: None,
            standstills: Vec::new(),
            freshness: None,
            usage: BTreeMap::new(),
            ..step.clone()
        };
        let mut encoder = V2DeflateSerializer::new();
        let encode =
            |(tag, times): (String, Histogram<u64>)| Ok((tag, hlog::text(&mut encoder, &times)?));
        let kinds: BTreeSet<&str> = step.transactions.iter().map(|o| o.kind.as_str()).collect();
        let times = match kinds.is_empty() {
            true => BTreeMap::new(),
            false => hlog::read(folder, step.number)?,
        };
        let times = times.into_iter().filter(|(tag, _)| kinds.contains(tag.as_str()));
        let times = times.map(encode).collect::<std::result::Result<_, String>>().map_err(|e| {
            Error::new(ErrorKind::Broken, format!("add up step {}", step.number), e)
        })?;
        Ok(Measured { step: own, times })
    }
}

/// The sum of what drivers measured in a step.
#[derive(Debug, Default)]
pub struct Joint {
    /// By part, so that sums do not depend on who came first.
    steps: BTreeMap<u64, (String, Step)>,
    times: BTreeMap<String, Histogram<u64>>,
}

impl Joint {
    /// Adds what the driver of this part measured, once.
    ///
    /// # Errors
    /// Says in one line why it is no measurement, or not of the step of the others.
    pub fn add(&mut self, part: u64, measured: Measured) -> std::result::Result<(), String> {
        let Measured { step, times } = measured;
        if self.steps.contains_key(&part) {
            return Ok(());
        }
        check(&step)?;
        if let Some((_, (_, other))) = self.steps.first_key_value()
            && other.number != step.number
        {
            return Err(format!("it is step {}, not {}", step.number, other.number));
        }
        let mut decoder = Decoder::default();
        let mut decoded = BTreeMap::new();
        for Operation { kind, timed, .. } in &step.transactions {
            let mut sum = histogram();
            for (time, count) in times.get(kind).map_or(Ok(&[][..]), |text| decoder.decode(text))? {
                sum.record_n(*time, *count).map_err(|e| e.to_string())?;
            }
            if sum.len() != *timed {
                return Err(format!("it has {} of {timed} times of {kind}", sum.len()));
            }
            decoded.insert(kind.clone(), sum);
        }
        let more = decoded.keys().filter(|kind| !self.times.contains_key(*kind)).count();
        if self.times.len() + more > MOST_KINDS {
            return Err(format!("with it there are more than {MOST_KINDS} kinds"));
        }
        for (kind, times) in decoded {
            let sum = self.times.entry(kind).or_insert_with(histogram);
            sum.add(&times).map_err(|e| e.to_string())?;
        }
        self.steps.insert(part, (format!("part {part}"), step));
        Ok(())
    }

    /// How many drivers it is of.
    pub fn drivers(&self) -> u64 {
        self.steps.len() as u64
    }

    /// The step of all of them together; `None` of nobody. Their windows are taken to begin at one
    /// time.
    pub fn step(&self) -> Option<Step> {
        let steps = self.steps.values();
        let parts: Vec<Part<'_>> =
            steps.map(|(name, step)| Part { name, offset: -step.start_seconds, step }).collect();
        let times = |tag: &str| self.times.get(tag).cloned().unwrap_or_else(histogram);
        let step = (!parts.is_empty()).then(|| operations::step(&parts, &times))?;
        let (incomplete, rate_shortfall) = (short(&step.incomplete), short(&step.rate_shortfall));
        Some(Step { incomplete, rate_shortfall, start_skew_seconds: None, ..step })
    }
}

/// The beginning of a reason.
fn short(text: &Option<String>) -> Option<String> {
    let text = text.as_ref()?;
    Some(text.chars().filter(|c| !c.is_control()).take(LONGEST).collect())
}

/// Refuses a step that no run has: with too much of anything, a number beyond every count, or a
/// text that is long or moves the cursor.
///
/// # Errors
/// Says in one line what that is.
pub fn check(step: &Step) -> std::result::Result<(), String> {
    limits::step(step)?;
    bounded(&serde_json::to_value(step).map_err(|e| e.to_string())?)
}

fn bounded(value: &Value) -> std::result::Result<(), String> {
    let text = |text: &str| match text.len() > 4 * LONGEST || text.contains(char::is_control) {
        true => Err(format!("a text of {} bytes that no run has", text.len())),
        false => Ok(()),
    };
    match value {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::Number(number) => match number.as_f64() {
            Some(n) if (0.0..=MOST_COUNT as f64).contains(&n) => Ok(()),
            _ => Err(format!("the number {number}, which no run has")),
        },
        Value::String(of) => text(of),
        Value::Array(all) => all.iter().try_for_each(bounded),
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            text(name)?;
            bounded(value)
        }),
    }
}

#[cfg(test)]
mod tests {
    use hoap_data::random::Stream;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::hlog::Hlog;
    use crate::percentile::Latency;

    /// A driver's step with these response times, and its log in a folder.
    fn driver(number: usize, all: &[u64]) -> (tempfile::TempDir, Step) {
        let folder = tempfile::tempdir().unwrap();
        let mut hlog = Hlog::create(folder.path(), number, SystemTime::now()).unwrap();
        for (second, some) in (0..).zip(all.chunks(100)) {
            let mut times = histogram();
            some.iter().for_each(|us| times.record(*us).unwrap());
            let (start, length) = (Duration::from_secs(second), Duration::from_secs(1));
            hlog.add("READ", &times, start, length).unwrap();
            hlog.add("READ:wait", &times, start, length).unwrap();
        }
        hlog.flush().unwrap();
        let timed = all.len() as u64;
        let mut sorted = all.to_vec();
        sorted.sort_unstable();
        let p99_us = sorted[(all.len() * 99).div_ceil(100) - 1];
        let latency = Latency { p99_us, max_us: sorted[all.len() - 1], ..Latency::default() };
        let failures = BTreeMap::from([("timeout".to_owned(), 2)]);
        let words = BTreeMap::from([("timeout".to_owned(), "no\nanswer".to_owned())]);
        let read = Operation {
            kind: "READ".into(),
            count: timed,
            timed,
            per_second: 50.0,
            latency,
            failures,
            first_errors: words,
            ..Operation::default()
        };
        let shortfall = Some("90 of 100\nbegan".to_owned());
        let step = Step {
            number,
            tx_clients: 2,
            start_seconds: number as f64,
            seconds: 4.0,
            rate_achieved: Some(90.0),
            rate_shortfall: shortfall,
            transactions: vec![read],
            ..Step::default()
        };
        (folder, step)
    }

    #[test]
    fn percentiles_of_the_sum_are_those_of_all_times_whoever_comes_first() {
        let mut stream = Stream::new(3, &[]);
        let mut draw =
            |slow: u64| (0..500).map(|_| slow * stream.uniform(1..=900) as u64).collect();
        let [one, two]: [Vec<u64>; 2] = [draw(1), draw(40)];
        let told = [&one, &two].map(|all| {
            let (folder, step) = driver(7, all);
            Measured::of(&step, folder.path()).unwrap()
        });
        let mut sums = Vec::new();
        for order in [[0, 1], [1, 0]] {
            let mut joint = Joint::default();
            // The slow one says it again, as the answer was lost.
            for at in [order[0], order[1], 1] {
                joint.add(at as u64 + 1, told[at].clone()).unwrap();
            }
            assert_eq!(joint.drivers(), 2);
            sums.push(joint.step().unwrap());
        }
        assert_eq!(sums[0], sums[1]);
        let (sum, mut all) = (&sums[0], [one, two].concat());
        all.sort_unstable();
        let read = &sum.transactions[0];
        assert_eq!((read.count, read.timed, read.failures["timeout"]), (1000, 1000, 4));
        assert_eq!((sum.rate_achieved, sum.tx_clients, sum.seconds), (Some(180.0), 4, 4.0));
        for (found, rank) in [(read.latency.p50_us, 500), (read.latency.p99_us, 990)] {
            let exact = all[rank - 1] as f64;
            assert!((found as f64 / exact - 1.0).abs() < 0.002, "{found} of {exact}");
        }
        assert_eq!(read.latency.max_us, *all.last().unwrap());
        let why = sum.rate_shortfall.as_deref().unwrap();
        assert_eq!(why, "part 1: 90 of 100began; part 2: 90 of 100began");
        assert!(read.first_errors.is_empty() && read.wait.is_none());
        check(sum).unwrap();
    }

    #[test]
    fn what_is_no_measurement_is_refused_and_adds_nothing() {
        let (folder, step) = driver(1, &[5, 6, 7]);
        let whole = Measured::of(&step, folder.path()).unwrap();
        let mut joint = Joint::default();
        joint.add(1, whole.clone()).unwrap();
        let before = joint.step();
        let wrong = |change: fn(&mut Measured)| {
            let mut measured = whole.clone();
            change(&mut measured);
            measured
        };
        for (measured, says) in [
            (wrong(|m| m.step.number = 2), "step 2, not 1"),
            (wrong(|m| m.times.clear()), "0 of 3 times of READ"),
            (wrong(|m| m.step.transactions[0].timed = 4), "3 of 4 times of READ"),
            (wrong(|m| m.step.transactions[0].retries = u64::MAX), "which no run has"),
            (wrong(|m| m.step.rate_achieved = Some(-1.0)), "-1.0"),
            (wrong(|m| m.step.name = "a\nb".into()), "a text of 3 bytes"),
            (wrong(|m| drop(m.times.insert("READ".into(), "AAAA".into()))), "too short"),
            (wrong(|m| m.step.transactions = vec![Operation::default(); 33]), "more than 32"),
        ] {
            let told = joint.add(2, measured).unwrap_err();
            assert!(told.contains(says) && told.lines().count() == 1, "{says}: {told}");
        }
        assert_eq!((joint.drivers(), joint.step()), (1, before));
    }
}
