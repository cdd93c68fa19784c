//! `hoap gen`.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use hoap_conduct::data::{Data, Records, ShopArgs};
use hoap_conduct::values::{PartArg, Size};
use hoap_data::Collection;
use hoap_data::shop::ShopCollection;
use hoap_files::{Codec, Existing, Format, Layout};

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Gen {
    #[command(subcommand)]
    pub benchmark: Option<GenBenchmark>,
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

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum GenBenchmark {
    /// CH2, the first version: flat names and addresses
    Ch2(GenOf<Data, Collection>),
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp(GenOf<Data, Collection>),
    /// The records of YCSB, each with its key as the field _id
    Ycsb(GenYcsb),
    /// The customers and orders of Pagination and JOIN
    Shop(GenOf<ShopArgs, ShopCollection>),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct GenOf<D, C>
where
    D: Args,
    C: Clone + Send + Sync + FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + 'static,
{
    #[command(flatten)]
    pub data: D,
    /// Only these collections, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub collections: Vec<C>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct GenYcsb {
    #[command(flatten)]
    pub records: Records,
    #[command(flatten)]
    pub output: Output,
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
