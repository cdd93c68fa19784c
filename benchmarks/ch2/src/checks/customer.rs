//! What documents say of a customer, and whether it fits together.

use std::ops::AddAssign;

/// The sums of a customer, or what one document adds to them. Amounts are in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Customer {
    /// c_balance.
    pub balance: i64,
    /// c_ytd_payment.
    pub ytd_payment: i64,
    /// Sum of ol_amount of its delivered lines.
    pub delivered: i64,
    /// Sum of its h_amount.
    pub paid: i64,
    /// c_payment_cnt minus the documents of its history; 0 where the data is consistent.
    pub payments: i64,
    /// c_delivery_cnt minus its orders delivered since the load; 0 where the data is consistent.
    pub deliveries: i64,
}

impl Customer {
    /// What c_balance is too much by condition 10: 0 where the data is consistent.
    pub fn ten(&self) -> i128 {
        i128::from(self.balance) - i128::from(self.delivered) + i128::from(self.paid)
    }

    /// What c_balance + c_ytd_payment is too much by condition 12: 0 where the data is consistent.
    pub fn twelve(&self) -> i128 {
        let sum = i128::from(self.balance) + i128::from(self.ytd_payment);
        sum - i128::from(self.delivered)
    }
}

/// An absurd number saturates: it neither wraps around to a right one nor ends the check.
impl AddAssign for Customer {
    fn add_assign(&mut self, more: Customer) {
        let Customer { balance, ytd_payment, delivered, paid, payments, deliveries } = more;
        for (sum, more) in [
            (&mut self.balance, balance),
            (&mut self.ytd_payment, ytd_payment),
            (&mut self.delivered, delivered),
            (&mut self.paid, paid),
            (&mut self.payments, payments),
            (&mut self.deliveries, deliveries),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absurd_number_saturates() {
        let mut sums = Customer { payments: 1, deliveries: -2, ..Customer::default() };
        sums += Customer { payments: i64::MAX, deliveries: i64::MIN, ..Customer::default() };
        assert_eq!((sums.payments, sums.deliveries), (i64::MAX, i64::MIN));
        let absurd = Customer { balance: i64::MAX, ytd_payment: i64::MAX, ..sums };
        assert_eq!(absurd.twelve(), 2 * i128::from(i64::MAX));
        let absurd = Customer { balance: i64::MIN, delivered: i64::MAX, ..sums };
        assert_eq!(absurd.ten(), i128::from(i64::MIN) - i128::from(i64::MAX));
    }
}
