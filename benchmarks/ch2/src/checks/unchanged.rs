//! A sample of documents, drawn after a run and read by key. Fields that no transaction changes
//! must be as loaded; fields that transactions change must follow from orders and payments.
//!
//! A sample of n of N documents finds a single wrong document with probability n/N, and a share s
//! of wrong documents with probability 1 − (1 − s)^n: with n = 1,000 almost certainly where one
//! document in a hundred is wrong.

use std::collections::BTreeMap;

use hoap_data::random::Stream;
use hoap_database::Database;
use hoap_record::check::{Check, Verdict};
use hoap_workload::Result;
use hoap_workload::checks::sample::{choose, unforeseen};
use hoap_workload::checks::{
    Checked, Document, Expected, Finding, Found, Reader, Wanted, Watch, by_key,
};
use hoap_workload::load::LoadSource;
use serde_json::Value;

use super::stock::{Sold, quantity_left};
use crate::data::{Collection, DataSet};
use crate::ledger::{HistoryKey, Ledger};
use crate::transactions::{LONGEST_DATA, bad_credit_entry, extra_field};

/// The default number of documents of each collection.
pub const SIZE: u64 = 1_000;

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
    /// Returns [`ErrorKind::Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says
    /// so, and the errors of the database.
    pub async fn check(
        &self,
        target: &Database,
        data: &DataSet,
        ledger: &Ledger,
        when: &str,
        watch: &Watch<'_>,
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
        let mut reader = Reader::new(target, watch).await?;
        let mut finding = Finding::default();
        let all = Sampled { sample: self, data };
        let drawn: Vec<Key> = COLLECTIONS
            .iter()
            .flat_map(|&c| self.indexes(c).iter().map(move |&index| Key::Loaded(c, index)))
            .collect();
        by_key(&all, &mut reader, &drawn, &mut finding).await?;
        if data.spec().extra_fields.orders > 0 {
            let mut random = Stream::new(self.seed, &[STREAM, u64::MAX]);
            let drawn = choose(ledger.orders.len() as u64, self.size, &mut random);
            let mut all_orders = (0..).zip(&ledger.orders);
            let mut find = |index| all_orders.find(|(at, _)| *at == index);
            let drawn = drawn.into_iter().filter_map(|index| Some(find(index)?.1));
            let drawn: Vec<Key> = drawn.map(|o| Key::Entered((o.w, o.d, o.o_id))).collect();
            by_key(&all, &mut reader, &drawn, &mut finding).await?;
        }
        Ok(finding.check(when, name, &compares))
    }
}

/// A document that is looked for.
#[derive(Clone, Copy)]
enum Key {
    /// A loaded one, by its index.
    Loaded(Collection, u64),
    /// An order of the ledger: warehouse, district and number. Its extra fields are compared.
    Entered((u32, u32, u32)),
}

/// What sampled documents must be.
struct Sampled<'a> {
    sample: &'a Sample,
    data: &'a DataSet,
}

impl Checked for Sampled<'_> {
    type Key = Key;

    fn source(&self) -> &dyn LoadSource {
        self.data
    }

    fn loaded(&self, at: usize, index: u64) -> Key {
        Key::Loaded(Collection::ALL[at], index)
    }

    fn place(&self, key: Key) -> (usize, String) {
        let (collection, text) = match key {
            Key::Loaded(collection, index) => {
                let mut text = String::new();
                self.data.append_key(collection, index, &mut text);
                (collection, text)
            }
            Key::Entered((w, d, o_id)) => (Collection::Orders, format!("{w}.{d}.{o_id}")),
        };
        let at = Collection::ALL.iter().position(|&c| c == collection);
        (at.unwrap_or_default(), text)
    }

    fn expected(&self, key: Key) -> Result<Expected<'_>> {
        match key {
            Key::Loaded(collection, index) => {
                let (at, _) = self.place(key);
                let document = Document::loaded(self.data, at, index)?;
                Ok(Expected::There(match self.sample.changes {
                    Changes::None => document,
                    _ => self.changed(collection, index, document),
                }))
            }
            Key::Entered(order) => {
                let field =
                    |n| (format!("o_extra_{n:03}"), extra_field(self.data, order, n).into());
                let fields = (1..=self.data.spec().extra_fields.orders).map(field);
                Ok(Expected::There(Document::of(fields.collect())))
            }
        }
    }
}

impl<'a> Sampled<'a> {
    /// The loaded document, with what transactions owe to it. The conditions compare what adds up
    /// in every document.
    fn changed(&self, collection: Collection, index: u64, mut made: Document<'a>) -> Document<'a> {
        let known = self.sample.changes == Changes::Met;
        let summed: &[&str] = match collection {
            Collection::Warehouse => &["w_ytd"],
            Collection::District => &["d_ytd", "d_next_o_id"],
            Collection::Customer => {
                &["c_balance", "c_ytd_payment", "c_payment_cnt", "c_delivery_cnt"]
            }
            _ => &[],
        };
        for name in summed {
            made = made.but(*name, Wanted::Typed);
        }
        match collection {
            Collection::Stock if known => {
                let sold = self.sample.stock.get(&index).copied().unwrap_or_default();
                for (name, more) in [
                    ("s_ytd", sold.quantity),
                    ("s_order_cnt", sold.lines),
                    ("s_remote_cnt", sold.remote),
                ] {
                    if let Some(value) = made.made(name) {
                        *value = (value.as_i64().unwrap_or_default() + more).into();
                    }
                }
                if let Some(value) = made.made("s_quantity") {
                    *value =
                        quantity_left(value.as_i64().unwrap_or_default(), sold.quantity).into();
                }
                made
            }
            Collection::Stock => {
                let quantity = made.made("s_quantity").and_then(|v| v.as_i64()).unwrap_or_default();
                let fits = move |left: &Value, stock: Found<'_>| {
                    let sold = stock.get("s_ytd").and_then(Value::as_i64);
                    let wanted = sold.map(|sold| quantity_left(quantity, sold));
                    (left.as_i64() != wanted || wanted.is_none())
                        .then(|| format!("s_quantity is {left}, which does not follow from s_ytd"))
                };
                made.but("s_quantity", Wanted::Fits(Box::new(fits)))
                    .but("s_ytd", Wanted::AtLeast)
                    .but("s_order_cnt", Wanted::AtLeast)
                    .but("s_remote_cnt", Wanted::AtLeast)
            }
            Collection::Customer if made.made("c_credit").is_some_and(|credit| *credit == "BC") => {
                let data = made.made("c_data").and_then(|v| v.as_str().map(str::to_owned));
                let data = data.unwrap_or_default();
                let entries = self.sample.paid.get(&index).cloned().unwrap_or_default();
                let fits = move |found: &Value, _: Found<'_>| {
                    let holds = found
                        .as_str()
                        .is_some_and(|found| !known || bad_credit_holds(&data, found, &entries));
                    (!holds).then(|| "c_data is not the loaded text after its payments".to_owned())
                };
                made.but("c_data", Wanted::Fits(Box::new(fits)))
            }
            // Delivery sets both on orders that lack them.
            Collection::Orders if !delivered_at_load(self.data, index) => made
                .but("o_carrier_id", Wanted::Typed)
                .but("o_orderline.ol_delivery_d", Wanted::Typed),
            _ => made,
        }
    }
}

fn delivered_at_load(data: &DataSet, order: u64) -> bool {
    order % u64::from(data.orders_per_district()) < u64::from(data.delivered_per_district())
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
