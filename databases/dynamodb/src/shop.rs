//! Customers and their orders, in the models that the comparison report names and did not run.
//!
//! A page is a Query of the index on the customers' country, which is a table of entries
//! ([`super::index`]), or the report's text: a Scan with a filter, here of as many segments at a
//! time as an option says. The join reads by key, and the sums are made here: the customers of a
//! zip code by its index, and then their orders (two-phase) or none (embedded); or one item of the
//! joining table.

use std::sync::Arc;

use async_trait::async_trait;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures_util::future::try_join_all;
use hoap_database::engine::{self, Shop};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{
    Ask, COUNTRY_INDEX, CUSTOMERS, JoinRow, JoinVariant, ORDERS, SALES, Sum, ZIP_INDEX, sales_key,
};
use hoap_database::{Find, Index};
use serde_json::{Value, json};

use super::counters::Units;
use super::layout::{self, KEY};
use super::options::Pages;
use super::reading::{Driver, Wanted};
use super::search::Entries;
use super::server::Server;
use super::value::{self, Item};
use super::{DynamoDbEngine, index};
use crate::overlay::entries::{IndexDefinition, Span};

#[async_trait]
impl Shop for DynamoDbEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::TwoPhase, JoinVariant::Embedded, JoinVariant::JoiningTable]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        let client = Client { server: self.server.clone(), driver: self.server.driver() };
        Ok(match ask {
            Ask::Pages => Box::new(match self.server.options.pages {
                Pages::Index => {
                    let by = client.index(COUNTRY_INDEX, "address.country").await?;
                    Pager { client, by: Some(by) }
                }
                Pages::Scan => {
                    client.expect(CUSTOMERS).await?;
                    Pager { client, by: None }
                }
            }),
            Ask::Joins(JoinVariant::JoiningTable) => {
                client.expect(SALES).await?;
                Box::new(TableReader(client))
            }
            Ask::Joins(variant) => {
                let by = client.index(ZIP_INDEX, "address.zip").await?;
                let embedded = variant == JoinVariant::Embedded;
                if !embedded {
                    client.expect(ORDERS).await?;
                }
                Box::new(Joiner { client, by, embedded })
            }
        })
    }
}

/// The service, as one client asks it.
struct Client {
    server: Arc<Server>,
    driver: Arc<Driver>,
}

impl Client {
    async fn expect(&self, collection: &str) -> Done<()> {
        self.server.expect(&self.driver, collection).await
    }

    /// An index of the customers, which must be whole.
    async fn index(&self, name: &str, field: &str) -> Done<IndexDefinition> {
        self.expect(CUSTOMERS).await?;
        let definition = index::definition(&Index::new(name, CUSTOMERS, &[field]));
        match index::is_whole(&self.server, &self.driver, &definition).await? {
            true => Ok(definition),
            false => Err(Failure::missing(format!("the index {name} is missing"))),
        }
    }

    /// The keys of the first customers with this value, at least `enough`.
    async fn customers(
        &self,
        by: &IndexDefinition,
        value: &str,
        enough: usize,
    ) -> Done<Vec<String>> {
        let index =
            Index { name: by.name.clone(), collection: CUSTOMERS.into(), fields: Vec::new() };
        let span = Span::of(&Find::by(&index, &[json!(value)]));
        let strong = self.server.options.strong;
        let entries = Entries { definition: by, span: &span, descending: false, strong };
        let items = entries.first(&self.server, &self.driver, enough, &mut || ()).await?;
        items.iter().map(|item| value::text(item, KEY).map(str::to_owned)).collect()
    }

    /// These fields of the documents with these keys, in no order.
    async fn read(&self, collection: &str, keys: &[String], fields: &[&str]) -> Done<Vec<Item>> {
        let table = layout::table(&self.server.options.prefix, collection);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let wanted = Wanted::exactly(fields.iter().copied());
        self.server.get_many(&self.driver, &table, &keys, &wanted).await
    }

