//! Records by key.
//!
//! A record is an item with a string for each field, as YCSB's own binding writes it. A read is a
//! GetItem; a read of one field has a projection, which saves bytes and no capacity. An insert is a
//! PutItem on the condition that the key does not exist. An update is an UpdateItem with the action
//! PUT for each field, as that binding and the comparison report have it, on the condition that the
//! key exists; an update expression would do the same, and is limited to 4 KB. A delete is a
//! DeleteItem on the condition that the key exists.
//!
//! A table is ordered by a hash of the key. A scan is the report's: a GetItem of its first key,
//! then a Scan of the items that follow it in that order.

use std::sync::Arc;

use aws_sdk_dynamodb::types::{
    AttributeAction, AttributeValue, AttributeValueUpdate, ComparisonOperator,
    ExpectedAttributeValue, ReturnConsumedCapacity,
};
use hoap_database::engine::{self, RecordStore};
use hoap_database::failure::{Done, Failure};
use hoap_database::key_value::{Fields, Record, Scanned, Table};
use hoap_database::patience::patiently;

use super::DynamoDbEngine;
use super::counters::Units;
use super::layout::{self, KEY};
use super::reading::{self, Driver, Wanted};
use super::server::Server;
use super::value::{self, Item};
use crate::error::Code;

impl RecordStore for DynamoDbEngine {
    type Session = RecordSession;

    async fn record_session(&self, table: &Table) -> Done<RecordSession> {
        self.records(table, false).await
    }

    async fn checking_session(&self, table: &Table) -> Done<RecordSession> {
        self.records(table, true).await
    }
}

impl DynamoDbEngine {
    async fn records(&self, table: &Table, checks: bool) -> Done<RecordSession> {
        value::check_names(&table.fields)?;
        let server = self.server.clone();
        let driver = server.driver();
        server.expect(&driver, &table.name).await?;
        let fields = table.fields.iter().map(|field| Wanted::exactly([KEY, field.as_str()]));
        Ok(RecordSession {
            stored: layout::table(&server.options.prefix, &table.name),
            one: fields.collect(),
            none: Wanted::exactly([KEY]),
            all: Wanted::default(),
            fields: table.fields.clone(),
            strong: checks || server.options.strong,
            checks,
            server,
            driver,
        })
    }
}

/// The records of one client.
pub struct RecordSession {
    server: Arc<Server>,
    driver: Arc<Driver>,
    /// Names of the fields, by their numbers.
    fields: Vec<String>,
    /// Whether its reads and scans are strongly consistent.
    strong: bool,
    /// Whether it checks what is there, which is no measurement: it waits for capacity.
    checks: bool,
    /// The table's name in the database.
    stored: String,
    /// What is read for each field alone, for none and for all.
    one: Vec<Wanted>,
    none: Wanted,
    all: Wanted,
}

impl RecordSession {
    fn wanted(&self, fields: Fields) -> &Wanted {
        match fields {
            Fields::All => &self.all,
            Fields::None => &self.none,
            Fields::One(number) => &self.one[usize::from(number)],
        }
    }

    async fn get(&self, key: &str, fields: Fields) -> Done<Option<Item>> {
        let wanted = self.wanted(fields);
        let get = || self.server.get(&self.driver, &self.stored, key, wanted, self.strong);
        if self.checks { patiently(get).await } else { get().await }
    }

    /// Reads the fields of an item into an empty record.
    fn take(&self, item: &Item, fields: Fields, record: &mut Record) -> Done<()> {
        let numbers = match fields {
            Fields::All => 0..self.fields.len(),
            Fields::One(number) => usize::from(number)..usize::from(number) + 1,
            Fields::None => 0..0,
        };
        for (number, name) in numbers.clone().zip(&self.fields[numbers]) {
            match item.get(name) {
                Some(AttributeValue::S(text)) => {
                    let number = u16::try_from(number).unwrap_or(u16::MAX);
                    record.push(number, |out| out.extend_from_slice(text.as_bytes()));
                }
                None | Some(AttributeValue::Null(_)) => {}
                Some(other) => {
                    return Err(Failure::broken(format!("field {name} is {other:?}")));
                }
            }
        }
        Ok(())
    }

