//! The file in which one of several driver machines leaves its part of the checks that need all of
//! them. The benchmark defines its content ([`hoap_ch2::ledger::contribution`],
//! [`hoap_ycsb::Contribution`]); the driver and the report pass it on unread.

use std::fmt::{self, Formatter};
use std::io::{self, Write};
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Error, ErrorKind, Result};

/// The version of the file.
const FORMAT: u32 = 4;

/// Writes the file's text.
///
/// # Errors
/// Those of `to`.
pub fn write<T: Serialize>(of: &T, to: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct File<'a, T> {
        format: u32,
        #[serde(flatten)]
        of: &'a T,
    }
    Ok(serde_json::to_writer(to, &File { format: FORMAT, of })?)
}

/// The inverse of [`write`]. `name` is the file's.
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
    let BesideFormat(of) = serde_json::from_slice(text).map_err(wrong)?;
    Ok(of)
}

/// What a file has beside its version, or its fields but that. It is made as it is read: `flatten`
/// would hold every number of it as a value of its own first.
struct BesideFormat<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BesideFormat<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = BesideFormat<T>;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a ledger")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                fields: A,
            ) -> std::result::Result<BesideFormat<T>, A::Error> {
                let fields = MapAccessDeserializer::new(BesideFormat(fields));
                T::deserialize(fields).map(BesideFormat)
            }
        }
        from.deserialize_map(Fields(PhantomData))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for BesideFormat<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> std::result::Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.0.next_key::<String>()? {
            if name != "format" {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> std::result::Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_and_what_is_none_is_refused_by_name() {
        let map: Map = [("a".to_owned(), u64::MAX)].into_iter().collect();
        let mut text = Vec::new();
        write(&map, &mut text).unwrap();
        assert_eq!(text, b"{\"format\":4,\"a\":18446744073709551615}");
        assert_eq!(read::<Map>("x", &text).unwrap(), map);
        let later = b"{\"a\":18446744073709551615,\"format\":4}";
        assert_eq!(read::<Map>("x", later).unwrap(), map);
        for (text, says) in [
            ("{}", "read x"),
            ("[", "read x"),
            ("{\"format\":3}", "format 3"),
            ("{\"format\":4,\"a\":true}", "read x"),
        ] {
            let e = read::<Map>("x", text.as_bytes()).unwrap_err();
            assert!(e.kind == ErrorKind::Invalid && e.to_string().contains(says), "{e}");
        }
    }

    type Map = std::collections::BTreeMap<String, u64>;
}
