//! The documents that one transaction has read or changed, for a database that has no transaction
//! in which to keep them: changes wait in memory until the commit. Read [`Overlay`] first.
//!
//! The rules:
//! * A read returns the document as the transaction left it.
//! * A search by an index returns the transaction's own documents at their new entry and not at
//!   their old one ([`Overlay::merge`]).
//! * An insert of a key that the transaction sees is a duplicate.
//! * A deleted document is hidden; its key may be inserted again.
//! * A patch is applied to the document in memory, and the member that it changes is kept for the
//!   commit.
//!
//! [`document`] has paths and patches, [`entries`] the indexes, which are tables.

pub(crate) mod document;
pub(crate) mod entries;

use std::collections::{BTreeMap, BTreeSet};

use entries::{EntryKey, IndexDefinition, Span};
use hoap_database::failure::{Done, Failure};
use hoap_database::{Order, Patch, path};
use serde_json::{Map, Value};

/// The mark of the transaction that wrote a document last; `None` of a document as it was loaded.
pub(crate) type Version = Option<String>;

/// The change of a document that waits for the commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Write {
    /// The document was only read.
    #[default]
    None,
    /// The members that patches change, and the document after them.
    Patch(BTreeSet<String>, Map<String, Value>),
    /// The document that is inserted, or that replaces a deleted one.
    Put(Map<String, Value>),
    Delete,
}

/// A document of the transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// The version that was read; `None` where there was no document, or where none is assumed.
    pub version: Option<Version>,
    /// Whether nothing was read: the key of an insert is taken to be free.
    pub assumed: bool,
    /// The document as it was read, where it was read whole.
    pub read: Option<Map<String, Value>>,
    pub write: Write,
}

impl Held {
    /// Whether the transaction changes the document.
    pub fn is_written(&self) -> bool {
        self.write != Write::None
    }

    /// Whether the document exists for the transaction.
    pub fn exists(&self) -> bool {
        match self.write {
            Write::None => self.version.is_some(),
            Write::Patch(..) | Write::Put(_) => true,
            Write::Delete => false,
        }
    }

    /// The document as the transaction sees it; `None` where there is none, and where it was not
    /// read whole.
    pub fn now(&self) -> Option<&Map<String, Value>> {
        match &self.write {
            Write::None => self.read.as_ref(),
            Write::Patch(_, document) | Write::Put(document) => Some(document),
            Write::Delete => None,
        }
    }

    /// Whether a read of the whole document would add nothing.
    pub fn is_known(&self) -> bool {
        self.now().is_some() || !self.exists()
    }
}

/// The object that a document is.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`](hoap_record::ErrorKind::Invalid) for any other value.
pub(crate) fn object(document: &Value) -> Done<&Map<String, Value>> {
    document.as_object().ok_or_else(|| Failure::invalid("a document is an object"))
}

/// The documents of one transaction, by collection and key.
#[derive(Default)]
pub(crate) struct Overlay {
    documents: BTreeMap<(String, String), Held>,
}

impl Overlay {
    pub fn get(&self, collection: &str, key: &str) -> Option<&Held> {
        self.documents.get(&place(collection, key))
    }

