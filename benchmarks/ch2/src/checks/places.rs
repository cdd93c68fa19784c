//! The places of documents in arrays: districts, customers and stocks numbered from 0, warehouse
//! after warehouse.

use crate::data::DataSet;

/// How many there are of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    warehouses: u64,
    items: u64,
    customers_per_district: u64,
}

impl Places {
    pub fn of(data: &DataSet) -> Self {
        Places {
            warehouses: data.spec().warehouses.into(),
            items: data.items().into(),
            customers_per_district: data.customers_per_district().into(),
        }
    }

    /// The index of a district; `None` where this data has no such district.
    pub fn district(&self, (w, d): (u64, u64)) -> Option<usize> {
        let there = (1..=self.warehouses).contains(&w) && (1..=10).contains(&d);
        there.then(|| (w as usize - 1) * 10 + d as usize - 1)
    }

    /// The index of a customer; `None` where this data has no such customer.
    pub fn customer(&self, (w, d, c): (u64, u64, u64)) -> Option<usize> {
        let district = self.district((w, d))?;
        let there = (1..=self.customers_per_district).contains(&c);
        there.then(|| district * self.customers_per_district as usize + c as usize - 1)
    }

    /// The index of a stock; `None` where this data has no such stock.
    pub fn stock(&self, (w, i): (u64, u64)) -> Option<usize> {
        let there = (1..=self.warehouses).contains(&w) && (1..=self.items).contains(&i);
        there.then(|| ((w - 1) * self.items + i - 1) as usize)
    }

    /// The customers of a warehouse.
    pub fn customers(&self) -> usize {
        10 * self.customers_per_district as usize
    }
}
