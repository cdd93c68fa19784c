//! The file in which one of several driver machines leaves its part of the checks that need all of
//! them. The benchmark defines its content ([`crate::ch2::contribution`],
//! [`crate::ycsb::Contribution`]); the driver and the report pass it on unread.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// The version of the file.
const FORMAT: u32 = 3;

#[derive(Serialize, Deserialize)]
struct File<T> {
    format: u32,
    #[serde(flatten)]
    of: T,
}

/// The file's text.
///
/// # Errors
/// Returns [`ErrorKind::Broken`], which cannot occur for numbers and strings.
pub fn to_json<T: Serialize>(of: &T) -> Result<Vec<u8>> {
    let wrong = |e| Error::new(ErrorKind::Broken, "write a ledger", e);
    serde_json::to_vec(&File { format: FORMAT, of }).map_err(wrong)
}

/// The inverse of [`to_json`]. `name` is the file's.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`], naming the file, where it is not a contribution or has another
/// version.
pub fn read<T: DeserializeOwned>(name: &str, text: &[u8]) -> Result<T> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let tried = || format!("read {name}");
    let wrong = |e: serde_json::Error| Error::new(ErrorKind::Invalid, tried(), e);
    let Version { format } = serde_json::from_slice(text).map_err(wrong)?;
    if format != FORMAT {
        let answer = format!("format {format} is not known, only {FORMAT}");
        return Err(
            Error::new(ErrorKind::Invalid, tried(), answer).advise("use the hoap that wrote it")
        );
    }
    let File { of, .. } = serde_json::from_slice(text).map_err(wrong)?;
    Ok(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_and_what_is_none_is_refused_by_name() {
        let text = to_json(&vec![("a".to_owned(), u64::MAX)].into_iter().collect::<Map>()).unwrap();
        assert_eq!(read::<Map>("x", &text).unwrap()["a"], u64::MAX);
        for (text, says) in [
            ("{}", "read x"),
            ("[", "read x"),
            ("{\"format\":2}", "format 2"),
            ("{\"format\":3,\"a\":true}", "read x"),
        ] {
            let e = read::<Map>("x", text.as_bytes()).unwrap_err();
            assert!(e.kind == ErrorKind::Invalid && e.to_string().contains(says), "{e}");
        }
    }

    type Map = std::collections::BTreeMap<String, u64>;
}