    /// All documents with their collections and keys, in the order of these.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &str, &Held)> {
        self.documents.iter().map(|((collection, key), held)| (&**collection, &**key, held))
    }

    /// The number of documents of a collection that change.
    pub fn written(&self, collection: &str) -> usize {
        self.documents().filter(|(of, _, held)| *of == collection && held.is_written()).count()
    }

    /// Keeps what was read of a document: its version, and the document where it was read whole.
    /// Returns `false`, and keeps what it has, where an earlier read found another version.
    pub fn keep_read(
        &mut self,
        collection: &str,
        key: &str,
        version: Option<Version>,
        document: Option<Map<String, Value>>,
    ) -> bool {
        let fresh = || Held { version: version.clone(), ..Held::default() };
        let held = self.documents.entry(place(collection, key)).or_insert_with(fresh);
        if held.version != version {
            return false;
        }
        held.read = document.or_else(|| held.read.take());
        true
    }

    /// Inserts a document. A key that was not read is taken to be free: the commit finds out.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Duplicate`](hoap_record::ErrorKind::Duplicate) where the transaction
    /// sees the key.
    pub fn insert(
        &mut self,
        collection: &str,
        key: &str,
        document: &Map<String, Value>,
    ) -> Done<()> {
        let assumed = || Held { assumed: true, ..Held::default() };
        let held = self.documents.entry(place(collection, key)).or_insert_with(assumed);
        if held.exists() {
            return Err(Failure::duplicate(key));
        }
        held.write = Write::Put(document.clone());
        Ok(())
    }

    /// Puts a document in the place of what was read or written under its key.
    pub fn put(&mut self, collection: &str, key: &str, document: &Map<String, Value>) {
        let held = self.documents.entry(place(collection, key)).or_default();
        held.write = Write::Put(document.clone());
    }

    /// The document as the transaction sees it.
    pub fn now(&self, collection: &str, key: &str) -> Option<&Map<String, Value>> {
        self.get(collection, key).and_then(Held::now)
    }

    /// Patches a document that was read whole or written.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Broken`](hoap_record::ErrorKind::Broken) where there is none, or
    /// where a patch does not fit it: then nothing changes.
    pub fn patch(&mut self, collection: &str, key: &str, patches: &[Patch<'_>]) -> Done<()> {
        let held = self.documents.get_mut(&place(collection, key));
        let Some((held, mut document)) = held.and_then(|held| {
            let document = held.now()?.clone();
            Some((held, document))
        }) else {
            return Err(Failure::broken("no such key"));
        };
        for patch in patches {
            document::apply(&mut document, patch).map_err(Failure::broken)?;
        }
        held.write = match std::mem::take(&mut held.write) {
            Write::None if patches.is_empty() => Write::None,
            Write::None => Write::Patch(members(patches).collect(), document),
            Write::Patch(mut all, _) => {
                all.extend(members(patches));
                Write::Patch(all, document)
            }
            Write::Put(_) | Write::Delete => Write::Put(document),
        };
        Ok(())
    }

    /// Deletes a document that was read or written; returns whether there was one.
    pub fn delete(&mut self, collection: &str, key: &str) -> bool {
        let held = self.documents.get_mut(&place(collection, key));
        let Some(held) = held.filter(|held| held.exists()) else { return false };
        // The database never had a document that only this transaction inserted.
        held.write = if held.version.is_some() { Write::Delete } else { Write::None };
        true
    }

    /// Brings the result of a search up to date with the transaction's writes: `found` has the
    /// entries that the database returned, `span` says which were searched for, `None` for all.
    pub fn merge(
        &self,
        index: &IndexDefinition,
        span: Option<&Span>,
        found: &mut Vec<(EntryKey, String)>,
        order: Order,
        limit: Option<usize>,
    ) {
        let is_written = |key: &str| self.get(&index.collection, key).is_some_and(Held::is_written);
        found.retain(|(_, key)| !is_written(key));
        for (collection, key, held) in self.documents() {
            let (true, true, Some(document)) =
                (collection == index.collection, held.is_written(), held.now())
            else {
                continue;
            };
            let entry = index.entry_key(key, document);
            if span.is_none_or(|span| span.has(&entry)) {
                found.push((entry, key.to_owned()));
            }
        }
        found.sort();
        if order == Order::Descending {
            found.reverse();
        }
        found.truncate(limit.unwrap_or(usize::MAX));
    }
}

