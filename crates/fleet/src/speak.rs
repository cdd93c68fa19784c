//! What a driver says again and again, and what it hears.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hoap_record::merge::joint::Measured;
use hoap_record::{Error, ErrorKind, Step};
use tokio::time::timeout;

use crate::hall::GONE;
use crate::line::{Fault, Line};
use crate::message::{Clock, Here, MOST, State, Steady};

/// Round trips of which the shortest says how far the clocks are apart.
const ROUNDS: u32 = 8;
/// How often a driver speaks while nothing changes, and while it waits for a start.
const BEAT: Duration = Duration::from_millis(250);
const EAGER: Duration = Duration::from_millis(20);
/// How often it looks whether something changed.
pub const LOOK: Duration = Duration::from_millis(5);
/// How long an answer may take.
pub const ANSWER: Duration = Duration::from_secs(2);

/// What this driver has to say, and what it heard.
#[derive(Default)]
pub struct Shared {
    pub state: State,
    /// The last state that was heard at the other end.
    pub said: Option<State>,
    pub clock: Option<Clock>,
    pub start: Option<(usize, i64)>,
    /// What it measured in the step of [`State::Measured`].
    pub measured: Option<Box<Measured>>,
    /// What all measured in that step.
    pub joint: Option<Box<Step>>,
    /// Why all is over before its end.
    pub over: Option<Error>,
    pub done: bool,
}

/// Speaks until all is over or done. Returns why it is over. `steady` is this driver's clock,
/// `patience` how long it looks for a meeting point that is not there yet.
pub async fn speak(
    shared: &Mutex<Shared>,
    line: &mut Line,
    mut here: Here,
    (steady, patience): (Steady, Duration),
) -> Option<Error> {
    let tried = format!("meet the drivers at {}", line.address());
    let over = |kind, why: &dyn std::fmt::Display| Some(Error::new(kind, &*tried, why));
    let (mut heard, mut answered) = (Instant::now(), false);
    let (mut rounds, mut best) = (0, None::<Clock>);
    loop {
        {
            let shared = lock(shared);
            here.state = shared.state.clone();
            let unheard = shared.said.as_ref() != Some(&here.state);
            let wanted = unheard && matches!(here.state, State::Measured(_));
            here.measured = shared.measured.clone().filter(|_| wanted);
        }
        let body = serde_json::to_vec(&here).expect("a message has only string keys");
        if body.len() > MOST {
            let why =
                format!("what it has to say takes {} bytes, at most {MOST} are read", body.len());
            return over(ErrorKind::Broken, &why);
        }
        let (wall, sent) = (steady.now(), Instant::now());
        let why = match timeout(ANSWER, line.say(body.into())).await {
            Ok(Ok(word)) => {
                let trip = sent.elapsed().as_nanos() as i64;
                (heard, answered) = (Instant::now(), true);
                let clock = Clock {
                    ahead_ns: (wall + trip / 2).saturating_sub(word.now_ns),
                    error_ns: trip as u64 / 2,
                };
                if rounds < ROUNDS && best.is_none_or(|best| clock.error_ns < best.error_ns) {
                    best = Some(clock);
                }
                rounds += 1;
                here.clock = best.filter(|_| rounds >= ROUNDS);
                let mut shared = lock(shared);
                (shared.said, shared.clock) = (Some(here.state.clone()), here.clock);
                (shared.start, shared.done) = (word.start, word.done);
                if let State::Measured(number) = here.state {
                    shared.joint = word.joint.filter(|step| step.number == number);
                }
                match (word.over, word.done, &here.state) {
                    (Some(why), ..) => return over(ErrorKind::Broken, &why),
                    (None, true, State::Ended(_)) => return None,
                    (None, true, _) => {
                        return over(ErrorKind::Broken, &"the run has ended without this driver");
                    }
                    (None, false, _) => {}
                }
                None
            }
            Ok(Err(Fault::Last(why))) => return over(ErrorKind::Invalid, &why),
            Ok(Err(Fault::Again(why))) => Some(why),
            Err(_) => Some(format!("no answer for {} s", ANSWER.as_secs())),
        };
        if let Some(why) = why {
            line.close();
            if heard.elapsed() > if answered { GONE } else { patience } {
                let seconds = heard.elapsed().as_secs();
                let why = format!("nobody answered for {seconds} s: {why}");
                return over(ErrorKind::Unavailable, &why)
                    .map(|e| e.advise(on_silence(answered, &here.state)));
            }
        }
        if answered && rounds < ROUNDS {
            continue;
        }
        until_news(shared, &here.state, answered).await;
    }
}

/// Waits until there is something to say that was not said, or it is time to say the same again.
async fn until_news(shared: &Mutex<Shared>, said: &State, answered: bool) {
    let since = Instant::now();
    loop {
        tokio::time::sleep(LOOK).await;
        let shared = lock(shared);
        let waits = match shared.state {
            State::Ready(number, _) => shared.start.is_none_or(|start| start.0 != number),
            State::Measured(_) => shared.joint.is_none(),
            _ => false,
        };
        let beat = if waits && answered { EAGER } else { BEAT };
        if shared.state != *said || since.elapsed() >= beat {
            return;
        }
    }
}

/// What to do if nobody answers any more, or nobody ever did.
fn on_silence(answered: bool, state: &State) -> &'static str {
    match (answered, state) {
        (true, State::Ended(_)) => {
            "see how `hoap gather` ended, which has this driver's folder; if it has no run, join the \
             folders of all drivers with `hoap merge`"
        }
        (true, _) => "see how `hoap gather` ended; load anew what runs change, and start all again",
        (false, _) => "start `hoap gather`, and see that its address can be reached from here",
    }
}

/// Locks it; what a thread that panicked left is whole.
pub fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
