//! Reads: one item, many, many of one state, a page of a table, the notes.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{
    AttributeValue, Get, KeysAndAttributes, ReturnConsumedCapacity, TransactGetItem,
};
use hoap_database::failure::{Done, Failure};
use hoap_database::path;
use hoap_record::ErrorKind;

use super::counters::Units;
use super::layout::{self, KEY, VERSION};
use super::server::Server;
use super::value::{self, Item};
use crate::error::Code;
use crate::error::OrFail;

/// Keys that one BatchGetItem or TransactGetItems takes.
pub(super) const KEYS: usize = 100;

/// The driver of a thread.
pub(super) type Driver = aws_sdk_dynamodb::Client;

/// The attributes that are read of an item: all, or some.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub expression: Option<String>,
    pub names: Option<HashMap<String, String>>,
}

impl Wanted {
    /// These fields at the top of the document, beside key and version.
    pub fn fields<'a>(fields: impl IntoIterator<Item = &'a str>) -> Wanted {
        let mut all = vec![KEY, VERSION];
        for field in fields {
            if !all.contains(&field) {
                all.push(field);
            }
        }
        Wanted::exactly(all)
    }

    /// What is at these paths, and so all where one is the whole document.
    pub fn paths(paths: &[&str]) -> Wanted {
        match paths.contains(&path::WHOLE) {
            true => Wanted::default(),
            false => Wanted::fields(paths.iter().map(|path| path::member(path))),
        }
    }

    /// These attributes.
    pub fn exactly<'a>(attributes: impl IntoIterator<Item = &'a str>) -> Wanted {
        let mut expression = String::new();
        let mut names = HashMap::new();
        for (n, attribute) in attributes.into_iter().enumerate() {
            if n > 0 {
                expression.push(',');
            }
            let name = format!("#{n}");
            expression.push_str(&name);
            names.insert(name, attribute.to_owned());
        }
        Wanted { expression: Some(expression), names: Some(names) }
    }
}

/// The key of an item.
pub(super) fn key(key: &str) -> HashMap<String, AttributeValue> {
    HashMap::from([(KEY.to_owned(), AttributeValue::S(key.to_owned()))])
}

/// Whether an item may have this key. No key is empty or above 2 KB; asking for such a key is an
/// error.
pub(super) fn possible(key: &str) -> bool {
    !key.is_empty() && key.len() <= 2048
}

impl Server {
    /// The item of this key.
    pub async fn get(
        &self,
        driver: &Driver,
        table: &str,
        of: &str,
        wanted: &Wanted,
        strong: bool,
    ) -> Done<Option<Item>> {
        if !possible(of) {
            return Ok(None);
        }
        let request = driver
            .get_item()
            .table_name(table)
            .key(KEY, AttributeValue::S(of.to_owned()))
            .consistent_read(strong)
            .set_projection_expression(wanted.expression.clone())
            .set_expression_attribute_names(wanted.names.clone())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = self.send(request.send()).await?;
        self.counters.consumed(Units::Read, &answer.consumed_capacity);
        Ok(answer.item)
    }

    /// The items of these keys, in no order; each is read at a moment of its own.
    pub async fn get_many(
        &self,
        driver: &Driver,
        table: &str,
        keys: &[&str],
        wanted: &Wanted,
    ) -> Done<Vec<Item>> {
        let mut items = Vec::with_capacity(keys.len());
        for some in keys.chunks(KEYS) {
            let mut left: Vec<HashMap<String, AttributeValue>> =
                some.iter().map(|of| key(of)).collect();
            while !left.is_empty() {
                let asked = left.len();
                let keys = KeysAndAttributes::builder()
                    .set_keys(Some(left))
                    .consistent_read(true)
                    .set_projection_expression(wanted.expression.clone())
                    .set_expression_attribute_names(wanted.names.clone())
                    .build()
                    .or_fail()?;
                let request = driver
                    .batch_get_item()
                    .request_items(table, keys)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                let answer = self.send(request.send()).await?;
                self.counters.consumed(Units::Read, answer.consumed_capacity());
                items.extend(answer.responses.into_iter().flat_map(HashMap::into_values).flatten());
                let unprocessed =
                    answer.unprocessed_keys.into_iter().flat_map(HashMap::into_values);
                left = unprocessed.flat_map(|keys| keys.keys).collect();
                self.counters.unprocessed(left.len());
                // An answer ends at 16 MB, or where the capacity does.
                if left.len() == asked {
                    self.counters.failure(ErrorKind::Throttled);
                    return Err(Failure::new(
                        ErrorKind::Throttled,
                        format!("none of {asked} keys was processed"),
                    ));
                }
            }
        }
        Ok(items)
    }

