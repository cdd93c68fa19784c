//! A sample of documents, read by key. Fields that no transaction changes must be as loaded; those
//! that transactions change must fit the rest of their document. What adds up in every document is
//! the conditions' to compare.
//!
//! A sample of n of N documents finds a single wrong document with probability n/N, and a share s
//! of wrong documents with probability 1 − (1 − s)^n: with n = 1,000 almost certainly where one
//! document in a hundred is wrong.

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

use super::stock::quantity_left;
use crate::data::{Collection, DataSet};
use crate::ledger::Ledger;
use crate::transactions::{LONGEST_DATA, cents, extra_field};

/// The default number of documents of each collection.
pub const SIZE: u64 = 1_000;

/// The random stream of the samples.
const STREAM: u64 = 0x7361_6d70_6c65;

/// The sampled documents. The default is empty.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    seed: u64,
    size: u64,
    /// Whether each document is as the load made it.
    as_loaded: bool,
    /// Indexes of loaded documents, in the order of [`Collection::ALL`].
    drawn: [Vec<u64>; Collection::ALL.len()],
}

impl Sample {
    /// Draws with a seed that cannot be predicted.
    pub fn draw(data: &DataSet) -> Self {
        Sample::of(data, SIZE, unforeseen())
    }

    /// Draws `size` documents of each collection, or all where it has fewer. Undelivered orders come
    /// and go and hold only numbers, which the conditions compare: none is drawn.
    pub fn of(data: &DataSet, size: u64, seed: u64) -> Self {
        let drawn = Collection::ALL.map(|collection| {
            let mut random = Stream::new(seed, &[STREAM, collection as u64]);
            let size = if collection == Collection::Neworder { 0 } else { size };
            choose(data.count(collection), size, &mut random)
        });
        Sample { seed, size, as_loaded: false, drawn }
    }

    /// The same, and whether nothing changed the data since the load.
    pub fn as_loaded(self, as_loaded: bool) -> Self {
        Sample { as_loaded, ..self }
    }

    /// The indexes of the documents of a collection, sorted.
    pub fn indexes(&self, collection: Collection) -> &[u64] {
        &self.drawn[collection as usize]
    }

    /// Reads the documents and compares them. Also draws as many of the ledger's orders and
    /// compares their extra fields.
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
        let what = match self.as_loaded {
            true => "every field with what the load made",
            false => {
                "what no transaction changes with what the load made, s_quantity with s_ytd, c_data \
                 with the payments of its customer, and extra fields"
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
        let drawn: Vec<Key> = Collection::ALL
            .iter()
            .flat_map(|&c| self.indexes(c).iter().map(move |&index| Key::Loaded(c, index)))
            .collect();
        by_key(&all, &mut reader, &drawn, &mut finding).await?;
        let mut random = Stream::new(self.seed, &[STREAM, u64::MAX]);
        let drawn = choose(ledger.orders.len() as u64, self.size, &mut random);
        let mut all_orders = (0..).zip(&ledger.orders);
        let mut find = |index| all_orders.find(|(at, _)| *at == index);
        let drawn = drawn.into_iter().filter_map(|index| Some(find(index)?.1));
        let drawn: Vec<Key> = drawn.map(|o| Key::Entered((o.w, o.d, o.o_id))).collect();
        by_key(&all, &mut reader, &drawn, &mut finding).await?;
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
        (collection as usize, text)
    }

    fn expected(&self, key: Key) -> Result<Expected<'_>> {
        match key {
            Key::Loaded(collection, index) => {
                let (at, _) = self.place(key);
                let document = Document::loaded(self.data, at, index)?;
                Ok(Expected::There(match self.sample.as_loaded {
                    true => document,
                    false => self.changed(collection, index, document),
                }))
            }
            Key::Entered(order) => self.entered(order).map(Expected::There),
        }
    }
}

