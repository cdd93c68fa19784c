//! `hoap learn`: a workload file from a sample.

use hoap_own::learn::{FILE, Learn, learn as learned};

use super::context::Context;
use super::output;
use crate::failure::Failure;

/// Learns, writes the file and prints the sample beside what the file makes.
pub async fn learn(context: &Context, args: &Learn) -> Result<(), Failure> {
    let standard = output::is_standard(context, &args.out, &FILE)?;
    let learned = learned(args, &|| context.stop.is_set()).await?;
    output::write(context, &args.out, &FILE, &learned.text)?;
    match standard {
        // The file is on standard output.
        true => context.console.say(learned.table.trim_end()),
        false => context.result(&learned.json, || learned.table),
    }
    Ok(())
}
