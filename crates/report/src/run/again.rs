//! How a run is repeated.

use hoap_record::Run;

use crate::format::text::shell;

/// The command of a run as a shell takes it; of a run of several drivers with that of the first one.
pub fn again(run: &Run) -> String {
    let own = shell(&run.command);
    match run.drivers.as_slice() {
        [first, _, ..] if !first.command.is_empty() => format!(
            "{own}; on each of {} drivers with its own --part: {}",
            run.drivers.len(),
            shell(&first.command)
        ),
        _ => own,
    }
}
