//! The sums and counts of a district. Districts are numbered from 0, warehouse after warehouse.

use serde::{Deserialize, Serialize};

/// The sums of a district.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct District {
    /// d_ytd, cents.
    pub ytd: Option<i64>,
    /// d_next_o_id.
    pub next_o_id: i64,
    /// Orders: count, largest number, sum of o_ol_cnt, nested lines.
    pub orders: u64,
    #[allow(missing_docs)]
    pub max_o_id: i64,
    #[allow(missing_docs)]
    pub ol_cnt: i64,
    #[allow(missing_docs)]
    pub lines: i64,
    /// Its undelivered orders.
    pub neworders: Undelivered,
    /// History: count and sum of h_amount by (h_w_id, h_d_id), cents.
    pub payments: u64,
    #[allow(missing_docs)]
    pub paid: i64,
    /// Sum of its customers' c_delivery_cnt.
    pub deliveries: i64,
}

impl District {
    /// Warehouse and number of the district with this index.
    pub fn place(index: usize) -> (u32, u32) {
        (index as u32 / 10 + 1, index as u32 % 10 + 1)
    }

    /// The key of the district with this index.
    pub fn key(index: usize) -> String {
        let (w, d) = District::place(index);
        format!("{w}.{d}")
    }

    /// The number of its oldest undelivered order, or of its next order.
    pub(super) fn oldest_undelivered(&self) -> i64 {
        self.neworders.ends.map_or(self.next_o_id, |(oldest, _)| oldest.into())
    }
}

/// The undelivered orders of a district.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undelivered {
    /// How many there are.
    pub count: u64,
    /// The smallest and the largest of their numbers.
    pub ends: Option<(u32, u32)>,
}

impl Undelivered {
    /// One more.
    pub(super) fn add(&mut self, number: u32) {
        let (oldest, newest) = self.ends.unwrap_or((number, number));
        self.ends = Some((oldest.min(number), newest.max(number)));
        self.count += 1;
    }

    /// Those of all numbers between two, both included.
    pub fn between(ends: Option<(u32, u32)>) -> Self {
        let span = |(oldest, newest): (u32, u32)| u64::from(newest.saturating_sub(oldest)) + 1;
        Undelivered { count: ends.map_or(0, span), ends }
    }
}