/// The members of a document that patches change.
fn members(patches: &[Patch<'_>]) -> impl Iterator<Item = String> {
    patches.iter().map(|patch| path::member(patch.path).to_owned())
}

fn place(collection: &str, key: &str) -> (String, String) {
    (collection.to_owned(), key.to_owned())
}

#[cfg(test)]
mod tests {
    use hoap_database::{Change, Find, Index};
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        object(&value).unwrap().clone()
    }

    fn add(n: i64) -> Patch<'static> {
        Patch { path: "n", change: Change::AddInteger(n) }
    }

    /// A transaction that has read the document `a` with `n` 1, as it was loaded, and no document
    /// `b`.
    fn reader() -> Overlay {
        let mut overlay = Overlay::default();
        assert!(overlay.keep_read("c", "a", Some(None), Some(map(json!({"n": 1})))));
        assert!(overlay.keep_read("c", "b", None, None));
        overlay
    }

    fn n(overlay: &Overlay, key: &str) -> Option<Value> {
        overlay.get("c", key).and_then(Held::now).map(|document| document["n"].clone())
    }

    #[test]
    fn a_transaction_sees_its_own_writes() {
        let mut overlay = reader();
        overlay.patch("c", "a", &[add(1)]).unwrap();
        overlay.patch("c", "a", &[add(10)]).unwrap();
        overlay.insert("c", "b", &map(json!({"n": 5}))).unwrap();
        overlay.patch("c", "b", &[add(1)]).unwrap();
        assert_eq!((n(&overlay, "a"), n(&overlay, "b")), (Some(json!(12)), Some(json!(6))));
        let a = &overlay.get("c", "a").unwrap();
        assert_eq!(a.write, Write::Patch(["n".to_owned()].into(), map(json!({"n": 12}))));
        assert_eq!(a.read, Some(map(json!({"n": 1}))));
        let b = &overlay.get("c", "b").unwrap();
        assert_eq!(b.write, Write::Put(map(json!({"n": 6}))));
        assert_eq!(overlay.get("c", "c").map(|_| ()), None);
    }

    #[test]
    fn a_key_that_the_transaction_sees_is_a_duplicate_until_it_is_deleted() {
        let mut overlay = reader();
        let document = map(json!({"n": 2}));
        let refused = Err(Failure::duplicate("a"));
        assert_eq!(overlay.insert("c", "a", &document), refused);
        assert!(overlay.delete("c", "a") && !overlay.delete("c", "a"));
        assert_eq!(n(&overlay, "a"), None);
        assert!(overlay.get("c", "a").unwrap().is_known());
        let gone = Err(Failure::broken("no such key"));
        assert_eq!(overlay.patch("c", "a", &[add(1)]), gone);
        assert_eq!(overlay.insert("c", "a", &document), Ok(()));
        assert_eq!(overlay.insert("c", "a", &document), refused);
        assert_eq!(n(&overlay, "a"), Some(json!(2)));
        // The commit replaces the version that was read.
        assert_eq!(overlay.get("c", "a").unwrap().version, Some(None));
    }

    #[test]
    fn an_insert_that_is_deleted_again_leaves_no_write() {
        let mut overlay = reader();
        overlay.insert("c", "b", &map(json!({"n": 5}))).unwrap();
        assert!(overlay.delete("c", "b"));
        assert_eq!((n(&overlay, "b"), overlay.written("c")), (None, 0));
    }

    #[test]
    fn a_patch_that_does_not_fit_changes_nothing() {
        let mut overlay = reader();
        let bad = Patch { path: "n", change: Change::Append(json!(1)) };
        let refused = overlay.patch("c", "a", &[add(1), bad]);
        assert_eq!(refused, Err(Failure::broken("`n` is integer: cannot append to it")));
        assert_eq!((n(&overlay, "a"), overlay.written("c")), (Some(json!(1)), 0));
        overlay.patch("c", "a", &[]).unwrap();
        assert_eq!(overlay.written("c"), 0);
    }

    #[test]
    fn a_second_read_that_finds_another_version_is_refused() {
        let mut overlay = reader();
        assert!(overlay.keep_read("c", "a", Some(None), None));
        assert_eq!(n(&overlay, "a"), Some(json!(1)));
        assert!(!overlay.keep_read("c", "a", Some(Some("m".into())), None));
        assert!(!overlay.keep_read("c", "a", None, None));
        assert!(!overlay.keep_read("c", "b", Some(None), None));
    }

    #[test]
    fn a_search_finds_documents_where_the_transaction_has_put_them() {
        let index = IndexDefinition {
            name: "by_g_n".into(),
            collection: "c".into(),
            fields: vec!["g".into(), "n".into()],
            whole: true,
        };
        let document = |g: &str, n: i64| map(json!({"g": g, "n": n}));
        let entry =
            |key: &str, g: &str, n: i64| (index.entry_key(key, &document(g, n)), key.to_owned());
        let mut overlay = Overlay::default();
        for (key, n) in [("moved", 1), ("gone", 2), ("left", 3), ("same", 4)] {
            overlay.keep_read("c", key, Some(None), Some(document("x", n)));
        }
        overlay.patch("c", "moved", &[add(9)]).unwrap();
        overlay.delete("c", "gone");
        let g = Patch { path: "g", change: Change::Set(json!("y")) };
        overlay.patch("c", "left", &[g]).unwrap();
        overlay.insert("c", "new", &document("x", 7)).unwrap();
        overlay.insert("other", "foreign", &document("x", 0)).unwrap();
        let stored = [("moved", 1), ("gone", 2), ("left", 3), ("same", 4), ("unread", 8)];
        let search = |prefix: Option<&str>, order, limit| {
            let by = Index::new("by_g_n", "c", &["g", "n"]);
            let span = prefix.map(|g| Span::of(&Find::by(&by, &[json!(g)])));
            let mut found = stored.map(|(key, n)| entry(key, "x", n)).to_vec();
            overlay.merge(&index, span.as_ref(), &mut found, order, limit);
            found.into_iter().map(|(_, key)| key).collect::<Vec<_>>()
        };
        assert_eq!(search(Some("x"), Order::Ascending, None), ["same", "new", "unread", "moved"]);
        assert_eq!(search(Some("x"), Order::Descending, Some(2)), ["moved", "unread"]);
        let all = ["same", "new", "unread", "moved", "left"];
        assert_eq!(search(None, Order::Ascending, None), all);
    }
}
