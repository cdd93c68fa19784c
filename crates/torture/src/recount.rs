//! What `ledger.json` says was acknowledged, looked for by another client of the database.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use hoap_ch2::checks::district::District;
use hoap_ch2::ledger::Payment;
use hoap_ch2::ledger::contribution::Contribution as Ch2;
use hoap_record::folder::{each_sample, read_ledger, read_run};
use hoap_record::{Error, ErrorKind, Result};
use hoap_workload::contribution;
use hoap_ycsb::UserTable;
use hoap_ycsb::data::Records;
use serde::Deserialize;

use crate::plan::Recount;
use crate::process::Shell;
use crate::result::Count;

/// The most examples that are told.
const TOLD: usize = 5;

/// Has another client print what is there, and compares it with the run's ledger.
///
/// # Errors
/// Returns why it could not: the plan has no command for this benchmark, a command fails, or the
/// run left no ledger.
pub fn recount(
    plan: &Recount,
    shell: &Shell,
    folder: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<Count> {
    let run = read_run(folder)?;
    let ledger = read_ledger(folder)?;
    let name = folder.join("ledger.json").display().to_string();
    let lines = |line: &Option<String>, what: &str| match line {
        Some(line) => shell.run(line, stop),
        None => Err(Error::new(
            ErrorKind::Invalid,
            "recount",
            format!("the plan's [recount] has no `{what}`"),
        )),
    };
    let count = if run.benchmark.starts_with("ch2") {
        let orders = lines(&plan.orders, "orders")?;
        let neworder = lines(&plan.neworder, "neworder")?;
        let history = lines(&plan.history, "history")?;
        let found = Ch2Keys {
            orders: orders.lines().filter_map(Order::read).collect(),
            neworder: keys(&neworder),
            history: keys(&history),
        };
        ch2(&contribution::read::<Ch2>(&name, &ledger)?, &found)
    } else {
        let text = lines(&plan.records, "records")?;
        let table = UserTable::from_parameters(&run.data)?;
        ycsb(&contribution::read::<Ycsb>(&name, &ledger)?, &table.records, &text)?
    };
    Ok(Count { by: plan.by.clone(), ..count })
}

/// The number of payments in the history, for a run whose driver is killed and leaves no ledger.
///
/// # Errors
/// As [`recount`].
pub fn payments(plan: &Recount, shell: &Shell, stop: &dyn Fn() -> bool) -> Result<u64> {
    let missing = || Error::new(ErrorKind::Invalid, "recount", "[recount] has no `history`");
    let line = plan.history.as_ref().ok_or_else(missing)?;
    Ok(keys(&shell.run(line, stop)?).len() as u64)
}

/// The growth of the history in a run whose driver was killed, held against the payments that its
/// time series on disk has: each of these was acknowledged. Payments of its last moments are in no
/// file.
pub fn grown(plan: &Recount, before: u64, after: u64, folder: &Path) -> Count {
    let mut acknowledged = 0;
    // The last line may be cut off.
    let _ = each_sample(folder, |row| {
        acknowledged += if row.kind == "Payment" { row.count } else { 0 };
    });
    let grown = after.saturating_sub(before);
    let lost = acknowledged.saturating_sub(grown);
    let example = || format!("history grew by {grown}, {acknowledged} payments were acknowledged");
    let examples = (lost > 0).then(example).into_iter().collect();
    Count { by: plan.by.clone(), acknowledged, lost, examples, ..Count::default() }
}

fn keys(text: &str) -> BTreeSet<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// What the other client tells of an order besides its key: the customer and the number of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order(Option<(u32, u32)>);

impl Order {
    /// Of a line `KEY` or `KEY, tab, customer, tab, number of lines`; `None` of an empty one.
    fn read(line: &str) -> Option<(&str, Order)> {
        let mut words = line.trim().split('\t');
        let key = words.next().filter(|key| !key.is_empty())?;
        let mut number = || words.next()?.trim().parse().ok();
        let customer = number();
        Some((key, Order(customer.zip(number()))))
    }
}

/// The keys that the other client found.
struct Ch2Keys<'a> {
    orders: HashMap<&'a str, Order>,
    neworder: BTreeSet<&'a str>,
    history: BTreeSet<&'a str>,
}

