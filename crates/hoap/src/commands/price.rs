//! `hoap price`: what runs' configurations cost, and what one gets for it.

use hoap_report::text::{paragraph, table};
use serde_json::json;

use super::context::Context;
use super::{output, report};
use crate::args::Price;
use crate::failure::Failure;

/// Prints the costs.
pub fn price(context: &Context, args: &Price) -> Result<(), Failure> {
    if args.costs.prices.is_empty() {
        return Err(Failure::usage(
            "price runs: no prices given; name a price file with --prices, or a list that is built \
             in, such as couchbase-cloud-2020",
        ));
    }
    let costs = report::open(&args.runs, &args.costs)?.costs()?;
    let json: Vec<_> = costs
        .iter()
        .map(|c| {
            json!({ "benchmark": c.benchmark, "remarks": c.remarks, "costs": c.costs.json(),
                "lines": c.lines.json(), "notes": c.notes })
        })
        .collect();
    context.result(&json, || {
        let mut out = String::new();
        for c in &costs {
            let shown = c.costs.shown();
            let title = format!("{}: {}", c.title, shown.title);
            out += &output::remarks(&c.remarks);
            out += &format!(
                "{}{}\n{}\n{}\n",
                paragraph("", &title),
                table(&shown),
                c.lines.title,
                table(&c.lines)
            );
            for note in &c.notes {
                out += &paragraph("", note);
            }
            out.push('\n');
        }
        out
    });
    Ok(())
}
