//! `hoap report`, `hoap show` and `hoap price`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Report {
    /// Run folders, or folders of repeated runs. Runs of one LABEL are one configuration
    #[arg(required = true, value_name = "[LABEL=]RUN")]
    pub runs: Vec<String>,
    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub out: PathBuf,
    /// Also write every table of the page into this folder, as CSV
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Show published figures of the same benchmarks beside, apart from the runs' [a study's name,
    /// or all]
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub published: Option<String>,
    #[command(flatten)]
    pub costs: Costs,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Show {
    /// Run folders, or folders of repeated runs
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Every table, check and sentence, and not the answers alone
    #[arg(long)]
    pub full: bool,
    /// As what: the text that the run printed, Markdown, a table as CSV, the record as JSON, or the
    /// lines that YCSB prints
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,
    /// With csv: which table
    #[arg(long, value_name = "TABLE", default_value = "operations")]
    pub table: String,
    /// With ycsb: the step, of a run that has several
    #[arg(long, value_name = "N")]
    pub step: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ShowFormat {
    Text,
    Markdown,
    Csv,
    Json,
    Ycsb,
}

/// `FORMAT=FILE`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// As what.
    pub format: ShowFormat,
    /// Where to.
    pub file: PathBuf,
}

impl FromStr for Export {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let parsed = s.split_once('=').and_then(|(format, file)| {
            let format = ShowFormat::from_str(format, false).ok()?;
            (!file.is_empty()).then(|| Export { format, file: file.into() })
        });
        parsed.ok_or_else(|| {
            "an export is text, markdown, csv, json or ycsb, and a file, such as ycsb=out.txt"
                .into()
        })
    }
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Price {
    /// Run folders, or folders of repeated runs. Runs of one LABEL are one configuration
    #[arg(required = true, value_name = "[LABEL=]RUN")]
    pub runs: Vec<String>,
    #[command(flatten)]
    pub costs: Costs,
}

/// What is priced, and how much of it there is.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Costs {
    /// Price file, or the name of a list that is built in, for all configurations or the labelled
    /// one
    #[arg(long, value_name = "[LABEL=]FILE", value_delimiter = ',')]
    pub prices: Vec<String>,
    /// Nodes of the database's cluster
    #[arg(long, value_name = "[LABEL=]N", value_delimiter = ',')]
    pub nodes: Vec<Nodes>,
    /// Amount of a unit that the prices name, such as storage-gb=500
    #[arg(long, value_name = "[LABEL=]UNIT=N", value_delimiter = ',')]
    pub quantity: Vec<Quantity>,
}

/// `[LABEL=]N`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Of which configuration; of all without one.
    pub label: Option<String>,
    /// How many.
    pub nodes: u32,
}

impl FromStr for Nodes {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let (label, number) = labelled(s);
        match number.parse() {
            Ok(nodes) if nodes > 0 => Ok(Nodes { label, nodes }),
            _ => Err("nodes are N or LABEL=N with N from 1, such as 6".into()),
        }
    }
}

/// `[LABEL=]UNIT=N`
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Of which configuration; of all without one.
    pub label: Option<String>,
    /// The unit that a price names.
    pub unit: String,
    /// How many a month, or at any time.
    pub amount: f64,
}

impl FromStr for Quantity {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let parsed = s.rsplit_once('=').and_then(|(name, amount)| {
            let amount: f64 = amount.parse().ok()?;
            let (label, unit) = labelled(name);
            let whole = amount.is_finite() && amount >= 0.0 && !unit.is_empty();
            whole.then(|| Quantity { label, unit: unit.to_string(), amount })
        });
        parsed.ok_or_else(|| "a quantity is UNIT=N or LABEL=UNIT=N, such as storage-gb=500".into())
    }
}

/// What stands before the last "=", and what behind it.
fn labelled(s: &str) -> (Option<String>, &str) {
    match s.rsplit_once('=') {
        Some((label, rest)) => (Some(label.to_string()), rest),
        None => (None, s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_of_one_label_or_of_all() {
        let label = |l: &str| Some(l.to_string());
        assert_eq!("6".parse(), Ok(Nodes { label: None, nodes: 6 }));
        assert_eq!("4Q+4A=8".parse(), Ok(Nodes { label: label("4Q+4A"), nodes: 8 }));
        for wrong in ["", "0", "a=", "a=0", "a=x", "-1"] {
            assert!(wrong.parse::<Nodes>().is_err(), "{wrong}");
        }
        let quantity = |label, amount| Quantity { label, unit: "storage-gb".into(), amount };
        assert_eq!("storage-gb=1.5".parse(), Ok(quantity(None, 1.5)));
        assert_eq!("a=storage-gb=0".parse(), Ok(quantity(label("a"), 0.0)));
        for wrong in ["", "5", "=5", "x=", "x=-1", "x=inf", "a==5"] {
            assert!(wrong.parse::<Quantity>().is_err(), "{wrong}");
        }
    }
}
