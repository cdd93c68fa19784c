//! What a run tells whoever started it, and what it asks.

use hoap_drive::{Observer, Stop};
use hoap_record::search::Search;
use hoap_record::{Repetition, Step};

use crate::flags::Common;

/// Whoever started a run: the command line, or a test.
pub trait Caller: Sync {
    /// A line of what goes on.
    fn say(&self, line: &str);

    /// Set when somebody asks for the end.
    fn stop(&self) -> &Stop;

    /// Watches the step that begins.
    fn observer(&self) -> Box<dyn Observer + '_>;

    /// A step has ended.
    fn measured(&self, step: &Step);

    /// The search for the highest rate has ended.
    fn searched(&self, search: &Search);

    /// What reports call the benchmark of this name.
    fn title(&self, benchmark: &str) -> String;

    /// Work of this length begins: what is returned is told how much of it is done and what comes next,
    /// and is dropped at the end.
    fn progress(&self, what: &str, length: u64) -> Box<dyn FnMut(u64, &'static str) + '_>;
}

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
        fn say(&self, _: &str) {}

        fn stop(&self) -> &Stop {
            &self.0
        }

        fn observer(&self) -> Box<dyn Observer + '_> {
            Box::new(())
        }

        fn measured(&self, _: &Step) {}

        fn searched(&self, _: &Search) {}

        fn title(&self, benchmark: &str) -> String {
            benchmark.to_owned()
        }

        fn progress(&self, _: &str, _: u64) -> Box<dyn FnMut(u64, &'static str) + '_> {
            Box::new(|_, _| {})
        }
    }
}
