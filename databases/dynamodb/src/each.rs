//! Operations by themselves, outside of a transaction.
//!
//! A write of a collection without indexes is one request for its item; so is a patch of fields
//! that no index has. Otherwise the entries of the indexes change in the same step: the document is
//! read, if it may be there, and TransactWriteItems writes it with its entries on the condition that
//! it is as it was read. Several inserts are one TransactWriteItems. An addition takes any number:
//! the service does not tell whole ones from others.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, ReturnValue};
use hoap_database::failure::{Done, Failure};
use hoap_database::patches::{There, Wanted, wants, why_not};
use hoap_database::path::{self, Step};
use hoap_database::{Access, Change, Condition, Is, Patch, Patched};
use serde_json::Value;

use super::commit;
use super::counters::Units;
use super::layout::{self, KEY, VERSION};
use super::open_transaction::OpenTransaction;
use super::reading::{self, Wanted as Attributes};
use super::value::{self, Item};
use crate::error::Code;
use crate::overlay;

impl OpenTransaction<'_> {
    /// Whether a write of this collection is by itself, and of one item.
    pub(super) fn is_alone(&self, collection: &str) -> bool {
        self.access == Access::Each && !self.moves_entries(collection, &[])
    }

    /// Whether patches, or any write if there are none, change entries of an index.
    pub(super) fn moves_entries(&self, collection: &str, patches: &[Patch<'_>]) -> bool {
        let touches = |field: &String| {
            patches.is_empty()
                || patches.iter().any(|patch| {
                    path::is_within(patch.path, field) || path::is_within(field, patch.path)
                })
        };
        let mut indexes = self.session.indexes.iter();
        indexes.any(|index| index.collection == collection && index.fields.iter().any(touches))
    }

    /// Sends what an operation by itself has changed.
    pub(super) async fn each_commit(&mut self) -> Done<()> {
        match self.access {
            Access::Each => self.commit_all().await,
            Access::Read | Access::Write => Ok(()),
        }
    }

    /// Forgets what the operation by itself before has read and changed.
    pub(super) fn forget(&mut self) {
        if self.access == Access::Each {
            *self = OpenTransaction::new(self.session, self.access);
        }
    }

    /// Puts an item, if there is none or in the place of what is there.
    pub(super) async fn put_item(
        &mut self,
        collection: &str,
        key: &str,
        document: &Value,
        absent: bool,
    ) -> Done<()> {
        let (server, driver) = (self.server(), self.driver());
        let table = layout::table(&server.options.prefix, collection);
        let mark = AttributeValue::S(commit::version());
        let fields = overlay::object(document)?.iter();
        let mut item: Item =
            fields.map(|(name, field)| (name.clone(), value::attribute(field))).collect();
        item.insert(KEY.to_owned(), AttributeValue::S(key.to_owned()));
        item.insert(VERSION.to_owned(), mark.clone());
        let mut request = driver
            .put_item()
            .table_name(&table)
            .set_item(Some(item))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        if absent {
            request = request
                .condition_expression("attribute_not_exists(#k)")
                .expression_attribute_names("#k", KEY);
        }
        match server.send(request.send()).await {
            Ok(answer) => {
                server.counters.consumed(Units::Write, &answer.consumed_capacity);
                Ok(())
            }
            Err(e) if !e.is_condition() => Err(e),
            Err(_) => {
                // With retries the driver repeats a request whose connection was lost: then it is
                // this one's own.
                let wanted = Attributes::exactly([VERSION]);
                let ours = server.options.retries > 0
                    && server
                        .get(driver, &table, key, &wanted, true)
                        .await?
                        .is_some_and(|item| item.get(VERSION) == Some(&mark));
                if ours { Ok(()) } else { Err(Failure::duplicate(key)) }
            }
        }
    }

    /// Changes fields of an item.
    pub(super) async fn update_item(
        &mut self,
        collection: &str,
        key: &str,
        patches: &[Patch<'_>],
        conditions: &[Condition<'_>],
    ) -> Done<Patched> {
        let (server, driver) = (self.server(), self.driver());
        let table = layout::table(&server.options.prefix, collection);
        let mut expression = Expression::default();
        let update = expression.update(patches);
        let condition = expression.condition(patches, conditions);
        let request = driver
            .update_item()
            .table_name(&table)
            .key(KEY, AttributeValue::S(key.to_owned()))
            .update_expression(update)
            .condition_expression(condition)
            .set_expression_attribute_names(Some(expression.names))
            .set_expression_attribute_values(Some(expression.values))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        match server.send(request.send()).await {
            Ok(answer) => {
                server.counters.consumed(Units::Write, &answer.consumed_capacity);
                Ok(Patched::Done)
            }
            Err(e) if !e.is_condition() => Err(e),
            Err(_) => {
                let wanted = Attributes::default();
                let item = server.get(driver, &table, key, &wanted, true).await?;
                let document = item.as_ref().map(value::document).transpose()?;
                why_not(document.map(Value::Object).as_ref(), patches, conditions)
            }
        }
    }

    /// Deletes an item; says whether it was there.
    pub(super) async fn delete_item(&mut self, collection: &str, key: &str) -> Done<bool> {
        if !reading::possible(key) {
            return Ok(false);
        }
        let (server, driver) = (self.server(), self.driver());
        let request = driver
            .delete_item()
            .table_name(layout::table(&server.options.prefix, collection))
            .key(KEY, AttributeValue::S(key.to_owned()))
            .return_values(ReturnValue::AllOld)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = server.send(request.send()).await?;
        server.counters.consumed(Units::Write, &answer.consumed_capacity);
        Ok(answer.attributes.is_some_and(|attributes| !attributes.is_empty()))
    }
}

/// The names and values of the expressions of one request.
#[derive(Default)]
struct Expression {
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Expression {
    fn name(&mut self, name: &str) -> String {
        let short = format!("#n{}", self.names.len());
        self.names.insert(short.clone(), name.to_owned());
        short
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let short = format!(":v{}", self.values.len());
        self.values.insert(short.clone(), value);
        short
    }

    fn path(&mut self, path: &str) -> String {
        let mut text = String::new();
        for step in path::steps(path) {
            match step {
                Step::Position(n) => text.push_str(&format!("[{n}]")),
                Step::Field(name) => {
                    text.push_str(if text.is_empty() { "" } else { "." });
                    text.push_str(&self.name(name));
                }
            }
        }
        text
    }

    /// What is done to the item, and the mark of its new version.
    fn update(&mut self, patches: &[Patch<'_>]) -> String {
        let mark = self.value(AttributeValue::S(commit::version()));
        let mut sets = vec![format!("{} = {mark}", self.name(VERSION))];
        let mut removes = Vec::new();
        for patch in patches {
            let path = self.path(patch.path);
            let (value, list) = match &patch.change {
                Change::Set(value) => (value::attribute(value), false),
                Change::AddInteger(n) => {
                    let sum = self.value(AttributeValue::N(n.to_string()));
                    sets.push(format!("{path} = {path} + {sum}"));
                    continue;
                }
                Change::AddDecimal { units, digits } => {
                    let sum = self.value(AttributeValue::N(format!("{units}e-{digits}")));
                    sets.push(format!("{path} = {path} + {sum}"));
                    continue;
                }
                Change::Append(value) => (AttributeValue::L(vec![value::attribute(value)]), true),
                Change::Remove => {
                    removes.push(path);
                    continue;
                }
            };
            let value = self.value(value);
            sets.push(match list {
                true => format!("{path} = list_append({path}, {value})"),
                false => format!("{path} = {value}"),
            });
        }
        let sets = format!("SET {}", sets.join(", "));
        if removes.is_empty() { sets } else { format!("{sets} REMOVE {}", removes.join(", ")) }
    }

    /// What must hold of the item before.
    fn condition(&mut self, patches: &[Patch<'_>], conditions: &[Condition<'_>]) -> String {
        let mut all = vec![format!("attribute_exists({})", self.name(KEY))];
        for Wanted { place, there } in patches.iter().filter_map(wants) {
            let path = self.path(place);
            all.push(match there {
                There::Integer(n) => {
                    let (operator, bound) =
                        if n >= 0 { ("<=", i64::MAX - n) } else { (">=", i64::MIN - n) };
                    let bound = self.value(AttributeValue::N(bound.to_string()));
                    format!("{} AND {path} {operator} {bound}", self.is_of(&path, "N"))
                }
                There::Number => self.is_of(&path, "N"),
                There::Array => self.is_of(&path, "L"),
                There::Object => self.is_of(&path, "M"),
                There::Anything => format!("attribute_exists({path})"),
            });
        }
        for condition in conditions {
            let path = self.path(condition.path);
            match condition.is {
                Is::Equal(Value::Null) => {
                    let null = self.is_of(&path, "NULL");
                    all.push(format!("(attribute_not_exists({path}) OR {null})"));
                }
                Is::Equal(value) => {
                    let value = self.value(value::attribute(value));
                    all.push(format!("{path} = {value}"));
                }
                Is::Within(bounds) => {
                    for (operator, bound) in [(">=", bounds.min), ("<=", bounds.max)] {
                        if let Some(value) = bound {
                            let value = self.value(value::attribute(value));
                            all.push(format!("{path} {operator} {value}"));
                        }
                    }
                }
            }
        }
        all.join(" AND ")
    }

    fn is_of(&mut self, path: &str, kind: &str) -> String {
        let kind = self.value(AttributeValue::S(kind.to_owned()));
        format!("attribute_type({path}, {kind})")
    }
}
