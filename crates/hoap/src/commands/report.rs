//! `hoap report`: a page of one run or several.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Context;
use crate::args::Report;
use crate::failure::Failure;

/// Makes the page and says where it is.
pub fn report(context: &Context, args: &Report) -> Result<(), Failure> {
    let bytes = write_page(&args.runs, &args.out)?;
    let out = args.out.display();
    context.result(&json!({ "page": args.out, "bytes": bytes }), || format!("Page: {out}"));
    Ok(())
}

/// Writes the page of these runs and returns its size.
pub fn write_page(runs: &[PathBuf], out: &Path) -> Result<usize, Failure> {
    let loaded =
        runs.iter().map(|run| hoap_report::Loaded::open(run)).collect::<Result<Vec<_>, _>>()?;
    let page = hoap_report::html(&loaded);
    fs::write(out, &page).map_err(|e| {
        Failure::unavailable(format!("write {}: {e}; name another file", out.display()))
    })?;
    Ok(page.len())
}
