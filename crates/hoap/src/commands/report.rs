//! `hoap report`: a page of one run or several.

use std::fs;
use std::path::{Path, PathBuf};

use hoap_record::whole::Prepared;
use hoap_report::prices::{PriceList, Priced};
use hoap_report::published;
use hoap_workload::words::counted;
use serde_json::json;

use super::context::Context;
use crate::args::{Costs, Report};
use crate::failure::Failure;

/// Makes the page and says where it is.
pub fn report(context: &Context, args: &Report) -> Result<(), Failure> {
    let mut report = open(&args.runs, &args.costs)?;
    if let Some(name) = &args.published {
        report.published =
            published::choose((name != "all").then_some(name.as_str())).map_err(|names| {
                Failure::usage(format!("show published figures of {name}: {names}"))
            })?;
    }
    let page = hoap_report::page(&report)?;
    // All files or none: each takes its place when all are on disk.
    let mut files = match &args.csv {
        Some(folder) => tables(folder, &page.tables)?,
        None => Vec::new(),
    };
    files.push((prepare(&args.out, &page.html)?, args.out.clone()));
    for (file, out) in files {
        file.commit().map_err(|e| failed(&out, &e))?;
    }
    let out = args.out.display();
    let result = json!({ "page": args.out, "bytes": page.html.len(), "csv": args.csv, "alerts": page.alerts });
    context.result(&result, || {
        let told = marked(&page.alerts);
        match &args.csv {
            Some(folder) => {
                let tables = counted(page.tables.len(), "table", "tables");
                format!("{told}Page: {out}\n{tables}: {}", folder.display())
            }
            None => format!("{told}Page: {out}"),
        }
    });
    Ok(())
}

/// What a reader must know before the first number, each on lines of its own.
pub fn marked(alerts: &[String]) -> String {
    alerts.iter().map(|alert| hoap_report::text::paragraph("! ", alert)).collect()
}

/// Reads the runs, and what is said of their configurations.
pub fn open(runs: &[String], costs: &Costs) -> Result<hoap_report::Report, Failure> {
    let named: Vec<_> = runs.iter().map(|run| hoap_report::Named::parse(run)).collect();
    let mut report = hoap_report::Report::open(&named)?;
    for nodes in &costs.nodes {
        report.set("nodes", nodes.label.as_deref(), |configuration| {
            configuration.nodes = Some(nodes.nodes);
            Ok(())
        })?;
    }
    for file in &costs.prices {
        let named = hoap_report::Named::parse(file);
        let list = PriceList::open(&named.path)?;
        report.set("prices", named.label.as_deref(), |configuration| {
            configuration.priced = Some(Priced {
                list: list.clone(),
                file: named.path.display().to_string(),
                nodes: configuration.nodes,
                quantities: Default::default(),
            });
            Ok(())
        })?;
    }
    for quantity in &costs.quantity {
        let mut used = false;
        let what = format!("quantity {}", quantity.unit);
        report.set(&what, quantity.label.as_deref(), |configuration| {
            if let Some(priced) = &mut configuration.priced {
                used |= priced.list.items.iter().any(|item| item.unit == quantity.unit);
                priced.quantities.insert(quantity.unit.clone(), quantity.amount);
            }
            Ok(())
        })?;
        if !used {
            let unit = &quantity.unit;
            return Err(Failure::usage(format!("set {what}: no price is for the unit {unit:?}")));
        }
    }
    Ok(report)
}

/// Writes the page of one run and returns its size.
pub fn write_page(run: &Path, out: &Path) -> Result<usize, Failure> {
    let page = hoap_report::html(&[hoap_report::Loaded::open(run)?]);
    write(out, &page)?;
    Ok(page.len())
}

/// The tables, each as a CSV file.
fn tables(
    folder: &Path,
    tables: &[hoap_report::table::Table],
) -> Result<Vec<(Prepared, PathBuf)>, Failure> {
    fs::create_dir_all(folder).map_err(|e| {
        Failure::unavailable(format!("make {}: {e}; name another folder", folder.display()))
    })?;
    let file = |table: &hoap_report::table::Table| {
        let out = folder.join(format!("{}.csv", table.id));
        Ok((prepare(&out, &hoap_report::csv(table))?, out))
    };
    tables.iter().map(file).collect()
}

/// Writes a file whole or not at all.
pub fn write(out: &Path, text: &str) -> Result<(), Failure> {
    prepare(out, text)?.commit().map_err(|e| failed(out, &e))
}

fn prepare(out: &Path, text: &str) -> Result<Prepared, Failure> {
    Prepared::write(out, text.as_bytes()).map_err(|e| failed(out, &e))
}

fn failed(out: &Path, e: &std::io::Error) -> Failure {
    Failure::unavailable(format!("write {}: {e}; name another file", out.display()))
}
