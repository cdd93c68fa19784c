//! The prepared statements of a table of records, found by number. The clients of a runtime share
//! them.

use std::sync::{Arc, Weak};

use hoap_database::failure::Done;
use hoap_database::key_value::{Fields, Table};
use scylla::statement::prepared::PreparedStatement;
use tokio::sync::OnceCell;

use super::connection::Connection;
use super::schema::{self, KEY};
use crate::error::OrFail;

/// What a statement does.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Reads these fields of a record.
    Read(Fields),
    /// Reads keys and these fields from a token on.
    Scan(Fields),
    /// Writes a record.
    Insert,
    /// Writes all fields that it is given values for.
    UpdateAll,
    /// Writes one field.
    UpdateOne(u16),
    /// Removes a record.
    Delete,
}

/// The statements of a table.
pub(super) struct Statements {
    pub table: Table,
    /// By [`Statements::number`]; prepared when they are first used.
    prepared: Vec<OnceCell<PreparedStatement>>,
}

/// The statements of the tables that have clients.
pub(super) type Cache = tokio::sync::Mutex<Vec<(Table, Weak<Statements>)>>;

/// The statements of a table. Adds the columns of the fields that the table lacks.
pub(super) async fn of(
    connection: &Connection,
    cache: &Cache,
    table: &Table,
) -> Done<Arc<Statements>> {
    let mut tables = cache.lock().await;
    if let Some(there) = tables.iter().find(|(other, _)| other == table)
        && let Some(statements) = there.1.upgrade()
    {
        return Ok(statements);
    }
    let wanted: Vec<&str> = table.fields.iter().map(String::as_str).collect();
    schema::add_columns(connection, &table.name, &wanted).await?;
    let count = 3 * table.fields.len() + 7;
    let prepared = std::iter::repeat_with(OnceCell::new).take(count).collect();
    let statements = Arc::new(Statements { table: table.clone(), prepared });
    tables.retain(|(other, statements)| other != table && statements.strong_count() > 0);
    tables.push((table.clone(), Arc::downgrade(&statements)));
    Ok(statements)
}

impl Statements {
    pub fn fields(&self) -> u16 {
        self.table.fields.len() as u16
    }

    /// The statement of this kind.
    pub async fn get(&self, connection: &Connection, kind: Kind) -> Done<&PreparedStatement> {
        let cell = &self.prepared[self.number(kind)];
        match cell.get() {
            Some(statement) => Ok(statement),
            None => cell.get_or_try_init(|| self.prepare(connection, kind)).await,
        }
    }

    /// The number of a kind. A field is one of the table's.
    fn number(&self, kind: Kind) -> usize {
        let reads = 2 + self.table.fields.len();
        let by_fields = |of: Fields| match of {
            Fields::All => 0,
            Fields::None => 1,
            Fields::One(number) => 2 + usize::from(number),
        };
        match kind {
            Kind::Read(of) => by_fields(of),
            Kind::Scan(of) => reads + by_fields(of),
            Kind::Insert => 2 * reads,
            Kind::UpdateAll => 2 * reads + 1,
            Kind::Delete => 2 * reads + 2,
            Kind::UpdateOne(number) => 2 * reads + 3 + usize::from(number),
        }
    }

    #[cold]
    async fn prepare(&self, connection: &Connection, kind: Kind) -> Done<PreparedStatement> {
        let options = connection.options();
        let text = self.text(&connection.table(&self.table.name), kind, options.lwt);
        let mut statement = connection.session.prepare(text).await.or_fail()?;
        match kind {
            Kind::Read(_) | Kind::Scan(_) => {
                statement.set_consistency(options.read_consistency);
                // The columns do not change: answers need not describe them.
                statement.set_use_cached_result_metadata(true);
            }
            _ => statement.set_consistency(options.write_consistency),
        }
        Ok(statement)
    }

    fn text(&self, table: &str, kind: Kind, lwt: bool) -> String {
        let quoted = |number: usize| format!("\"{}\"", self.table.fields[number]);
        let all = || (0..self.table.fields.len()).map(quoted).collect::<Vec<_>>();
        let columns = |of: Fields, key: bool| {
            let mut columns = match of {
                Fields::All => all(),
                Fields::One(number) => vec![quoted(number.into())],
                Fields::None => Vec::new(),
            };
            if key || columns.is_empty() {
                columns.insert(0, KEY.to_owned());
            }
            columns.join(", ")
        };
        let if_there = if lwt { " IF EXISTS" } else { "" };
        let set = |columns: Vec<String>| {
            let set: Vec<_> = columns.iter().map(|column| format!("{column} = ?")).collect();
            format!("UPDATE {table} SET {} WHERE {KEY} = ?{if_there}", set.join(", "))
        };
        match kind {
            Kind::Read(of) => format!("SELECT {} FROM {table} WHERE {KEY} = ?", columns(of, false)),
            Kind::Scan(of) => format!(
                "SELECT {} FROM {table} WHERE token({KEY}) >= token(?) LIMIT ?",
                columns(of, true)
            ),
            Kind::Insert => {
                let marks = vec!["?"; self.table.fields.len() + 1].join(", ");
                let condition = if lwt { " IF NOT EXISTS" } else { "" };
                let columns = columns(Fields::All, true);
                format!("INSERT INTO {table} ({columns}) VALUES ({marks}){condition}")
            }
            Kind::UpdateAll => set(all()),
            Kind::UpdateOne(number) => set(vec![quoted(number.into())]),
            Kind::Delete => format!("DELETE FROM {table} WHERE {KEY} = ?{if_there}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_place_of_its_own_and_its_text() {
        let fields = vec!["a".to_owned(), "b".to_owned()];
        let table = Table { name: "t".to_owned(), fields };
        let statements = Statements { table, prepared: Vec::new() };
        let of = [Fields::All, Fields::None, Fields::One(0), Fields::One(1)];
        let kinds = of.map(Kind::Read).into_iter().chain(of.map(Kind::Scan));
        let kinds = kinds.chain([Kind::Insert, Kind::UpdateAll, Kind::Delete]);
        let kinds: Vec<_> = kinds.chain([0, 1].map(Kind::UpdateOne)).collect();
        let numbers: BTreeSet<_> = kinds.iter().map(|kind| statements.number(*kind)).collect();
        assert_eq!(numbers, (0..13).collect());
        let text = |kind, lwt| statements.text("k.t", kind, lwt);
        for (kind, lwt, expected) in [
            (Kind::Read(Fields::All), false, "SELECT \"a\", \"b\" FROM k.t WHERE y_id = ?"),
            (Kind::Read(Fields::None), false, "SELECT y_id FROM k.t WHERE y_id = ?"),
            (
                Kind::Scan(Fields::One(1)),
                false,
                "SELECT y_id, \"b\" FROM k.t WHERE token(y_id) >= token(?) LIMIT ?",
            ),
            (Kind::Insert, false, "INSERT INTO k.t (y_id, \"a\", \"b\") VALUES (?, ?, ?)"),
            (
                Kind::Insert,
                true,
                "INSERT INTO k.t (y_id, \"a\", \"b\") VALUES (?, ?, ?) IF NOT EXISTS",
            ),
            (Kind::UpdateOne(0), false, "UPDATE k.t SET \"a\" = ? WHERE y_id = ?"),
            (Kind::UpdateAll, true, "UPDATE k.t SET \"a\" = ?, \"b\" = ? WHERE y_id = ? IF EXISTS"),
        ] {
            assert_eq!(text(kind, lwt), expected);
        }
    }
}
