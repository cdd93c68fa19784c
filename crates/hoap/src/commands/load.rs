//! `hoap load`: a benchmark's documents into a database.

use std::path::Path;

use hoap_conduct::load::{self, AskedLoad, Done};
use hoap_conduct::size::Size;
use hoap_databases::url::redact;
use hoap_record::{Ingestion, Stored};
use hoap_report::number::duration;
use hoap_report::prices::{Per, PriceList};
use hoap_report::text::{COLUMNS, paragraph, wrap};
use hoap_workload::load::{Adopted, Loaded, StoredLoad};
use hoap_workload::words::counted;
use serde_json::json;

use super::context::Context;
use crate::args::LoadArgs;
use crate::console::megabytes;
use crate::failure::Failure;
use crate::{interrupt, streams};

/// Loads as the flags say, and says how it went.
pub async fn load(context: &Context, asked: &dyn AskedLoad, how: &LoadArgs) -> Result<(), Failure> {
    match (how.dry_run, how.prices.as_deref(), how.ask_above) {
        (true, prices, _) => return dry_run(context, asked, prices),
        (false, None, None) => {}
        (false, Some(prices), Some(most)) => agreed(asked, prices, most)?,
        (false, Some(_), None) => {
            return Err(Failure::usage("load: --prices is of --dry-run and --ask-above"));
        }
        (false, None, Some(_)) => {
            return Err(Failure::usage("load: --ask-above takes its prices from --prices"));
        }
    }
    loaded(context, asked).await
}

/// Asks whoever sits there about a load that costs more than this. Nothing is opened before.
fn agreed(asked: &dyn AskedLoad, prices: &Path, most: f64) -> Result<(), Failure> {
    let loading = asked.loading();
    let (money, words) = cost(prices, Size::of(&*asked.source()?, loading.part.part))?;
    if money <= most {
        return Ok(());
    }
    let url = redact(&loading.target);
    let refused = |why: &str| {
        let nothing = "nothing was opened or written";
        Err(Failure::usage(format!("load {url}: {why}; {nothing}")))
    };
    // Ctrl-C leaves while nothing is under way.
    interrupt::at_once();
    let answer = streams::ask(&format!("{words} That is above {most}. Load into {url}? [y/N] "));
    interrupt::in_order();
    match answer {
        None => refused(&format!(
            "{words} That is above --ask-above, and there is no terminal to ask on: give it more, \
             or leave it out"
        )),
        Some(answer) if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) => Ok(()),
        Some(_) => refused("you did not agree"),
    }
}

/// Loads, and says how it went.
async fn loaded(context: &Context, asked: &dyn AskedLoad) -> Result<(), Failure> {
    let Done { loaded, target, ingestion } = load::load(context, asked).await?;
    let Loaded { documents, bytes, seconds, clients, whole, adopted, ref stored } = loaded;
    let mut result = json!({
        "documents": documents, "bytes": bytes, "seconds": seconds, "clients": clients,
        "whole": whole, "target": target,
    });
    if let Some(Adopted { documents, compared }) = adopted {
        result["adopted"] = json!({ "documents": documents, "compared": compared });
    }
    if let Some(ingestion) = &ingestion {
        result["ingestion"] = json!(ingestion);
    }
    match stored {
        Some(Ok(StoredLoad { stored, json_bytes })) => {
            result["stored"] = json!(stored);
            result["stored_of_json"] = json!(stored.bytes as f64 / (*json_bytes).max(1) as f64);
        }
        Some(Err(why)) => result["stored_unknown"] = json!(why),
        None => {}
    }
    context.result(&result, || {
        let rest = if whole { "" } else { "; other parts are missing still" };
        let mut text = match adopted {
            Some(Adopted { documents, compared }) => format!(
                "adopted {} of {}: {compared} compared in every field, all counted",
                counted(documents, "document", "documents"),
                target.url
            ),
            None => format!("{} into {}{rest}", in_short(&loaded), target.url),
        };
        if let Some(ingestion) = &ingestion {
            text += &format!("\n{}", taken_in(ingestion));
        }
        match stored {
            Some(Ok(stored)) => text += &format!("\n{}", stored_in(stored)),
            Some(Err(why)) => text += &format!("\n{why}"),
            None => {}
        }
        text
    });
    Ok(())
}

/// "25028 documents, about 36 MB as JSON, which one core makes in about 0.3 s".
pub fn in_words(size: &Size) -> String {
    let documents = counted(size.documents, "document", "documents");
    let (bytes, making) = (megabytes(size.bytes), duration(size.making.as_secs_f64()));
    format!("{documents}, about {bytes} as JSON, which one core makes in about {making}")
}

