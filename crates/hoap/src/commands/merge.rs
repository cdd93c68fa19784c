//! `hoap merge`: the folders of several driver machines become one.

use hoap_report::Style;
use serde_json::json;

use super::Context;
use crate::args::Merge;
use crate::failure::Failure;

/// Merges, prints the summary, and fails where a check of a driver failed.
pub fn merge(context: &Context, args: &Merge) -> Result<(), Failure> {
    let run = hoap_drive::merge(&args.runs, &args.out, std::env::args().collect())?;
    context.result(&json!({ "folder": args.out, "run": run }), || {
        let folder = args.out.display().to_string();
        hoap_report::summary(&run, Style { folder: Some(&folder), ..context.console.style() })
    });
    super::run::verdict(context, &run)
}
