//! The sum of a join that a client makes.

use serde_json::Value;

use super::JoinRow;
use crate::failure::{Done, Failure};

/// The sum of some orders' prices in cents; none of no orders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum(Option<i64>);

impl Sum {
    /// Adds the price of an order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`](crate::ErrorKind::Broken) for what is no amount.
    pub fn add(&mut self, price: &Value) -> Done<()> {
        let total = cents(price).and_then(|cents| self.0.unwrap_or(0).checked_add(cents));
        self.0 = Some(total.ok_or_else(|| no_amount(price))?);
        Ok(())
    }

    /// Adds those orders of an array that are of this month, or have none.
    ///
    /// # Errors
    /// Those of [`Sum::add`].
    pub fn add_all(&mut self, orders: &Value, month: &str) -> Done<()> {
        let all = orders.as_array().into_iter().flatten();
        let mut these = all.filter(|order| order.get("month").is_none_or(|of| of == month));
        these.try_for_each(|order| self.add(&order["sale_price"]))
    }

    /// The answer's row, if it has one.
    pub fn row(self, zip: &str, month: &str) -> Option<JoinRow> {
        self.0.map(|cents| JoinRow { month: month.to_owned(), zip: zip.to_owned(), cents })
    }
}

/// A price in cents; `None` where it is no amount.
pub fn cents(price: &Value) -> Option<i64> {
    let cents = (price.as_f64()? * 100.0).round();
    // Floating-point numbers represent all whole numbers up to here.
    (cents.abs() < 9e15).then_some(cents as i64)
}

fn no_amount(price: &Value) -> Failure {
    Failure::broken(format!("the sale_price {price} of an order is no amount"))
}
