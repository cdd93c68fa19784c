//! Which failures end a run.

use std::fmt;
use std::str::FromStr;

use hoap_record::ErrorKind;

/// The kinds of errors that an operation can fail with. [`ErrorKind::Cancelled`] is not among them:
/// the end of the step cancels an operation.
fn kinds() -> impl Iterator<Item = ErrorKind> {
    ErrorKind::ALL.into_iter().filter(|kind| *kind != ErrorKind::Cancelled)
}

/// The kinds of errors that end a run. The default is none: failures are counted and the run goes
/// on.
///
/// The text form is a list of rules, of which the last one that applies wins: `continue`, `stop`,
/// `broken=stop`, `stop,unavailable=continue`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnError {
    /// By the number of the kind.
    stops: [bool; ErrorKind::ALL.len()],
}

impl OnError {
    /// Whether a failure of this kind ends the run.
    pub fn stops(&self, kind: ErrorKind) -> bool {
        self.stops[kind as usize]
    }
}

impl FromStr for OnError {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let mut rules = OnError::default();
        for rule in s.split(',') {
            let (kind, word) = rule.split_once('=').map_or((None, rule), |(k, w)| (Some(k), w));
            let stops = match word {
                "stop" => true,
                "continue" => false,
                _ => return Err(format!("`{rule}` does not say continue or stop")),
            };
            match kind {
                None => kinds().for_each(|kind| rules.stops[kind as usize] = stops),
                Some(name) => {
                    let kind = name.parse::<ErrorKind>().ok();
                    let kind =
                        kind.filter(|kind| *kind != ErrorKind::Cancelled).ok_or_else(|| {
                            let names: Vec<&str> = kinds().map(ErrorKind::name).collect();
                            let names = names.join(", ");
                            format!("`{name}` is no kind of error; the kinds are {names}")
                        })?;
                    rules.stops[kind as usize] = stops;
                }
            }
        }
        Ok(rules)
    }
}

impl fmt::Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stops: Vec<ErrorKind> = kinds().filter(|kind| self.stops(*kind)).collect();
        if stops.is_empty() {
            return f.write_str("continue");
        }
        if stops.len() == kinds().count() {
            return f.write_str("stop");
        }
        let rules: Vec<String> = stops.iter().map(|kind| format!("{}=stop", kind.name())).collect();
        f.write_str(&rules.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_applies_wins() {
        let rules = |text: &str| text.parse::<OnError>().unwrap();
        assert_eq!(rules("continue"), OnError::default());
        assert!(rules("stop").stops(ErrorKind::Broken) && rules("stop").stops(ErrorKind::Conflict));
        assert!(!rules("stop").stops(ErrorKind::Cancelled), "the end of a step is not a failure");
        let some = rules("unavailable=continue,broken=stop");
        assert!(some.stops(ErrorKind::Broken) && !some.stops(ErrorKind::Unavailable));
        let most = rules("stop,unavailable=continue");
        assert!(most.stops(ErrorKind::Broken) && !most.stops(ErrorKind::Unavailable));
        assert!(!rules("broken=stop,continue").stops(ErrorKind::Broken), "the later rule wins");
        for text in ["continue", "stop", "broken=stop", "timeout=stop,invalid=stop"] {
            assert_eq!(rules(text).to_string(), text);
        }
    }

    #[test]
    fn an_invalid_rule_is_refused_with_the_valid_kinds() {
        for wrong in
            ["", "halt", "broken", "broken=", "=stop", "stop,", "brocken=stop", "cancelled=stop"]
        {
            let why = wrong.parse::<OnError>().unwrap_err();
            assert!(why.contains("continue or stop") || why.contains("unavailable"), "{why}");
        }
    }
}
