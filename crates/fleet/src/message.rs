//! What a driver says to `gather` and hears from it.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hoap_drive::{Pace, StepPlan};
use hoap_record::merge::joint::{self, Measured};
use hoap_record::{Step, names};
use serde::{Deserialize, Serialize};

/// The path of what a driver says ([`Here`]). Its first part is the version of the messages.
pub const HERE: &str = "/2/here";
/// The path of a file's piece, which `PART/NAME` follows.
pub const FILE: &str = "/2/file/";
/// The header with the driver's [`Here::id`] beside a file's piece.
pub const ID: &str = "x-hoap-id";
/// The header with the place of a piece in its file, bytes.
pub const AT: &str = "x-hoap-at";
/// The most bytes of a message. The response times of a kind of operation take some 10 kB, those of
/// a step at the very most some hundred.
pub const MOST: usize = 1 << 20;
/// The most bytes of a file's piece.
pub const PIECE: usize = 1 << 20;
/// The most bytes of a file.
pub const LARGEST: u64 = 16 << 30;
/// The most drivers.
pub const DRIVERS: u64 = 1000;

/// A driver's clock held against that of `gather`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Nanoseconds that the driver's clock is ahead; below 0 it is behind.
    pub ahead_ns: i64,
    /// The most by which that may be wrong: half of the round trip.
    pub error_ns: u64,
}

/// How far a driver is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It opens its databases or checks the data.
    #[default]
    Preparing,
    /// The clients of this step are connected, which [does this](does); the steps before it have
    /// ended.
    Ready(usize, String),
    /// It has [said](Here::measured) what it measured in this step, and waits for the sum of all.
    Measured(usize),
    /// It ended without a whole run, for this reason.
    Failed(String),
    /// Somebody ended it, who may have ended others: for this reason.
    Interrupted(String),
    /// Its run is whole, and it has sent these files of its folder with these lengths.
    Ended(Vec<(String, u64)>),
}

/// What a driver says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Here {
    /// Of this process: another one that claims its part is a second driver, or a restarted one.
    pub id: String,
    /// `--part`.
    pub part: u64,
    /// `--part`.
    pub of: u64,
    /// Its version.
    pub hoap: String,
    /// Its command line, without secrets and without what drivers may differ in.
    pub command: Vec<String>,
    /// Which run of an experiment it is; empty of any other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Its clock, once it is known.
    pub clock: Option<Clock>,
    /// How far it is.
    pub state: State,
    /// What it measured in the step of [`State::Measured`], until that was heard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Box<Measured>>,
}

/// What it hears.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// The time at `gather`, nanoseconds since 1970.
    pub now_ns: i64,
    /// The number of the step that all were ready for last, and its start by the driver's own
    /// clock.
    pub start: Option<(usize, i64)>,
    /// What all measured in the step of its [`State::Measured`], once all have said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<Box<Step>>,
    /// Why the run is over, if it is.
    pub over: Option<String>,
    /// Whether all drivers have ended well.
    pub done: bool,
}

impl Here {
    /// Reads a message, of which nothing is trusted.
    ///
    /// # Errors
    /// Says in one line what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Here, String> {
        if bytes.len() > MOST {
            return Err(format!("a message of {} bytes, at most {MOST} are read", bytes.len()));
        }
        let mut here: Here = serde_json::from_slice(bytes).map_err(|e| one_line(&e.to_string()))?;
        if let State::Failed(why) | State::Interrupted(why) | State::Ready(_, why) = &mut here.state
        {
            *why = one_line(why);
        }
        let Here { id, part, of, hoap, command: _, run: _, clock: _, state, measured } = &here;
        let word = |text: &str| {
            (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
        };
        if !word(id) || !word(hoap) {
            return Err("its id and its version are 1 to 64 letters".into());
        }
        if *of > DRIVERS || !(1..=*of).contains(part) {
            return Err(format!("part {part}/{of} is none of at most {DRIVERS}"));
        }
        if let State::Ended(files) = state
            && let Some((name, _)) = files.iter().find(|(name, _)| !is_file(name))
        {
            return Err(format!("{name:?} is no file of a run folder"));
        }
        if let Some(measured) = measured
            && *state != State::Measured(measured.step.number)
        {
            return Err("what it measured is not of the step that it names".into());
        }
        Ok(here)
    }
}

impl Word {
    /// Reads an answer, of which nothing is trusted.
    ///
    /// # Errors
    /// Says in one line what is wrong.
    pub fn read(bytes: &[u8]) -> Result<Word, String> {
        if bytes.len() > MOST {
            return Err(format!("an answer of {} bytes, at most {MOST} are read", bytes.len()));
        }
        let mut word: Word = serde_json::from_slice(bytes).map_err(|e| one_line(&e.to_string()))?;
        word.over = word.over.map(|why| one_line(&why));
        if let Some(step) = &word.joint {
            joint::check(step)?;
        }
        Ok(word)
    }
}

/// What somebody else wrote, as one line that moves no cursor.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, "\u{fffd}")
}

/// Whether a driver may send a file of this name: one of a run folder, and thus a path into no
/// other place.
pub fn is_file(name: &str) -> bool {
    names::is_file(name) && name != names::OBSERVED
}

