//! The folders of several driver machines become one.

use std::path::{Path, PathBuf};

use hoap_record::Run;
use hoap_record::merge::Merge;
use hoap_workload::{Local, Result};

use crate::caller::Caller;
use crate::offer::Drivers;
use crate::registry::{Entry, of_run};

/// Makes one run of the folders `runs` in `out`, of a benchmark among `entries`, and holds what all drivers together saw
/// acknowledged against the database `url` where one is named.
///
/// # Errors
/// Fails where the folders do not belong together, the database holds other data, or the benchmark
/// keeps no ledger.
pub fn merge<'a>(
    caller: &'a dyn Caller,
    entries: impl Iterator<Item = &'static dyn Entry> + 'a,
    runs: &'a [PathBuf],
    out: &'a Path,
    url: Option<&'a str>,
) -> Local<'a, Result<Run>> {
    Box::pin(async move {
        let merge = Merge::open(runs)?;
        let joint = match url {
            None => None,
            Some(url) => {
                let drivers = Drivers { caller, runs, url, first: merge.first() };
                let benchmark = &drivers.first.benchmark;
                let Some(entry) = of_run(entries, benchmark) else {
                    return Err(
                        drivers.refuse(&format!("{benchmark} is no benchmark of this hoap"))
                    );
                };
                Some(entry.joint(&drivers).await?)
            }
        };
        merge.write(out, crate::begin::command_line(), joint)
    })
}
