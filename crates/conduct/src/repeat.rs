//! Repetitions of a run, and runs of one driver among several.

use std::path::PathBuf;

use hoap_record::{Repetition, Run, whole};
use hoap_workload::{Error, ErrorKind, Local, Result};

use crate::begin::default_folder;
use crate::caller::Caller;
use crate::offer::Recorded;
use crate::registry::Chosen;

/// A benchmark on one database, perhaps among several.
pub struct Entrant {
    /// What the database is called; empty for the only one.
    pub name: String,
    /// The benchmark with its flags.
    pub chosen: Chosen,
}

/// What was run.
pub struct Done {
    /// The folder of the run, or of all.
    pub folder: PathBuf,
    /// The runs in the order of time, at least one.
    pub runs: Vec<Recorded>,
    /// Whether there are several.
    pub repeated: bool,
}

/// Runs as often as was asked for, while `goes_on` says of each run that the next one may follow.
/// Several databases take turns, each second time in the other order, so that what drifts on the
/// machine or in the network meets them alike.
///
/// Repetition k has the seed of the first one plus k − 1, so that what clients happen to draw is
/// among what differs between the runs.
///
/// # Errors
/// Returns the errors of [`Chosen::planned`] and [`Chosen::record`], and [`ErrorKind::Invalid`]
/// where the start has passed or the folder is not empty.
pub fn repeat<'a>(
    caller: &'a dyn Caller,
    mut entrants: Vec<Entrant>,
    goes_on: &'a dyn Fn(&Run) -> bool,
) -> Local<'a, Result<Done>> {
    Box::pin(async move {
        let plans = entrants.iter().map(|one| one.chosen.planned()).collect::<Result<Vec<_>>>()?;
        let several = entrants.len() > 1;
        let chosen = &mut entrants[0].chosen;
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
        if of == 1 && !several {
            let run = chosen.record(caller, None).await?;
            return Ok(Done { folder: run.0.clone(), runs: vec![run], repeated: false });
        }
        let is_named = common.out.is_some();
        let folder = match &common.out {
            Some(path) => path.clone(),
            None => default_folder(name)?,
        };
        if whole::names(&folder).is_ok_and(|there| !there.is_empty()) {
            let tried = format!("create run folders in {}", folder.display());
            return Err(Error::new(ErrorKind::Invalid, tried, "it is not empty")
                .advise("name another folder"));
        }
        let first_seed = common.run_seed;
        caller.planned(&plans[0], of * plans.len());
        let mut runs = Vec::new();
        for number in 1..=of {
            let mut turn: Vec<&mut Entrant> = entrants.iter_mut().collect();
            if number % 2 == 0 {
                turn.reverse();
            }
            for Entrant { name, chosen } in turn {
                let common = chosen.common();
                common.out = Some(folder.join(&*name).join(format!("{number:02}")));
                common.run_seed = first_seed.wrapping_add(number as u64 - 1);
                let on = if several { format!(" on {name}") } else { String::new() };
                caller.turn(&format!("run {number} of {of}{on}"), runs.len());
                let run = chosen.record(caller, Some(Repetition { number, of })).await;
                let run = run.inspect_err(|_| {
                    // Where nothing was written, nothing stays. One with a run in it is not removed.
                    let _ = if is_named { Ok(()) } else { std::fs::remove_dir(&folder) };
                })?;
                let last = !goes_on(&run.1);
                runs.push(run);
                if last {
                    return Ok(Done { folder, runs, repeated: true });
                }
            }
        }
        Ok(Done { folder, runs, repeated: true })
    })
}
