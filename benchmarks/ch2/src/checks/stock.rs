//! The quantities that order lines take from a stock, and the quantity left (TPC-C 2.4.2.2).

/// The quantities that order lines take from a stock (TPC-C 2.4.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sold {
    /// Sum of ol_quantity; s_ytd.
    pub quantity: i64,
    /// Lines; s_order_cnt.
    pub lines: i64,
    /// Lines of orders of another warehouse; s_remote_cnt.
    pub remote: i64,
}

impl Sold {
    /// Adds other quantities.
    pub fn add(&mut self, other: Sold) {
        self.quantity += other.quantity;
        self.lines += other.lines;
        self.remote += other.remote;
    }
}

/// s_quantity of a stock that was loaded with `loaded` and has sold `sold` since, at most ten at a
/// time. A stock that would fall below 10 is filled up by 91 (TPC-C 2.4.2.2), so s_quantity stays
/// in 10…100 and is determined modulo 91.
pub fn quantity_left(loaded: i64, sold: i64) -> i64 {
    10 + (loaded - 10 - sold).rem_euclid(91)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TPC-C 2.4.2.2, one line after the other.
    #[test]
    fn what_is_left_follows_from_what_was_sold() {
        for loaded in 10..=100 {
            let (mut left, mut sold) = (loaded, 0);
            for n in 0..200 {
                let taken = 1 + (n * 7 + loaded) % 10;
                left -= taken;
                if left < 10 {
                    left += 91;
                }
                sold += taken;
                assert_eq!(quantity_left(loaded, sold), left);
            }
        }
    }
}
