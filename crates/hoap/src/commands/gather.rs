//! `hoap gather`: the meeting point of several drivers.

use std::path::PathBuf;

use hoap_fleet::gather::{self, Gather};

use super::context::Context;
use super::merge;
use crate::args;
use crate::failure::Failure;

/// Gathers the drivers, merges their folders, prints the summary, and fails where a driver or a
/// check did.
pub async fn gather(context: &Context, args: &args::Gather) -> Result<(), Failure> {
    let args::Gather { drivers, listen, out, operational, wait, .. } = args;
    if hoap_record::whole::names(out).is_ok_and(|there| !there.is_empty()) {
        let out = out.display();
        return Err(Failure::usage(format!("gather into {out}: it is not empty; name another -o")));
    }
    let mut folder = out.clone().into_os_string();
    folder.push(".drivers");
    let ask = Gather {
        drivers: *drivers,
        listen: *listen,
        wait: wait.0,
        insecure: args.insecure_without_tls,
        certificate: args.tls_cert.clone().zip(args.tls_key.clone()),
        folder: PathBuf::from(folder),
        hoap: env!("CARGO_PKG_VERSION").into(),
        run: context.run.clone(),
    };
    let say = |line: &str| context.console.say(line);
    let runs = gather::gather(ask, &context.stop, &say).await?;
    crate::interrupt::at_once();
    // An experiment names the database of every run, and some runs leave no ledger.
    let checks = context.run.is_empty() || runs.iter().any(|run| run.join("ledger.json").exists());
    let operational = operational.clone().filter(|_| checks);
    let merged = args::Merge { runs, out: out.clone(), operational };
    // The command line may be right, and the folders still be no run, such as of a driver that rested.
    merge::merge(context, &merged).await.map_err(Failure::of_what_ran)
}
