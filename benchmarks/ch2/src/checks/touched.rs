//! A snapshot of what a run touched: every warehouse and district, and by key each order, payment,
//! customer and stock that the run's ledger leads to, with a sample of others.
//!
//! Loaded documents are functions of their keys, so what a document must be after the first run
//! follows from its key and the ledger. After an earlier run it does not where a document adds up
//! what happened since the load: such sums are only held to have grown by at least what this run
//! did.

use std::collections::{BTreeMap, HashSet};
use std::ops::{Range, RangeInclusive};

use hoap_database::{Database, Row};
use hoap_workload::Result;
use hoap_workload::checks::{ByKey, Reader, Watch};

use super::away::{Away, Debt};
use super::counters;
use super::district::District;
use super::expected::Expected;
use super::found::{self, Findings, FoundOrder, FoundPayment};
use super::owed::{Account, Owed, Owing};
use super::reader::malformed;
use super::snapshot::Snapshot;
use crate::data::{Collection, DataSet};
use crate::ledger::log::Log;
use crate::ledger::{self, Ledger, Order, Payment, digest};

/// The most customers and stocks whose sums are kept at a time, in about 20 MB. Where a run touched
/// more, its orders and payments are read once to compare them and to learn what they changed in
/// the customers and stocks of other parts of the warehouses, then again part after part.
const MOST: u64 = 1 << 18;

/// The most lines of an order (TPC-C 2.4.1.3).
const LINES: u64 = 15;

/// A run, and the database after it.
pub struct Touched<'a> {
    /// The database.
    pub target: &'a Database,
    /// The data set that was loaded.
    pub data: &'a DataSet,
    /// The districts as [`counters::read`] found them before the run.
    pub before: &'a [District],
    /// Whether no run wrote before this one.
    pub fresh: bool,
    /// What was acknowledged.
    pub ledger: &'a Ledger,
}

/// A key of an order: warehouse, district and number.
type OrderKey = (u32, u32, u32);

