//! What `gather` decides, from what the drivers say: whether they belong together, when each step begins,
//! and when all is over. It has no clock of its own: the callers say how late it is.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use crate::message::{Clock, Here, State, Word};

/// How long after the last of them is ready a step begins: time enough for each to hear of it, who ask
/// every few milliseconds.
pub const LEAD: Duration = Duration::from_millis(500);
/// A driver of which nothing was heard for so long is gone. It speaks four times a second.
pub const GONE: Duration = Duration::from_secs(4);

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
            over: None,
        }
    }

    /// A driver speaks; `wall` is the time of `gather`, nanoseconds since 1970. What it is told.
    pub fn here(&mut self, here: Here, now: Instant, wall: i64) -> Word {
        let Here { id, part, clock, .. } = &here;
        let (id, part) = (id.clone(), *part);
        let ahead = clock.map_or(0, |clock| clock.ahead_ns);
        match self.stranger(&here) {
            Some(why) => self.end(why),
            None => {
                let Here { command, clock, state, .. } = here;
                self.seats.insert(
                    part,
                    Seat { id: id.clone(), command, clock, state, heard: now, knows: false },
                );
                self.proceed(now, wall);
            }
        }
        let done = self.is_done();
        if let Some(seat) = self.seats.get_mut(&part).filter(|seat| seat.id == id) {
            seat.knows = done || self.over.is_some();
        }
        let start = self.start.map(|(step, at)| (step, at.saturating_add(ahead)));
        Word { now_ns: wall, start, over: self.over.clone(), done }
    }

    /// Whether this process has the seat of its part and its run goes on.
    pub fn has(&self, part: u64, id: &str) -> bool {
        self.over.is_none() && self.seats.get(&part).is_some_and(|seat| seat.id == id)
    }

    /// Ends all where a driver is gone or was waited for too long.
    pub fn look(&mut self, now: Instant) {
        let gone = |seat: &Seat| {
            !matches!(seat.state, State::Ended(_))
                && now.saturating_duration_since(seat.heard) > GONE
        };
        let mut missing = None;
        for (part, seat) in self.seats.iter_mut().filter(|(_, seat)| gone(seat)) {
            // It will hear of nothing.
            seat.knows = true;
            missing = missing.or(Some(*part));
        }
        if let Some(part) = missing {
            let (of, seconds) = (self.of, GONE.as_secs());
            self.end(format!("part {part}/{of} is gone: nothing was heard of it for {seconds} s"));
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
            self.over.get_or_insert(why.into());
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
        self.seats.values().all(|seat| seat.knows)
    }

    /// Why the driver does not belong here.
    fn stranger(&self, here: &Here) -> Option<String> {
        let Here { id, part, of, hoap, command, .. } = here;
        if *of != self.of {
            return Some(format!(
                "part {part}/{of} came, and {} drivers are gathered: give every driver --part I/{}",
                self.of, self.of
            ));
        }
        let name = format!("part {part}/{of}");
        if *hoap != self.version {
            return Some(format!("{name} is hoap {hoap}, not {}", self.version));
        }
        if self.seats.get(part).is_some_and(|seat| seat.id != *id) {
            return Some(format!(
                "{name} is there twice, or was started again: what its first process wrote nobody \
                 knows; let no scheduler start it again, load the data anew and run again"
            ));
        }
        let (other, seat) = self.seats.iter().find(|(_, seat)| seat.command != *command)?;
        let pairs = command.iter().zip(&seat.command);
        let differ = pairs.clone().find(|(ours, theirs)| ours != theirs);
        let differ = match differ {
            Some((ours, theirs)) => format!("{ours:?}, not {theirs:?}"),
            None => format!("{} words, not {}", command.len(), seat.command.len()),
        };
        Some(format!("{name} has another command than part {other}/{of}: {differ}"))
    }

    /// What the last word of a driver changes for all.
    fn proceed(&mut self, now: Instant, wall: i64) {
        let of = self.of;
        for (part, seat) in &self.seats {
            if let State::Failed(why) = &seat.state {
                let why = format!("part {part}/{of} ended: {why}");
                return self.end(why);
            }
        }
        if self.is_done() {
            return self.waiting = None;
        }
        // Of some the run has ended, and others wait for a step: these have another plan.
        let ended = self.seats.iter().find(|(_, seat)| matches!(seat.state, State::Ended(_)));
        let begun = self.start.map_or(0, |(step, _)| step);
        let ready = |seat: &Seat| match seat.state {
            State::Ready(step) if step != begun => Some(step),
            _ => None,
        };
        let waits = self.seats.iter().find_map(|(part, seat)| Some((part, ready(seat)?)));
        if let (Some((part, _)), Some((other, step))) = (ended, waits) {
            let why = format!("part {part}/{of} has ended and part {other}/{of} has a step {step}");
            return self.end(why);
        }
        let steps: Vec<usize> = self.seats.values().filter_map(ready).collect();
        if let Some(other) = steps.iter().find(|step| **step != steps[0]) {
            let why = format!("drivers wait for step {} and for step {other}", steps[0]);
            return self.end(why);
        }
        let all = self.seats.len() as u64 == of;
        let clocks = self.seats.values().all(|seat| seat.clock.is_some());
        if all && !std::mem::replace(&mut self.full, true) {
            // From now on it is waited for who is not ready.
            self.waiting = None;
        }
        if all && clocks && steps.len() as u64 == of {
            self.start = Some((steps[0], wall.saturating_add(LEAD.as_nanos() as i64)));
            self.waiting = None;
        } else if all && steps.is_empty() && ended.is_none() {
            self.waiting = None;
        } else {
            self.waiting.get_or_insert(now);
        }
    }

    /// The drivers that are waited for.
    fn awaited(&self) -> String {
        let begun = self.start.map_or(0, |(step, _)| step);
        let late = |part: &u64| match self.seats.get(part).map(|seat| &seat.state) {
            Some(State::Ready(step)) => *step == begun,
            Some(State::Ended(_)) => false,
            _ => true,
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
                let ready = count(|state| matches!(state, State::Ready(_)));
                write!(f, "{there} of {of} drivers are here, {ready} ready")
            }
            (0, Some((step, _))) => write!(f, "step {step}"),
            (ended, _) => write!(f, "{ended} of {of} folders are here"),
        }
    }
}
