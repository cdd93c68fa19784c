//! Whether a step had one level of throughput.

use hoap_observe::MetricBound;
use hoap_record::{LevelChange, Remark, RemarkId, Step};

/// A remark where the warm-up did not reach what was to end it: a bound of a metric, which is given
/// with what was found in its place, or else a steady throughput. And one where the throughput
/// changed or drifted within the window.
pub fn remarks(step: &Step, awaited: Option<(&MetricBound, String)>) -> Vec<Remark> {
    let unsettled = (step.warmup_settled == Some(false)).then(|| {
        let time = format!(
            "within {:.1} s of warm-up; the window began all the same",
            step.warmup_seconds
        );
        let (text, advice) = match awaited {
            Some((bound, found)) => (
                format!("{bound} did not come {time}, at {found}"),
                "allow more with --warmup until:…:TIME, or find what keeps it from it",
            ),
            None => (
                format!("throughput did not become steady {time}"),
                "allow more with --warmup auto:TIME, or find what keeps it moving",
            ),
        };
        Remark::new(RemarkId::NotSteady, text).advise(advice)
    });
    let changed = step.level.map(|LevelChange { drift, at_seconds, before, after }| {
        // Of next to nothing there is no share.
        let share = (after < 100.0 * before)
            .then(|| format!("by {:+.0} % ", 100.0 * (after - before) / before));
        let change = share.unwrap_or_default();
        let rates = format!("from {before:.0} to {after:.0} operations per second");
        match drift {
            true => Remark::new(
                RemarkId::LevelDrifted,
                format!(
                    "throughput drifted {change}over the window, {rates}; its mean depends on the \
                     window's length"
                ),
            )
            .advise("warm up longer (--warmup auto), or measure longer"),
            false => Remark::new(
                RemarkId::LevelChanged,
                format!(
                    "throughput changed {change}{at_seconds:.0} s into the window, {rates}; its \
                     mean is of neither level"
                ),
            )
            .advise("find what happened then, warm up longer (--warmup auto), or measure longer"),
        }
    });
    let told = unsettled.into_iter().chain(changed);
    told.map(|remark| remark.of_step(step.number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_was_not_level_is_told_with_its_number_and_what_changed() {
        let level = |drift| LevelChange { drift, at_seconds: 40.2, before: 1000.0, after: 751.0 };
        let step = |settled, level| Step {
            number: 3,
            warmup_seconds: 300.0,
            warmup_settled: settled,
            level,
            ..Step::default()
        };
        let remarks = |step: &Step| super::remarks(step, None);
        assert!(remarks(&step(Some(true), None)).is_empty());
        assert!(remarks(&step(None, None)).is_empty());
        let bound = "hits>0.6".parse().unwrap();
        let told = super::remarks(&step(Some(false), None), Some((&bound, "0.4".into())));
        assert!(told[0].text.contains("hits>0.6 did not come within 300.0 s"), "{told:?}");
        assert!(told[0].text.ends_with("at 0.4"), "{told:?}");
        for (step, id, word) in [
            (
                step(Some(false), None),
                RemarkId::NotSteady,
                "did not become steady within 300.0 s of warm-up",
            ),
            (
                step(None, Some(level(false))),
                RemarkId::LevelChanged,
                "changed by -25 % 40 s into the window, from 1000 to 751",
            ),
            (
                step(None, Some(level(true))),
                RemarkId::LevelDrifted,
                "drifted by -25 % over the window",
            ),
        ] {
            let told = remarks(&step);
            assert!(told.len() == 1 && told[0].steps == [3] && told[0].id == id, "{told:?}");
            assert!(told[0].text.contains(word) && told[0].advice.is_some(), "{told:?}");
        }
        assert_eq!(remarks(&step(Some(false), Some(level(true)))).len(), 2);
        let began = LevelChange { drift: false, at_seconds: 9.0, before: 0.0, after: 751.0 };
        let told = remarks(&step(None, Some(began)));
        assert!(told[0].text.contains("changed 9 s into the window, from 0 to 751"), "{told:?}");
    }
}
