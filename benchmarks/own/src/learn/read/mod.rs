//! Where samples come from: files, standard input, and collections of databases.

mod csv;
mod extended;
mod files;
mod json;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod source;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use hoap_database::What;
use hoap_databases::url::{FILES, redact};
use hoap_databases::{known, offers, open};
use hoap_workload::Result;
use serde_json::{Map, Value};

/// Where documents of a collection are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file, a folder of files, or standard input.
    File(PathBuf),
    /// A collection or table of a database.
    Collection {
        /// The database, perhaps with a password.
        url: String,
        /// Its name there.
        name: String,
    },
}

/// What is known of an origin when it is read.
#[derive(Default)]
pub struct Read {
    /// The names of files whose last document is cut off, and left out.
    pub cut: Vec<String>,
    /// The paths of the fields of each index; `None` of files.
    pub indexes: Option<Vec<Vec<String>>>,
}

impl Origin {
    /// Refuses a database of which nothing can be learned, before anything is read.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](hoap_workload::ErrorKind::Invalid) with the reason, and what to do.
    pub fn possible(&self) -> Result<()> {
        match self {
            Origin::File(_) => Ok(()),
            Origin::Collection { url, .. } => offers(url, &[What::Learn]),
        }
    }

    /// Reads all documents.
    ///
    /// # Errors
    /// Those of [`files::read`], of the database and of `each`.
    pub async fn read(&self, each: &mut (dyn FnMut(Value) -> Result<()> + Send)) -> Result<Read> {
        match self {
            Origin::File(path) => Ok(Read { cut: files::read(path, each)?, indexes: None }),
            Origin::Collection { url, name } => {
                let mut plain = |document: Map<String, Value>| {
                    let mut document = Value::Object(document);
                    extended::plain(&mut document);
                    each(document)
                };
                let indexes = open(url).await?.export(name, &mut plain).await?;
                let indexes = indexes.into_iter().map(|index| index.fields).collect();
                Ok(Read { cut: Vec::new(), indexes: Some(indexes) })
            }
        }
    }
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Origin, String> {
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        let is_url = text.contains("://") || known().any(|of| of.names.contains(&scheme));
        if !is_url {
            return Ok(Origin::File(text.into()));
        }
        // A file's name may have a # in it, and what follows a host has none before the collection.
        let parts = match FILES.contains(&scheme) {
            true => text.rsplit_once('#'),
            false => text.split_once('#'),
        };
        match parts.filter(|(_, name)| !name.is_empty()) {
            Some((url, name)) => Ok(Origin::Collection { url: url.into(), name: name.into() }),
            None => Err("name the collection or table behind the URL, URL#COLLECTION".into()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => path.display().fmt(f),
            Origin::Collection { url, name } => write!(f, "{}#{name}", redact(url)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_file_or_a_collection() {
        let of = |url: &str, name: &str| {
            Ok(Origin::Collection { url: url.to_owned(), name: name.to_owned() })
        };
        for (text, origin) in [
            ("a.ndjson", Ok(Origin::File("a.ndjson".into()))),
            ("a#b.json", Ok(Origin::File("a#b.json".into()))),
            ("-", Ok(Origin::File("-".into()))),
            ("sqlite:a#b.db#t", of("sqlite:a#b.db", "t")),
            ("postgres://h/d?schema=s#a.b#c", of("postgres://h/d?schema=s", "a.b#c")),
            ("mongodb+srv://u@h/d#order items", of("mongodb+srv://u@h/d", "order items")),
            ("mysql://h/d#t", of("mysql://h/d", "t")),
        ] {
            assert_eq!(text.parse(), origin, "{text}");
        }
        for text in ["sqlite:a.db", "sqlite:a.db#", "mongodb://h/d"] {
            assert!(text.parse::<Origin>().unwrap_err().contains("URL#COLLECTION"), "{text}");
        }
        let shown = "postgres://u:secret@h/d#t".parse::<Origin>().unwrap().to_string();
        assert_eq!(shown, "postgres://u:***@h/d#t");
    }
}
