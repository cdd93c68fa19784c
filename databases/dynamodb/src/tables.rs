//! Tables: creation, description and removal, which take the service a while. Notes are rows of
//! one.

use std::time::{Duration, Instant};

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ProvisionedThroughput,
    ReturnConsumedCapacity, ScalarAttributeType, TableDescription, TableStatus,
};
use futures_util::future::try_join_all;
use hoap_database::failure::{Done, Failure};
use hoap_record::ErrorKind;

use super::counters::Units;
use super::layout::{self, KEY, PARTITION, SORT, VALUE};
use super::options::{Capacity, Options};
use super::reading::Driver;
use super::server::Server;
use crate::error::Code;
use crate::error::OrFail;

/// The limit for making or removing a table.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often a request about a table is sent at most. Each may be repeated, and the service fails
/// at some while others make and remove tables.
const TRIES: u32 = 5;

/// The purpose of a table, which decides its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Documents of a collection.
    Collection,
    /// Notes, which are few: always paid for by the request.
    Notes,
    /// Entries of an index, in the order of its values.
    Index,
}

impl Purpose {
    /// The attributes of its key.
    fn key(self) -> &'static [(&'static str, ScalarAttributeType, KeyType)] {
        match self {
            Purpose::Collection | Purpose::Notes => &[(KEY, ScalarAttributeType::S, KeyType::Hash)],
            Purpose::Index => &[
                (PARTITION, ScalarAttributeType::B, KeyType::Hash),
                (SORT, ScalarAttributeType::B, KeyType::Range),
            ],
        }
    }
}