impl Count {
    fn example(&mut self, text: String) {
        if self.examples.len() < TOLD {
            self.examples.push(text);
        }
    }

    /// Writes of unknown outcome, of which so many are there.
    fn unsure(&mut self, ambiguous: u64, there: u64, what: &str) {
        let present = there.min(ambiguous);
        self.ambiguous += ambiguous;
        self.present += present;
        self.absent += ambiguous - present;
        if there > ambiguous {
            self.added += there - ambiguous;
            self.example(format!("{} {what} that nobody made", there - ambiguous));
        }
    }
}

/// Orders and payments by key; deliveries by their new orders, which are gone.
fn ch2(ledger: &Ch2, found: &Ch2Keys<'_>) -> Count {
    let Ch2 { before, ledger, .. } = ledger;
    let mut count = Count::default();
    let key = |w: u32, d: u32, o_id: u32| format!("{w}.{d}.{o_id}");
    // After a loss a number may be given again: of two orders with one number one is lost.
    let mut orders: BTreeSet<String> = BTreeSet::new();
    for order in &ledger.orders {
        count.acknowledged += 1;
        let key = key(order.w, order.d, order.o_id);
        let there = found
            .orders
            .get(key.as_str())
            .is_some_and(|Order(told)| told.is_none_or(|told| told == (order.c, order.lines)));
        if !there || orders.contains(&key) {
            count.lost += 1;
            count.example(format!("orders {key} was acknowledged and is not there"));
        }
        orders.insert(key);
    }
    // Orders of this run: beyond the numbers that were given before it.
    let next = before.iter().enumerate().map(|(i, d)| (District::place(i), d.next_o_id));
    let next: HashMap<(u32, u32), i64> = next.collect();
    let is_new = |order: &&str| {
        let mut numbers = order.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
        let (w, d) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let o_id = i64::from(numbers.next().unwrap_or(0));
        next.get(&(w, d)).is_some_and(|next| o_id >= *next)
    };
    let new: Vec<&str> = found.orders.keys().copied().filter(is_new).collect();
    let unacknowledged = new.iter().filter(|order| !orders.contains(**order)).count() as u64;
    count.unsure(ledger.ambiguous_orders.values().sum(), unacknowledged, "orders");

    let text = |payment: Payment| payment.history.text();
    let payments: BTreeSet<String> = ledger.payments.iter().map(text).collect();
    count.acknowledged += payments.len() as u64;
    for payment in payments.iter().filter(|payment| !found.history.contains(payment.as_str())) {
        count.lost += 1;
        count.example(format!("history {payment} was acknowledged and is not there"));
    }
    let unsure: BTreeSet<String> = ledger.ambiguous_payments.iter().copied().map(text).collect();
    let there = unsure.iter().filter(|payment| found.history.contains(payment.as_str())).count();
    count.unsure(unsure.len() as u64, there as u64, "payments");

    // Of two deliveries of one order one is lost, too.
    let mut delivered: BTreeSet<String> = BTreeSet::new();
    for delivery in &ledger.deliveries {
        count.acknowledged += 1;
        let key = key(delivery.w, delivery.d, delivery.o_id);
        if found.neworder.contains(key.as_str()) || delivered.contains(&key) {
            count.lost += 1;
            count.example(format!("the delivery of {key} was acknowledged and is not there"));
        }
        delivered.insert(key);
    }
    // What was to be delivered, less what is: whose new order is gone.
    let old = before.iter().enumerate().flat_map(|(i, district)| {
        let (w, d) = District::place(i);
        // They have no gap: the data was consistent before the run.
        let numbers = district.neworders.ends.into_iter().flat_map(|(first, last)| first..=last);
        numbers.map(move |o_id| key(w, d, o_id))
    });
    let due: BTreeSet<String> = old.chain(new.iter().map(|order| (*order).to_owned())).collect();
    let gone = due.iter().filter(|order| {
        !found.neworder.contains(order.as_str()) && !delivered.contains(order.as_str())
    });
    count.unsure(ledger.ambiguous_deliveries.values().sum(), gone.count() as u64, "deliveries");
    count
}

