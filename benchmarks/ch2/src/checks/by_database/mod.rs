//! The sums and counts of a [`Snapshot`] as the database itself adds them up: a query a collection,
//! whose answer has a row a district or a warehouse. No document is read.
//!
//! [`super::snapshot`] adds up the same of documents; tests hold the two to each other, district by
//! district. What the load made is known here only: of stocks what their counts were, added up for
//! each warehouse. So *stock quantities*, which hold each stock to it, are left to who reads them.

mod questions;

use hoap_database::{AnalyticalSession, Answer, Database};
use hoap_record::check::Check;
use hoap_workload::{Error, ErrorKind, Result};
use questions::{Line, Question, What};
use serde_json::Value;

use super::conditions::{Deliveries, conditions};
use super::district::{District, Undelivered};
use super::nothing_lost;
use super::snapshot::{Reach, Snapshot};
use super::stock::Sold;
use crate::data::{Collection, DataSet, Schema};
use crate::ledger::Ledger;
use crate::queries::texts;
use hoap_workload::checks::{Finding, by_the_database};

/// The queries of a database that adds up itself.
pub struct Aggregates {
    texts: &'static questions::Texts,
    count: &'static str,
}

impl Aggregates {
    /// Those for this database.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where it has no queries, or there are no texts for it.
    pub fn of(target: &Database, schema: Schema) -> Result<Aggregates> {
        let analytics = target.analytics();
        let analytics = analytics.map_err(|no| Error::from(no).advise(questions::ADVICE))?;
        let dialect = analytics.dialect();
        Ok(Aggregates { texts: questions::texts(dialect)?, count: texts::count(schema, dialect)? })
    }

    /// Has the database add up, in a session of its queries.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`] where a document has a field of the wrong type,
    /// [`ErrorKind::Cancelled`] where somebody cancels what the session runs, and the errors of the
    /// database.
    pub async fn snapshot(
        &self,
        session: &mut AnalyticalSession,
        data: &DataSet,
    ) -> Result<Snapshot> {
        let mut snapshot = Snapshot::new(data, Reach::Whole);
        snapshot.counts = counts(&session.query(self.count, &[]).await?)?;
        let mut sums = Sums {
            data,
            snapshot,
            added: [0; 11],
            undelivered: 0,
            matched: 0,
            stated: vec![Sold::default(); data.spec().warehouses as usize],
            ordered: vec![Sold::default(); data.spec().warehouses as usize],
        };
        for (question, text) in questions::ALL.iter().zip(self.texts) {
            let answer = session.query(text, &parameters(question, data)).await?;
            sums.take(question, &answer)?;
        }
        Ok(sums.end())
    }
}

/// The checks of what the database added up, each of which says so.
pub fn checks(
    snapshot: &Snapshot,
    data: &DataSet,
    deliveries: Deliveries<'_>,
    when: &str,
) -> Vec<Check> {
    let all = conditions(snapshot, data, deliveries, when);
    // No stock was held to what the load made of it.
    all.into_iter().filter(|check| check.name != "stock quantities").map(by_the_database).collect()
}

/// The check that nothing was added, of what the database added up before a run and after it.
pub fn nothing_added(ledger: &Ledger, before: &[District], after: &Snapshot, when: &str) -> Check {
    by_the_database(nothing_lost::nothing_added(ledger, before, after, when))
}

/// The documents of each collection, in the order of [`Collection::ALL`].
fn counts(answer: &Answer) -> Result<[Option<u64>; 11]> {
    let mut counts = [None; 11];
    for (count, collection) in counts.iter_mut().zip(Collection::ALL) {
        let row = answer.rows.iter().find(|row| {
            row.first().and_then(Value::as_str).is_some_and(|name| name == collection.name())
        });
        *count = row.and_then(|row| row.get(1)).and_then(Value::as_u64);
        if count.is_none() {
            let tried = format!("have the database count {collection}");
            let found = row.map_or("no row".into(), |row| format!("{row:?}"));
            return Err(Error::new(ErrorKind::Broken, tried, found));
        }
    }
    Ok(counts)
}

/// The values of a question's parameters.
fn parameters(question: &Question, data: &DataSet) -> Vec<(String, Value)> {
    let value = |name: &str| match name {
        "warehouses" => data.spec().warehouses,
        "items" => data.items(),
        "customers" => data.customers_per_district(),
        "orders" => data.orders_per_district(),
        _ => data.delivered_per_district(),
    };
    let all = question.parameters.iter();
    all.map(|&name| (name.to_owned(), Value::from(value(name)))).collect()
}

/// What the answers add up to.
struct Sums<'a> {
    data: &'a DataSet,
    snapshot: Snapshot,
    /// Documents of each collection in the answers, in the order of [`Collection::ALL`].
    added: [u64; 11],
    /// Undelivered orders, and orders of which there is one.
    undelivered: u64,
    matched: u64,
    /// Taken from the stocks of each warehouse, by themselves and by order lines.
    stated: Vec<Sold>,
    ordered: Vec<Sold>,
}

