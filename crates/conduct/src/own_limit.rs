//! Whether the driver or its machine limited a step, so that its numbers are not the database's
//! alone.

use hoap_record::{DriverUse, Remark, RemarkId, Step};
use hoap_workload::words::counted;

/// Time of the window that the machine must have been seen for: fewer spans say little.
const SEEN: f64 = 3.0;
/// Share of the window in which a core was busy.
const BUSY: f64 = 0.25;
/// Share of the CPU of the machine that was stolen.
const STEAL: f64 = 0.05;
/// Share of the window in which a limit of the control group held the process back.
const HELD_BACK: f64 = 0.01;
/// Delay of the driver's own, 99th percentile, microseconds.
const LATE_US: u64 = 1_000;
/// Share of the time in which the driver's threads could run that they waited for a core.
const WAITED: f64 = 0.1;
/// Share of the window that they waited for one.
const WAITED_OF_WINDOW: f64 = 0.02;
/// Share of the CPU that was used which others than the driver's process took.
const OTHERS: f64 = 0.25;

/// A remark for each sign that the driver or its machine limited the step. `in_process` tells
/// whether the database's work is done by the driver's process: what the process takes is then no
/// sign.
pub fn remarks(step: &Step, in_process: bool) -> Vec<Remark> {
    let mut told = vec![stood_still(step)];
    if let Some(driver) = &step.driver {
        told.push(held_back(driver, step.seconds));
    }
    if let Some(driver) = step.driver.as_ref().filter(|driver| driver.seconds >= SEEN) {
        told.push(steal(driver));
        told.push(late(step, driver, in_process));
        told.push(match in_process || step.rate_intended.is_some() {
            // An open loop polls the clock just before an operation is due.
            true => crowded(driver),
            false => busy(driver).or_else(|| crowded(driver)),
        });
    }
    told.into_iter().flatten().map(|remark| remark.of_step(step.number)).collect()
}

fn stood_still(step: &Step) -> Option<Remark> {
    let longest = step.standstills.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let all: f64 = step.standstills.iter().map(|gap| gap.seconds).sum();
    let from = (longest.from_seconds - step.start_seconds).max(0.0);
    let text = format!(
        "this driver's process did not run for {all:.1} of {:.0} s, longest for {:.1} s from second {from:.1} \
         on; its response times and times without a success contain that",
        step.seconds, longest.seconds
    );
    let advice =
        "see what stopped it: a machine that was paused or overloaded, memory that was swapped";
    Some(Remark::new(RemarkId::StoodStill, text).advise(advice))
}

fn held_back(driver: &DriverUse, seconds: f64) -> Option<Remark> {
    let time = driver.held_back_seconds.filter(|time| *time > HELD_BACK * seconds)?;
    let text = format!(
        "a CPU limit held this driver back for {time:.1} of {seconds:.0} s; its response times are in part \
         the driver's own"
    );
    Some(Remark::new(RemarkId::HeldBack, text).advise("give it more CPU, or more drivers"))
}

fn steal(driver: &DriverUse) -> Option<Remark> {
    let share = driver.steal_seconds / (driver.seconds * driver.cores.max(1) as f64);
    (share > STEAL).then(|| {
        let text = format!(
            "of the CPU of this driver's machine {} went to other machines on its host (steal); throughput \
             and response times depend on them",
            percent(share)
        );
        Remark::new(RemarkId::CpuStolen, text).advise("use a machine whose cores are its own")
    })
}

fn late(step: &Step, driver: &DriverUse, in_process: bool) -> Option<Remark> {
    let late = step.late_p99_us.filter(|late| *late > LATE_US)?;
    // The database kept the cores busy on which it runs.
    if in_process && 2.0 * driver.cpu_seconds > driver.seconds * driver.cores as f64 {
        return None;
    }
    let text = format!(
        "this driver's machine began 1 of 100 operations at least {:.1} ms late although a client was free; \
         their response times include the delay ({})",
        late as f64 / 1e3,
        shares(driver)
    );
    let advice = "give it more CPU, or a lower rate to each of several drivers";
    Some(Remark::new(RemarkId::BegunLate, text).advise(advice))
}

