//! What `gather` decides, from what the drivers say: whether they belong together, when each step
//! begins, and when all is over. It has no clock of its own: the callers say how late it is.

mod stranger;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use hoap_record::Step;
use hoap_record::merge::joint::{self, Joint, Measured};

use crate::message::{Clock, Here, State, Word};

/// How long after the last of them is ready a step begins: time enough for each to hear of it, who
/// ask every few milliseconds.
pub const LEAD: Duration = Duration::from_millis(500);
/// A driver of which nothing was heard for so long is gone. It speaks four times a second.
pub const GONE: Duration = Duration::from_secs(4);

/// The most letters of the reason why all is over, in which what drivers said is repeated.
const LONGEST: usize = 2000;

/// Where the drivers meet.
#[derive(Debug)]
pub struct Hall {
    of: u64,
    /// How long one driver may be waited for by the others.
    wait: Duration,
    version: String,
    seats: BTreeMap<u64, Seat>,
    /// Whether all have come.
    full: bool,
    /// When the wait for what is not there yet began: for a driver, or for one that is not ready.
    waiting: Option<Instant>,
    /// The last step that all were ready for, and its start by the clock of `gather`, nanoseconds
    /// since 1970.
    start: Option<(usize, i64)>,
    /// What drivers measured in the step whose sum is not whole yet.
    joint: Joint,
    /// The last sum.
    sum: Option<Box<Step>>,
    /// Since when a driver is known that somebody ended, and why it ended.
    interrupted: Option<(Instant, String)>,
    over: Option<String>,
}

/// A driver.
#[derive(Debug)]
struct Seat {
    id: String,
    command: Vec<String>,
    clock: Option<Clock>,
    state: State,
    heard: Instant,
    /// Whether it was told that all is over or done.
    knows: bool,
}

impl Hall {
    /// For so many drivers of this version.
    pub fn new(of: u64, wait: Duration, version: &str, now: Instant) -> Hall {
        Hall {
            of,
            wait,
            version: version.into(),
            seats: BTreeMap::new(),
            full: false,
            waiting: Some(now),
            start: None,
            joint: Joint::default(),
            sum: None,
            interrupted: None,
            over: None,
        }
    }

    /// A driver speaks; `wall` is the time of `gather`, nanoseconds since 1970. What it is told.
    pub fn here(&mut self, here: Here, now: Instant, wall: i64) -> Word {
        let Here { id, part, clock, .. } = &here;
        let (id, part) = (id.clone(), *part);
        let ahead = clock.map_or(0, |clock| clock.ahead_ns);
        let state = here.state.clone();
        match self.stranger(&here) {
            Some(why) => self.end(why),
            None => {
                let Here { command, clock, state, measured, .. } = here;
                self.seats.insert(
                    part,
                    Seat { id: id.clone(), command, clock, state, heard: now, knows: false },
                );
                if let Some(measured) = measured {
                    self.add(part, *measured);
                }
                self.proceed(now, wall);
            }
        }
        let done = self.is_done();
        if let Some(seat) = self.seats.get_mut(&part).filter(|seat| seat.id == id) {
            seat.knows = done || self.over.is_some();
        }
        let start = self.start.map(|(step, at)| (step, at.saturating_add(ahead)));
        let joint = self.sum.clone().filter(|sum| state == State::Measured(sum.number));
        Word { now_ns: wall, start, joint, over: self.over.clone(), done }
    }

    /// Adds what a driver measured in a step.
    fn add(&mut self, part: u64, measured: Measured) {
        let number = measured.step.number;
        // Said twice, as the first answer was lost.
        if self.sum.as_ref().is_some_and(|sum| sum.number == number) {
            return;
        }
        if let Err(why) = self.joint.add(part, measured) {
            let of = self.of;
            self.end(format!("part {part}/{of} sent no measurement of step {number}: {why}"));
        }
    }

    /// Whether this process has the seat of its part and its run goes on.
    pub fn has(&self, part: u64, id: &str) -> bool {
        self.over.is_none() && self.seats.get(&part).is_some_and(|seat| seat.id == id)
    }

    /// Ends all where a driver is gone, was ended, or was waited for too long.
    pub fn look(&mut self, now: Instant) {
        let since = |then: Instant| now.saturating_duration_since(then);
        let here = |seat: &Seat| !matches!(seat.state, State::Ended(_) | State::Interrupted(_));
        let mut missing = None;
        for (part, seat) in &mut self.seats {
            if here(seat) && since(seat.heard) > GONE {
                // It will hear of nothing.
                seat.knows = true;
                missing = missing.or(Some(*part));
            }
        }
        if let Some(part) = missing {
            let (of, seconds) = (self.of, GONE.as_secs());
            self.end(format!(
                "part {part}/{of} is gone: nothing was heard of it for {seconds} s; it was stopped or \
                 killed, or its machine or network is gone: load anew what runs change, and start \
                 all again"
            ));
        }
        // A scheduler that sees one driver die ends the others: who has been silent since then may
        // be the cause, and is gone soon.
        if let Some((then, why)) = self.interrupted.clone() {
            let silent = self.seats.values().any(|seat| here(seat) && seat.heard <= then);
            if !silent || since(then) > GONE {
                self.end(why);
            }
        }
        if self.waiting.is_some_and(|since| now.saturating_duration_since(since) > self.wait) {
            let seconds = self.wait.as_secs_f64();
            let late = self.awaited();
            self.end(format!("{late} did not come within {seconds} s (--wait)"));
        }
    }

