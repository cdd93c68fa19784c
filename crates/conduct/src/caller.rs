//! What a run tells whoever started it, and what it asks.

use std::borrow::Cow;
use std::path::Path;

use hoap_drive::{Observer, Stop};
use hoap_record::search::Search;
use hoap_record::{Repetition, Run, Step};

use crate::flags::Common;
use crate::plan::Plan;
use crate::schedule::StepPosition;
use crate::size::Size;
use crate::start::Start;

/// Whoever started a run: the command line, or a test. By default it ignores what it is told.
pub trait Caller: Sync {
    /// A line of what goes on.
    fn say(&self, _line: &str) {}

    /// Set when somebody asks for the end.
    fn stop(&self) -> &Stop;

    /// Who names the times at which steps begin, in the place of `--start-at`.
    fn start(&self) -> Option<&dyn Start> {
        None
    }

    /// The steps that will run, so many times over. No client has connected yet.
    fn planned(&self, _plan: &Plan, _times: usize) {}

    /// The next of several runs begins, named in words; so many have ended.
    fn turn(&self, words: &str, _ended: usize) {
        self.say(words);
    }

    /// Documents of this size will be loaded.
    fn loads(&self, _size: &Size) {}

    /// Watches the step that begins at this position of the run.
    fn observer(&self, _position: StepPosition) -> Box<dyn Observer + '_> {
        Box::new(())
    }

    /// A step has ended.
    fn measured(&self, _step: &Step) {}

    /// This is known of the run in this folder: at its beginning, after checks, steps, and at its end.
    fn recorded(&self, _folder: &Path, _run: &Run) {}

    /// The search for the highest rate has ended.
    fn searched(&self, _search: &Search) {}

    /// Work of this length begins: what is returned is told how much of it is done and what comes
    /// next, and is dropped at the end.
    fn progress(&self, _what: &str, _length: u64) -> Progress<'_> {
        Box::new(|_, _| {})
    }
}

/// Is told how much of the work is done, and what comes next.
pub type Progress<'a> = Box<dyn FnMut(u64, Cow<'static, str>) + Send + 'a>;

/// What every run has, whatever the benchmark.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// Who started it.
    pub caller: &'a dyn Caller,
    /// The flags that every benchmark has.
    pub common: &'a Common,
    /// Which of several repetitions it is.
    pub repetition: Option<Repetition>,
}

impl Setting<'_> {
    /// Tells a line of what goes on.
    pub fn say(&self, line: impl AsRef<str>) {
        self.caller.say(line.as_ref());
    }

    /// Whether this driver checks the data before the run: it is alone, or the first of several.
    pub fn checks_before(&self) -> bool {
        self.common.conduct.part.is_none_or(|part| part.part.part == 1)
    }

    /// Number of drivers that share the run.
    pub fn drivers(&self) -> u64 {
        self.common.conduct.part.map_or(1, |part| part.part.of)
    }

    /// Whether somebody asked for the end.
    pub fn is_stopped(&self) -> bool {
        self.caller.stop().is_set()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A caller to whom nothing matters.
    #[derive(Default)]
    pub struct Nobody(Stop);

    impl Caller for Nobody {
        fn stop(&self) -> &Stop {
            &self.0
        }
    }
}
