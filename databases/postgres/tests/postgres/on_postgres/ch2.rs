//! CH2 and CH2++: the effects of the transactions, and the checks, which hold after runs of many
//! clients, at two levels of isolation.

mod read_committed;
mod serializable;

use super::CHEAP;
