//! The kinds of anomalies.

use hoap_data::named;
use hoap_record::witness::Level;

named! {
    /// A kind of anomaly, the gravest first. Names in brackets are Adya's and Elle's.
    #[derive(PartialOrd, Ord)]
    Kind, "anomaly":
    /// A list with a value that no transaction wrote there.
    Unwritten = "value that nobody wrote",
    /// A list with a value twice.
    Duplicate = "value twice in a list",
    /// A transaction that does not read its own last write.
    Internal = "own write not read",
    /// Transactions that overwrote each other in a circle.
    WriteCycle = "write cycle (G0)",
    /// A committed transaction read a value of one that was rolled back.
    AbortedRead = "aborted read (G1a)",
    /// A transaction read a value that its writer overwrote in the same transaction.
    IntermediateRead = "intermediate read (G1b)",
    /// Two lists of one document of which neither begins with the other, and no lost update.
    IncompatibleOrders = "incompatible orders",
    /// A cycle of reads and overwrites.
    InformationCycle = "circular information flow (G1c)",
    /// Two transactions read the same version of a document and both replaced it.
    LostUpdate = "lost update (P4)",
    /// A cycle with one missed write.
    ReadSkew = "read skew (G-single)",
    /// A cycle of several missed writes, of which no two follow each other.
    NonAdjacent = "long fork (G-nonadjacent)",
    /// A cycle with two missed writes that follow each other.
    WriteSkew = "write skew (G2-item)",
    /// A transaction did not see a write that was acknowledged before it began.
    StaleRead = "stale read",
    /// A cycle that only the order in real time closes.
    TimeCycle = "order against real time",
}

impl Kind {
    /// The weakest level that excludes it.
    pub const fn contradicts(self) -> Level {
        match self {
            Kind::Unwritten | Kind::Duplicate | Kind::Internal | Kind::WriteCycle => {
                Level::ReadUncommitted
            }
            Kind::AbortedRead
            | Kind::IntermediateRead
            | Kind::IncompatibleOrders
            | Kind::InformationCycle => Level::ReadCommitted,
            Kind::LostUpdate | Kind::ReadSkew | Kind::NonAdjacent => Level::Snapshot,
            Kind::WriteSkew => Level::Serializable,
            Kind::StaleRead | Kind::TimeCycle => Level::StrictSerializable,
        }
    }
}

/// Anomalies of one kind, and the transactions of an example.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub kind: Kind,
    pub count: u64,
    /// Transactions by their index in the history, the most important first.
    pub transactions: Vec<u32>,
    /// The dependencies among them: of a cycle all of it, in order.
    pub edges: Vec<Dependency>,
    /// The list and the value that are wrong, where it is one.
    pub value: Option<(u32, u32)>,
}

/// A transaction must come before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub from: u32,
    pub to: u32,
    pub why: hoap_record::witness::Why,
    /// The list and the value that the later one wrote or read; (0, 0) in real time.
    pub of: (u32, u32),
}