impl<'a> Sampled<'a> {
    /// An order of the ledger has the shape of a loaded one that is not delivered, and its own extra
    /// fields. Its values are held against the ledger.
    fn entered(&self, order: (u32, u32, u32)) -> Result<Document<'a>> {
        let like = u64::from(self.data.orders_per_district()) - 1;
        let mut document = Document::loaded(self.data, Collection::Orders as usize, like)?;
        let names = |document: &Document<'_>| -> Vec<String> {
            document.names().map(str::to_owned).collect()
        };
        let line =
            document.made("o_orderline").and_then(|lines| lines.get(0)?.as_object().cloned());
        let mut shape = Document::of(line.unwrap_or_default());
        for name in names(&shape) {
            shape = shape.but(name, Wanted::Typed);
        }
        let fits = move |lines: &Value, order: Found<'_>| {
            let wrong = |line: &Value| match line.as_object() {
                Some(fields) => shape.wrong(Found { fields, ..order }).into_iter().next(),
                None => Some(format!("{line} is no line")),
            };
            let lines = lines.as_array().map_or(&[] as &[_], Vec::as_slice);
            lines.iter().find_map(wrong).map(|why| format!("o_orderline: {why}"))
        };
        document = document.but("o_orderline", Wanted::Fits(Box::new(fits)));
        for name in names(&document) {
            let extra = name.strip_prefix("o_extra_").and_then(|n| n.parse().ok());
            match (extra, document.made(&name)) {
                (Some(n), Some(value)) => *value = extra_field(self.data, order, n).into(),
                _ => document = document.but(name, Wanted::Typed),
            }
        }
        Ok(document)
    }

    /// The loaded document, with what transactions may have made of it.
    fn changed(&self, collection: Collection, index: u64, mut made: Document<'a>) -> Document<'a> {
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
                let paid = made.made("c_ytd_payment").and_then(|v| cents(v)).unwrap_or_default();
                let times = made.made("c_payment_cnt").and_then(|v| v.as_i64()).unwrap_or_default();
                let data = made.made("c_data").and_then(|v| v.as_str().map(str::to_owned));
                let data = data.unwrap_or_default();
                let fits = move |found: &Value, customer: Found<'_>| {
                    let holds = Debtor::of(customer).is_some_and(|mut debtor| {
                        debtor.paid -= paid;
                        debtor.payments -= times;
                        found.as_str().is_some_and(|found| debtor.holds(&data, found))
                    });
                    (!holds).then(|| {
                        "c_data is not the loaded text after the payments of c_payment_cnt and \
                         c_ytd_payment"
                            .to_owned()
                    })
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

/// What a customer with bad credit says of its payments since the load.
struct Debtor {
    /// How the entry of each begins: customer, district and warehouse.
    own: String,
    /// How many.
    payments: i64,
    /// Their sum, cents.
    paid: i64,
}

impl Debtor {
    /// With those of the load. `None` where a field has the wrong type.
    fn of(customer: Found<'_>) -> Option<Debtor> {
        let number = |name| customer.get(name)?.as_i64();
        let own = format!("{} {} {} ", number("c_id")?, number("c_d_id")?, number("c_w_id")?);
        let paid = cents(customer.get("c_ytd_payment")?)?;
        Some(Debtor { own, payments: number("c_payment_cnt")?, paid })
    }

    /// The amount of the entry with which a text begins, cents, and the rest of the text
    /// ([`bad_credit_entry`](crate::transactions::bad_credit_entry)).
    fn entry<'t>(&self, text: &'t str) -> Option<(i64, &'t str)> {
        let mut parts = text.strip_prefix(&self.own)?.splitn(4, ' ');
        let district: u32 = parts.next()?.parse().ok()?;
        let _: u32 = parts.next()?.parse().ok()?;
        let (whole, cents) = parts.next()?.split_once('.')?;
        let amount = whole.parse::<i64>().ok()?.checked_mul(100)?;
        let fits = (1..=10).contains(&district) && cents.len() == 2;
        let amount = amount.checked_add(cents.parse().ok()?)?;
        parts.next().filter(|_| fits).map(|rest| (amount, rest))
    }

    /// Whether c_data is the loaded text preceded by its payments in some order, cut to its length
    /// (TPC-C 2.5.2.2).
    fn holds(&self, made: &str, found: &str) -> bool {
        let (mut rest, mut payments, mut paid) = (found, 0, 0i64);
        while payments < self.payments
            && let Some((amount, after)) = self.entry(rest)
        {
            (rest, payments, paid) = (after, payments + 1, paid.saturating_add(amount));
        }
        if payments == self.payments {
            let whole = found.len() - rest.len() + made.len();
            return paid == self.paid
                && found.len() == whole.min(LONGEST_DATA)
                && made.starts_with(rest);
        }
        // The cut is in the oldest entry that is left.
        let cut = self.own.starts_with(rest)
            || rest
                .strip_prefix(&self.own)
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b" .".contains(&b)));
        cut && found.len() == LONGEST_DATA && paid <= self.paid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Spec};
    use crate::transactions::bad_credit_entry;

    #[test]
    fn bad_credit_data_is_what_payments_in_any_order_leave() {
        let entry = |n: i64| bad_credit_entry([7, 2, 3, 4, 5], 100 + n);
        let made = "x".repeat(480);
        let cut = |text: String| text[..text.len().min(500)].to_owned();
        let customer = |payments: i64| Debtor {
            own: "7 2 3 ".into(),
            payments,
            paid: (0..payments).map(|n| 100 + n).sum(),
        };
        let good = cut(format!("{}{}{}{made}", entry(2), entry(0), entry(1)));
        assert!(customer(3).holds(&made, &good));
        assert!(customer(0).holds(&made, &made));
        assert!(!customer(3).holds(&made, &made), "none is there");
        assert!(!customer(0).holds(&made, &good), "nobody paid");
        for wrong in [
            cut(format!("{}{}{}{made}", entry(2), entry(2), entry(1))),
            cut(format!("{}{}{made}", entry(2), entry(0))),
            good.replace('x', "y"),
            good[..499].to_owned(),
            format!("{}~", &good[1..]),
            format!("{}~", &good[..499]),
        ] {
            assert!(!customer(3).holds(&made, &wrong), "{wrong}");
        }
        // So many entries that the cut is in an entry and no loaded text is left.
        let full = cut((0..40).map(entry).collect());
        assert!(customer(40).holds(&made, &full));
        assert!(!customer(40).holds(&made, &format!("{}~", &full[..499])));
        assert!(!customer(40).holds(&made, &full[..300]));
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
        for collection in Collection::ALL {
            let there = data.count(collection);
            let wanted = if collection == Collection::Neworder { 0 } else { there };
            assert_eq!(all.indexes(collection).len() as u64, wanted);
        }
    }
}