/// The driver's process itself is at its limit.
fn busy(driver: &DriverUse) -> Option<Remark> {
    let share = driver.busy_thread_seconds? / driver.seconds;
    (share > BUSY).then(|| {
        let text = format!(
            "a thread of this driver's process took more than 90 % of a core for {} of the window; \
             throughput and response times are in part the driver's own ({})",
            percent(share),
            shares(driver)
        );
        let advice = "use several drivers, or fewer clients of each";
        Remark::new(RemarkId::DriverBusy, text).advise(advice)
    })
}

/// Others take the cores on which the driver runs.
fn crowded(driver: &DriverUse) -> Option<Remark> {
    let others = driver.machine_seconds - driver.cpu_seconds;
    let waited = driver.waited_seconds.is_none_or(|waited| {
        waited > WAITED * (waited + driver.cpu_seconds)
            && waited > WAITED_OF_WINDOW * driver.seconds
    });
    let share = driver.busy_core_seconds / driver.seconds;
    (share > BUSY && others > OTHERS * driver.machine_seconds && waited).then(|| {
        let waited = driver.waited_seconds.map(|waited| {
            format!(", its threads waited for a core for {waited:.1} s in all")
        });
        let text = format!(
            "a core of this driver's machine was above 90 % for {} of the window{}; response times contain \
             that ({})",
            percent(share),
            waited.unwrap_or_default(),
            shares(driver)
        );
        let advice = "run the driver where nothing else runs, the database neither";
        Remark::new(RemarkId::CoresTaken, text).advise(advice)
    })
}

