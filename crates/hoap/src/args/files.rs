//! `hoap gen`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use hoap_conduct::data::{AskedData, DataEntry};
use hoap_conduct::values::{PartArg, Size};
use hoap_data::SpecError;
use hoap_files::{Codec, Existing, Format, Layout};

use super::named::{Named, OfBenchmark};
use crate::built_in;

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Gen {
    #[command(subcommand)]
    pub benchmark: Option<Named<Made>>,
    /// Read the files of a folder again and hold them against their manifest
    #[arg(long, value_name = "DIR")]
    pub check: Option<PathBuf>,
    /// Threads; the bytes do not depend on them [default: the cores]
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<NonZeroUsize>,
    /// Print what would be written, with documents, bytes and time
    #[arg(long, global = true)]
    pub dry_run: bool,
}

/// The documents that become files.
#[derive(Debug)]
pub struct Made {
    /// The documents.
    pub data: Box<dyn AskedData>,
    /// The collections that were named, by position.
    pub collections: Vec<usize>,
    /// What they become.
    pub output: Output,
}

impl OfBenchmark for Made {
    fn commands() -> Vec<Command> {
        let command = |entry: &'static dyn DataEntry| {
            let command = entry.gen_command()?.args(chosen(entry.collections()));
            let about = command.get_about().cloned().unwrap_or_default();
            // The flags bring a line of their own.
            Some(Output::augment_args(command).about(about))
        };
        built_in::data().filter_map(command).collect()
    }

    fn parse(name: &str, flags: &mut ArgMatches) -> Option<Result<Self, clap::Error>> {
        let entry = built_in::data().find(|entry| entry.name() == name)?;
        let named = flags.try_remove_many(COLLECTIONS).ok().flatten();
        let collections = named.map(Iterator::collect).unwrap_or_default();
        let data = match entry.parse_gen(flags) {
            Ok(data) => data,
            Err(e) => return Some(Err(e)),
        };
        Some(Output::from_arg_matches_mut(flags).map(|output| Made { data, collections, output }))
    }
}

/// The name of the flag.
const COLLECTIONS: &str = "collections";

/// The flag that chooses among several collections, whose value is a position.
fn chosen(names: &'static [&'static str]) -> Option<Arg> {
    let position = |name: &str| {
        let known = names.iter().position(|known| *known == name);
        known.ok_or_else(|| SpecError::unknown("collection", name, names))
    };
    (names.len() > 1).then(|| {
        Arg::new(COLLECTIONS)
            .long(COLLECTIONS)
            .help("Only these collections, in this order")
            .value_name("A,B")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(move |name: &str| position(name))
    })
}

/// What documents become and where they go.
#[derive(Debug, Args)]
pub struct Output {
    /// File format: ndjson, json (an array a file), csv (with --schema flat), parquet
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Ndjson)]
    pub format: Format,
    /// documents: nested as they are; flat: relational tables, arrays as tables of their own
    #[arg(long, value_name = "SCHEMA", default_value_t = Layout::Documents)]
    pub schema: Layout,
    /// Compress text with gzip or zstd, Parquet with snappy (its default) or zstd; or none
    #[arg(long, visible_alias = "compression", value_name = "CODEC")]
    pub compress: Option<Codec>,
    /// Compression level: gzip 1 to 9, zstd 1 to 22 [default: 1]
    #[arg(long, value_name = "N")]
    pub level: Option<u32>,
    /// Documents of a Parquet row group, as bytes of NDJSON [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    pub row_group: Option<Size>,
    /// Begin the next file before one exceeds this: <collection>.0001.ndjson …
    #[arg(long, value_name = "SIZE")]
    pub split: Option<Size>,
    /// Write the I-th of N parts, which together are the whole. auto/N takes I from a scheduler's
    /// environment, and goes on with a part that was interrupted
    #[arg(long, value_name = "I/N", default_value_t = PartArg::WHOLE)]
    pub part: PartArg,
    /// Folder for the files, DIR/<collection>[.<part>][.<number>].ndjson, and DIR/manifest.json
    #[arg(short, long, value_name = "DIR", required_unless_present = "stdout")]
    pub out: Option<PathBuf>,
    /// Write NDJSON to standard output instead of files
    #[arg(long, conflicts_with_all = ["out", "replace", "resume"])]
    pub stdout: bool,
    /// Remove first what an earlier call wrote there and its manifest lists, and nothing else
    #[arg(long, conflicts_with = "resume")]
    pub replace: bool,
    /// Finish what an interrupted call began; files that are whole are not written again
    #[arg(long)]
    pub resume: bool,
}

impl Output {
    /// What to do about files that are there.
    pub fn existing(&self) -> Existing {
        // What a scheduler starts it may start again.
        match (self.replace, self.resume || self.part.from.is_some()) {
            (true, _) => Existing::Replace,
            (_, true) => Existing::Resume,
            _ => Existing::Refuse,
        }
    }
}
