use std::fmt;
use std::str::FromStr;

use hoap_data::{SpecError, quoted};

/// The prefix of field names: 1 to 32 ASCII letters, digits, `_` or `-`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldPrefix {
    bytes: [u8; FieldPrefix::MAX],
    len: u8,
}

impl FieldPrefix {
    const MAX: usize = 32;

    /// The text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl Default for FieldPrefix {
    /// `field`, as YCSB's `fieldnameprefix`.
    fn default() -> Self {
        let mut bytes = [0; FieldPrefix::MAX];
        bytes[..5].copy_from_slice(b"field");
        FieldPrefix { bytes, len: 5 }
    }
}

impl FromStr for FieldPrefix {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Self, SpecError> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        if s.is_empty() || s.len() > FieldPrefix::MAX || !s.bytes().all(fits) {
            return Err(SpecError::new(format!(
                "field name prefix {}: use 1 to {} ASCII letters, digits, '_' or '-'",
                quoted(s),
                FieldPrefix::MAX
            )));
        }
        let mut bytes = [0; FieldPrefix::MAX];
        bytes[..s.len()].copy_from_slice(s.as_bytes());
        Ok(FieldPrefix { bytes, len: s.len() as u8 })
    }
}

impl fmt::Display for FieldPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for FieldPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