/// What a step does, as it must be alike for all drivers: its clients and its exact rate. How long
/// it lasts may differ where loops of queries decide that.
pub fn does(step: &StepPlan) -> String {
    match step.pace {
        Pace::Closed => step.name(),
        Pace::Open { rate, .. } => format!("{} ({rate}/s)", step.name()),
    }
}

/// Nanoseconds since 1970.
pub fn unix_nanos() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i64
}

/// The time as it goes on from one look at the clock: a clock that is set meanwhile changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Steady {
    wall: i64,
    since: Instant,
}

impl Steady {
    /// From now on.
    pub fn begin() -> Steady {
        Steady { wall: unix_nanos(), since: Instant::now() }
    }

    /// Nanoseconds since 1970.
    pub fn now(&self) -> i64 {
        let since = i64::try_from(self.since.elapsed().as_nanos()).unwrap_or(i64::MAX);
        self.wall.saturating_add(since)
    }
}

/// What drivers may differ in: where they write, which part they are, and who watches them.
const OWN: [&str; 9] = [
    "--out",
    "--part",
    "--meet",
    "--config",
    "--metrics",
    "--open",
    "--otlp",
    "--tls-ca",
    "--json",
];

/// The words of a command line that drivers share.
pub fn shared(command: &[String]) -> Vec<String> {
    let mut words = command.iter().skip(1);
    let mut shared = Vec::new();
    while let Some(word) = words.next() {
        match OWN.iter().find(|own| word == *own) {
            Some(&("--json" | "--open")) => {}
            Some(_) => drop(words.next()),
            None if OWN.iter().any(|own| word.starts_with(&format!("{own}="))) => {}
            None => shared.push(word.clone()),
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn here() -> Here {
        Here {
            id: "a1".into(),
            part: 1,
            of: 2,
            hoap: "0.1.0".into(),
            command: vec!["run".into(), "ycsb-a".into()],
            run: String::new(),
            clock: Some(Clock { ahead_ns: -5, error_ns: 3 }),
            state: State::Ready(2, "4 clients".into()),
            measured: None,
        }
    }

    #[test]
    fn a_message_comes_back_and_what_is_none_is_refused_in_one_line() {
        let ended = State::Ended(vec![("run.json".into(), 9), ("step-01.hlog".into(), 0)]);
        let interrupted = State::Interrupted("x".into());
        let waits = State::Measured(1);
        for state in [State::Preparing, State::Failed("x".into()), interrupted, waits, ended] {
            let here = Here { state, ..here() };
            assert_eq!(Here::read(&serde_json::to_vec(&here).unwrap()).unwrap(), here);
        }
        let step = Step { number: 3, ..Step::default() };
        let measured = Some(Box::new(Measured { step: step.clone(), times: BTreeMap::new() }));
        let whole = Here { state: State::Measured(3), measured: measured.clone(), ..here() };
        assert_eq!(Here::read(&serde_json::to_vec(&whole).unwrap()).unwrap(), whole);
        let word = Word { joint: Some(Box::new(step)), ..Word::default() };
        assert_eq!(Word::read(&serde_json::to_vec(&word).unwrap()).unwrap(), word);
        let wrong = [
            Here { part: 3, ..here() },
            Here { part: 0, ..here() },
            Here { of: DRIVERS + 1, ..here() },
            Here { id: String::new(), ..here() },
            Here { id: "a\nb".into(), ..here() },
            Here { hoap: "x".repeat(65), ..here() },
            Here { state: State::Ended(vec![("../x".into(), 1)]), ..here() },
            Here { state: State::Measured(2), measured: measured.clone(), ..here() },
            Here { measured, ..here() },
        ];
        for here in wrong {
            let e = Here::read(&serde_json::to_vec(&here).unwrap()).unwrap_err();
            assert_eq!(e.lines().count(), 1, "{e}");
        }
        assert!(Here::read(&vec![b' '; MOST + 1]).unwrap_err().contains("at most"));
        assert!(Word::read(&vec![b' '; MOST + 1]).unwrap_err().contains("at most"));
        assert!(Word::read(b"{}").is_err());
    }

    #[test]
    fn only_files_of_a_run_folder_are_taken() {
        for name in ["run.json", "ledger.json", "step-01.hlog", "step-123.hlog"] {
            assert!(is_file(name), "{name}");
        }
        for name in ["", "..", "/run.json", "a/run.json", "step-.hlog", "step-../x.hlog", "step-1"]
        {
            assert!(!is_file(name), "{name}");
        }
    }

    #[test]
    fn drivers_share_all_of_the_command_but_what_is_their_own() {
        let command = |line: &str| shared(&line.split(' ').map(String::from).collect::<Vec<_>>());
        let one = command("hoap run ycsb-a --out a --part 1/2 --clients 4 --meet h:1 --metrics=x");
        assert_eq!(one, ["run", "ycsb-a", "--clients", "4"]);
        let two = command("/bin/hoap --json run ycsb-a --open --part=2/2 --clients 4 --meet=h:1");
        assert_eq!(one, two);
        assert_ne!(one, command("hoap run ycsb-a --clients 5"));
    }
}
