//! What of a run's JSON depends on time or on the machine, field by field. What no rule names is
//! exact: names, the order of keys, nulls, configuration, seeds, checks with their texts and
//! verdicts.

use serde_json::{Map, Value};

/// What becomes of a field.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Nothing: it must be the same. Below it the rules go on.
    Exact,
    /// A number becomes "<integer>" or "<number>"; null stays null.
    Number,
    /// A number, a text or a truth value becomes a placeholder; of an array the first element
    /// stays.
    Any,
    /// Whatever is not null becomes this.
    Is(&'static str),
    /// Whatever it is, also null, becomes this.
    Either(&'static str),
    /// A text, its numbers masked.
    Words,
    /// A text, its numbers masked where it is "below …".
    Bound,
    /// A text without the program's path, times of day and seeds that are drawn after the run.
    Scrubbed,
    /// A remark that is left out where it tells of the machine's speed only.
    Quiet,
    /// An array of any length: what its elements are, each once.
    Set,
    /// A field that is there or not depending on the machine's speed.
    LeftOut,
}
use Action::*;

/// The fields of a path, and what becomes of them.
#[derive(Debug)]
pub struct Rule {
    /// Such as `steps[].transactions[].count`; `*` is any key, `**` any path.
    path: &'static str,
    /// Only in objects that have this value under this key.
    only: Option<(&'static str, &'static str)>,
    /// See [`Action`].
    pub action: Action,
}

const fn rule(path: &'static str, action: Action) -> Rule {
    Rule { path, only: None, action }
}

impl Rule {
    /// Whether it is for the field of this path, which is of this object.
    pub fn holds(&self, path: &[String], object: Option<&Map<String, Value>>) -> bool {
        let pattern = self.path.replace("[]", ".[]");
        let pattern: Vec<&str> = pattern.split('.').filter(|part| !part.is_empty()).collect();
        let here = self.only.is_none_or(|(key, value)| {
            object.is_some_and(|object| object.get(key).is_some_and(|found| found == value))
        });
        here && matches(&pattern, path)
    }
}

fn matches(pattern: &[&str], path: &[String]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) if matches(rest, path) => true,
        (Some((&"**", _)), Some((_, below))) => matches(pattern, below),
        (Some((&part, rest)), Some((key, below))) => {
            (part == key || part == "*" && key != "[]") && matches(rest, below)
        }
        _ => false,
    }
}