    /// Name and value of each field of a record.
    fn named<'a>(&'a self, record: &'a Record) -> impl Iterator<Item = (&'a str, AttributeValue)> {
        record.iter().map(|(number, bytes)| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            (self.fields[usize::from(number)].as_str(), AttributeValue::S(text))
        })
    }

    /// Whether the record that an insert met is its own: where an option allows retries, the driver
    /// repeats a request whose connection was lost.
    async fn is_ours(&self, key: &str, record: &Record) -> Done<bool> {
        if self.server.options.retries == 0 {
            return Ok(false);
        }
        let item = self.server.get(&self.driver, &self.stored, key, &self.all, true).await?;
        let Some(item) = item else { return Ok(false) };
        let mut same = item.len() == record.len() + 1;
        for (name, value) in self.named(record) {
            same &= item.get(name) == Some(&value);
        }
        Ok(same)
    }
}

/// Whether a write found its record, which was its condition.
fn found(written: Done<()>) -> Done<bool> {
    match written {
        Ok(()) => Ok(true),
        Err(e) if e.is_condition() => Ok(false),
        Err(e) => Err(e),
    }
}

impl engine::RecordSession for RecordSession {
    async fn read(&mut self, key: &str, fields: Fields, record: &mut Record) -> Done<bool> {
        let Some(item) = self.get(key, fields).await? else { return Ok(false) };
        self.take(&item, fields, record)?;
        Ok(true)
    }

    async fn insert(&mut self, key: &str, record: &Record) -> Done<()> {
        let mut request = self
            .driver
            .put_item()
            .table_name(&self.stored)
            .item(KEY, AttributeValue::S(key.to_owned()))
            .condition_expression("attribute_not_exists(#k)")
            .expression_attribute_names("#k", KEY)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        for (name, value) in self.named(record) {
            request = request.item(name, value);
        }
        match self.server.send(request.send()).await {
            Ok(answer) => {
                self.server.counters.consumed(Units::Write, &answer.consumed_capacity);
                Ok(())
            }
            Err(e) if !e.is_condition() => Err(e),
            Err(_) if self.is_ours(key, record).await? => Ok(()),
            Err(_) => Err(Failure::duplicate(key)),
        }
    }

    async fn update(&mut self, key: &str, record: &Record) -> Done<bool> {
        if record.is_empty() || !reading::possible(key) {
            return Ok(self.get(key, Fields::None).await?.is_some());
        }
        let there =
            ExpectedAttributeValue::builder().comparison_operator(ComparisonOperator::NotNull);
        let mut request = self
            .driver
            .update_item()
            .table_name(&self.stored)
            .key(KEY, AttributeValue::S(key.to_owned()))
            .expected(KEY, there.build())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        for (name, value) in self.named(record) {
            let update = AttributeValueUpdate::builder().value(value).action(AttributeAction::Put);
            request = request.attribute_updates(name, update.build());
        }
        let answer = self.server.send(request.send()).await;
        found(answer.map(|answer| {
            self.server.counters.consumed(Units::Write, &answer.consumed_capacity);
        }))
    }

    async fn delete(&mut self, key: &str) -> Done<bool> {
        if !reading::possible(key) {
            return Ok(false);
        }
        let request = self
            .driver
            .delete_item()
            .table_name(&self.stored)
            .key(KEY, AttributeValue::S(key.to_owned()))
            .condition_expression("attribute_exists(#k)")
            .expression_attribute_names("#k", KEY)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = self.server.send(request.send()).await;
        found(answer.map(|answer| {
            self.server.counters.consumed(Units::Write, &answer.consumed_capacity);
        }))
    }

    async fn scan(
        &mut self,
        start: &str,
        count: usize,
        fields: Fields,
        scanned: &mut Scanned,
    ) -> Done<()> {
        let wanted = self.wanted(fields);
        if count == 0 {
            return Ok(());
        }
        let mut after = None;
        if reading::possible(start) {
            if let Some(item) = self.get(start, fields).await? {
                self.take(&item, fields, scanned.push(start))?;
            }
            after = Some(reading::key(start));
        }
        while scanned.len() < count {
            let limit = i32::try_from(count - scanned.len()).unwrap_or(i32::MAX);
            let read = (Some(limit), self.strong);
            let page = self.server.page(&self.driver, &self.stored, after, read, wanted);
            let (items, next) = page.await?;
            for item in &items {
                self.take(item, fields, scanned.push(value::text(item, KEY)?))?;
            }
            match next {
                Some(_) => after = next,
                None => break,
            }
        }
        Ok(())
    }
}
