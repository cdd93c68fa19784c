//! A snapshot of what a run touched: every warehouse and district, and by key each order, payment,
//! customer and stock that the run's ledger leads to, with a sample of others.
//!
//! Loaded documents are functions of their keys, so what a document must be after the first run
//! follows from its key and the ledger. After an earlier run it does not where a document adds up
//! what happened since the load: such sums are only held to have grown by at least what this run
//! did.

use std::collections::HashSet;
use std::ops::Range;

use hoap_database::{Database, Row};
use hoap_workload::Result;
use hoap_workload::checks::reader::malformed;
use hoap_workload::checks::{Reader, Watch};

use super::counters;
use super::district::District;
use super::documents::{self, FoundOrder};
use super::nothing_lost::{Lost, wanted};
use super::owed::{Account, Owed};
use super::sample::Sample;
use super::snapshot::Snapshot;
use super::sought::{OrderKey, Sought, payments, said, sought};
use crate::data::{Collection, DataSet};
use crate::ledger::Ledger;

/// The most customers and stocks whose sums are kept in memory, in about 20 MB.
const MOST: usize = 1 << 18;

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

impl Touched<'_> {
    /// Compares each acknowledged commit with what is there, and reads nothing else.
    ///
    /// # Errors
    /// Those of [`Touched::snapshot`].
    pub async fn lost(&self, watch: &Watch<'_>) -> Result<Lost> {
        let mut reader = Reader::new(self.target, watch).await?;
        let mut lost = Lost::default();
        let all = sought(self.ledger, Vec::new(), Vec::new());
        let all = all.map(|sought| (sought.key(), sought)).map(|(key, sought)| (sought, key));
        let see = |sought: Sought, _: &str, row: Option<&Row>| {
            see_order(&mut lost, &sought, said(row, FoundOrder::read)?.as_ref());
            Some(())
        };
        reader.each((Collection::Orders.name(), &documents::ORDER), all, see).await?;
        payments(&mut reader, self.ledger, |acknowledged, found| {
            if let Some(payment) = acknowledged {
                lost.payment(payment, found.map(|(_, row, payment)| (payment, row)));
            }
        })
        .await?;
        Ok(lost)
    }

    /// Reads what the run touched, with sampled documents, and compares what was acknowledged.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says
    /// so, [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) for a field of the wrong type or
    /// range, and the errors of the database.
    pub async fn snapshot(&self, sample: &Sample, watch: &Watch<'_>) -> Result<(Snapshot, Lost)> {
        self.keeping(MOST, sample, watch).await
    }

    /// The same with at most so many sums in memory.
    ///
    /// # Errors
    /// Those of [`Touched::snapshot`].
    pub async fn keeping(
        &self,
        most: usize,
        sample: &Sample,
        watch: &Watch<'_>,
    ) -> Result<(Snapshot, Lost)> {
        let mut reader = Reader::new(self.target, watch).await?;
        let mut snapshot =
            counters::with(&mut reader, self.target, self.data, self.fresh, watch).await?;
        let numbers = self.numbers(&snapshot);
        for (district, before) in snapshot.districts.iter_mut().zip(self.before) {
            let District { orders, payments, paid, .. } = *before;
            *district = District { orders, payments, paid, max_o_id: 0, ..*district };
        }
        let mut owed = Owed::new(most, self.ledger.orders.beside());
        owed.also(sample);
        let mut pass = Pass { run: self, reader, snapshot, lost: Lost::default(), owed };
        pass.read_orders(self.keys(numbers, sample)).await?;
        pass.read_payments().await?;
        let Pass { mut reader, mut snapshot, lost, owed, .. } = pass;
        owed.check(&mut reader, self.data, &mut snapshot.findings, self.fresh).await?;
        Ok((snapshot, lost))
    }

    /// In each district, the numbers that were given during the run, then those that were
    /// delivered, with the one before and the one after, which must and must not be there.
    fn numbers(&self, after: &Snapshot) -> Vec<[Range<i64>; 2]> {
        let wanted = wanted(self.ledger);
        let of_district = |(i, (before, now)): (usize, (&District, &District))| {
            let g = wanted.get(&District::place(i)).copied().unwrap_or_default();
            // One more than there may be: the counts then differ from the ledger.
            let most = |from: i64, (sure, more): (i64, i64)| from.saturating_add(sure + more + 1);
            let first = before.next_o_id - 1;
            let last = now.next_o_id.min(most(before.next_o_id, g.orders));
            let from = before.oldest_undelivered();
            let to = most(from, g.deliveries);
            let to = now.oldest_undelivered().min(to);
            [first..last.saturating_add(1), from..to]
        };
        self.before.iter().zip(&after.districts).enumerate().map(of_district).collect()
    }

    /// The orders to be read: those that the ledger names, the sampled ones, and these numbers of
    /// each district.
    fn keys(&self, numbers: Vec<[Range<i64>; 2]>, sample: &Sample) -> impl Iterator<Item = Sought> {
        let per_district = u64::from(self.data.orders_per_district());
        let sampled = sample.indexes(Collection::Orders).iter().map(|index| {
            let (w, d) = District::place((index / per_district) as usize);
            (w, d, (index % per_district) as u32 + 1)
        });
        let given = numbers.into_iter().enumerate().flat_map(|(i, [entered, delivered])| {
            let (one, other) = match entered.start < delivered.start {
                true => (entered, delivered),
                false => (delivered, entered),
            };
            let rest = other.start.max(one.end)..other.end;
            [one, rest].map(|numbers| (District::place(i), numbers))
        });
        sought(self.ledger, sampled.collect(), given.collect())
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

/// Compares what was acknowledged of an order.
fn see_order(lost: &mut Lost, sought: &Sought, found: Option<&FoundOrder<'_>>) {
    sought.order.iter().for_each(|order| lost.order(order, found));
    sought.delivery.iter().for_each(|delivery| lost.delivery(delivery, found));
    lost.twice(sought.place, sought.twice);
}

/// What is read of a run.
struct Pass<'a> {
    run: &'a Touched<'a>,
    reader: Reader<'a>,
    snapshot: Snapshot,
    lost: Lost,
    owed: Owed,
}

