//! Where a terminal with think times is at home.

use hoap_data::Part;

/// The warehouse and the StockLevel district of terminal `number` of a driver (TPC-C 2.4.1.1,
/// 2.8.1.1). The drivers take turns, so that no two terminals of a fleet of equal drivers share a
/// district before each has one.
pub(super) fn home(part: Part, number: usize, warehouses: u32) -> (u32, u32) {
    let number = (number as u64).wrapping_mul(part.of).wrapping_add(part.part - 1);
    let warehouses = u64::from(warehouses);
    ((number % warehouses + 1) as u32, (number / warehouses % 10 + 1) as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// TPC-C 2.8.1.1: each terminal of a warehouse has a district of its own, whichever driver it
    /// is of.
    #[test]
    fn no_two_terminals_of_a_fleet_share_a_district_while_one_is_free() {
        for (of, warehouses) in [(1, 3), (2, 3), (4, 10), (7, 1), (3, 64)] {
            let all = usize::try_from(10 * warehouses / of as u32).unwrap();
            let homes: Vec<(u32, u32)> = (1..=of)
                .flat_map(|part| (0..all).map(move |n| home(Part { part, of }, n, warehouses)))
                .collect();
            let different: BTreeSet<_> = homes.iter().collect();
            assert_eq!(different.len(), homes.len(), "{of} drivers, {warehouses} warehouses");
            assert!(
                homes.iter().all(|(w, d)| (1..=warehouses).contains(w) && (1..=10).contains(d))
            );
            // The first terminals are spread over the warehouses.
            let used: BTreeSet<u32> =
                (1..=of).map(|part| home(Part { part, of }, 0, warehouses).0).collect();
            assert_eq!(used.len() as u64, of.min(warehouses.into()));
        }
    }
}