    /// Ends all, for this reason. The first one stays.
    pub fn end(&mut self, why: impl Into<String>) {
        if !self.is_done() {
            self.over.get_or_insert_with(|| why.into().chars().take(LONGEST).collect());
        }
    }

    /// Why all is over before its end.
    pub fn over(&self) -> Option<&str> {
        self.over.as_deref()
    }

    /// Whether all drivers have ended well.
    pub fn is_done(&self) -> bool {
        self.over.is_none()
            && self.seats.len() as u64 == self.of
            && self.seats.values().all(|seat| matches!(seat.state, State::Ended(_)))
    }

    /// Whether each driver that is there knows that all is over or done.
    pub fn all_know(&self) -> bool {
        let left = |seat: &Seat| matches!(seat.state, State::Interrupted(_));
        self.seats.values().all(|seat| seat.knows || left(seat))
    }

    /// What the last word of a driver changes for all.
    fn proceed(&mut self, now: Instant, wall: i64) {
        let of = self.of;
        for (part, seat) in &self.seats {
            match &seat.state {
                State::Failed(why) => {
                    let why = format!("part {part}/{of} ended: {why}");
                    return self.end(why);
                }
                State::Interrupted(why) => {
                    let why = || (now, format!("part {part}/{of} ended: {why}"));
                    self.interrupted.get_or_insert_with(why);
                }
                _ => {}
            }
        }
        if self.is_done() || self.interrupted.is_some() {
            return self.waiting = None;
        }
        // Drivers that wait for different things have different plans, or decided differently.
        let waits = self.seats.iter().filter_map(|(part, seat)| Some((part, self.awaits(seat)?)));
        let waits: Vec<(&u64, String)> = waits.collect();
        let ended = self.seats.iter().find(|(_, seat)| matches!(seat.state, State::Ended(_)));
        let differ = waits.first().and_then(|(part, what)| {
            let first = || format!("part {part}/{of} waits for {what}");
            if let Some((other, _)) = ended {
                return Some(format!("part {other}/{of} has ended and {}", first()));
            }
            let (other, differs) = waits.iter().find(|(_, other)| other != what)?;
            Some(format!("{} and part {other}/{of} for {differs}", first()))
        });
        let (waiting, any) = (waits.len() as u64, ended.is_some() || !waits.is_empty());
        let state = self.seats.values().next().map(|seat| seat.state.clone());
        if let Some(why) = differ {
            return self.end(why);
        }
        let all = self.seats.len() as u64 == of;
        let clocks = self.seats.values().all(|seat| seat.clock.is_some());
        if all && !std::mem::replace(&mut self.full, true) {
            // From now on it is waited for who is not ready.
            self.waiting = None;
        }
        match state {
            Some(State::Ready(step, _)) if waiting == of && clocks => {
                self.start = Some((step, wall.saturating_add(LEAD.as_nanos() as i64)));
                self.waiting = None;
            }
            Some(State::Measured(step)) if waiting == of => {
                let joint = std::mem::take(&mut self.joint);
                let sum = joint.step().filter(|_| joint.drivers() == of);
                let sum = sum.ok_or_else(|| "some drivers sent no measurement".to_owned());
                match sum.and_then(|sum| joint::check(&sum).map(|()| sum)) {
                    Ok(sum) => self.sum = Some(Box::new(sum)),
                    Err(why) => self.end(format!("add up what all measured in step {step}: {why}")),
                }
                self.waiting = None;
            }
            _ if all && !any => self.waiting = None,
            _ => {
                self.waiting.get_or_insert(now);
            }
        }
    }

    /// What the driver waits for, if it waits for all the others.
    fn awaits(&self, seat: &Seat) -> Option<String> {
        let (begun, sum) = (self.start.map(|start| start.0), self.sum.as_ref().map(|s| s.number));
        match &seat.state {
            State::Ready(step, does) if Some(*step) != begun => {
                Some(format!("step {step} ({does})"))
            }
            State::Measured(step) if Some(*step) != sum => {
                Some(format!("what all measured in step {step}"))
            }
            _ => None,
        }
    }

    /// The drivers that are waited for.
    fn awaited(&self) -> String {
        let late = |part: &u64| match self.seats.get(part) {
            Some(seat) => !matches!(seat.state, State::Ended(_)) && self.awaits(seat).is_none(),
            None => true,
        };
        let mut late = (1..=self.of).filter(late);
        let shown: Vec<_> =
            late.by_ref().take(8).map(|part| format!("part {part}/{}", self.of)).collect();
        format!("{}{}", shown.join(", "), if late.next().is_some() { " and more" } else { "" })
    }
}

/// How far all are, in a line.
impl fmt::Display for Hall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count =
            |is: fn(&State) -> bool| self.seats.values().filter(|seat| is(&seat.state)).count();
        let (there, of) = (self.seats.len(), self.of);
        match (count(|state| matches!(state, State::Ended(_))), self.start) {
            (0, None) => {
                let ready = count(|state| matches!(state, State::Ready(..)));
                write!(f, "{there} of {of} drivers are here, {ready} ready")
            }
            (0, Some((step, _))) => write!(f, "step {step}"),
            (ended, _) => write!(f, "{ended} of {of} folders are here"),
        }
    }
}
