//! What a run tells the terminal and whoever watches from outside.

use std::path::Path;

use hoap_conduct::Caller;
use hoap_conduct::caller::Progress;
use hoap_conduct::plan::Plan;
use hoap_conduct::schedule::StepPosition;
use hoap_conduct::size::Size;
use hoap_conduct::start::Start;
use hoap_drive::{Observer, Stop};
use hoap_record::search::Search;
use hoap_record::{Run, Step};
use serde_json::json;

use super::context::Context;
use super::watch::Watch;
use super::{load, planned};
use crate::live::Together;

impl Caller for Context {
    fn say(&self, line: &str) {
        self.console.say(line);
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn start(&self) -> Option<&dyn Start> {
        self.meeting.get().map(|meeting| meeting as &dyn Start)
    }

    fn planned(&self, plan: &Plan, times: usize) {
        self.turns.planned(plan, times);
        self.console.say(planned::words(plan, times));
        self.live.set("plan", || planned::steps(plan, times), true);
    }

    fn turn(&self, words: &str, ended: usize) {
        let begun = self.turns.next(ended).as_secs_f64();
        self.console.say(words);
        self.live.set("turn", || json!({ "words": words, "begun": begun }), true);
    }

    fn loads(&self, size: &Size) {
        self.console.say(load::in_words(size));
    }

    fn observer(&self, position: StepPosition) -> Box<dyn Observer + '_> {
        let rest = position.rest + self.turns.left();
        let position = StepPosition { rest, ..position };
        let first = Watch::new(self.console, position, self.live.clone());
        Box::new(Together { first, live: &self.live })
    }

    fn measured(&self, step: &Step) {
        self.console.tell("  ", &hoap_report::step_line(step));
    }

    fn recorded(&self, folder: &Path, run: &Run) {
        self.live.recorded(folder, run);
    }

    fn searched(&self, search: &Search) {
        self.console.tell("", &hoap_report::search_line(search));
    }

    fn progress(&self, what: &str, length: u64) -> Progress<'_> {
        let mut bar = self.console.bar(what, length);
        let work = self.live.work(what);
        Box::new(move |done, next| {
            work.set(done, length);
            bar.set(done, next);
        })
    }
}