impl Server {
    /// What the service says of a table, `None` where there is none.
    pub async fn describe(&self, driver: &Driver, table: &str) -> Done<Option<TableDescription>> {
        let request = driver.describe_table().table_name(table);
        match self.administer(|| request.clone().send()).await {
            Ok(answer) => Ok(answer.table),
            Err(e) if e.is_absent() => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Asks for a table, unless it is there. [`Server::made`] waits for it.
    pub async fn make(&self, driver: &Driver, table: &str, purpose: Purpose) -> Done<()> {
        let mut request = driver.create_table().table_name(table);
        for (name, scalar, key) in purpose.key() {
            let definition = AttributeDefinition::builder()
                .attribute_name(*name)
                .attribute_type(scalar.clone())
                .build();
            let element =
                KeySchemaElement::builder().attribute_name(*name).key_type(key.clone()).build();
            request =
                request.attribute_definitions(definition.or_fail()?).key_schema(element.or_fail()?);
        }
        request = match self.options.capacity {
            Capacity::Provisioned if purpose != Purpose::Notes => {
                let write = match self.options.load_write_units {
                    0 => self.options.write_units,
                    loading => loading,
                };
                request
                    .billing_mode(BillingMode::Provisioned)
                    .provisioned_throughput(units(self.options.read_units, write)?)
            }
            _ => request.billing_mode(BillingMode::PayPerRequest),
        };
        match self.administer(|| request.clone().send()).await {
            Ok(_) => Ok(()),
            Err(e) if e.is_in_use() => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Waits until a table can be used. Refuses a table with another key.
    pub async fn made(&self, driver: &Driver, table: &str, purpose: Purpose) -> Done<()> {
        let mut pause = Pause::new();
        loop {
            let Some(there) = self.describe(driver, table).await? else {
                pause.take(|| format!("the table {table} is not there")).await?;
                continue;
            };
            let mut key: Vec<_> =
                there.key_schema().iter().map(|e| (e.attribute_name(), e.key_type())).collect();
            key.sort_by_key(|(_, kind)| **kind != KeyType::Hash);
            let ours = purpose.key().iter().map(|(name, _, kind)| (*name, kind));
            if !key.into_iter().eq(ours) {
                let answer = format!("the table {table} is there and is not ours");
                let advice = "choose another prefix";
                return Err(Failure::of(ErrorKind::Unavailable, answer, advice));
            }
            match not_active(&there) {
                None => return Ok(()),
                Some(status) => {
                    pause.take(|| format!("the table {table} is still {status}")).await?;
                }
            }
        }
    }

    /// Gives the provisioned tables of the prefix the capacity that runs have, where a load had
    /// another, and waits until they have it.
    pub async fn end_load(&self, driver: &Driver) -> Done<()> {
        let Options { capacity, read_units, write_units, load_write_units, .. } = self.options;
        if capacity == Capacity::OnDemand || load_write_units == 0 {
            return Ok(());
        }
        let wanted = (i64::from(read_units), i64::from(write_units));
        let mut changed = Vec::new();
        for (table, there) in self.listed(driver).await? {
            if provisioned(&there).is_none_or(|units| units == wanted) {
                continue;
            }
            let units = units(read_units, write_units)?;
            let request = driver.update_table().table_name(&table).provisioned_throughput(units);
            self.administer(|| request.clone().send()).await?;
            changed.push(table);
        }
        for table in &changed {
            let mut pause = Pause::new();
            while let Some(there) = self.describe(driver, table).await?
                && let Some(status) = not_active(&there)
            {
                pause.take(|| format!("the table {table} is still {status}")).await?;
            }
        }
        Ok(())
    }

    /// The tables of the prefix, with what the service says of each.
    pub async fn listed(&self, driver: &Driver) -> Done<Vec<(String, TableDescription)>> {
        let beginning = format!("{}.", self.options.prefix);
        let mut found = Vec::new();
        // A name before those of the prefix's tables: the service lists names in their order. It is
        // a valid name, of at least three characters; `-` sorts before the dot after the prefix.
        let mut after = format!("{:-<3}", self.options.prefix);
        loop {
            let request = driver.list_tables().exclusive_start_table_name(&after);
            let answer = self.send(request.send()).await?;
            let names = answer.table_names();
            for name in names.iter().filter(|name| name.starts_with(&beginning)) {
                found.extend(self.describe(driver, name).await?.map(|there| (name.clone(), there)));
            }
            let past =
                names.last().is_none_or(|last| !last.starts_with(&beginning) && *last > beginning);
            match answer.last_evaluated_table_name {
                Some(next) if !past => after = next,
                _ => return Ok(found),
            }
        }
    }

    /// Makes tables at the same time, and waits for them.
    pub async fn make_all(&self, driver: &Driver, tables: &[(String, Purpose)]) -> Done<()> {
        for (table, purpose) in tables {
            self.make(driver, table, *purpose).await?;
        }
        let made = tables.iter().map(|(table, purpose)| self.made(driver, table, *purpose));
        try_join_all(made).await.map(drop)
    }

    /// Refuses a collection that has no table.
    pub async fn expect(&self, driver: &Driver, collection: &str) -> Done<()> {
        let table = layout::table(&self.options.prefix, collection);
        match self.describe(driver, &table).await? {
            Some(_) => Ok(()),
            None => Err(Failure::missing(format!("there is no table {table}"))),
        }
    }

    /// Asks for the removal of a table, if there is one. [`Server::removed`] waits for it.
    pub async fn remove(&self, driver: &Driver, table: &str) -> Done<()> {
        let mut pause = Pause::new();
        let request = driver.delete_table().table_name(table);
        loop {
            match self.administer(|| request.clone().send()).await {
                Ok(_) => return Ok(()),
                Err(e) if e.is_absent() => return Ok(()),
                // The table is being made or removed.
                Err(e) if e.is_in_use() => pause.take(|| e.answer.clone()).await?,
                Err(e) => return Err(e),
            }
        }
    }

    /// Waits until a table is gone.
    pub async fn removed(&self, driver: &Driver, table: &str) -> Done<()> {
        let mut pause = Pause::new();
        while self.describe(driver, table).await?.is_some() {
            pause.take(|| format!("the table {table} is still there")).await?;
        }
        Ok(())
    }

    /// Sends a request about a table, again where the service failed at it.
    async fn administer<T, E, F>(&self, request: impl Fn() -> F) -> Done<T>
    where
        F: Future<Output = Result<T, SdkError<E>>>,
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let mut pause = Pause::new();
        let mut tries = 1;
        loop {
            match self.send(request()).await {
                Err(e) if e.is_of_service() && tries < TRIES => {
                    pause.take(|| e.answer.clone()).await?;
                    tries += 1;
                }
                answered => return answered,
            }
        }
    }

    /// Writes a note where `condition` holds of the existing one; returns whether it did.
    pub async fn put_note(
        &self,
        driver: &Driver,
        name: &str,
        text: &str,
        condition: NoteIs<'_>,
    ) -> Done<bool> {
        use aws_sdk_dynamodb::types::AttributeValue::S;
        let table = layout::notes(&self.options.prefix);
        let mut request = driver
            .put_item()
            .table_name(table)
            .item(KEY, S(name.to_owned()))
            .item(VALUE, S(text.to_owned()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        request = match condition {
            NoteIs::Anything => request,
            NoteIs::Absent => request
                .condition_expression("attribute_not_exists(#k)")
                .expression_attribute_names("#k", KEY),
            NoteIs::Text(there) => request
                .condition_expression("#v = :v")
                .expression_attribute_names("#v", VALUE)
                .expression_attribute_values(":v", S(there.to_owned())),
        };
        match self.send(request.send()).await {
            Ok(answer) => {
                self.counters.consumed(Units::Write, &answer.consumed_capacity);
                Ok(true)
            }
            Err(e) if e.is_condition() => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Removes a note.
    pub async fn remove_note(&self, driver: &Driver, name: &str) -> Done<()> {
        let request = driver
            .delete_item()
            .table_name(layout::notes(&self.options.prefix))
            .set_key(Some(super::reading::key(name)))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = self.send(request.send()).await?;
        self.counters.consumed(Units::Write, &answer.consumed_capacity);
        Ok(())
    }
}

/// So many read and write capacity units.
fn units(read: u32, write: u32) -> Done<ProvisionedThroughput> {
    let units = ProvisionedThroughput::builder()
        .read_capacity_units(read.into())
        .write_capacity_units(write.into());
    units.build().or_fail()
}

/// The read and write capacity units of a table, `None` where it is paid for by the request.
pub(super) fn provisioned(table: &TableDescription) -> Option<(i64, i64)> {
    let mode = table.billing_mode_summary().and_then(|summary| summary.billing_mode());
    let units =
        table.provisioned_throughput().filter(|_| mode != Some(&BillingMode::PayPerRequest))?;
    Some((
        units.read_capacity_units().unwrap_or_default(),
        units.write_capacity_units().unwrap_or_default(),
    ))
}

/// The status of a table that cannot be used, or whose capacity is not yet what was asked for.
fn not_active(table: &TableDescription) -> Option<&str> {
    match table.table_status() {
        Some(TableStatus::Active) => None,
        status => Some(status.map_or("unknown", TableStatus::as_str)),
    }
}

/// The condition on the note that is replaced.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoteIs<'a> {
    Anything,
    Absent,
    Text(&'a str),
}

/// Pauses that grow, up to a total of [`PATIENCE`].
struct Pause {
    start: Instant,
    next: Duration,
}

impl Pause {
    fn new() -> Pause {
        Pause { start: Instant::now(), next: Duration::from_millis(20) }
    }

    async fn take(&mut self, state: impl Fn() -> String) -> Done<()> {
        if self.start.elapsed() > PATIENCE {
            return Err(Failure::new(
                ErrorKind::Timeout,
                format!("{} after {} s", state(), PATIENCE.as_secs()),
            ));
        }
        tokio::time::sleep(self.next).await;
        self.next = (self.next * 2).min(Duration::from_secs(2));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Options;
    use super::*;

    #[test]
    fn by_default_the_limit_on_an_answer_comes_last() {
        let Options { answer_timeout, request_timeout, .. } = Options::default();
        assert!(answer_timeout > request_timeout && answer_timeout > PATIENCE);
    }
}
