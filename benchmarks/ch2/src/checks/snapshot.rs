//! The sums and counts that the checks compare. `super::scan` makes a snapshot of all documents,
//! [`super::by_key`] of fewer, [`super::by_database`] of what the database adds up.

use hoap_database::Documents;
use hoap_workload::Result;
use hoap_workload::checks::Watch;

use super::district::District;
use super::documents::{Findings, FoundPayment};
use super::reader::scan;
use crate::data::{Collection, DataSet};
use crate::transactions::cents;

/// The sums and counts of the database's content, and the checks of single documents.
#[derive(Debug)]
pub struct Snapshot {
    /// w_ytd of each warehouse, cents.
    pub w_ytd: Vec<Option<i64>>,
    /// Each district, warehouse after warehouse.
    pub districts: Vec<District>,
    /// Documents of each collection that was counted, in the order of [`Collection::ALL`].
    pub counts: [Option<u64>; 11],
    /// The results of the checks of single documents.
    pub findings: Findings,
    /// The documents that it rests on.
    pub reach: Reach,
}

/// The documents that a snapshot rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All of them.
    Whole,
    /// Every warehouse and district, and of the rest what the ledger of a run names and a sample.
    Touched {
        /// Whether the run was the first since the load, so that the documents before it are known.
        fresh: bool,
    },
}

impl Snapshot {
    /// A snapshot of nothing.
    pub(super) fn new(data: &DataSet, reach: Reach) -> Self {
        let warehouses = data.spec().warehouses as usize;
        Snapshot {
            w_ytd: vec![None; warehouses],
            districts: vec![District::default(); warehouses * 10],
            counts: [None; 11],
            findings: Findings::new(data),
            reach,
        }
    }

    /// Reads every warehouse and district.
    pub(super) async fn places(
        &mut self,
        documents: Documents<'_>,
        watch: &Watch<'_>,
    ) -> Result<()> {
        let warehouse = ["w_id", "w_ytd"];
        scan(documents, watch, Collection::Warehouse, &warehouse, self, |s, key, row| {
            let (w, ytd) = (row[0].as_u64()?, cents(&row[1])?);
            match s.w_ytd.get_mut((w as usize).wrapping_sub(1)) {
                Some(place) => *place = Some(ytd),
                None => s.findings.strays.fail(|| format!("warehouse {key}")),
            }
            s.count(Collection::Warehouse);
            Some(())
        })
        .await?;
        let district = ["d_w_id", "d_id", "d_ytd", "d_next_o_id"];
        scan(documents, watch, Collection::District, &district, self, |s, key, row| {
            let (ytd, next) = (cents(&row[2])?, row[3].as_i64()?);
            let place = (row[0].as_u64()?, row[1].as_u64()?);
            if let Some(i) = s.findings.district(place, || format!("district {key}")) {
                s.districts[i].ytd = Some(ytd);
                s.districts[i].next_o_id = next;
            }
            s.count(Collection::District);
            Some(())
        })
        .await
    }

    /// Counts a document.
    pub(super) fn count(&mut self, collection: Collection) {
        *self.counts[collection as usize].get_or_insert(0) += 1;
    }

    /// Adds a payment to its district. The index of its customer, where there is such a customer.
    pub(super) fn payment(&mut self, key: &str, payment: &FoundPayment) -> Option<usize> {
        if let Some(i) = self.findings.district(payment.place, || format!("history {key}")) {
            self.districts[i].payments += 1;
            self.districts[i].paid += payment.amount;
        }
        payment.customer(key, &mut self.findings)
    }
}
