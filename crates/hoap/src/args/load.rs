//! `hoap load`.

use clap::{Args, Subcommand};
use hoap_conduct::data::{Data, Records, ShopArgs};
use hoap_conduct::values::PartArg;
use hoap_workload::load::{Existing, Part};

#[derive(Debug, Subcommand)]
#[allow(missing_docs)]
pub enum LoadBenchmark {
    /// CH2, the first version: flat names and addresses
    Ch2(LoadHybrid),
    /// CH2++: nested documents, arrays, extra fields
    Ch2pp(LoadHybrid),
    /// The records of YCSB
    Ycsb(LoadYcsb),
    /// The customers and orders of Pagination and JOIN
    Shop(LoadShop),
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadYcsb {
    #[command(flatten)]
    pub loading: Loading,
    #[command(flatten)]
    pub records: Records,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadShop {
    #[command(flatten)]
    pub loading: Loading,
    #[command(flatten)]
    pub shop: ShopArgs,
}

#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct LoadHybrid {
    #[command(flatten)]
    pub data: Data,
    #[command(flatten)]
    pub loading: Loading,
}

/// Where a load goes and what it does about what is there.
#[derive(Debug, Args)]
pub struct Loading {
    /// The database, such as sqlite:bench.db
    #[arg(long, value_name = "URL")]
    pub target: String,
    /// Load the I-th of N parts; the last one to finish makes the indexes
    #[arg(long, value_name = "I/N", default_value_t = PartArg(Part::WHOLE))]
    pub part: PartArg,
    /// Remove what is there first
    #[arg(long, conflicts_with = "resume")]
    pub replace: bool,
    /// Finish a load that was interrupted
    #[arg(long)]
    pub resume: bool,
}

impl Loading {
    /// What to do about data that is there.
    pub fn existing(&self) -> Existing {
        match (self.replace, self.resume) {
            (true, _) => Existing::Replace,
            (_, true) => Existing::Resume,
            _ => Existing::Refuse,
        }
    }
}
