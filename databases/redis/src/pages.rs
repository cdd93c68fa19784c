//! The documents of a collection in pages.

use hoap_database::failure::Done;
use redis::Value as Answer;

use super::answers::texts;
use super::connection::ClientConnection;
use super::layout;

/// Documents that are read or removed at once: enough to keep a connection busy, few enough for the
/// server to answer others in between.
pub(super) const PAGE: usize = 500;

/// The pages of a collection, in the order of the keys.
pub(super) struct Pages {
    set: String,
    before: String,
    /// Where the next page begins.
    from: String,
    ended: bool,
}

/// The pages of a collection.
pub(super) fn pages(prefix: &str, collection: &str) -> Pages {
    Pages {
        set: layout::keys(prefix, collection),
        before: layout::documents(prefix, collection),
        from: "-".to_owned(),
        ended: false,
    }
}

impl Pages {
    /// The keys of the next page, `None` after the last.
    pub async fn page(&mut self, connection: &mut ClientConnection) -> Done<Option<Vec<String>>> {
        if self.ended {
            return Ok(None);
        }
        let mut command = redis::cmd("ZRANGE");
        command.arg(&self.set).arg(&self.from).arg("+").arg("BYLEX");
        command.arg("LIMIT").arg(0).arg(PAGE);
        let keys = texts(connection.send(&command).await?)?;
        self.ended = keys.len() < PAGE;
        let Some(last) = keys.last() else { return Ok(None) };
        self.from = format!("({last}");
        Ok(Some(keys))
    }

    /// The name of a document.
    pub fn name(&self, key: &str) -> String {
        format!("{}{key}", self.before)
    }

    /// Fields of each of these documents, as HMGET returns them.
    pub async fn read(
        &self,
        connection: &mut ClientConnection,
        keys: &[String],
        fields: &[impl AsRef<str>],
    ) -> Done<Vec<Answer>> {
        let read = |key: &String| {
            let mut command = redis::cmd("HMGET");
            command.arg(self.name(key));
            for field in fields {
                command.arg(field.as_ref());
            }
            command
        };
        connection.send_all(keys.iter().map(read).collect()).await
    }

    /// All fields of each of these documents, as HGETALL returns them.
    pub async fn read_whole(
        &self,
        connection: &mut ClientConnection,
        keys: &[String],
    ) -> Done<Vec<Answer>> {
        let read = |key: &String| {
            let mut command = redis::cmd("HGETALL");
            command.arg(self.name(key));
            command
        };
        connection.send_all(keys.iter().map(read).collect()).await
    }

    /// Whether each of these documents exists.
    pub async fn exist(
        &self,
        connection: &mut ClientConnection,
        keys: &[String],
    ) -> Done<Vec<bool>> {
        let look = |key: &String| {
            let mut command = redis::cmd("EXISTS");
            command.arg(self.name(key));
            command
        };
        let answers = connection.send_all(keys.iter().map(look).collect()).await?;
        Ok(answers.into_iter().map(|answer| answer == Answer::Int(1)).collect())
    }
}
