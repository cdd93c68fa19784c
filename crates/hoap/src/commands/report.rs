//! `hoap report`: a page of one run or several.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hoap_record::made::Made;
use hoap_record::output::{self as outputs, failed, is_same};
use hoap_record::whole::Prepared;
use hoap_report::prices::PriceList;
use hoap_report::{kinds, published};
use hoap_workload::words::counted;
use serde_json::json;

use super::context::Context;
use super::output;
use crate::args::{Costs, Report};
use crate::failure::Failure;

/// Makes the page and says where it is.
pub fn report(context: &Context, args: &Report) -> Result<(), Failure> {
    let printed = output::is_standard(context, &args.out, &kinds::PAGE)?;
    let made = args.csv.as_deref().map(|folder| Made::look(folder, "table")).transpose()?;
    let mut report = open(&args.runs, &args.costs)?;
    if let Some(name) = &args.published {
        report.published =
            published::choose((name != "all").then_some(name.as_str())).map_err(|names| {
                Failure::usage(format!("show published figures of {name}: {names}"))
            })?;
    }
    let page = hoap_report::page(&report)?;
    // All files or none: each takes its place when all are on disk.
    let tables = args.csv.as_deref().zip(made);
    let tables = tables.map(|(folder, made)| Tables::prepare(folder, made, &page.tables));
    let tables = tables.transpose()?;
    match printed {
        true => {
            tables.map_or(Ok(()), Tables::commit)?;
            context.print(&page.html);
            return Ok(());
        }
        false => {
            if tables.iter().flat_map(|t| &t.files).any(|(_, path)| is_same(path, &args.out)) {
                let out = args.out.display();
                return Err(Failure::usage(format!(
                    "write {out}: it is a table of --csv; name another file"
                )));
            }
            let file = outputs::prepare(&args.out, &kinds::PAGE, &page.html)?;
            tables.map_or(Ok(()), Tables::commit)?;
            file.commit().map_err(|e| failed(&args.out, &e))?;
        }
    }
    let out = args.out.display();
    let result = json!({
        "page": out.to_string(), "bytes": page.html.len(),
        "csv": args.csv.as_ref().map(|csv| csv.display().to_string()), "remarks": page.remarks,
    });
    context.result(&result, || {
        let told = output::remarks(&page.remarks);
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

/// The page of the run, or the repetitions, in a folder; none where it cannot be made.
pub fn of_folder(folder: &Path) -> Option<String> {
    let named = hoap_report::Named { label: None, path: folder.to_owned() };
    let report = hoap_report::Report::open(&[named]).ok()?;
    hoap_report::page(&report).ok().map(|page| page.html)
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
        report.price(named.label.as_deref(), &list, &named.path.display().to_string())?;
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

/// The tables of a page, on disk and not in their places yet.
struct Tables {
    made: Made,
    files: Vec<(Prepared, PathBuf)>,
}

impl Tables {
    /// Writes each beside its place, in a folder that holds tables alone or nothing.
    fn prepare(
        folder: &Path,
        made: Made,
        tables: &[hoap_report::table::Table],
    ) -> Result<Tables, Failure> {
        outputs::folder(folder)?;
        let file = |table: &hoap_report::table::Table| {
            let name = format!("{}.csv", table.id);
            let path = folder.join(&name);
            if !made.files.contains(&name) && path.exists() {
                return Err(Failure::usage(format!(
                    "write {}: hoap did not make the file there, which stays; name another folder",
                    path.display()
                )));
            }
            let text = hoap_report::csv(table);
            let file = Prepared::write(&path, text.as_bytes()).map_err(|e| failed(&path, &e))?;
            Ok((file, path))
        };
        let files = tables.iter().map(file).collect::<Result<_, Failure>>()?;
        Ok(Tables { made, files })
    }

    /// Puts them in their places and removes those of an earlier report, which the mark of the
    /// folder names.
    fn commit(mut self) -> Result<(), Failure> {
        let name = |path: &PathBuf| path.file_name()?.to_str().map(String::from);
        let new: BTreeSet<String> = self.files.iter().filter_map(|(_, path)| name(path)).collect();
        let old: Vec<String> = self.made.files.difference(&new).cloned().collect();
        // Named before they are there: whoever kills this leaves no table that nobody knows.
        self.made.list(new.iter().cloned())?;
        for (file, path) in self.files {
            file.commit().map_err(|e| failed(&path, &e))?;
        }
        old.iter().try_for_each(|name| self.made.remove_file(name))?;
        self.made.files = new;
        Ok(self.made.mark()?)
    }
}
