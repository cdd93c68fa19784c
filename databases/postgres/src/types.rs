//! Values in PostgreSQL's binary formats, without intermediate copies.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use serde_json::Value;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

/// The version of jsonb's binary format, its first byte.
pub(super) const JSONB_VERSION: u8 = 1;

type Any = Box<dyn Error + Sync + Send>;

/// JSON text as a `jsonb` parameter.
#[derive(Debug)]
pub(super) struct Json<'a>(pub &'a [u8]);

impl ToSql for Json<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Any> {
        out.put_u8(JSONB_VERSION);
        out.put_slice(self.0);
        Ok(IsNull::No)
    }

    accepts!(JSONB);
    to_sql_checked!();
}

/// The value of a parameter.
#[derive(Debug)]
pub(super) enum Parameter {
    Number(i64),
    Json(Vec<u8>),
    Text(String),
}

impl Parameter {
    /// A JSON value.
    pub fn json(value: &Value) -> Self {
        Parameter::Json(value.to_string().into_bytes())
    }
}

impl ToSql for Parameter {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Any> {
        match self {
            Parameter::Number(n) => n.to_sql(kind, out),
            Parameter::Json(text) => Json(text).to_sql(kind, out),
            Parameter::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as ToSql>::accepts(kind)
            || <Json<'_> as ToSql>::accepts(kind)
            || <String as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

/// The text of a `jsonb` column.
pub(super) struct StoredJson<'a>(pub &'a [u8]);

impl<'a> FromSql<'a> for StoredJson<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Any> {
        match raw.split_first() {
            Some((&JSONB_VERSION, text)) => Ok(StoredJson(text)),
            _ => Err("this version of jsonb's binary format is not known".into()),
        }
    }

    accepts!(JSONB);
}
