//! Whether the customers of each warehouse fit together with their orders and payments, without
//! keeping any of them; and which do not.
//!
//! What documents say of a customer is added up by warehouse, weighed by customer
//! ([`super::weighed`]). Where a sum is not 0, the documents are read again and the customers of
//! that warehouse kept, to say which is wrong: of [`MOST`] warehouses, in about 12 MB.

use hoap_database::Documents;
use hoap_workload::Result;
use hoap_workload::checks::Watch;

use super::customer::Customer;
use super::documents::{self, Findings, FoundCustomer, FoundOrder, FoundPayment};
use super::places::Places;
use super::reader::scan;
use super::weighed::{Weighed, Weights};
use crate::data::{Collection, DataSet};
use crate::ledger::digest;

/// The most warehouses whose customers are read again.
const MOST: usize = 8;

/// What adds up to 0 in a warehouse where it does for each customer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    /// Condition 10.
    ten: Weighed,
    /// Condition 12.
    twelve: Weighed,
    /// The counts of payments and deliveries.
    counts: Weighed,
}

/// The sums of all warehouses.
pub(super) struct Suspects {
    weights: Weights,
    places: Places,
    sums: Vec<Sums>,
}

impl Suspects {
    /// Of no document yet.
    pub fn new(data: &DataSet) -> Self {
        let sums = vec![Sums::default(); data.spec().warehouses as usize];
        Suspects { weights: Weights::draw(), places: Places::of(data), sums }
    }

    /// Adds what a document says of the customer with this index.
    pub fn add(&mut self, index: usize, said: &Customer) {
        let sums = &mut self.sums[index / self.places.customers()];
        let [one, other] = [0, 1].map(|n| self.weights.of(2 * index as u64 + n));
        sums.ten.add(one, said.ten());
        sums.twelve.add(one, said.twelve());
        sums.counts.add(one, said.payments);
        sums.counts.add(other, said.deliveries);
    }

    /// Conditions 10 and 12, and the counts of each customer. Reads the documents again where a
    /// customer is wrong, and only there.
    ///
    /// # Errors
    /// Those of [`scan`].
    pub async fn judge(
        self,
        documents: Documents<'_>,
        data: &DataSet,
        findings: &mut Findings,
        watch: &Watch<'_>,
    ) -> Result<()> {
        let customers = self.places.customers();
        let wrong = || self.sums.iter().enumerate().filter(|(_, sums)| **sums != Sums::default());
        let again: Vec<(usize, &Sums)> = wrong().take(MOST).collect();
        let holding = (self.sums.len() - again.len()) * customers;
        hold(findings, holding as u64);
        let kept = |&(w, _): &(usize, &Sums)| (w, vec![Customer::default(); customers]);
        let mut read =
            Again { data, places: self.places, warehouses: again.iter().map(kept).collect() };
        if !again.is_empty() {
            read.read(documents, watch).await?;
        }
        for ((w, customers), (_, sums)) in read.warehouses.iter().zip(&again) {
            let before = failures(findings);
            for (i, customer) in customers.iter().enumerate() {
                findings.balance(w * customers.len() + i, customer);
            }
            // A sum that was wrong is no less wrong for documents that are right by now.
            let after = failures(findings);
            let found = [0, 1, 2].map(|i| after[i] > before[i]);
            unsettled(findings, *w, sums, found, "and was right when it was read again");
        }
        for (w, sums) in wrong().skip(MOST) {
            unsettled(findings, w, sums, [false; 3], "and was not read again");
        }
        Ok(())
    }
}

/// Counts customers that are right.
fn hold(findings: &mut Findings, customers: u64) {
    let [ten, twelve] = &mut findings.balances;
    for (finding, checked) in
        [(ten, customers), (twelve, customers), (&mut findings.customer_counts, 2 * customers)]
    {
        finding.add(checked, 0, String::new);
    }
}

/// The failures of the three checks.
fn failures(findings: &Findings) -> [u64; 3] {
    let [ten, twelve] = &findings.balances;
    [ten.failed(), twelve.failed(), findings.customer_counts.failed()]
}

/// Tells of the sums of a warehouse that are wrong and of which no customer was `found`.
fn unsettled(findings: &mut Findings, w: usize, sums: &Sums, found: [bool; 3], why: &str) {
    let [ten, twelve] = &mut findings.balances;
    let all = [
        (ten, sums.ten, "c_balance is not delivered - paid"),
        (twelve, sums.twelve, "c_balance + c_ytd_payment is not delivered"),
        (&mut findings.customer_counts, sums.counts, "c_payment_cnt or c_delivery_cnt is wrong"),
    ];
    for ((finding, sum, what), found) in all.into_iter().zip(found) {
        if !sum.all_zero() && !found {
            finding.at_least_one(|| format!("warehouse {}: of a customer {what}, {why}", w + 1));
        }
    }
}

/// Some warehouses whose documents are read again.
struct Again<'a> {
    data: &'a DataSet,
    places: Places,
    /// Each with its customers, by index.
    warehouses: Vec<(usize, Vec<Customer>)>,
}

impl Again<'_> {
    async fn read(&mut self, documents: Documents<'_>, watch: &Watch<'_>) -> Result<()> {
        use Collection::{Customer, History, Orders};
        scan(documents, watch, Customer, &documents::CUSTOMER, self, |again, _, row| {
            let found = FoundCustomer::read(row)?;
            again.add(found.place, found.says());
            Some(())
        })
        .await?;
        scan(documents, watch, Orders, &documents::ORDER, self, |again, _, row| {
            let order = FoundOrder::read(row)?;
            // An order of no district was told of when it was read first, and is nobody's.
            let (w, d, _) = order.place;
            if again.places.district((w.into(), d.into())).is_some() {
                again.add(order.customer(), order.says(again.data));
            }
            Some(())
        })
        .await?;
        scan(documents, watch, History, &digest::HISTORY, self, |again, _, row| {
            let payment = FoundPayment::read(row)?;
            again.add(payment.payer, payment.says());
            Some(())
        })
        .await
    }

    /// Adds what a document says of a customer, if it is kept.
    fn add(&mut self, customer: (u64, u64, u64), said: Customer) {
        let Some(index) = self.places.customer(customer) else { return };
        let each = self.places.customers();
        let kept = self.warehouses.iter_mut().find(|(w, _)| *w == index / each);
        if let Some((_, customers)) = kept {
            customers[index % each] += said;
        }
    }
}