/// The ledger of YCSB, as its file has it.
#[derive(Deserialize)]
struct Ycsb {
    inserted: u64,
    unsure_inserts: u64,
    writes: Vec<Write>,
    unsure: Vec<Unsure>,
}

#[derive(Deserialize)]
struct Write {
    key: String,
    field: Option<u16>,
    version: u64,
    start: u64,
    end: u64,
}

#[derive(Deserialize)]
struct Unsure {
    key: String,
    field: Option<u16>,
    version: u64,
}

/// The number of records, and the fields of the keys that the ledger has.
fn ycsb(ledger: &Ycsb, records: &Records, text: &str) -> Result<Count> {
    let mut there: HashMap<&str, BTreeMap<u16, &str>> = HashMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut words = line.splitn(3, '\t');
        let (key, field, value) = (words.next(), words.next(), words.next());
        let (Some(key), Some(Ok(field)), Some(value)) = (key, field.map(str::parse), value) else {
            let answer = format!("{line:?} is not key, tab, number of the field, tab, value");
            return Err(Error::new(ErrorKind::Invalid, "read the recount's records", answer));
        };
        there.entry(key).or_default().insert(field, value);
    }
    let mut count = Count::default();
    let (loaded, found) = (records.spec().count, there.len() as u64);
    count.acknowledged += ledger.inserted;
    let least = loaded + ledger.inserted;
    if found < least {
        count.lost += least - found;
        count.example(format!("{found} records are there, {least} were loaded or acknowledged"));
    }
    count.unsure(ledger.unsure_inserts, found.saturating_sub(least), "records");

    let states = |key: &str, field: u16| -> Option<(u64, usize)> {
        let value = there.get(key)?.get(&field)?.as_bytes();
        records.check(records.parse_key(key)?, field, value).map(|version| (version, value.len()))
    };
    let fields = |field: Option<u16>| match field {
        Some(field) => field..field + 1,
        None => 0..records.spec().fields,
    };
    let mut places: BTreeSet<(&str, u16)> = BTreeSet::new();
    for write in &ledger.writes {
        places.extend(fields(write.field).map(|field| (write.key.as_str(), field)));
    }
    for (key, field) in places {
        count.acknowledged += 1;
        let of = |k: &str, f: Option<u16>| k == key && f.is_none_or(|f| f == field);
        let writes = || ledger.writes.iter().filter(|w| of(&w.key, w.field));
        let latest = writes().map(|w| w.start).max().unwrap_or(0);
        let last = writes().filter(|w| w.end >= latest).map(|w| w.version);
        let unsure = ledger.unsure.iter().filter(|u| of(&u.key, u.field)).map(|u| u.version);
        let right = states(key, field).is_some_and(|(now, length)| {
            last.chain(unsure).any(|v| records.stated(v, length) == now)
        });
        if !right {
            count.lost += 1;
            count.example(format!("field {field} of {key} is not at its last acknowledged write"));
        }
    }
    let mut updates = (0, 0);
    for unsure in ledger.unsure.iter().filter(|unsure| unsure.field.is_some()) {
        updates.0 += 1;
        let now = unsure.field.and_then(|field| states(&unsure.key, field));
        let is_there =
            now.is_some_and(|(now, length)| records.stated(unsure.version, length) == now);
        updates.1 += u64::from(is_there);
    }
    count.unsure(updates.0, updates.1, "updates");
    Ok(count)
}

#[cfg(test)]
mod tests;