/// Who took how much of the machine.
fn shares(driver: &DriverUse) -> String {
    let DriverUse { seconds, cpu_seconds, machine_seconds, .. } = driver;
    format!(
        "this driver's process took {:.2} cores, all other processes {:.2}, of {}",
        cpu_seconds / seconds,
        (machine_seconds - cpu_seconds).max(0.0) / seconds,
        counted(driver.cores, "core", "cores")
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of ten seconds on two cores. CPU in cores: the driver's, all others'.
    fn step(own: f64, others: f64) -> Step {
        let driver = DriverUse {
            seconds: 10.0,
            cores: 2,
            cpu_seconds: 10.0 * own,
            machine_seconds: 10.0 * (own + others),
            busy_core_seconds: if own + others > 1.5 { 10.0 } else { 0.0 },
            busy_thread_seconds: Some(0.0),
            waited_seconds: Some(0.0),
            ..DriverUse::default()
        };
        Step { number: 4, seconds: 10.0, driver: Some(driver), ..Step::default() }
    }

    fn with(mut step: Step, change: impl Fn(&mut DriverUse)) -> Step {
        change(step.driver.as_mut().unwrap());
        step
    }

    fn only(step: &Step, in_process: bool, id: RemarkId, begins: &str) {
        let told = remarks(step, in_process);
        assert!(told.len() == 1 && told[0].id == id && told[0].steps == [4], "{told:?}");
        assert!(told[0].text.starts_with(begins) && told[0].advice.is_some(), "{told:?}");
    }

    const NONE: [Remark; 0] = [];

    #[test]
    fn an_idle_machine_and_a_window_that_was_not_seen_are_no_sign() {
        assert_eq!(remarks(&step(0.5, 0.3), false), NONE);
        assert_eq!(remarks(&Step { driver: None, ..step(2.0, 0.0) }, false), NONE);
        let short = with(step(1.0, 1.0), |d| {
            (d.seconds, d.steal_seconds) = (2.9, 2.0);
            (d.waited_seconds, d.busy_thread_seconds) = (Some(9.0), Some(2.9));
        });
        assert_eq!(remarks(&short, false), NONE);
    }

    #[test]
    fn a_limit_of_the_control_group_is_told_from_a_hundredth_of_the_window_on() {
        assert_eq!(
            remarks(&with(step(0.5, 0.0), |d| d.held_back_seconds = Some(0.09)), true),
            NONE
        );
        let held = with(step(0.5, 0.0), |d| d.held_back_seconds = Some(2.1));
        only(&held, true, RemarkId::HeldBack, "a CPU limit held this driver back for 2.1 of 10 s");
    }

    /// Of any window, on every system.
    #[test]
    fn a_process_that_did_not_run_is_told() {
        let gap = |from_seconds, seconds| hoap_record::Gap { from_seconds, seconds };
        let step = Step {
            driver: None,
            start_seconds: 2.0,
            standstills: vec![gap(3.0, 0.4), gap(6.5, 3.0)],
            ..step(0.5, 0.0)
        };
        let begins =
            "this driver's process did not run for 3.4 of 10 s, longest for 3.0 s from second 4.5";
        only(&step, true, RemarkId::StoodStill, begins);
    }

    #[test]
    fn steal_is_told_above_a_twentieth_of_all_cores() {
        assert_eq!(remarks(&with(step(0.5, 0.0), |d| d.steal_seconds = 1.0), true), NONE);
        let stolen = with(step(0.5, 0.0), |d| d.steal_seconds = 1.4);
        only(
            &stolen,
            true,
            RemarkId::CpuStolen,
            "of the CPU of this driver's machine 7 % went to other",
        );
    }

    /// A closed loop on a database elsewhere leaves the driver idle, unless the driver is the
    /// limit. An embedded database works in the driver's process, and an open loop polls the clock.
    #[test]
    fn a_busy_thread_is_a_sign_in_a_closed_loop_on_a_database_elsewhere_alone() {
        let busy = with(step(1.0, 0.1), |d| d.busy_thread_seconds = Some(9.0));
        only(
            &busy,
            false,
            RemarkId::DriverBusy,
            "a thread of this driver's process took more than 90 % of a core for 90 %",
        );
        assert_eq!(remarks(&busy, true), NONE);
        let open = Step { rate_intended: Some(9e3), ..busy.clone() };
        assert_eq!(remarks(&open, false), NONE);
        assert_eq!(remarks(&with(busy, |d| d.busy_thread_seconds = Some(2.0)), false), NONE);
    }

    /// The text says who took the cores; a busy core that kept nobody waiting is no sign.
    #[test]
    fn cores_that_others_take_are_a_sign_where_the_driver_waited() {
        let crowded = with(step(0.4, 1.5), |d| d.waited_seconds = Some(3.0));
        for in_process in [false, true] {
            only(
                &crowded,
                in_process,
                RemarkId::CoresTaken,
                "a core of this driver's machine was above 90 % for 100 %",
            );
        }
        let told = &remarks(&crowded, false)[0].text;
        assert!(told.contains("process took 0.40 cores, all other processes 1.50, of 2 cores"));
        assert!(told.contains("waited for a core for 3.0 s in all"), "{told}");
        assert_eq!(remarks(&with(step(0.4, 1.5), |d| d.waited_seconds = Some(0.1)), false), NONE);
        // Nothing that the response times of an idle driver could contain.
        let idle = with(step(0.001, 1.9), |d| d.waited_seconds = Some(0.04));
        assert_eq!(remarks(&idle, false), NONE);
        let unknown = with(step(0.4, 1.5), |d| d.waited_seconds = None);
        assert_eq!(
            remarks(&unknown, false).len(),
            1,
            "the kernel does not tell: the core is enough"
        );
        // The clients of an embedded database compete with each other.
        let own = with(step(1.9, 0.1), |d| d.waited_seconds = Some(60.0));
        assert_eq!(remarks(&own, true), NONE);
    }

    #[test]
    fn a_late_schedule_is_a_sign_unless_an_embedded_database_keeps_the_cores_busy() {
        let late = |us, own| {
            let rate_intended = Some(100.0);
            Step { late_p99_us: Some(us), rate_intended, ..step(own, 0.0) }
        };
        assert_eq!(remarks(&late(1_000, 0.2), false), NONE);
        for in_process in [false, true] {
            only(
                &late(2_300, 0.2),
                in_process,
                RemarkId::BegunLate,
                "this driver's machine began 1 of 100 operations at least 2.3 ms late",
            );
        }
        assert_eq!(remarks(&late(2_300, 1.4), false).len(), 1);
        assert_eq!(remarks(&late(2_300, 1.4), true), NONE);
    }
}
