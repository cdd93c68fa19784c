//! Customers and their orders.
//!
//! The keys of a country's and of a zip code's customers are sorted sets, which a load makes at its
//! end ([`super::indexes`]): a page is a range of one of them. The join in two phases takes three
//! trips: the keys of the zip code's customers, their lists of orders, and month and price of these
//! orders; the last two are many commands sent together, of fields, not of documents. With orders
//! in the customers there is no third trip, and of the joining table one field is read. The sums
//! are made here. Each trip sees the state of its own moment.

use async_trait::async_trait;
use hoap_database::engine::{self, Shop};
use hoap_database::failure::{Done, Failure};
use hoap_database::shop::{
    Ask, COUNTRY_INDEX, CUSTOMERS, JoinRow, JoinVariant, ORDERS, SALES, Sum, ZIP_INDEX, sales_key,
};
use redis::{Cmd, Value};

use super::answers::texts;
use super::connection::ClientConnection;
use super::document::Path;
use super::{RedisEngine, layout, notes};

#[async_trait]
impl Shop for RedisEngine {
    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::TwoPhase, JoinVariant::Embedded, JoinVariant::JoiningTable]
    }

    async fn shop_session(&self, ask: Ask) -> Done<Box<dyn engine::ShopSession>> {
        match ask {
            Ask::Pages => {
                Ok(Box::new(Pager(Client::connect(self, &[CUSTOMERS], COUNTRY_INDEX).await?)))
            }
            Ask::Joins(JoinVariant::JoiningTable) => {
                let mut connection = self.server.client_connection().await?;
                notes::expect(&mut connection, &[SALES], &[]).await?;
                let sales = layout::documents(&self.server.options.prefix, SALES);
                Ok(Box::new(TableReader { connection, sales, orders: Path::new("orders") }))
            }
            Ask::Joins(JoinVariant::Embedded) => Ok(Box::new(EmbeddedReader {
                client: Client::connect(self, &[CUSTOMERS], ZIP_INDEX).await?,
                customers: layout::documents(&self.server.options.prefix, CUSTOMERS),
                orders: Path::new("orders"),
            })),
            Ask::Joins(_) => {
                let prefix = &self.server.options.prefix;
                Ok(Box::new(Joiner {
                    client: Client::connect(self, &[CUSTOMERS, ORDERS], ZIP_INDEX).await?,
                    customers: layout::documents(prefix, CUSTOMERS),
                    orders: layout::documents(prefix, ORDERS),
                    list: Path::new("order_list"),
                    month: Path::new("month"),
                    price: Path::new("sale_price"),
                }))
            }
        }
    }
}

/// A connection that searches customers by an index.
struct Client {
    connection: ClientConnection,
    /// The set of a country's or a zip code's customers; its first `before` bytes are the index's.
    set: String,
    before: usize,
    command: Cmd,
}

impl Client {
    /// Connects to search customers by this index; it and the collections must be there.
    async fn connect(redis: &RedisEngine, collections: &[&str], index: &str) -> Done<Client> {
        let server = &redis.server;
        let mut connection = server.client_connection().await?;
        notes::expect(&mut connection, collections, &[index]).await?;
        let set = layout::index(&server.options.prefix, index);
        Ok(Client { connection, before: set.len(), set, command: Cmd::new() })
    }

    /// The keys from `first` to `last` in the set of a value.
    async fn range(&mut self, value: &str, first: i64, last: i64) -> Done<Vec<String>> {
        self.set.truncate(self.before);
        self.set.push_str(value);
        self.command.clear();
        self.command.arg("ZRANGE").arg(&self.set).arg(first).arg(last);
        texts(self.connection.send(&self.command).await?)
    }
}

/// One client that reads pages.
pub struct Pager(Client);

/// One client that reads customers with their orders.
pub struct EmbeddedReader {
    client: Client,
    customers: String,
    orders: Path,
}

/// One client that reads the joining table.
pub struct TableReader {
    connection: ClientConnection,
    sales: String,
    orders: Path,
}

/// One client that joins.
pub struct Joiner {
    client: Client,
    /// What the keys of customers and orders are appended to.
    customers: String,
    orders: String,
    /// The fields read of a customer and of an order.
    list: Path,
    month: Path,
    price: Path,
}

/// The values of an answer to HMGET.
fn values(answer: &Value, count: usize) -> Done<&[Value]> {
    match answer {
        Value::Array(values) if values.len() == count => Ok(values),
        other => Err(Failure::broken(format!("HMGET answered {other:?}"))),
    }
}

/// The command that reads fields of a document.
fn ask(before: &str, key: &str, fields: &[&[String; 2]]) -> Cmd {
    let mut command = redis::cmd("HMGET");
    command.arg([before.as_bytes(), key.as_bytes()].concat());
    for field in fields.iter().copied().flatten() {
        command.arg(field);
    }
    command
}

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
        if limit > 0 {
            let first = i64::from(offset);
            *keys = self.0.range(country, first, first + i64::from(limit) - 1).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for Joiner {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let customers = self.client.range(zip, 0, -1).await?;
        let list = |key: &String| ask(&self.customers, key, &[&self.list.fields]);
        let lists = customers.iter().map(list).collect();
        let lists = self.client.connection.send_all(lists).await?;
        let mut commands = Vec::new();
        for answer in &lists {
            let orders = self.list.value(values(answer, 2)?)?;
            for order in orders.as_array().into_iter().flatten() {
                let key = order
                    .as_str()
                    .ok_or_else(|| Failure::broken("an order in a customer's list is no key"))?;
                commands.push(ask(&self.orders, key, &[&self.month.fields, &self.price.fields]));
            }
        }
        let mut sum = Sum::default();
        for answer in &self.client.connection.send_all(commands).await? {
            let values = values(answer, 4)?;
            if self.month.value(&values[..2])?.as_str() == Some(month) {
                sum.add(&self.price.value(&values[2..])?)?;
            }
        }
        rows.extend(sum.row(zip, month));
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for EmbeddedReader {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let customers = self.client.range(zip, 0, -1).await?;
        let orders = |key: &String| ask(&self.customers, key, &[&self.orders.fields]);
        let commands = customers.iter().map(orders).collect();
        let mut sum = Sum::default();
        for answer in &self.client.connection.send_all(commands).await? {
            sum.add_all(&self.orders.value(values(answer, 2)?)?, month)?;
        }
        rows.extend(sum.row(zip, month));
        Ok(())
    }
}

#[async_trait]
impl engine::ShopSession for TableReader {
    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        let command = ask(&self.sales, &sales_key(zip, month), &[&self.orders.fields]);
        let answer = self.connection.send(&command).await?;
        let mut sum = Sum::default();
        sum.add_all(&self.orders.value(values(&answer, 2)?)?, month)?;
        rows.extend(sum.row(zip, month));
        Ok(())
    }
}