    /// The keys of the first customers of a country in one segment of a scan, at least `enough` if
    /// there are so many.
    async fn segment(&self, country: &str, segment: u32, enough: usize) -> Done<Vec<String>> {
        let options = &self.server.options;
        let (mut keys, mut after) = (Vec::new(), None);
        loop {
            let request = self
                .driver
                .scan()
                .table_name(layout::table(&options.prefix, CUSTOMERS))
                .segment(i32::try_from(segment).unwrap_or_default())
                .total_segments(i32::try_from(options.scan_segments).unwrap_or(1))
                .set_exclusive_start_key(after)
                .consistent_read(options.strong)
                .projection_expression("#k")
                .filter_expression("#a.#c = :c")
                .expression_attribute_names("#k", KEY)
                .expression_attribute_names("#a", "address")
                .expression_attribute_names("#c", "country")
                .expression_attribute_values(":c", AttributeValue::S(country.to_owned()))
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let answer = self.server.send(request.send()).await?;
            self.server.counters.consumed(Units::Read, &answer.consumed_capacity);
            for item in answer.items.unwrap_or_default() {
                keys.push(value::text(&item, KEY)?.to_owned());
            }
            match answer.last_evaluated_key {
                Some(next) if keys.len() < enough => after = Some(next),
                _ => return Ok(keys),
            }
        }
    }
}

/// One client that reads pages: by the index, or by a scan.
pub struct Pager {
    client: Client,
    by: Option<IndexDefinition>,
}

/// One client that joins.
pub struct Joiner {
    client: Client,
    by: IndexDefinition,
    /// Whether customers have their orders in them.
    embedded: bool,
}

/// One client that reads the joining table.
pub struct TableReader(Client);

#[async_trait]
impl engine::ShopSession for Pager {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Done<()> {
        keys.clear();
        if limit == 0 {
            return Ok(());
        }
        let (offset, limit) = (offset as usize, limit as usize);
        let enough = offset.saturating_add(limit);
        let found = match &self.by {
            Some(by) => self.client.customers(by, country, enough).await?,
            None => {
                let all = 0..self.client.server.options.scan_segments;
                let segments = all.map(|segment| self.client.segment(country, segment, enough));
                try_join_all(segments).await?.concat()
            }
        };
        keys.extend(found.into_iter().skip(offset).take(limit));
        Ok(())
    }
}

/// What an item has under a name.
fn field(item: &Item, name: &str) -> Done<Value> {
    item.get(name).map_or(Ok(Value::Null), value::json)
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let client = &self.client;
        let customers = client.customers(&self.by, zip, usize::MAX).await?;
        let mut sum = Sum::default();
        if self.embedded {
            for customer in client.read(CUSTOMERS, &customers, &["orders"]).await? {
                sum.add_all(&field(&customer, "orders")?, month)?;
            }
        } else {
            let mut keys = Vec::new();
            for customer in client.read(CUSTOMERS, &customers, &["order_list"]).await? {
                let list = field(&customer, "order_list")?;
                let named = list.as_array().into_iter().flatten().filter_map(Value::as_str);
                keys.extend(named.map(str::to_owned));
            }
            for order in client.read(ORDERS, &keys, &["month", "sale_price"]).await? {
                if field(&order, "month")? == month {
                    sum.add(&field(&order, "sale_price")?)?;
                }
            }
        }
        rows.extend(sum.row(zip, month));
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for TableReader {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let TableReader(Client { server, driver }) = self;
        let table = layout::table(&server.options.prefix, SALES);
        let (key, wanted) = (sales_key(zip, month), Wanted::exactly(["orders"]));
        let item = server.get(driver, &table, &key, &wanted, server.options.strong).await?;
        let mut sum = Sum::default();
        if let Some(item) = item {
            sum.add_all(&field(&item, "orders")?, month)?;
        }
        rows.extend(sum.row(zip, month));
        Ok(())
    }
}
