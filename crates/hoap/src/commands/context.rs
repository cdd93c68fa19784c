//! What every command gets.

use std::sync::OnceLock;

use hoap_fleet::driver::Meeting;
use serde::Serialize;

use super::turns::Turns;
use crate::console::{Console, escaped, visible};
use crate::failure::Failure;
use crate::live::Live;
use crate::streams;

/// What every command gets.
pub struct Context {
    /// Where it tells what goes on.
    pub console: Console,
    /// Whether the result is printed as JSON.
    pub json: bool,
    /// Whether results are those of a stage whose experiment's result is JSON: they are told on
    /// standard error then.
    pub stage: bool,
    /// Set by Ctrl-C.
    pub stop: hoap_drive::Stop,
    /// Who watches a run from outside the terminal.
    pub live: Live,
    /// The other drivers of the run, where there are any.
    pub meeting: OnceLock<Meeting>,
    /// What is left of several runs.
    pub turns: Turns,
    /// Which run of an experiment goes on; empty of any other.
    pub run: String,
}

impl Context {
    /// That of a command which has not begun.
    pub fn new(quiet: bool, json: bool) -> Context {
        Context {
            console: Console::new(quiet),
            json,
            stage: false,
            stop: hoap_drive::Stop::new(),
            live: Live::default(),
            meeting: OnceLock::new(),
            turns: Turns::default(),
            run: String::new(),
        }
    }

    /// Prints the result: as JSON where that was asked for, else as `text` makes it.
    pub fn result(&self, value: &impl Serialize, text: impl FnOnce() -> String) {
        let text = match self.json {
            true => {
                let json = serde_json::to_string(value).expect("results have only string keys");
                escaped(&json)
            }
            false => visible(text().trim_end(), self.console.style().colour),
        };
        self.print(&text);
    }

    /// Prints a result as it is.
    pub fn print(&self, text: &str) {
        if self.stage { self.console.say(text) } else { streams::print(text) }
    }

    /// Fails where a result could not be printed.
    pub fn end(self) -> Result<(), Failure> {
        streams::finish().map_err(|e| Failure::unprinted(&e))
    }
}