impl Sums<'_> {
    /// Takes in an answer.
    fn take(&mut self, question: &'static Question, answer: &Answer) -> Result<()> {
        let lines = question.lines(answer)?;
        // What is of the wrong type is part of no sum, and has no place.
        let mut wrong = 0;
        let mut first = None;
        for line in &lines {
            let (n, key) = line.some("wrong")?;
            wrong += n;
            first = first.or((n > 0).then_some(key));
        }
        if let Some(first) = first {
            let broken = question.broken(format!(
                "a field is not what it must be in {wrong} of the documents, such as {first}"
            ));
            return Err(broken.advise("--check full reads the documents and says which field"));
        }
        for line in &lines {
            let documents = line.count("documents")?;
            let at = Collection::ALL.iter().position(|c| c.name() == question.name);
            if let Some(at) = at {
                self.added[at] += documents;
            }
            let w = line.integer("w")?;
            // A warehouse's rows have no district: its first stands for it.
            let (d, place) = match question.place() {
                ["w"] => (1, format!("warehouse {w}")),
                _ => (line.integer("d")?, format!("district {w}.{}", line.integer("d")?)),
            };
            match self.district((w, d)) {
                Some(i) => self.of(question, line, i)?,
                None => {
                    self.stray(documents, || format!("{documents} of {} in {place}", question.name))
                }
            }
        }
        Ok(())
    }

    /// The index of a district of this data.
    fn district(&self, (w, d): (i64, i64)) -> Option<usize> {
        let place = (w.try_into().ok()?, d.try_into().ok()?);
        self.snapshot.findings.places.district(place)
    }

    fn stray(&mut self, n: u64, name: impl FnOnce() -> String) {
        self.snapshot.findings.strays.add(n, n, name);
    }

    /// Documents of a place that name a customer or an item which this data does not have.
    fn strangers(&mut self, line: &Line<'_>, what: &str) -> Result<()> {
        let (n, first) = line.some("strangers")?;
        self.stray(n, || format!("{n} of {what}, such as {first}"));
        Ok(())
    }

    /// Adds a row of this district, or of its warehouse.
    fn of(&mut self, question: &Question, line: &Line<'_>, i: usize) -> Result<()> {
        let documents = line.count("documents")?;
        let place = District::key(i);
        let findings = &mut self.snapshot.findings;
        let district = &mut self.snapshot.districts[i];
        let tell = |finding: &mut Finding, column: &str, what: &str| -> Result<()> {
            let (n, key) = line.some(column)?;
            finding.add(documents, n, || format!("district {place}: {what} in {n}, such as {key}"));
            Ok(())
        };
        match question.what {
            What::Warehouse => {
                self.snapshot.w_ytd[i / 10] = Some(line.integer("ytd")?);
                Ok(())
            }
            What::District => {
                district.ytd = Some(line.integer("ytd")?);
                district.next_o_id = line.integer("next_o_id")?;
                Ok(())
            }
            What::Orders => {
                district.orders = documents;
                district.max_o_id = line.integer("last")?;
                district.ol_cnt = line.integer("ol_cnt")?;
                district.lines = line.integer("lines")?;
                self.matched += line.count("undelivered")?;
                let [five, six, seven] = &mut findings.orders;
                tell(five, "five", "o_carrier_id and neworder disagree")?;
                tell(six, "six", "o_ol_cnt is not the number of lines")?;
                tell(seven, "seven", "o_carrier_id and ol_delivery_d disagree")?;
                self.strangers(line, "orders with a customer who is none or numbers of another")
            }
            What::Neworder => {
                self.undelivered += documents;
                let number = |column: &str| {
                    let n = line.integer(column)?;
                    let range = |_| question.broken(format!("{column} in {place} is {n}"));
                    u32::try_from(n).map_err(range)
                };
                let ends = Some((number("oldest")?, number("newest")?));
                district.neworders = Undelivered { count: documents, ends };
                self.strangers(line, "neworder with the numbers of another")
            }
            What::History => {
                district.payments = documents;
                district.paid = line.integer("paid")?;
                self.strangers(line, "history with a customer who is none")
            }
            What::Customer => {
                district.deliveries = line.integer("deliveries")?;
                let [ten, twelve] = &mut findings.balances;
                tell(ten, "ten", "c_balance is not delivered - paid")?;
                tell(twelve, "twelve", "c_balance + c_ytd_payment is not delivered")?;
                let what = "c_payment_cnt is not the number of history documents";
                tell(&mut findings.customer_counts, "unpaid", what)?;
                let what = "c_delivery_cnt is not the number of orders delivered since the load";
                tell(&mut findings.customer_counts, "undelivered", what)?;
                let twice = documents.saturating_sub(line.count("numbers")?);
                self.stray(twice, || {
                    format!("{twice} of customer with the number of another in district {place}")
                });
                self.strangers(line, "customer with a number that is none or another's")
            }
            What::Stock => {
                self.stated[i / 10] = Sold {
                    quantity: line.integer("ytd")?,
                    lines: line.integer("orders")?,
                    remote: line.integer("remote")?,
                };
                self.strangers(line, "stock with an item that is none or another's")
            }
            What::Lines => {
                self.ordered[i / 10] = Sold {
                    quantity: line.integer("quantity")?,
                    lines: line.integer("documents")?,
                    remote: line.integer("remote")?,
                };
                Ok(())
            }
        }
    }

    /// The snapshot, once all answers are there.
    fn end(self) -> Snapshot {
        let Sums { data, mut snapshot, added, undelivered, matched, stated, ordered } = self;
        snapshot.findings.neworders(undelivered, matched);
        for ((w, stated), ordered) in (1..).zip(stated).zip(ordered) {
            let mut grown = stated;
            for item in 1..=data.items() {
                let loaded = data.stock_numbers(w, item);
                grown.lines -= loaded.orders as i64;
                grown.remote -= loaded.remote as i64;
            }
            snapshot.findings.counts(&|| format!("warehouse {w}"), grown, ordered);
        }
        // A document that a query passed over would be missing in silence.
        for ((collection, added), counted) in Collection::ALL.iter().zip(added).zip(snapshot.counts)
        {
            let asked = questions::ALL.iter().any(|question| question.name == collection.name());
            let counted = counted.unwrap_or_default();
            if asked && added != counted {
                let what = || format!("{collection}: {added} were added up, {counted} counted");
                snapshot.findings.strays.fail(what);
            }
        }
        snapshot
    }
}
