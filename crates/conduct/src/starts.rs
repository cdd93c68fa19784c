//! How the steps of a run began beside the times that were named for them ([`crate::start`]).

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use hoap_drive::{Gate, StepPlan};
use hoap_record::check::START;
use hoap_record::{Check, RunFolder, Step, Verdict};
use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use jiff::Timestamp;

use crate::caller::Setting;
use crate::start::{Named, Start};

/// The most by which a step may begin later than the start that was named for it. Beyond it the run
/// is void: the drivers beside it did not measure the load that all were to make together.
pub const BOUND: Duration = Duration::from_millis(250);

/// The starts of a run's steps, as they were named and as they came.
pub struct Starts<'a> {
    setting: &'a Setting<'a>,
    start: &'a dyn Start,
    /// What was named for the step that begins, and when that is.
    named: Cell<Option<(Timestamp, Instant)>>,
    /// Steps that began in time.
    kept: u64,
    /// Why the run is void.
    late: RefCell<Option<String>>,
}

impl<'a> Starts<'a> {
    /// Of a run whose steps begin as `start` says.
    pub fn new(setting: &'a Setting<'a>, start: &'a dyn Start) -> Self {
        let (named, late) = (Cell::new(None), RefCell::new(None));
        Starts { setting, start, named, kept: 0, late }
    }

    /// Notes in `step`, which has run, how it began.
    pub fn note(&mut self, step: &mut Step, folder: &RunFolder) {
        let named = self.named.take().filter(|_| step.partial.is_none());
        let Some((named, instant)) = named else { return };
        let begun = step.start_seconds - step.warmup_seconds;
        let late = Duration::try_from_secs_f64(begun - folder.seconds_at(instant));
        let late = late.unwrap_or_default();
        step.start = Some(hoap_record::Start {
            at: named.to_string(),
            late_seconds: hoap_record::folder::seconds(late),
        });
        match late > BOUND {
            true => *self.late.get_mut() = Some(self.why(step.number, late, "its clients began")),
            false => self.kept += 1,
        }
    }

    /// What all drivers together measured in the step. `None` where somebody asked for the end.
    ///
    /// # Errors
    /// Ends the run with the error.
    pub fn joint(&self, step: &Step, folder: &RunFolder) -> Result<Option<Step>> {
        self.start.joint(step, folder.path())
    }

    /// Whether a step began late, after which none should follow.
    pub fn is_late(&self) -> bool {
        self.late.borrow().is_some()
    }

    /// Whether the steps began when they were to begin. `None` where no start was named.
    pub fn check(&self) -> Option<Check> {
        let late = self.late.borrow().clone();
        (late.is_some() || self.kept > 0).then(|| Check {
            when: "during the run".into(),
            name: START.into(),
            compares: format!(
                "when steps began with the starts named for them, within {} ms",
                BOUND.as_millis()
            ),
            verdict: if late.is_some() { Verdict::Fail } else { Verdict::Pass },
            checked: self.kept + u64::from(late.is_some()),
            detail: late,
        })
    }

    fn why(&self, step: usize, late: Duration, what: &str) -> String {
        let seconds = late.as_secs_f64();
        format!("{what} {seconds:.2} s after the start of step {step}, by this machine's clock")
    }
}

impl Gate for Starts<'_> {
    fn opens(&self, step: &StepPlan) -> Result<Option<Instant>> {
        let at = match self.start.named(step)? {
            Named::AtOnce => return Ok(Some(Instant::now())),
            Named::NotYet => return Ok(None),
            Named::At(at) => at,
        };
        // By the clock that no one sets, from when the start was named on: who sleeps through it is late.
        if let Some((named, begins)) = self.named.get()
            && named == at
        {
            return Ok(Some(begins));
        }
        let (now, instant) = (self.start.now(), Instant::now());
        let left = Duration::try_from(at.duration_since(now)).unwrap_or_default();
        let late = Duration::try_from(now.duration_since(at)).unwrap_or_default();
        let begins = instant.checked_sub(late).unwrap_or(instant) + left;
        self.named.set(Some((at, begins)));
        if late > BOUND {
            let clients = counted(step.tx_clients + step.query_clients, "client", "clients");
            let why = self.why(step.number, late, &format!("its {clients} were connected"));
            *self.late.borrow_mut() = Some(why.clone());
            let tried = format!("begin step {} at {at}", step.number);
            return Err(Error::new(ErrorKind::Unavailable, tried, why).advise(
                "name a later start: the check of the data and the connecting come before it",
            ));
        }
        if left > BOUND {
            self.setting.say(format!("its clients are connected, waiting until {at}"));
        }
        Ok(Some(begins))
    }
}

#[cfg(test)]
mod tests {
    use hoap_drive::End;

    use super::*;
    use crate::caller::tests::Nobody;
    use crate::flags::Common;
    use crate::flags::tests::parse;

    const SOON: Duration = Duration::from_millis(200);

    /// Names a start by a clock that is an hour behind this machine's, as that of drivers is whose
    /// machine's clock was set after they met.
    struct Behind(Timestamp);

    impl Start for Behind {
        fn named(&self, _: &StepPlan) -> Result<Named> {
            Ok(Named::At(self.0 + SOON))
        }

        fn now(&self) -> Timestamp {
            self.0
        }
    }

    #[test]
    fn a_clock_that_was_set_after_the_drivers_met_changes_no_start() {
        let (common, caller): (Common, _) = (parse(""), Nobody::default());
        let setting = Setting { caller: &caller, common: &common, repetition: None };
        let behind = Behind(hoap_record::time::now() - Duration::from_secs(3600));
        let starts = Starts::new(&setting, &behind);
        let step = StepPlan::plain(1, 1, End::After(Duration::from_secs(1)));
        let before = Instant::now();
        let begins = starts.opens(&step).unwrap().unwrap();
        assert!(begins >= before + SOON && begins <= Instant::now() + SOON);
        // Asked again, however late, it is the same: a driver that was stopped meanwhile is late.
        assert_eq!(starts.opens(&step).unwrap(), Some(begins));
        assert!(!starts.is_late());
    }
}
