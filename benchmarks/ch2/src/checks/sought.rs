//! What a check looks for by key: orders and payments that the ledger of a run names, and others.

use std::iter::Peekable;
use std::ops::Range;

use hoap_database::Row;
use hoap_workload::Result;
use hoap_workload::checks::Reader;

use super::documents::FoundPayment;
use crate::data::Collection;
use crate::ledger::{self, Delivery, Ledger, Order, Payment, digest};

/// A key of an order: warehouse, district and number.
pub(super) type OrderKey = (u32, u32, u32);

/// An order that is looked for.
pub(super) struct Sought {
    pub place: OrderKey,
    /// What was acknowledged of it.
    pub order: Option<Order>,
    pub delivery: Option<Delivery>,
    /// Whether that was acknowledged more than once.
    pub twice: [bool; 2],
}

impl Sought {
    /// The key of its document.
    pub fn key(&self) -> String {
        let (w, d, o_id) = self.place;
        format!("{w}.{d}.{o_id}")
    }
}

/// All orders of a ledger, these others, and those with these numbers in each district. Both are
/// sorted, and each order comes once.
pub(super) fn sought(
    ledger: &Ledger,
    others: Vec<OrderKey>,
    numbers: Vec<(ledger::District, Range<i64>)>,
) -> impl Iterator<Item = Sought> {
    let numbers = numbers.into_iter().flat_map(|((w, d), numbers)| {
        numbers.filter_map(move |n| Some((w, d, u32::try_from(n).ok()?)))
    });
    Keys {
        others: others.into_iter().peekable(),
        numbers: numbers.peekable(),
        orders: ledger.orders.iter().peekable(),
        deliveries: ledger.deliveries.iter().peekable(),
    }
}

struct Keys<A: Iterator, B: Iterator, C: Iterator, D: Iterator> {
    others: Peekable<A>,
    numbers: Peekable<B>,
    orders: Peekable<C>,
    deliveries: Peekable<D>,
}

impl<A, B, C, D> Iterator for Keys<A, B, C, D>
where
    A: Iterator<Item = OrderKey>,
    B: Iterator<Item = OrderKey>,
    C: Iterator<Item = Order>,
    D: Iterator<Item = Delivery>,
{
    type Item = Sought;

    fn next(&mut self) -> Option<Sought> {
        let of_order = |o: &Order| (o.w, o.d, o.o_id);
        let of_delivery = |d: &Delivery| (d.w, d.d, d.o_id);
        let next = [
            self.others.peek().copied(),
            self.numbers.peek().copied(),
            self.orders.peek().map(of_order),
            self.deliveries.peek().map(of_delivery),
        ];
        let place = next.into_iter().flatten().min()?;
        while self.others.next_if_eq(&place).is_some() {}
        while self.numbers.next_if_eq(&place).is_some() {}
        let mut sought = Sought { place, order: None, delivery: None, twice: [false; 2] };
        while let Some(order) = self.orders.next_if(|order| of_order(order) == place) {
            sought.twice[0] |= sought.order.replace(order).is_some();
        }
        while let Some(delivery) = self.deliveries.next_if(|it| of_delivery(it) == place) {
            sought.twice[1] |= sought.delivery.replace(delivery).is_some();
        }
        Some(sought)
    }
}

/// What a row says, if there is one. `None` where a field has the wrong type or range.
pub(super) fn said<'r, T>(
    row: Option<&'r Row>,
    read: impl FnOnce(&'r Row) -> Option<T>,
) -> Option<Option<T>> {
    row.map_or(Some(None), |row| read(row).map(Some))
}

/// A payment that was found: its key, its fields, and what they say.
pub(super) type Paid<'a> = (&'a str, &'a Row, &'a FoundPayment);

/// Reads the payments. `each` is given the payment, if it was acknowledged, and what is there.
pub(super) async fn payments(
    reader: &mut Reader<'_>,
    ledger: &Ledger,
    mut each: impl FnMut(Option<&Payment>, Option<Paid<'_>>),
) -> Result<()> {
    let unsure = ledger.ambiguous_payments.iter().map(|&payment| (payment, false));
    let all = ledger.payments.iter().map(|payment| (payment, true)).chain(unsure);
    let all = all.map(|sought| (sought, sought.0.history.text()));
    let of = (Collection::History.name(), &digest::HISTORY[..]);
    let see = |(payment, acknowledged): (Payment, bool), key: &str, row: Option<&Row>| {
        let found = said(row, FoundPayment::read)?;
        let found = found.as_ref().zip(row).map(|(found, row)| (key, row, found));
        each(acknowledged.then_some(&payment), found);
        Some(())
    };
    reader.each(of, all, see).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each order comes once, with all that was acknowledged of it.
    #[test]
    fn orders_come_by_key_whoever_names_them() {
        let order =
            |o_id| Order { w: 1, d: 2, o_id, c: 1, lines: 5, amount: 9, digest: o_id.into() };
        let delivery = |w, o_id| Delivery { w, d: 2, o_id, digest: 1 };
        let ledger = Ledger {
            orders: [7, 5, 7, 900].map(order).into_iter().collect(),
            deliveries: [delivery(1, 5), delivery(1, 3), delivery(0, 1)].into_iter().collect(),
            ..Ledger::default()
        };
        let (others, numbers) = (vec![(1, 1, 9), (1, 2, 3)], vec![((1, 2), 4..7), ((1, 3), -2..2)]);
        let found = sought(&ledger, others, numbers);
        let found =
            found.map(|s| (s.place.1, s.place.2, s.order.is_some(), s.delivery.is_some(), s.twice));
        let none = [false; 2];
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                (2, 1, false, true, none),
                (1, 9, false, false, none),
                (2, 3, false, true, none),
                (2, 4, false, false, none),
                (2, 5, true, true, none),
                (2, 6, false, false, none),
                (2, 7, true, false, [true, false]),
                (2, 900, true, false, none),
                (3, 0, false, false, none),
                (3, 1, false, false, none),
            ]
        );
    }
}
