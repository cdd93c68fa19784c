//! Changes that may stay.

use std::path::Path;

use hoap_record::{Error, ErrorKind, Result};

use crate::check::{SeriesChange, check};
use crate::line::AcknowledgedLine;
use crate::series::{Timeline, is_of};
use crate::store;

/// Notes that every change at the runs of a label is known, with the reason, who says so and when.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where no run has the label, or no change is there that nobody
/// knows of.
pub fn acknowledge(
    folder: &Path,
    label: &str,
    reason: &str,
    by: Option<&str>,
    at: &str,
) -> Result<Vec<AcknowledgedLine>> {
    store::acknowledge(folder, |history| {
        let timeline = Timeline::of(history);
        timeline.last_with(label)?;
        let found = check(&timeline);
        let is_asked = |change: &&SeriesChange<'_>| {
            change.acknowledged.is_none() && is_of(timeline.run(change.between.1), label)
        };
        let line = |change: &SeriesChange<'_>| {
            let series = &timeline.series[change.series];
            AcknowledgedLine {
                run: timeline.run(change.between.1).run.clone(),
                step: series.step.to_owned(),
                metric: series.metric.name().to_owned(),
                kind: series.kind.map(str::to_owned),
                reason: reason.to_owned(),
                by: by.map(str::to_owned),
                at: at.to_owned(),
            }
        };
        let lines: Vec<_> = found.changes.iter().filter(is_asked).map(line).collect();
        match lines.is_empty() {
            false => Ok(lines),
            true => {
                let tried = format!("acknowledge the changes at {label}");
                let answer = "there is no change at this run that nobody knows of";
                Err(Error::new(ErrorKind::Invalid, tried, answer)
                    .advise("name the first run after one, as `hoap history check` prints it"))
            }
        }
    })
}
