//! What a run with think times is to TPC-C: its terminals have homes, and each can do only so much.

use hoap_record::{Driver, Run, Step};

use crate::format::number::Unit;

/// The most NewOrders a minute of the ten terminals of a warehouse, whose keying and think times
/// alone take that long (TPC-C 4.2).
const MOST: f64 = 12.86;

/// A sentence about each step with think times whose NewOrders have a rate. None about one driver
/// among several, which does not know the others' terminals.
pub fn homes(run: &Run) -> Vec<String> {
    let set = |name: &str| run.configuration.get(name).filter(|value| !value.is_null());
    let thinks = set("think-times").is_some_and(|value| value == true);
    let alone = set("part").is_none() || !run.drivers.is_empty();
    let warehouses = run.data.get("warehouses").and_then(serde_json::Value::as_u64);
    match warehouses.filter(|warehouses| thinks && alone && *warehouses > 0) {
        Some(warehouses) => {
            run.steps.iter().filter_map(|step| home(run, step, warehouses)).collect()
        }
        None => Vec::new(),
    }
}

fn home(run: &Run, step: &Step, warehouses: u64) -> Option<String> {
    let each = step.tpm? / warehouses as f64;
    let share = Unit::Share.show(each / MOST);
    let mut told = format!(
        "{}: {each:.2} tpM a warehouse, {share} of the {MOST} that ten terminals can do",
        step.name
    );
    // Drivers take turns with the warehouses. Of drivers of unequal size the record does not tell
    // whose terminals a step had.
    let clients = |driver: &Driver| driver.configuration.get("tx-clients").cloned();
    let mut sizes = run.drivers.iter().map(clients);
    let first = sizes.next();
    let equal = sizes.all(|other| Some(other) == first);
    let unused = warehouses.saturating_sub(step.tx_clients as u64);
    if equal && unused > 0 {
        told.push_str(&format!("; {unused} of {warehouses} warehouses have no terminal"));
    }
    Some(told)
}
