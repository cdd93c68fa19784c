//! A sample of documents, drawn after a run and read by key. Fields that no transaction changes
//! must be as loaded; fields that transactions change must follow from orders and payments.
//!
//! A sample of n of N documents finds a single wrong document with probability n/N, and a share s
//! of wrong documents with probability 1 − (1 − s)^n: with n = 1,000 almost certainly where one
//! document in a hundred is wrong.

use std::collections::{BTreeMap, BTreeSet};

use hoap_data::random::Stream;
use hoap_database::{Database, Row};
use hoap_record::check::{Check, Verdict};
use hoap_workload::alike::{same, unlike};
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

use super::finding::Finding;
use super::reader::Reader;
use super::stock::{Sold, quantity_left};
use crate::data::{Collection, DataSet};
use crate::ledger::{HistoryKey, Ledger, Order, unforeseen};
use crate::transactions::{LONGEST_DATA, bad_credit_entry, extra_field};

/// The default number of documents of each collection.
pub const SIZE: u64 = 1_000;

/// Documents made and compared at once.
const KEYS: usize = 400;

/// The random stream of the samples.
const STREAM: u64 = 0x7361_6d70_6c65;

/// The collections that are sampled. Undelivered orders come and go and hold only numbers, which
/// the conditions compare.
const COLLECTIONS: [Collection; 10] = [
    Collection::Warehouse,
    Collection::District,
    Collection::Customer,
    Collection::History,
    Collection::Orders,
    Collection::Stock,
    Collection::Item,
    Collection::Supplier,
    Collection::Nation,
    Collection::Region,
];

/// What is known of the changes in the sampled documents since the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changes {
    /// A snapshot's pass met all of them.
    #[default]
    Met,
    /// There are none: each document is as the load made it.
    None,
    /// There are others than a pass met. What adds up changes is not compared.
    Unknown,
}

/// The sampled documents, and what a snapshot's pass learns of them. The default is empty.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    seed: u64,
    size: u64,
    changes: Changes,
    items: u64,
    /// Indexes of loaded documents, in the order of [`COLLECTIONS`].
    drawn: [Vec<u64>; COLLECTIONS.len()],
    /// Quantities that order lines took from stocks since the load, by index.
    stock: BTreeMap<u64, Sold>,
    /// Entries that payments since the load wrote into the c_data of customers with bad credit, by
    /// index.
    paid: BTreeMap<u64, Vec<String>>,
}

impl Sample {
    /// Draws with a seed that cannot be predicted.
    pub fn draw(data: &DataSet) -> Self {
        Sample::of(data, SIZE, unforeseen())
    }

    /// Draws `size` documents of each collection, or all where it has fewer.
    pub fn of(data: &DataSet, size: u64, seed: u64) -> Self {
        let drawn = COLLECTIONS.map(|collection| {
            let mut random = Stream::new(seed, &[STREAM, collection as u64]);
            choose(data.count(collection), size, &mut random)
        });
        let mut sample =
            Sample { seed, size, items: data.items().into(), drawn, ..Sample::default() };
        sample.stock =
            sample.indexes(Collection::Stock).iter().map(|&i| (i, Sold::default())).collect();
        sample.paid =
            sample.indexes(Collection::Customer).iter().map(|&i| (i, Vec::new())).collect();
        sample
    }

    /// The same where this is known of the changes since the load.
    pub fn knowing(self, changes: Changes) -> Self {
        Sample { changes, ..self }
    }

    /// The indexes of the documents of a collection, sorted.
    pub fn indexes(&self, collection: Collection) -> &[u64] {
        let at = COLLECTIONS.iter().position(|&c| c == collection);
        at.map_or(&[], |at| &self.drawn[at])
    }

    /// Adds an order line entered since the load.
    pub(super) fn sold(&mut self, w: u32, item: u32, sold: Sold) {
        if w == 0 || item == 0 || self.stock.is_empty() {
            return;
        }
        let index = (u64::from(w) - 1) * self.items + u64::from(item) - 1;
        if let Some(stock) = self.stock.get_mut(&index) {
            stock.add(sold);
        }
    }

