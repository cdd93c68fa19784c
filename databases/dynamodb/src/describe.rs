//! The description of the database for the run folder.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{BillingMode, TableDescription};
use hoap_database::failure::Done;
use hoap_record::Description;

use super::options::{Capacity, Conditions};
use super::server::Server;

/// The database's name.
pub(super) const NAME: &str = "Amazon DynamoDB";

/// The version of the protocol; the service has none of its own.
const API: &str = "API 2012-08-10";

/// Asks which tables the prefix has, and for their capacity. The first requests show whether the
/// service can be reached and accepts the credentials.
pub(super) async fn describe(server: &Server) -> Done<Description> {
    let options = &server.options;
    let text = |text: &str| text.to_owned();
    let mut settings = BTreeMap::from([
        (text("region"), server.region.clone()),
        (
            text("consistency"),
            text(if options.strong { "strong" } else { "eventual (transactions: strong)" }),
        ),
        (
            text("conditions"),
            text(match options.conditions {
                Conditions::Changed => "what a transaction writes or read to write",
                Conditions::Read => "everything that a transaction that writes has read",
            }),
        ),
        (text("client_retries"), options.retries.to_string()),
        (
            text("capacity_of_new_tables"),
            match options.capacity {
                Capacity::OnDemand => text("on-demand"),
                Capacity::Provisioned => provisioned(options.read_units, options.write_units),
            },
        ),
        (
            text("durability"),
            text("a write is acknowledged when it is on the disks of two of three zones"),
        ),
    ]);
    if !options.endpoint.is_empty() {
        settings.insert(text("endpoint"), options.endpoint.clone());
        settings.insert(text("durability"), text("the endpoint's own"));
    }
    match tables(server).await {
        Ok(tables) => settings.extend(tables),
        Err(e) if e.code.starts_with("AccessDenied") => {
            settings.insert(text("tables"), format!("unknown: {}", e.code));
        }
        Err(e) => return Err(e),
    }
    Ok(Description { url: server.url.clone(), name: text(NAME), version: text(API), settings })
}

/// The capacity of each table.
async fn tables(server: &Server) -> Done<BTreeMap<String, String>> {
    let driver = server.driver();
    let beginning = format!("{}.", server.options.prefix);
    let mut found = BTreeMap::new();
    let mut after = before(&server.options.prefix);
    loop {
        let request = driver.list_tables().exclusive_start_table_name(&after);
        let answer = server.send(request.send()).await?;
        let names = answer.table_names();
        for name in names.iter().filter(|name| name.starts_with(&beginning)) {
            if let Some(table) = server.describe(&driver, name).await? {
                found.insert(format!("table {name}"), capacity(&table));
            }
        }
        let past =
            names.last().is_none_or(|last| !last.starts_with(&beginning) && *last > beginning);
        match answer.last_evaluated_table_name {
            Some(next) if !past => after = next,
            _ => return Ok(found),
        }
    }
}

/// A name before those of the prefix's tables: the service lists names in their order. It is a
/// valid name, of at least three characters; `-` sorts before the dot that follows the prefix.
fn before(prefix: &str) -> String {
    format!("{prefix:-<3}")
}

fn capacity(table: &TableDescription) -> String {
    let on_demand = Some(&BillingMode::PayPerRequest);
    let mode = table.billing_mode_summary().and_then(|summary| summary.billing_mode());
    match table.provisioned_throughput() {
        Some(units) if mode != on_demand => provisioned(
            units.read_capacity_units().unwrap_or_default(),
            units.write_capacity_units().unwrap_or_default(),
        ),
        _ => "on-demand".to_owned(),
    }
}

fn provisioned(read: impl std::fmt::Display, write: impl std::fmt::Display) -> String {
    format!("provisioned: {read} read units, {write} write units")
}