/// Says what would be loaded. Nothing is opened.
fn dry_run(context: &Context, asked: &dyn AskedLoad, prices: Option<&Path>) -> Result<(), Failure> {
    let loading = asked.loading();
    let size = Size::of(&*asked.source()?, loading.part.part);
    let Size { documents, bytes, making, .. } = size;
    let cost = prices.map(|file| cost(file, size)).transpose()?;
    hoap_databases::offers(&loading.target, &[hoap_database::What::Documents])?;
    let url = redact(&loading.target);
    let seconds = making.as_secs_f64();
    let told = asked.told()?.unwrap_or_default();
    let mut result = json!({
        "documents": documents, "bytes": bytes, "seconds_to_make": seconds, "target": url,
    });
    if let Some((money, _)) = cost {
        result["cost"] = money.into();
    }
    context.result(&result, || {
        let (documents, size) = (counted(documents, "document", "documents"), megabytes(bytes));
        let making = duration(seconds);
        let cost = cost.map(|(_, words)| paragraph("", &words)).unwrap_or_default();
        let into = paragraph("", &format!("{documents}, about {size} as JSON, into {url}"));
        let told: String = told.lines().map(hanging).collect();
        format!(
            "{told}{into}One core makes them in about {making}; how long the load takes, the\n\
             database decides.\n{cost}Nothing was opened or written."
        )
    });
    Ok(())
}

/// A line as a paragraph, whose other lines stand two columns further in.
fn hanging(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let further = " ".repeat(indent + 2);
    let lines = wrap(line, COLUMNS - further.len()).join(&format!("\n{further}"));
    format!("{}{lines}\n", " ".repeat(indent))
}

/// What the writes of a load cost by a price list: the money, and in words what it is made of. Of
/// provisioned units it is their hours as far as the load uses them, however many there are.
fn cost(file: &Path, size: Size) -> Result<(f64, String), Failure> {
    let list = PriceList::open(file)?;
    let (documents, units) = (size.documents as f64, size.write_units as f64);
    let (mut money, mut of, mut left_out) = (0.0, Vec::new(), Vec::new());
    for item in &list.items {
        let amount = match (item.unit.as_str(), item.per) {
            ("write-capacity-units", Per::Million) => units / 1e6,
            ("operations", Per::Million) if item.kinds.is_empty() => documents / 1e6,
            ("write-unit", Per::Hour) => units / 3600.0,
            _ => {
                left_out.push(item.what.as_str());
                continue;
            }
        };
        money += amount * item.price;
        of.push(item.what.as_str());
    }
    if of.is_empty() {
        return Err(Failure::usage(format!(
            "price the load by {}: it has no price of write-capacity-units or operations by the \
             million, or of a write-unit by the hour; give --prices another list",
            file.display()
        )));
    }
    let (currency, of) = (&list.currency, of.join(", "));
    let mut words = format!(
        "{} write units of 1 KB cost about {money:.2} {currency} ({of}), beside indexes and retries.",
        size.write_units
    );
    if !left_out.is_empty() {
        words += &format!(" Not counted: {}.", left_out.join(", "));
    }
    Ok((money, words))
}

/// "taken in by sqlite:b.db: 309078 documents in 41.2 s (7502/s), 30.1 s of them after the load
/// (5021/s); to within 0.3 s".
fn taken_in(ingestion: &Ingestion) -> String {
    let Ingestion { analytical, whole_seconds, after_seconds, resolution_seconds, .. } = ingestion;
    let documents = counted(ingestion.came_in(), "document", "documents");
    let [all, after] = [ingestion.per_second, ingestion.per_second_after]
        .map(|rate| rate.map_or_else(String::new, |rate| format!(" ({rate:.0}/s)")));
    format!(
        "taken in by {analytical}: {documents} in {whole_seconds:.1} s{all}, {after_seconds:.1} s of \
         them after the load{after}; to within {resolution_seconds:.1} s"
    )
}

/// "stored on disk: 250 MB, 0.38 of the JSON text", and a line for each collection.
fn stored_in(StoredLoad { stored, json_bytes }: &StoredLoad) -> String {
    let Stored { medium, bytes, collections } = stored;
    let share = *bytes as f64 / (*json_bytes).max(1) as f64;
    let (place, size) = (medium.place(), megabytes(*bytes));
    let mut text = format!("stored {place}: {size}, {share:.2} of the JSON text");
    let widest = collections.iter().map(|of| of.name.len()).max().unwrap_or(0);
    for of in collections {
        text += &format!("\n  {:widest$}  {:>8}", of.name, megabytes(of.bytes));
    }
    text
}

/// "309078 documents, 663 MB in 5.9 s (112 MB/s) by 4 clients".
pub fn in_short(loaded: &Loaded) -> String {
    let Loaded { documents, bytes, seconds, clients, .. } = *loaded;
    let rate = bytes as f64 / 1e6 / seconds;
    let documents = counted(documents, "document", "documents");
    let by = match clients {
        0 => String::new(),
        n => format!(" by {}", counted(n, "client", "clients")),
    };
    format!("{documents}, {} in {seconds:.1} s ({rate:.0} MB/s){by}", megabytes(bytes))
}