impl Touched<'_> {
    /// Reads what the run touched and passes orders and history to `expected`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says
    /// so, [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) for a field of the wrong type or
    /// range, and the errors of the database.
    pub async fn snapshot(
        &self,
        expected: &mut Expected<'_>,
        watch: &Watch<'_>,
    ) -> Result<Snapshot> {
        self.in_parts(expected, MOST, watch).await
    }

    /// The same with at most so many sums at a time, as far as whole warehouses allow.
    ///
    /// # Errors
    /// Those of [`Touched::snapshot`].
    pub async fn in_parts(
        &self,
        expected: &mut Expected<'_>,
        most: u64,
        watch: &Watch<'_>,
    ) -> Result<Snapshot> {
        let mut reader = Reader::new(self.target, watch).await?;
        let mut snapshot =
            counters::with(&mut reader, self.target, self.data, self.fresh, watch).await?;
        let numbers = self.numbers(&snapshot);
        for (district, before) in snapshot.districts.iter_mut().zip(self.before) {
            let District { orders, payments, paid, .. } = *before;
            *district = District { orders, payments, paid, max_o_id: 0, ..*district };
        }
        let mut pass = Pass { run: self, reader, snapshot, expected, first: true };
        let parts = self.parts(most);
        let mut debts: Vec<Log<Debt>> = vec![Log::default(); parts.len()];
        if parts.len() > 1 {
            let mut away = Away::new(self.data, &parts);
            for warehouses in &parts {
                let keys = self.orders(&numbers, warehouses, pass.expected);
                pass.read_orders(&keys, &mut away).await?;
            }
            pass.read_payments(None, &mut away).await?;
            debts = away.debts();
            pass.first = false;
        }
        for (warehouses, debts) in parts.iter().zip(debts) {
            let mut owed = Owed::new(self.data, warehouses.clone());
            owed.also(&pass.expected.sample);
            debts.iter().for_each(|debt| debt.tell(&mut owed));
            let keys = self.orders(&numbers, warehouses, pass.expected);
            pass.read_orders(&keys, &mut owed).await?;
            let part = (!pass.first).then_some(warehouses);
            pass.read_payments(part, &mut owed).await?;
            owed.check(&mut pass.reader, &mut pass.snapshot.findings, self.fresh).await?;
        }
        Ok(pass.snapshot)
    }

    /// The warehouses in parts whose customers and stocks are about `most`.
    fn parts(&self, most: u64) -> Vec<RangeInclusive<u32>> {
        let Ledger { orders, payments, deliveries, ambiguous_orders, .. } = self.ledger;
        let lines = orders.iter().map(|o| u64::from(o.lines)).sum::<u64>()
            + ambiguous_orders.values().sum::<u64>() * LINES;
        let stock = lines.min(self.data.count(Collection::Stock));
        let customers = (payments.len() + deliveries.len()) as u64;
        let all = stock + customers.min(self.data.count(Collection::Customer));
        let of = all.div_ceil(most).clamp(1, self.data.spec().warehouses.into());
        let part = |part| {
            let indexes = self.data.part(Collection::Warehouse, part, of);
            indexes.start as u32 + 1..=indexes.end as u32
        };
        (1..=of).map(part).collect()
    }

    /// In each district, the numbers that were given during the run, then those that were
    /// delivered, with the one before and the one after, which must and must not be there.
    fn numbers(&self, after: &Snapshot) -> Vec<[Range<i64>; 2]> {
        let mut named: BTreeMap<ledger::District, (u64, u64)> = BTreeMap::new();
        for o in &self.ledger.orders {
            named.entry((o.w, o.d)).or_default().0 += 1;
        }
        for d in &self.ledger.deliveries {
            named.entry((d.w, d.d)).or_default().1 += 1;
        }
        for (&district, n) in &self.ledger.ambiguous_orders {
            named.entry(district).or_default().0 += n;
        }
        for (&district, n) in &self.ledger.ambiguous_deliveries {
            named.entry(district).or_default().1 += n;
        }
        let of_district = |(i, (before, now)): (usize, (&District, &District))| {
            let (entered, delivered) = named.get(&District::place(i)).copied().unwrap_or_default();
            // One more than there may be: the counts then differ from the ledger.
            let most = |from: i64, n: u64| from.saturating_add(n as i64 + 1);
            let first = before.next_o_id - 1;
            let last = now.next_o_id.min(most(before.next_o_id, entered));
            let from = before.oldest_undelivered();
            let to = now.oldest_undelivered().min(most(from, delivered));
            [first..last.saturating_add(1), from..to]
        };
        self.before.iter().zip(&after.districts).enumerate().map(of_district).collect()
    }

    /// The keys of the orders of some warehouses to be read: those that the ledger names, the
    /// sampled ones, and these numbers of each district.
    fn orders(
        &self,
        numbers: &[[Range<i64>; 2]],
        warehouses: &RangeInclusive<u32>,
        expected: &Expected<'_>,
    ) -> Vec<OrderKey> {
        let mut keys: Vec<OrderKey> = Vec::new();
        for (w, d) in warehouses.clone().flat_map(|w| (1..=10).map(move |d| (w, d))) {
            let numbers = district((w, d, 0)).and_then(|at| numbers.get(at));
            let numbers = numbers.into_iter().flatten().cloned().flatten();
            keys.extend(numbers.filter_map(|n| Some((w, d, u32::try_from(n).ok()?))));
        }
        // Where all is well, these are the same numbers, and keep no memory of their own.
        let beyond = |&key: &OrderKey| {
            let numbers = district(key).and_then(|at| numbers.get(at));
            !numbers.is_some_and(|n| n.iter().any(|n| n.contains(&i64::from(key.2))))
        };
        let of_part = (*warehouses.start(), 0, 0)..=(*warehouses.end(), u32::MAX, u32::MAX);
        let order = |o: &Order| (o.w, o.d, o.o_id);
        keys.extend(
            expected.orders.within(of_part.clone(), order).map(|o| order(&o)).filter(beyond),
        );
        let delivery = |d: &ledger::Delivery| (d.w, d.d, d.o_id);
        let delivered = expected.deliveries.within(of_part, delivery);
        keys.extend(delivered.map(|d| delivery(&d)).filter(beyond));
        let per_district = u64::from(self.data.orders_per_district());
        for index in expected.sample.indexes(Collection::Orders) {
            let (w, d) = District::place((index / per_district) as usize);
            if warehouses.contains(&w) {
                keys.push((w, d, (index % per_district) as u32 + 1));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The district of an order before the run.
    fn before(&self, key: OrderKey) -> Option<&District> {
        self.before.get(district(key)?)
    }
}

/// The index of an order's district.
fn district((w, d, _): OrderKey) -> Option<usize> {
    (1..=10).contains(&d).then_some(())?;
    Some((w as usize).checked_sub(1)? * 10 + d as usize - 1)
}

/// What is read of a run.
struct Pass<'a, 'e> {
    run: &'a Touched<'a>,
    reader: Reader<'a>,
    snapshot: Snapshot,
    expected: &'a mut Expected<'e>,
    /// Whether it is the first time that orders and payments are read, and they are compared.
    first: bool,
}

impl Pass<'_, '_> {
    async fn read_orders(&mut self, keys: &[OrderKey], owed: &mut impl Owing) -> Result<()> {
        for places in keys.chunks(self.reader.batch()) {
            let keys: Vec<String> =
                places.iter().map(|(w, d, o_id)| format!("{w}.{d}.{o_id}")).collect();
            let orders = self.reader.read(Collection::Orders.name(), &keys, &found::ORDER).await?;
            let neworders = match self.first {
                true => {
                    self.reader.read(Collection::Neworder.name(), &keys, &found::NEWORDER).await?
                }
                false => Vec::new(),
            };
            // By the numbers in the documents, as the pass over all of them has it.
            let number = |row: &Row, i: usize| u32::try_from(row[i].as_u64()?).ok();
            let undelivered: HashSet<OrderKey> = neworders
                .iter()
                .flatten()
                .filter_map(|row| Some((number(row, 0)?, number(row, 1)?, number(row, 2)?)))
                .collect();
            let mut matched = 0;
            for (i, (&place, key)) in places.iter().zip(&keys).enumerate() {
                let order = orders[i].as_ref().map(|row| {
                    FoundOrder::read(row)
                        .ok_or_else(|| malformed(Collection::Orders, key, &found::ORDER, row))
                });
                let order = order.transpose()?;
                if self.first {
                    let there = neworders[i].is_some();
                    matched += self.judge((place, key), order.as_ref(), there, &undelivered);
                }
                if let Some(order) = order {
                    self.owe((place, key), &order, owed).ok_or_else(|| {
                        let row = orders[i].as_ref().map_or(&[] as &[_], Vec::as_slice);
                        malformed(Collection::Orders, key, &found::ORDER, &row.to_vec())
                    })?;
                }
            }
            let there = neworders.iter().flatten().count() as u64;
            self.snapshot.findings.neworders(there, matched);
        }
        Ok(())
    }

    /// Adds an order to its district and compares it. Returns how many undelivered orders it
    /// matches.
    fn judge(
        &mut self,
        (place, key): (OrderKey, &str),
        order: Option<&FoundOrder<'_>>,
        neworder: bool,
        undelivered: &HashSet<OrderKey>,
    ) -> u64 {
        let number = i64::from(place.2);
        let new = self.run.before(place).is_none_or(|before| number >= before.next_o_id);
        let district = district(place).and_then(|at| self.snapshot.districts.get_mut(at));
        let Some(district) = district else { return 0 };
        let ends = district.neworders.ends;
        if !neworder && ends.is_some_and(|(oldest, newest)| (oldest..=newest).contains(&place.2)) {
            district.neworders.count = district.neworders.count.saturating_sub(1);
        }
        if !new {
            // It is among those before the run.
            district.orders = district.orders.saturating_sub(1);
        }
        let Some(order) = order else { return 0 };
        let (w, d, _) = order.place;
        let Snapshot { findings, districts, .. } = &mut self.snapshot;
        let name = || format!("orders {key}");
        let Some(i) = findings.district((w.into(), d.into()), name) else { return 0 };
        order.count(&mut districts[i]);
        let is_undelivered = undelivered.contains(&order.place);
        findings.order(key, order, is_undelivered);
        order.compare(self.expected);
        u64::from(is_undelivered)
    }

    /// What the order changed in other documents during the run. `None` where a field of a line has
    /// the wrong type or range.
    fn owe(
        &mut self,
        (place, key): (OrderKey, &str),
        order: &FoundOrder<'_>,
        owed: &mut impl Owing,
    ) -> Option<()> {
        let Some(before) = self.run.before(place) else { return Some(()) };
        let mut again = Findings::new(self.run.data);
        let findings = if self.first { &mut self.snapshot.findings } else { &mut again };
        let o_id = order.place.2;
        let name = || format!("customer of orders {key}");
        let customer = findings.customer(order.customer(), name);
        let from = Some(place.0);
        let (delivered, whole) = (order.delivered, order.carrier());
        if let Some(c) = customer
            && i64::from(o_id) >= before.oldest_undelivered()
            && (whole || delivered != 0)
        {
            owed.customer(from, c, Account::delivered(delivered, whole));
        }
        if i64::from(o_id) >= before.next_o_id {
            for (supply_w, item, sold) in order.sold()? {
                let name = || format!("stock of a line of orders {key}");
                if let Some(i) = findings.stock_index((supply_w.into(), item.into()), name) {
                    owed.stock(from, i, sold);
                }
                if self.first {
                    self.expected.sample.sold(supply_w, item, sold);
                }
            }
        }
        Some(())
    }

    /// Reads the payments in the districts of some warehouses, or all.
    async fn read_payments(
        &mut self,
        warehouses: Option<&RangeInclusive<u32>>,
        owed: &mut impl Owing,
    ) -> Result<()> {
        let Ledger { payments, ambiguous_payments, .. } = self.run.ledger;
        let mut all = payments.iter().chain(ambiguous_payments.iter().copied());
        loop {
            let of_part = |p: &Payment| warehouses.is_none_or(|part| part.contains(&p.w));
            let payments = all.by_ref().filter(of_part).take(self.reader.batch());
            let payments: Vec<Payment> = payments.collect();
            if payments.is_empty() {
                return Ok(());
            }
            let keys: Vec<String> = payments.iter().map(|p| p.history.text()).collect();
            let rows =
                self.reader.read(Collection::History.name(), &keys, &digest::HISTORY).await?;
            for ((acknowledged, key), row) in payments.iter().zip(&keys).zip(&rows) {
                let Some(row) = row else { continue };
                let bad = || malformed(Collection::History, key, &digest::HISTORY, row);
                let payment = FoundPayment::read(row).ok_or_else(bad)?;
                let customer = match self.first {
                    true => self.snapshot.payment(key, row, &payment, self.expected),
                    false => Some(payment.customer(key, &mut Findings::new(self.run.data))),
                };
                if let Some(c) = customer.ok_or_else(bad)? {
                    owed.customer(Some(acknowledged.w), c, Account::paid(payment.amount));
                }
            }
        }
    }
}
