//! The counters that a run moves: sums of warehouses and districts, numbers of orders, and the ends
//! of the undelivered orders. They are read before and after a run, whatever its data's size.

use hoap_database::Database;
use hoap_record::check::Check;
use hoap_workload::Result;
use hoap_workload::checks::{Finding, Reader, Watch};

use super::district::{District, Undelivered};
use super::documents::money;
use super::reader::undelivered;
use super::snapshot::{Reach, Snapshot};
use crate::data::DataSet;

/// Reads the counters. Where the data is fresh, the payments of a district are those of the load;
/// else those since now, and the sum is d_ytd (condition 9). Orders are those below d_next_o_id.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`](hoap_workload::ErrorKind::Cancelled) soon after the watch says so,
/// [`ErrorKind::Broken`](hoap_workload::ErrorKind::Broken) for a field of the wrong type, and the errors of
/// the database.
pub async fn read(
    target: &Database,
    data: &DataSet,
    fresh: bool,
    watch: &Watch<'_>,
) -> Result<Snapshot> {
    let mut reader = Reader::new(target, watch).await?;
    with(&mut reader, target, data, fresh, watch).await
}

/// [`read`] with sessions that are there.
pub(super) async fn with(
    reader: &mut Reader<'_>,
    target: &Database,
    data: &DataSet,
    fresh: bool,
    watch: &Watch<'_>,
) -> Result<Snapshot> {
    let mut snapshot = Snapshot::new(data, Reach::Touched { fresh });
    snapshot.places(target.documents()?, watch).await?;
    let places: Vec<_> = (0..snapshot.districts.len()).map(District::place).collect();
    let undelivered = undelivered(reader, data.spec().schema, &places).await?;
    for (district, neworders) in snapshot.districts.iter_mut().zip(undelivered) {
        let last = district.next_o_id - 1;
        *district = District {
            orders: u64::try_from(last).unwrap_or_default(),
            max_o_id: last,
            neworders,
            payments: if fresh { data.customers_per_district().into() } else { 0 },
            paid: if fresh { data.district_payments() } else { district.ytd.unwrap_or_default() },
            ..*district
        };
    }
    Ok(snapshot)
}

/// The check of the counters before a run: what the load made, where the data is fresh; else that
/// they agree with each other.
pub fn before(counters: &Snapshot, data: &DataSet, when: &str) -> Check {
    let mut f = counters.findings.strays.clone();
    let fresh = counters.reach == Reach::Touched { fresh: true };
    let sum = data.district_payments();
    let (delivered, orders) = (data.delivered_per_district(), data.orders_per_district());
    let loaded = Undelivered::between(Some((delivered + 1, orders)));
    for (i, d) in counters.districts.iter().enumerate() {
        let place = || format!("district {}", District::key(i));
        if fresh {
            let next = i64::from(orders) + 1;
            f.equal(place, ("d_next_o_id", d.next_o_id), ("as loaded", next));
            f.equal(place, ("d_ytd", money(d.ytd)), ("as loaded", money(Some(sum))));
        }
        let holds = if fresh { d.neworders == loaded } else { in_order(d) };
        f.expect(holds, || {
            let ends = d.neworders.ends;
            let ends = ends.map_or("none".into(), |(first, last)| format!("{first} to {last}"));
            format!("{}: undelivered orders {ends}, d_next_o_id {}", place(), d.next_o_id)
        });
    }
    sums(&mut f, counters);
    let compares = match fresh {
        true => {
            "d_next_o_id, d_ytd and undelivered orders with what the load made, w_ytd = sum(d_ytd)"
        }
        false => "d_next_o_id - 1 = max(no_o_id), w_ytd = sum(d_ytd), after earlier runs",
    };
    f.check(when, "counters", compares)
}

/// Whether the last undelivered order is the last order.
fn in_order(d: &District) -> bool {
    d.neworders.ends.is_none_or(|(_, newest)| i64::from(newest) == d.next_o_id - 1)
}

/// w_ytd = sum(d_ytd).
pub(super) fn sums(f: &mut Finding, s: &Snapshot) {
    for (w, districts) in s.districts.chunks(10).enumerate() {
        let sum = districts.iter().filter_map(|d| d.ytd).sum();
        let place = || format!("warehouse {}", w + 1);
        f.equal(place, ("w_ytd", money(s.w_ytd[w])), ("sum(d_ytd)", money(Some(sum))));
    }
}
