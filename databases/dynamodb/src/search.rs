//! Searches by an index within a transaction.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Find, Order, Row};

use super::counters::Units;
use super::index;
use super::layout::{self, KEY, PARTITION, SORT};
use super::open_transaction::OpenTransaction;
use super::reading::{Driver, Wanted};
use super::server::Server;
use super::value::{self, Item};
use crate::overlay::entries::{IndexDefinition, Span};

/// The keys and fields of the documents whose first index fields have these values, in their order.
pub(super) async fn find(tx: &mut OpenTransaction<'_>, find: Find<'_>) -> Done<Vec<(String, Row)>> {
    let Find { index, prefix, order, limit, fields, intent, .. } = find;
    let Some(definition) =
        tx.index(&index.name).filter(|definition| definition.collection == index.collection)
    else {
        return Err(Failure::missing(format!("no such index: {}", index.name)));
    };
    definition.check(index)?;
    if limit == Some(0) {
        return Ok(Vec::new());
    }
    if prefix.is_empty() && (find.range.is_some() || find.behind().is_some()) {
        let answer = "a search in a range or by pages has a value for the first field of the index";
        return Err(Failure::invalid(answer));
    }
    let span = (!prefix.is_empty()).then(|| Span::of(&find));
    // The transaction's own writes may hide as many of the entries.
    let written = tx.overlay.written(&definition.collection);
    let enough = limit.map_or(usize::MAX, |limit| limit.saturating_add(written));
    let items = match &span {
        Some(span) => {
            let descending = order == Order::Descending;
            let entries = Entries { definition, span, descending, strong: true };
            entries.first(tx.server(), tx.driver(), enough, &mut || tx.count_read()).await?
        }
        None => scan(tx, definition).await?,
    };
    let found = items.iter().map(|item| {
        let key = value::text(item, KEY)?.to_owned();
        Ok((index::entry_of(item)?, key))
    });
    let mut found = found.collect::<Done<Vec<_>>>()?;
    tx.overlay.merge(definition, span.as_ref(), &mut found, order, limit);

    let keys: Vec<&str> = found.iter().map(|(_, key)| key.as_str()).collect();
    // The fields of the index tell whether the document still has the entry.
    let mut wanted = fields.to_vec();
    wanted.extend(definition.fields.iter().map(String::as_str));
    let parts = tx.read(&definition.collection, &keys, &wanted, intent).await?;
    let mut rows = Vec::with_capacity(found.len());
    for (entry, key) in &found {
        let document = tx.document(&definition.collection, key, &parts);
        if document.is_none_or(|document| definition.entry_key(key, document) != *entry) {
            let answer =
                format!("{} {key} was changed while it was looked for", definition.collection);
            return tx.conflict(answer);
        }
        let row = tx.row(&definition.collection, key, fields, &parts);
        rows.push((key.clone(), row.unwrap_or_default()));
    }
    Ok(rows)
}

/// Entries of an index.
pub(super) struct Entries<'a> {
    pub definition: &'a IndexDefinition,
    pub span: &'a Span,
    pub descending: bool,
    /// Whether those are read that were acknowledged before.
    pub strong: bool,
}

impl Entries<'_> {
    /// The first of them, at least `enough`. Each request is counted first.
    pub async fn first(
        &self,
        server: &Server,
        driver: &Driver,
        enough: usize,
        counted: &mut (dyn FnMut() + Send),
    ) -> Done<Vec<Item>> {
        let span = self.span;
        let table = layout::index(&server.options.prefix, &self.definition.name);
        let bytes = |bytes: &[u8]| AttributeValue::B(Blob::new(bytes));
        let (mut entries, mut after) = (Vec::new(), span.behind.as_ref().map(index::key));
        loop {
            let limit = i32::try_from(enough - entries.len()).ok();
            let mut request = driver
                .query()
                .table_name(&table)
                .consistent_read(self.strong)
                .scan_index_forward(!self.descending)
                .set_limit(limit)
                .set_exclusive_start_key(after)
                .expression_attribute_names("#p", PARTITION)
                .expression_attribute_values(":p", bytes(&span.partition))
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            request = match &span.bounds {
                Some([low, high]) => request
                    .key_condition_expression("#p = :p AND #s BETWEEN :s AND :t")
                    .expression_attribute_names("#s", SORT)
                    .expression_attribute_values(":s", bytes(low))
                    .expression_attribute_values(":t", bytes(high)),
                None if span.beginning.is_empty() => request.key_condition_expression("#p = :p"),
                None => request
                    .key_condition_expression("#p = :p AND begins_with(#s, :s)")
                    .expression_attribute_names("#s", SORT)
                    .expression_attribute_values(":s", bytes(&span.beginning)),
            };
            counted();
            let answer = server.send(request.send()).await?;
            server.counters.consumed(Units::Read, &answer.consumed_capacity);
            entries.extend(answer.items.unwrap_or_default());
            match answer.last_evaluated_key {
                Some(next) if entries.len() < enough => after = Some(next),
                _ => return Ok(entries),
            }
        }
    }
}

/// All entries, in no order.
async fn scan(tx: &mut OpenTransaction<'_>, definition: &IndexDefinition) -> Done<Vec<Item>> {
    let (server, driver) = (tx.server(), tx.driver());
    let table = layout::index(&server.options.prefix, &definition.name);
    let (mut entries, mut after) = (Vec::new(), None);
    let wanted = Wanted::default();
    loop {
        tx.count_read();
        let (items, next) = server.page(driver, &table, after, (None, true), &wanted).await?;
        entries.extend(items);
        match next {
            Some(_) => after = next,
            None => return Ok(entries),
        }
    }
}
