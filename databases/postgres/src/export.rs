//! Tables and views that others made, read as documents: by one statement in a transaction that
//! only reads, whose rows the server sends as they are taken.

use async_trait::async_trait;
use futures_util::{TryStreamExt, pin_mut};
use hoap_database::Index;
use hoap_database::engine::{EachDocument, Export};
use hoap_database::export::{Table, none, parsed};
use hoap_database::failure::{Done, Failure};
use serde_json::Value;
use tokio_postgres::Client;
use tokio_postgres::types::Oid;

use super::PostgresEngine;
use crate::error::OrFail;

/// What can be read: tables, partitioned and foreign ones, views.
const KINDS: &str = "c.relkind IN ('r', 'p', 'f', 'v', 'm')";

/// JSON and `bytea` by their numbers, which never change.
const JSON: [Oid; 2] = [114, 3802];
const BYTEA: Oid = 17;

/// What a view did that writes.
const READS: &str = "25006";

#[async_trait]
impl Export for PostgresEngine {
    async fn export(&self, collection: &str, each: &mut EachDocument<'_>) -> Done<Vec<Index>> {
        let mut connection = self.pools.reading().await?;
        let exported = async {
            let client = &connection.client;
            client.batch_execute("BEGIN READ ONLY").await.or_fail()?;
            let source = Source::of(client, (collection, &self.server().options.schema)).await?;
            source.read(client, each).await?;
            let indexes = source.indexes(client).await?;
            client.batch_execute("COMMIT").await.or_fail()?;
            Ok(indexes)
        };
        // A connection that is not left is closed, and its transaction with it.
        let exported = exported.await;
        let indexes = exported.map_err(|failure| match connection.looked_at(failure) {
            failure if failure.code == READS => Failure {
                advice: Some("name a table, or a view that only reads".into()),
                ..failure
            },
            failure => failure,
        })?;
        self.pools.leave(connection);
        Ok(indexes)
    }
}

/// A table or view.
struct Source {
    oid: Oid,
    /// Its name with the schema, in quotes.
    name: String,
    /// Its columns as they are selected.
    columns: Vec<String>,
    table: Table,
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Source {
    /// That of a name in the schema of the URL, or of a schema and a name with a dot between.
    async fn of(client: &Client, (collection, schema): (&str, &str)) -> Done<Source> {
        let text = format!(
            "SELECT c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname)
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE {KINDS} AND (n.nspname = $2::text AND c.relname = $1::text
                                OR n.nspname || '.' || c.relname = $1::text)
             ORDER BY (n.nspname = $2::text AND c.relname = $1::text) DESC LIMIT 1"
        );
        let Some(found) = client.query_opt(&text, &[&collection, &schema]).await.or_fail()? else {
            return Err(missing(client, schema).await?);
        };
        let (oid, name) = (found.try_get(0).or_fail()?, found.try_get(1).or_fail()?);
        let text = "SELECT a.attname::text, a.atttypid, EXISTS (
                        SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary
                        AND a.attnum = ANY (i.indkey))
                    FROM pg_attribute a WHERE a.attrelid = $1 AND a.attnum > 0
                    AND NOT a.attisdropped ORDER BY a.attnum";
        let (mut all, mut columns) = (Vec::new(), Vec::new());
        for row in client.query(text, &[&oid]).await.or_fail()? {
            let name: String = row.try_get(0).or_fail()?;
            let (of, key): (Oid, bool) = (row.try_get(1).or_fail()?, row.try_get(2).or_fail()?);
            let column = quoted(&name);
            columns.push(match of {
                // Its text has a line end after 76 letters.
                BYTEA => format!(
                    "CASE WHEN {column} IS NOT NULL THEN json_build_object('$binary',
                     translate(encode({column}, 'base64'), E'\\n', '')) END AS {column}"
                ),
                _ => column,
            });
            all.push((name, key, JSON.contains(&of)));
        }
        let all: Vec<_> = all.iter().map(|(name, key, json)| (&**name, *key, *json)).collect();
        Ok(Source { oid, name, columns, table: Table::of(&all) })
    }

    /// Calls `each` for every row.
    async fn read(&self, client: &Client, each: &mut EachDocument<'_>) -> Done<()> {
        let Source { name, columns, table, .. } = self;
        let text = format!(
            "SELECT row_to_json(r)::text FROM (SELECT {} FROM {name}) r",
            columns.join(", ")
        );
        let nothing: [&str; 0] = [];
        let rows = client.query_raw(&text, nothing).await.or_fail()?;
        pin_mut!(rows);
        while let Some(row) = rows.try_next().await.or_fail()? {
            let text: &str = row.try_get(0).or_fail()?;
            if let Value::Object(row) = parsed(text.as_bytes())? {
                each(table.row(row))?;
            }
        }
        Ok(())
    }

    /// The whole indexes in an order, or by a hash, that are on fields from their first term on.
    async fn indexes(&self, client: &Client) -> Done<Vec<Index>> {
        let text = "SELECT c.relname::text, ARRAY(
                        SELECT pg_get_indexdef(i.indexrelid, k, true)
                        FROM generate_series(1, i.indnkeyatts::int4) k ORDER BY k)
                    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                    JOIN pg_am m ON m.oid = c.relam
                    WHERE i.indrelid = $1 AND i.indisvalid AND i.indpred IS NULL
                    AND m.amname IN ('btree', 'hash') ORDER BY i.indexrelid";
        let mut indexes = Vec::new();
        for row in client.query(text, &[&self.oid]).await.or_fail()? {
            let (name, terms): (String, Vec<String>) =
                (row.try_get(0).or_fail()?, row.try_get(1).or_fail()?);
            let fields: Vec<String> =
                terms.iter().map_while(|term| self.table.indexed(term)).collect();
            if !fields.is_empty() {
                indexes.push(Index::new(name, &self.name, &fields));
            }
        }
        Ok(indexes)
    }
}

/// The error of a table that is not there.
async fn missing(client: &Client, schema: &str) -> Done<Failure> {
    let text = format!(
        "SELECT CASE WHEN n.nspname = $1::text THEN '' ELSE n.nspname || '.' END || c.relname
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE {KINDS} AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
         ORDER BY (n.nspname = $1::text) DESC, n.nspname, c.relname LIMIT 21"
    );
    let rows = client.query(&text, &[&schema]).await.or_fail()?;
    let names = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>();
    Ok(none("table or view", &format!("schema {schema}, which ?schema= names"), &names.or_fail()?))
}
