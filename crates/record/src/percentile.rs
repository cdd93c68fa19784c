//! Response times and their percentiles.

use hoap_data::named;
use serde::{Deserialize, Serialize};

/// Response times in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Latency {
    pub mean_us: f64,
    pub p50_us: u64,
    pub p90_us: u64,
    pub p95_us: u64,
    pub p99_us: u64,
    pub p999_us: u64,
    pub max_us: u64,
}

named! {
    /// A percentile of response times in a record.
    #[derive(Serialize, Deserialize)]
    #[allow(missing_docs)]
    Percentile, "percentile":
    #[serde(rename = "p50")]
    P50 = "p50",
    #[serde(rename = "p90")]
    P90 = "p90",
    #[serde(rename = "p95")]
    P95 = "p95",
    #[serde(rename = "p99")]
    P99 = "p99",
    #[serde(rename = "p99.9")]
    P999 = "p99.9",
    #[serde(rename = "max")]
    Max = "max",
}

impl Percentile {
    /// The share of the operations that take no longer: 0.999 for p99.9. `None` for the maximum.
    pub fn rank(self) -> Option<f64> {
        match self {
            Percentile::P50 => Some(0.5),
            Percentile::P90 => Some(0.9),
            Percentile::P95 => Some(0.95),
            Percentile::P99 => Some(0.99),
            Percentile::P999 => Some(0.999),
            Percentile::Max => None,
        }
    }

    /// Its value, microseconds.
    pub fn of(self, latency: &Latency) -> u64 {
        match self {
            Percentile::P50 => latency.p50_us,
            Percentile::P90 => latency.p90_us,
            Percentile::P95 => latency.p95_us,
            Percentile::P99 => latency.p99_us,
            Percentile::P999 => latency.p999_us,
            Percentile::Max => latency.max_us,
        }
    }
}
