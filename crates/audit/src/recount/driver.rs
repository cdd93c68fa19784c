//! What the driver's machine did, from `machine.csv`.

use hoap_record::MachineRow;

use super::step_files::StepFiles;
use crate::finding::Findings;

/// Shorter rows tell nothing.
const SHORTEST: f64 = 0.5;
/// From here on a core or a thread is busy.
const BUSY: f64 = 0.9;

/// A step's sums.
pub(super) fn held(of: &StepFiles<'_>, findings: &mut Findings) {
    let Some(there) = &of.step.driver else { return };
    let place = of.at("driver");
    let Some(rows) = &of.folder.machine else {
        return findings.void(&place, "there is no machine.csv to make it of");
    };
    let rows = || {
        rows.iter().filter(|row| {
            row.step == of.step.number && row.phase == "measured" && row.seconds >= SHORTEST
        })
    };
    let sum = |value: &dyn Fn(&MachineRow) -> f64| -> f64 { rows().map(value).sum() };
    let busy = |row: &MachineRow, share: f64| if share > BUSY { row.seconds } else { 0.0 };
    let all = |value: &dyn Fn(&MachineRow) -> Option<f64>| -> Option<f64> {
        rows().map(value).try_fold(0.0, |sum, of| Some(sum + of?))
    };
    let count = rows().count() as f64;
    for (name, told, again) in [
        ("seconds", Some(there.seconds), Some(sum(&|row| row.seconds))),
        (
            "cpu_seconds",
            Some(there.cpu_seconds),
            Some(sum(&|row| (row.user + row.system) * row.seconds)),
        ),
        ("machine_seconds", Some(there.machine_seconds), Some(sum(&|r| r.machine * r.seconds))),
        ("steal_seconds", Some(there.steal_seconds), Some(sum(&|row| row.steal * row.seconds))),
        (
            "busy_core_seconds",
            Some(there.busy_core_seconds),
            Some(sum(&|row| busy(row, row.busiest_core))),
        ),
        (
            "busy_thread_seconds",
            there.busy_thread_seconds,
            all(&|row| Some(busy(row, row.busiest_thread?))),
        ),
        ("waited_seconds", there.waited_seconds, all(&|row| Some(row.waited? * row.seconds))),
    ] {
        // Rows are rounded, each by itself.
        let slack = 1e-3 + 1e-3 * count;
        match (told, again) {
            (Some(told), Some(again)) => {
                findings.within(&place, name, told, (again - slack, again + slack));
            }
            (None, _) => {}
            (Some(told), None) => {
                findings.void(&place, format!("{name} is {told}, and no row has it"));
            }
        }
    }
}
