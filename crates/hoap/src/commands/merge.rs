//! `hoap merge`: the folders of several driver machines become one.

use hoap_report::Style;
use serde_json::json;

use super::context::Context;
use crate::args::Merge;
use crate::built_in;
use crate::failure::Failure;

/// Merges, prints the summary, and fails where a check failed.
pub async fn merge(context: &Context, args: &Merge) -> Result<(), Failure> {
    let Merge { runs, out, operational } = args;
    let run =
        hoap_conduct::merge::merge(context, built_in::runs(), runs, out, operational.as_deref())
            .await?;
    context.result(&json!({ "folder": out.display().to_string(), "run": run }), || {
        let folder = out.display().to_string();
        hoap_report::summary(&run, Style { folder: Some(&folder), ..context.console.style() })
    });
    super::run::last(context, &run)
}