/// The rules of every `run.json`. The first one that holds decides.
pub const RUN: &[Rule] = &[
    rule("hoap", Is("<version>")),
    rule("command[]", Scrubbed),
    rule("drivers[].command[]", Scrubbed),
    rule("started", Is("<time>")),
    rule("ledger", Is("<digest>")),
    rule("drivers[].started", Is("<time>")),
    rule("drivers[].offset_seconds", Number),
    rule("seconds", Number),
    rule("drivers[].seconds", Number),
    rule("remarks[]", Quiet),
    rule("partial", Words),
    rule("configuration.start-at", Is("<time>")),
    rule("drivers[].configuration.start-at", Is("<time>")),
    rule("operational.version", Is("<version>")),
    rule("analytical.version", Is("<version>")),
    rule("**.host.settings", LeftOut),
    rule("host.settings", LeftOut),
    rule("**.host.*", Any),
    rule("host.*", Any),
    rule("load.seconds", Number),
    rule("load.stored.bytes", Number),
    rule("load.stored.collections[].bytes", Number),
    // Steps.
    rule("steps[].start_seconds", Number),
    rule("steps[].start_skew_seconds", Number),
    rule("steps[].warmup_seconds", Number),
    rule("steps[].seconds", Number),
    rule("steps[].partial", Words),
    rule("steps[].tpm", Number),
    rule("steps[].power_seconds", Number),
    rule("steps[].queries_per_hour", Number),
    rule("steps[].rate_achieved", Number),
    rule("steps[].intended_starts", Number),
    rule("steps[].begun", Number),
    rule("steps[].not_started", Number),
    rule("steps[].backlog", Number),
    rule("steps[].rate_shortfall", LeftOut),
    rule("steps[].longest_gap", LeftOut),
    rule("steps[].standstills", LeftOut),
    rule("steps[].start.at", Is("<time>")),
    rule("steps[].start.late_seconds", Any),
    rule("steps[].usage.*", Number),
    rule("steps[].driver", LeftOut),
    rule("steps[].late_p99_us", LeftOut),
    rule("steps[].transactions[].count", Number),
    rule("steps[].transactions[].per_second", Number),
    rule("steps[].transactions[].timed", Number),
    rule("steps[].transactions[].at_least", Number),
    rule("steps[].transactions[].unfinished", Number),
    rule("steps[].transactions[].empty", Number),
    rule("steps[].queries[].empty", Number),
    rule("steps[].transactions[].oldest_us", Number),
    rule("steps[].transactions[].longest_ended_us", Number),
    rule("steps[].transactions[].rolled_back", Number),
    rule("steps[].transactions[].retries", Number),
    rule("steps[].transactions[].failures.*", Number),
    rule("steps[].transactions[].first_errors.*", Words),
    rule("steps[].transactions[].latency.*", Number),
    rule("steps[].transactions[].service.*", Number),
    rule("steps[].transactions[].wait.*", Number),
    rule("steps[].queries[].mean_seconds", Number),
    rule("steps[].queries[].min_seconds", Number),
    rule("steps[].queries[].max_seconds", Number),
    rule("steps[].freshness.probes", Number),
    rule("steps[].freshness.all_seen", Number),
    rule("steps[].freshness.unseen.*", Number),
    rule("steps[].freshness.newest_seen.*", Number),
    rule("steps[].freshness.took.*", Number),
    // Checks and the audit. What is checked before a run is the data as it was loaded.
    Rule { path: "checks[].checked", only: Some(("when", "before the run")), action: Exact },
    rule("checks[].checked", Number),
    rule("checks_read[].when", Exact),
    rule("checks_read[].*", Number),
    Rule { path: "checks[].compares", only: Some(("name", "nothing lost: writes")), action: Words },
    rule("checks[].compares", Scrubbed),
    rule("audit[].seen", Words),
    // The bound of a test of fit, "below 59.7", depends on how much was drawn.
    rule("audit[].wanted", Bound),
    // Errors.
    rule("events", Set),
    rule("events[].from_seconds", Number),
    rule("events[].to_seconds", Number),
    rule("events[].count", Number),
    rule("events[].first", Words),
    rule("stopped_by", Words),
    rule("catch_up.*", Number),
];

/// Steps of a number of operations of one client without a warm-up: what it draws is known.
pub const OPERATIONS: &[Rule] = &[rule("steps[].transactions[].timed", Exact)];

/// A step whose rate is surely missed, with a gap that is surely longer than a tick.
pub const SHORTFALL: &[Rule] = &[rule("steps[].rate_shortfall", Words)];

/// A step in which the database stalls.
pub const STALL: &[Rule] =
    &[rule("steps[].longest_gap", Exact), rule("steps[].longest_gap.*", Number)];

/// A search for the highest rate: how many probes it has depends on what they measure. A busy
/// machine misses a rate beside its bound, which is a reason, too.
pub const SEARCH: &[Rule] = &[
    rule("steps", Set),
    rule("steps[].number", Number),
    rule("steps[].name", Words),
    rule("steps[].rate_intended", Number),
    rule("search.below", Number),
    rule("search.broken", Is("<why>")),
    rule("search.undecided", LeftOut),
    rule("search.noise", LeftOut),
    rule("search.unfinished", Words),
    rule("search.probes", Set),
    rule("search.probes[].rate", Number),
    rule("search.probes[].seconds", Number),
    rule("search.probes[].achieved", Number),
    rule("search.probes[].times[].us", Number),
    rule("search.probes[].times[].operations", Number),
    rule("search.probes[].broken", Is("<why>")),
];

/// `ledger.json`: what is in it depends on what was done. Its lists are pinned by their first
/// element.
pub const LEDGER: &[Rule] = &[
    rule("format", Exact),
    rule("writes[].field", Either("<integer or null>")),
    rule("**[]", Any),
    rule("**.*", Any),
    rule("*", Any),
];

#[test]
fn a_path_is_matched_from_end_to_end() {
    let holds = |pattern: &'static str, path: &[&str]| {
        let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        rule(pattern, Exact).holds(&path, None)
    };
    assert!(holds("seconds", &["seconds"]) && !holds("seconds", &["load", "seconds"]));
    assert!(holds("a[].b.*", &["a", "[]", "b", "c"]) && !holds("a[].*", &["a", "[]", "b", "c"]));
    assert!(holds("**.c", &["a", "[]", "c"]) && holds("**[]", &["a", "[]"]));
    assert!(!holds("a.*", &["a", "[]"]));
}
