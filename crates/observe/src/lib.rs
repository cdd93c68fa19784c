//! The servers' side beside the load (`--observe`): what metrics endpoints and processes tell, each
//! second.
//!
//! | module | content |
//! |---|---|
//! | [`bound`] | a bound that series are to pass |
//! | [`select`] | which series of an endpoint are kept |
//! | [`source`] | a source as a user writes it |
//! | [`reading`] | the values of a source at one moment |
//! | [`exposition`] | the text of an endpoint: the format of Prometheus |
//! | `http`, `process` | the two kinds of source |
//! | `sums` | a series over the measured window |
//! | [`watch`] | reads each source on a thread of its own, so that none delays the load or another source |

pub mod bound;
pub mod exposition;
mod http;
mod process;
pub mod reading;
pub mod select;
pub mod source;
mod sums;
pub mod watch;

pub use bound::MetricBound;
pub use source::MetricSource;
pub use watch::MetricWatch;
