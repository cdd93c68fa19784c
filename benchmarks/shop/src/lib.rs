//! Pagination and JOIN, the query workloads of the comparison reports (NoSQL specification,
//! sections 2 to 4), over customers and orders.
//!
//! * [`data`]: the documents; [`documents`], [`files`]: how they are asked for, and made into files.
//! * [`mod@load`]: the data as the source of a load, and its reading from the note of a load.
//! * [`KeepAnswers`]: their answers in files.
//! * [`Pagination`], [`Join`]: the two workloads, on any database that has
//!   [`Pages`](hoap_database::shop::Pages) or [`Joins`](hoap_database::shop::Joins).

mod answers;
mod benchmark;
pub mod data;
pub mod documents;
pub mod files;
mod join;
pub mod load;
mod pagination;
pub mod run;

pub use answers::KeepAnswers;
pub use benchmark::BENCHMARK;
pub use join::{Join, Joiner};
pub use pagination::{Pager, Pagination};

use hoap_data::random::Stream;
use hoap_workload::clients::ClientStreams;
use hoap_workload::{Error, ErrorKind};

use crate::data::ShopData;

/// The random stream of the clients, apart from all streams of the data.
const CLIENT_STREAM: u64 = 0x7368_6f70_7065_7273;

/// Options of the clients.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of all draws of the clients.
    pub seed: u64,
    /// Whether each answer is compared with the loaded data. A wrong answer is a failure of kind
    /// [`ErrorKind::Broken`]. The comparison is part of the response time.
    pub check_reads: bool,
}

/// The state that all clients of a run share.
#[derive(Debug)]
struct Shared {
    data: ShopData,
    options: Options,
    clients: ClientStreams,
}

impl Shared {
    fn new(data: ShopData, options: Options) -> Shared {
        Shared { data, options, clients: ClientStreams::default() }
    }

    /// The random numbers of a client that is connected.
    fn random(&self, number: usize) -> Stream {
        self.clients.next(self.options.seed, CLIENT_STREAM, number)
    }
}

/// A uniform number below `n`.
fn below(random: &mut Stream, n: u64) -> u64 {
    random.uniform(0..=n.saturating_sub(1) as i64) as u64
}

/// The error for an answer that differs from the loaded data.
fn wrong(tried: String, answer: String) -> Error {
    Error::new(ErrorKind::Broken, tried, answer).advise(
        "the database answers wrongly, or its data was changed: load it again to tell which",
    )
}