    /// Adds a history document of the customer with this index. `ids` are customer, customer's
    /// district and warehouse, district and warehouse.
    pub(super) fn paid(&mut self, index: u64, key: &str, ids: [Option<u64>; 5], amount: i64) {
        let Some(entries) = self.paid.get_mut(&index) else { return };
        if HistoryKey::parse(key).is_some() {
            let ids = ids.map(|id| id.and_then(|id| u32::try_from(id).ok()).unwrap_or_default());
            entries.push(bad_credit_entry(ids, amount));
        }
    }

    /// Reads the documents after the snapshot's pass and compares them. Also draws as many of the
    /// ledger's orders and compares their extra fields.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`] soon after `stop` returns true, and the errors of the
    /// database.
    pub async fn check(
        &self,
        target: &Database,
        data: &DataSet,
        ledger: &Ledger,
        when: &str,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Check> {
        let name = "nothing changed";
        let what = match self.changes {
            Changes::Met => {
                "what no transaction changes with what the load made, stock by document, c_data \
                 and extra fields"
            }
            Changes::None => "every field with what the load made",
            Changes::Unknown => {
                "what no transaction changes with what the load made, s_quantity with s_ytd and \
                 extra fields"
            }
        };
        let compares = format!(
            "{what}, in a sample of {} of each collection (--sample {} --sample-seed {})",
            self.size, self.size, self.seed
        );
        if let Err(no) = target.transactions() {
            let skipped = Finding::default().check(when, name, &compares);
            let detail = Some(no.to_string());
            return Ok(Check { verdict: Verdict::Skip, detail, ..skipped });
        }
        let mut finding = Finding::default();
        let mut reader = Reader::new(target, stop).await?;
        for collection in COLLECTIONS {
            for indexes in self.indexes(collection).chunks(KEYS) {
                self.loaded(&mut reader, data, (collection, indexes), &mut finding).await?;
            }
        }
        if data.spec().extra_fields.orders > 0 {
            let mut random = Stream::new(self.seed, &[STREAM, u64::MAX]);
            let drawn = choose(ledger.orders.len() as u64, self.size, &mut random);
            let mut all = (0..).zip(&ledger.orders);
            let mut find = |index| all.find(|(at, _)| *at == index);
            let drawn = drawn.into_iter().filter_map(|index| Some(find(index)?.1));
            for orders in drawn.collect::<Vec<Order>>().chunks(KEYS) {
                entered(&mut reader, data, orders, &mut finding).await?;
            }
        }
        Ok(finding.check(when, name, &compares))
    }

    /// Compares loaded documents.
    async fn loaded(
        &self,
        reader: &mut Reader<'_>,
        data: &DataSet,
        (collection, indexes): (Collection, &[u64]),
        finding: &mut Finding,
    ) -> Result<()> {
        let (mut keys, mut documents) = (Vec::new(), Vec::new());
        for &index in indexes {
            let (mut key, mut text) = (String::new(), Vec::new());
            data.append_key(collection, index, &mut key);
            data.append(collection, index, &mut text);
            let document: Map<String, Value> = serde_json::from_slice(&text).map_err(|e| {
                Error::new(ErrorKind::Broken, format!("make {collection} {key}"), e)
            })?;
            keys.push(key);
            documents.push(document);
        }
        let Some(first) = documents.first() else { return Ok(()) };
        // All documents of a collection have the same top-level fields.
        let names: Vec<&str> = first.keys().map(String::as_str).collect();
        let rows = reader.read(collection, &keys, &names).await?;
        for (((&index, key), made), row) in indexes.iter().zip(&keys).zip(&documents).zip(rows) {
            let wrong = match row {
                None => Some("there is no such document".into()),
                Some(row) => {
                    let document = Document { collection, index, names: &names, row: &row };
                    names.iter().zip(&row).find_map(|(&name, found)| {
                        let made = &made[name];
                        let holds = self.holds(data, document, name, (made, found));
                        (!holds).then(|| unlike(name, found, made))
                    })
                }
            };
            finding.expect(wrong.is_none(), || {
                format!("{} {key}: {}", collection.name(), wrong.unwrap_or_default())
            });
        }
        Ok(())
    }

    /// Whether a field has the value that follows from its loaded one.
    fn holds(
        &self,
        data: &DataSet,
        Document { collection, index, names, row }: Document<'_>,
        name: &str,
        (made, found): (&Value, &Value),
    ) -> bool {
        let number = |value: &Value| value.as_i64();
        let field = |name| names.iter().position(|&n| n == name).map(|at| &row[at]);
        match (self.changes, name) {
            (Changes::None, _) => return same(made, found),
            (Changes::Unknown, "s_ytd" | "s_order_cnt" | "s_remote_cnt") => return true,
            (Changes::Unknown, "s_quantity") => {
                let wanted = number(made).zip(field("s_ytd").and_then(number));
                return number(found) == wanted.map(|(made, sold)| quantity_left(made, sold));
            }
            (Changes::Unknown, "c_data")
                if field("c_credit").and_then(Value::as_str) == Some("BC") =>
            {
                return true;
            }
            _ => {}
        }
        match name {
            // The conditions compare these for every document.
            "w_ytd" | "d_ytd" | "d_next_o_id" | "c_balance" | "c_ytd_payment" | "c_payment_cnt"
            | "c_delivery_cnt" => true,
            "s_ytd" | "s_order_cnt" | "s_remote_cnt" | "s_quantity" => {
                let sold = self.stock.get(&index).copied().unwrap_or_default();
                let wanted = number(made).map(|made| match name {
                    "s_ytd" => made + sold.quantity,
                    "s_order_cnt" => made + sold.lines,
                    "s_remote_cnt" => made + sold.remote,
                    _ => quantity_left(made, sold.quantity),
                });
                number(found) == wanted
            }
            "c_data" => {
                let entries = self.paid.get(&index).map_or(&[] as &[String], Vec::as_slice);
                let credit = field("c_credit").and_then(Value::as_str);
                match (credit, made.as_str(), found.as_str()) {
                    (Some("BC"), Some(made), Some(found)) => bad_credit_holds(made, found, entries),
                    _ => same(made, found),
                }
            }
            // Delivery sets it on orders without one.
            "o_carrier_id" if !delivered_at_load(data, index) => true,
            "o_orderline"
                if collection == Collection::Orders && !delivered_at_load(data, index) =>
            {
                same(&without_dates(made), &without_dates(found))
            }
            _ => same(made, found),
        }
    }
}

/// A loaded document as it was read.
#[derive(Clone, Copy)]
struct Document<'a> {
    collection: Collection,
    index: u64,
    /// Names of the fields.
    names: &'a [&'a str],
    /// Their values.
    row: &'a Row,
}

