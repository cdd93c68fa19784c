//! What is kept of a collection's sample.

use hoap_workload::words::counted;
use hoap_workload::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

use super::read::Origin;
use super::sketch::field::{Field, Object};
use super::sketch::numbers::Lengths;
use super::sketch::sample::Sample;

/// Documents of which the values of simple fields are kept together, and bytes of a text of these.
const KEPT: usize = 2000;
const MOST_BYTES: usize = 100;

/// A collection's sample.
pub struct Sampled {
    /// The collection's name.
    pub name: String,
    /// The sizes of its documents as JSON without white space.
    pub bytes: Lengths,
    /// Its documents.
    pub root: Object,
    /// Of a random sample of documents, the values of the fields that are simple.
    pub rows: Sample<Map<String, Value>>,
    /// Files whose last document is cut off.
    pub cut: Vec<String>,
    /// The levels of the deepest document.
    pub levels: usize,
    /// The paths of the fields of each index that a database has; `None` if it comes of no database.
    pub indexes: Option<Vec<Vec<String>>>,
}

impl Sampled {
    /// One that has seen nothing.
    pub fn new(name: &str) -> Sampled {
        Sampled {
            name: name.to_owned(),
            bytes: Lengths::default(),
            root: Object::new(true),
            rows: Sample::new(KEPT),
            cut: Vec::new(),
            levels: 0,
            indexes: None,
        }
    }

    /// The number of documents.
    pub fn count(&self) -> u64 {
        self.bytes.count
    }

    /// A field of the documents.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.root.field(name)
    }

    /// Reads all documents of one origin, unless it is to `stop`.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] with file and line of what is no document, and if there is none; those
    /// of a database; [`ErrorKind::Cancelled`] if it was stopped.
    pub async fn read(&mut self, from: &Origin, stop: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let (before, tried) = (self.count(), format!("learn {} from {from}", self.name));
        let mut each = |document: Value| match stop() {
            true => Err(Error::new(ErrorKind::Cancelled, "learn", "interrupted")),
            false => self.add(&document),
        };
        let read = from.read(&mut each).await;
        let read = match read {
            Err(e) if e.kind == ErrorKind::Cancelled => {
                let read = counted(self.count() - before, "document", "documents");
                let answer = format!("interrupted after {read}: no file was written");
                return Err(Error::new(ErrorKind::Cancelled, tried, answer));
            }
            read => read?,
        };
        self.cut.extend(read.cut);
        if let Some(indexes) = read.indexes {
            self.indexes.get_or_insert_default().extend(indexes);
        }
        match self.count() == before {
            true => Err(Error::new(ErrorKind::Invalid, tried, "it has no documents")),
            false => Ok(()),
        }
    }

    /// Takes a document in.
    pub fn add(&mut self, document: &Value) -> Result<()> {
        let Value::Object(members) = document else { return Ok(()) };
        self.bytes.add(size(document), 1);
        self.levels = self.levels.max(levels(document));
        self.root.add(members);
        if self.root.map.is_some() {
            let tried = format!("learn {}", self.name);
            let answer = "its documents have more than 4096 names";
            return Err(Error::new(ErrorKind::Invalid, tried, answer)
                .advise("put the fields whose names are data into an object of their own"));
        }
        self.rows.add(|| {
            let simple = |value: &Value| match value {
                Value::Array(_) | Value::Object(_) => false,
                Value::String(text) => text.len() <= MOST_BYTES,
                _ => true,
            };
            let simple = members.iter().filter(|(_, value)| simple(value));
            simple.map(|(name, value)| (name.clone(), value.clone())).collect()
        });
        Ok(())
    }
}

/// How deep objects and arrays stand in each other. The reader of JSON has a limit to it.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// The bytes of a value as JSON without white space.
fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A count takes all bytes.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}