impl Pass<'_> {
    async fn read_orders(&mut self, mut all: impl Iterator<Item = Sought>) -> Result<()> {
        let (name, neworder) = (Collection::Orders.name(), Collection::Neworder.name());
        loop {
            let batch: Vec<Sought> = all.by_ref().take(self.reader.batch()).collect();
            if batch.is_empty() {
                return Ok(());
            }
            let keys: Vec<String> = batch.iter().map(Sought::key).collect();
            let orders = self.reader.read(name, &keys, &documents::ORDER).await?;
            let neworders = self.reader.read(neworder, &keys, &documents::NEWORDER).await?;
            // By the numbers in the documents, as the pass over all of them has it.
            let number = |row: &Row, i: usize| u32::try_from(row[i].as_u64()?).ok();
            let undelivered: HashSet<OrderKey> = neworders
                .iter()
                .flatten()
                .filter_map(|row| Some((number(row, 0)?, number(row, 1)?, number(row, 2)?)))
                .collect();
            let mut matched = 0;
            for ((sought, row), neworder) in batch.iter().zip(&orders).zip(&neworders) {
                let (row, is_new) = (row.as_ref(), neworder.is_some());
                let malformed = || malformed(name, &sought.key(), &documents::ORDER, row);
                let found = said(row, FoundOrder::read).ok_or_else(malformed)?;
                see_order(&mut self.lost, sought, found.as_ref());
                matched += self.judge(sought, found.as_ref(), is_new, &undelivered);
                if let Some(found) = found {
                    self.owe(sought, &found).ok_or_else(malformed)?;
                }
            }
            let there = neworders.iter().flatten().count() as u64;
            self.snapshot.findings.neworders(there, matched);
        }
    }

    /// Adds an order to its district. Returns how many undelivered orders it matches.
    fn judge(
        &mut self,
        sought: &Sought,
        order: Option<&FoundOrder<'_>>,
        neworder: bool,
        undelivered: &HashSet<OrderKey>,
    ) -> u64 {
        let place = sought.place;
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
        let name = || format!("orders {}", sought.key());
        let Some(i) = findings.district((w.into(), d.into()), name) else { return 0 };
        order.count(&mut districts[i]);
        let is_undelivered = undelivered.contains(&order.place);
        findings.order(&sought.key(), order, is_undelivered);
        u64::from(is_undelivered)
    }

    /// What the order changed in other documents during the run. `None` where a field of a line has
    /// the wrong type or range.
    fn owe(&mut self, sought: &Sought, order: &FoundOrder<'_>) -> Option<()> {
        let Some(before) = self.run.before(sought.place) else { return Some(()) };
        let findings = &mut self.snapshot.findings;
        let o_id = i64::from(order.place.2);
        let name = || format!("customer of orders {}", sought.key());
        let customer = findings.customer(order.customer(), name);
        let (delivered, whole) = (order.delivered, order.carrier());
        if let Some(c) = customer
            && o_id >= before.oldest_undelivered()
            && (whole || delivered != 0)
        {
            let deliveries = whole.into();
            self.owed.customer(c, Account { delivered, deliveries, ..Account::default() });
        }
        if o_id >= before.next_o_id {
            for (supply_w, item, sold) in order.sold()? {
                let name = || format!("stock of a line of orders {}", sought.key());
                if let Some(i) = findings.stock_index((supply_w.into(), item.into()), name) {
                    self.owed.stock(i, sold);
                }
            }
        }
        Some(())
    }

    async fn read_payments(&mut self) -> Result<()> {
        let Pass { run, reader, snapshot, lost, owed } = self;
        payments(reader, run.ledger, |acknowledged, found| {
            if let Some(payment) = acknowledged {
                lost.payment(payment, found.map(|(_, row, found)| (found, row)));
            }
            let Some((key, _, found)) = found else { return };
            if let Some(c) = snapshot.payment(key, found) {
                owed.customer(c, Account { paid: found.amount, payments: 1, ..Account::default() });
            }
        })
        .await
    }
}
