//! The description of the database for the run folder.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::TableDescription;
use hoap_database::failure::Done;
use hoap_record::Description;

use super::options::{Capacity, Conditions};
use super::server::Server;
use super::tables::provisioned;

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
                Capacity::Provisioned => {
                    in_words((options.read_units.into(), options.write_units.into()))
                }
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
    let listed = server.listed(&server.driver()).await?.into_iter();
    Ok(listed.map(|(name, table)| (format!("table {name}"), capacity(&table))).collect())
}

fn capacity(table: &TableDescription) -> String {
    provisioned(table).map_or_else(|| "on-demand".to_owned(), in_words)
}

fn in_words((read, write): (i64, i64)) -> String {
    format!("provisioned: {read} read units, {write} write units")
}