/// `size` distinct numbers below `count`, or all, sorted.
fn choose(count: u64, size: u64, random: &mut Stream) -> Vec<u64> {
    if size >= count {
        return (0..count).collect();
    }
    // Floyd's algorithm: every subset of this size is equally likely.
    let mut chosen = BTreeSet::new();
    for last in count - size..count {
        let drawn = random.uniform(0..=last as i64) as u64;
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

fn delivered_at_load(data: &DataSet, order: u64) -> bool {
    order % u64::from(data.orders_per_district()) < u64::from(data.delivered_per_district())
}

fn without_dates(lines: &Value) -> Value {
    let mut lines = lines.clone();
    for line in lines.as_array_mut().into_iter().flatten() {
        if let Some(line) = line.as_object_mut() {
            line.remove("ol_delivery_d");
        }
    }
    lines
}

/// Whether c_data is the loaded text preceded by these payments in some order, cut to its length
/// (TPC-C 2.5.2.2).
fn bad_credit_holds(made: &str, found: &str, entries: &[String]) -> bool {
    let mut left: Vec<&str> = entries.iter().map(String::as_str).collect();
    let whole = left.iter().map(|e| e.len()).sum::<usize>() + made.len();
    if found.len() != whole.min(LONGEST_DATA) {
        return false;
    }
    let mut rest = found;
    // No entry is a prefix of another, since each ends with its sixth blank. At most one entry
    // matches.
    while let Some(at) = left.iter().position(|e| rest.starts_with(e)) {
        rest = &rest[left.swap_remove(at).len()..];
    }
    // The cut is in the loaded text or in the oldest remaining entry.
    match left.is_empty() {
        true => made.starts_with(rest),
        false => left.iter().any(|e| e.starts_with(rest)),
    }
}

/// Compares the extra fields of acknowledged orders.
async fn entered(
    reader: &mut Reader<'_>,
    data: &DataSet,
    orders: &[Order],
    finding: &mut Finding,
) -> Result<()> {
    let keys: Vec<String> = orders.iter().map(|o| format!("{}.{}.{}", o.w, o.d, o.o_id)).collect();
    let names: Vec<String> =
        (1..=data.spec().extra_fields.orders).map(|n| format!("o_extra_{n:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = reader.read(Collection::Orders, &keys, &names).await?;
    for ((order, key), row) in orders.iter().zip(&keys).zip(rows) {
        let wrong = match row {
            None => Some("there is no such document".into()),
            Some(row) => (1..).zip(names.iter().zip(&row)).find_map(|(n, (name, found))| {
                let made = Value::from(extra_field(data, (order.w, order.d, order.o_id), n));
                (!same(&made, found)).then(|| unlike(name, found, &made))
            }),
        };
        finding.expect(wrong.is_none(), || format!("orders {key}: {}", wrong.unwrap_or_default()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Spec};

    #[test]
    fn bad_credit_data_is_what_payments_in_any_order_leave() {
        let entries: Vec<String> =
            (0..3).map(|n| bad_credit_entry([1, 2, 3, 4, 5], 100 + n)).collect();
        let made = "x".repeat(480);
        let cut = |text: String| text[..text.len().min(500)].to_owned();
        let good = cut(format!("{}{}{}{made}", entries[2], entries[0], entries[1]));
        assert!(bad_credit_holds(&made, &good, &entries));
        assert!(bad_credit_holds(&made, &made, &[]));
        assert!(!bad_credit_holds(&made, &made, &entries), "none is there");
        let twice = cut(format!("{}{}{}{made}", entries[2], entries[2], entries[1]));
        assert!(!bad_credit_holds(&made, &twice, &entries));
        assert!(!bad_credit_holds(&made, &good.replace('x', "y"), &entries));
        assert!(!bad_credit_holds(&made, &good[..499], &entries));
        // So many entries that the cut is in an entry and no loaded text is left.
        let many: Vec<String> =
            (0..40).map(|n| bad_credit_entry([1, 2, 3, 4, 5], 100 + n)).collect();
        let full = cut(many.concat());
        assert!(bad_credit_holds(&made, &full, &many));
        assert!(!bad_credit_holds(&made, &format!("{}9", &full[..499]), &many));
    }

    /// Every document is in a sample of n of N with probability n/N, and equal seeds give equal
    /// samples.
    #[test]
    fn each_document_is_as_likely_to_be_drawn() {
        let data = DataSet::new(Spec { scale_down: 100, ..Spec::new(Schema::Ch2, 1) }).unwrap();
        let mut seen = [0u32; 300];
        for seed in 0..2000 {
            let sample = Sample::of(&data, 30, seed);
            let drawn = sample.indexes(Collection::Customer);
            assert_eq!(drawn.len(), 30);
            assert!(drawn.is_sorted() && drawn.windows(2).all(|w| w[0] != w[1]));
            assert_eq!(drawn, Sample::of(&data, 30, seed).indexes(Collection::Customer));
            drawn.iter().for_each(|&i| seen[i as usize] += 1);
        }
        // 200 of 2,000 on average; the standard deviation is 13.4.
        assert!(seen.iter().all(|n| (120..=280).contains(n)), "{seen:?}");
        let all = Sample::of(&data, u64::MAX, 1);
        for collection in COLLECTIONS {
            assert_eq!(all.indexes(collection).len() as u64, data.count(collection));
        }
    }
}