    /// The items of at most 100 keys, in their order, from one state.
    pub async fn get_at_once(
        &self,
        driver: &Driver,
        keys: impl IntoIterator<Item = (String, &str)>,
        wanted: &Wanted,
    ) -> Done<Vec<Option<Item>>> {
        let mut gets = Vec::new();
        for (table, of) in keys {
            let get = Get::builder()
                .table_name(table)
                .set_key(Some(key(of)))
                .set_projection_expression(wanted.expression.clone())
                .set_expression_attribute_names(wanted.names.clone())
                .build()
                .or_fail()?;
            gets.push(TransactGetItem::builder().get(get).build());
        }
        let asked = gets.len();
        let request = driver
            .transact_get_items()
            .set_transact_items(Some(gets))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = self.send(request.send()).await?;
        self.counters.consumed(Units::Read, answer.consumed_capacity());
        let items = answer.responses.unwrap_or_default();
        if items.len() != asked {
            return Err(Failure::broken(format!("{} of {asked} items came back", items.len())));
        }
        // A missing item comes as one without attributes.
        Ok(items.into_iter().map(|r| r.item.filter(|item| !item.is_empty())).collect())
    }

    /// A page of a table, after the item of this key and of so many items at most, with the key to
    /// go on after.
    pub async fn page(
        &self,
        driver: &Driver,
        table: &str,
        after: Option<Item>,
        (limit, strong): (Option<i32>, bool),
        wanted: &Wanted,
    ) -> Done<(Vec<Item>, Option<Item>)> {
        let request = driver
            .scan()
            .table_name(table)
            .set_exclusive_start_key(after)
            .set_limit(limit)
            .consistent_read(strong)
            .set_projection_expression(wanted.expression.clone())
            .set_expression_attribute_names(wanted.names.clone())
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = self.send(request.send()).await?;
        self.counters.consumed(Units::Read, &answer.consumed_capacity);
        Ok((answer.items.unwrap_or_default(), answer.last_evaluated_key))
    }

    /// The text of a note. `None` also where there is no table of notes.
    pub async fn note(&self, driver: &Driver, name: &str) -> Done<Option<String>> {
        let table = layout::notes(&self.options.prefix);
        match self.get(driver, &table, name, &Wanted::default(), true).await {
            Ok(None) => Ok(None),
            Ok(Some(item)) => value::text(&item, layout::VALUE).map(|t| Some(t.to_owned())),
            Err(e) if e.is_absent() => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The names and texts of all notes whose names begin with `beginning`.
    pub async fn notes(&self, driver: &Driver, beginning: &str) -> Done<Vec<(String, String)>> {
        let table = layout::notes(&self.options.prefix);
        let (mut notes, mut after) = (Vec::new(), None);
        loop {
            let page = self.page(driver, &table, after, (None, true), &Wanted::default()).await;
            let (items, next) = match page {
                Err(e) if e.is_absent() => return Ok(notes),
                page => page?,
            };
            for item in &items {
                let name = value::text(item, KEY)?;
                if name.starts_with(beginning) {
                    let text = value::text(item, layout::VALUE)?;
                    notes.push((name.to_owned(), text.to_owned()));
                }
            }
            match next {
                Some(_) => after = next,
                None => return Ok(notes),
            }
        }
    }
}
