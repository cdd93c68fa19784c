//! Repetitions of a run, and runs of one driver among several.

use std::path::PathBuf;

use hoap_record::{Repetition, Run};
use hoap_workload::{Error, ErrorKind, Local, Result};

use crate::begin::default_folder;
use crate::caller::Caller;
use crate::offer::Recorded;
use crate::registry::Chosen;

/// What was run.
pub struct Done {
    /// The folder of the run, or of all repetitions.
    pub folder: PathBuf,
    /// The runs, at least one.
    pub runs: Vec<Recorded>,
    /// Whether they are repetitions.
    pub repeated: bool,
}

/// Runs as often as was asked for, while `goes_on` says of each run that the next one may follow.
///
/// Repetition k has the seed of the first one plus k − 1, so that what clients happen to draw is
/// among what differs between the runs.
///
/// # Errors
/// Returns the errors of [`Chosen::planned`] and [`Chosen::record`], and [`ErrorKind::Invalid`]
/// where the start has passed or the folder is not empty.
pub fn repeat<'a>(
    caller: &'a dyn Caller,
    mut chosen: Chosen,
    goes_on: &'a dyn Fn(&Run) -> bool,
) -> Local<'a, Result<Done>> {
    Box::pin(async move {
        chosen.planned()?;
        let name = chosen.name();
        let common = chosen.common();
        if let Some(start) = common.conduct.start_at
            && start <= hoap_record::time::now()
        {
            let tried = format!("wait for --start-at {start}");
            return Err(Error::new(ErrorKind::Invalid, tried, "it has passed")
                .advise("name a time that leaves every driver time to connect"));
        }
        if let Some(part) = common.conduct.part {
            part.chosen().iter().for_each(|chosen| caller.say(chosen));
        }
        let of = common.conduct.repeat as usize;
        if of == 1 {
            let run = chosen.record(caller, None).await?;
            return Ok(Done { folder: run.0.clone(), runs: vec![run], repeated: false });
        }
        let is_named = common.out.is_some();
        let folder = match &common.out {
            Some(path) => path.clone(),
            None => default_folder(name)?,
        };
        if std::fs::read_dir(&folder).is_ok_and(|mut there| there.next().is_some()) {
            let tried = format!("create run folders in {}", folder.display());
            return Err(Error::new(ErrorKind::Invalid, tried, "it is not empty")
                .advise("name another folder"));
        }
        let first_seed = common.run_seed;
        let mut runs = Vec::new();
        for number in 1..=of {
            let common = chosen.common();
            common.out = Some(folder.join(format!("{number:02}")));
            common.run_seed = first_seed.wrapping_add(number as u64 - 1);
            caller.say(&format!("run {number} of {of}"));
            let run = chosen.record(caller, Some(Repetition { number, of })).await;
            let run = run.inspect_err(|_| {
                // Where nothing was written, nothing stays. One with a run in it is not removed.
                let _ = if is_named { Ok(()) } else { std::fs::remove_dir(&folder) };
            })?;
            let last = !goes_on(&run.1);
            runs.push(run);
            if last {
                break;
            }
        }
        Ok(Done { folder, runs, repeated: true })
    })
}
