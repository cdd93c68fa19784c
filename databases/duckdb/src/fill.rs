//! Reading JSON text into columns.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::column::{self, Column, EXACT, Values, place};
use super::kind::Kind;

impl Column {
    /// Appends a document. Where that changes the kind the values are of no use: all documents have
    /// to be appended anew to a column of the new kind.
    ///
    /// # Errors
    /// Why it is none that columns can hold. The column is then of no use.
    pub fn push_document(&mut self, text: &[u8]) -> Result<(), String> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        Fill(self).deserialize(&mut reader).map_err(|e| e.to_string())?;
        reader.end().map_err(|e| e.to_string())?;
        match self.values {
            Values::Object(_) => Ok(()),
            _ => Err("it is no JSON object".to_owned()),
        }
    }
}

/// Appends one value to a column. Where the column has another type it gets a wider one, without
/// its values: all have to be appended anew to a column of that kind.
struct Fill<'a>(&'a mut Column);

impl Fill<'_> {
    /// Makes the column one of another type.
    fn widen(&mut self, kind: &Kind) {
        let nulls = self.0.len();
        *self.0 = Column::of(kind, nulls);
    }

    /// Widens the column as far as a value of this kind makes it necessary.
    fn make_room(&mut self, kind: &Kind) {
        let now = self.0.kind_of_values();
        if now != *kind && now != Kind::Json && !(now == Kind::Double && *kind == Kind::Int) {
            let wider = match (&now, kind) {
                (Kind::Unknown, _) => kind.clone(),
                (Kind::Int, Kind::Double) => Kind::Double,
                _ => Kind::Json,
            };
            self.widen(&wider);
        }
    }

    fn json(&mut self, value: &serde_json::Value) {
        if let Values::Json(texts) = &mut self.0.values {
            texts.push(value.to_string().as_bytes());
            self.0.valid.push(true);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Fill<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, from: D) -> Result<(), D::Error> {
        if !matches!(self.0.values, Values::Json(_)) {
            return from.deserialize_any(self);
        }
        match <serde_json::Value as serde::Deserialize>::deserialize(from)? {
            serde_json::Value::Null => self.0.push_null(),
            value => self.json(&value),
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Fill<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.0.push_null();
        Ok(())
    }

    fn visit_bool<E: de::Error>(mut self, value: bool) -> Result<(), E> {
        self.make_room(&Kind::Bool);
        if let Values::Bool(values) = &mut self.0.values {
            values.push(value);
            self.0.valid.push(true);
        } else {
            self.json(&value.into());
        }
        Ok(())
    }

    fn visit_i64<E: de::Error>(mut self, value: i64) -> Result<(), E> {
        self.make_room(&Kind::Int);
        match &mut self.0.values {
            Values::Int(values) => values.push(value),
            Values::Double(values) if value.unsigned_abs() <= EXACT => values.push(value as f64),
            Values::Double(_) => {
                self.widen(&Kind::Json);
                self.json(&value.into());
                return Ok(());
            }
            _ => {
                self.json(&value.into());
                return Ok(());
            }
        }
        self.0.valid.push(true);
        Ok(())
    }

    fn visit_u64<E: de::Error>(mut self, value: u64) -> Result<(), E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => {
                self.make_room(&Kind::Json);
                self.json(&value.into());
                Ok(())
            }
        }
    }

    fn visit_f64<E: de::Error>(mut self, value: f64) -> Result<(), E> {
        self.make_room(&Kind::Double);
        if let Values::Double(values) = &mut self.0.values {
            values.push(value);
            self.0.valid.push(true);
        } else {
            self.json(&value.into());
        }
        Ok(())
    }

    fn visit_str<E: de::Error>(mut self, value: &str) -> Result<(), E> {
        self.make_room(&Kind::Text);
        if let Values::Text(texts) = &mut self.0.values {
            texts.push(value.as_bytes());
            self.0.valid.push(true);
        } else {
            self.json(&value.into());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        if !matches!(self.0.values, Values::List(..)) {
            self.make_room(&Kind::List(Box::new(Kind::Unknown)));
        }
        let Values::List(starts, element) = &mut self.0.values else {
            // Appended anew as JSON.
            while values.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        while values.next_element_seed(Fill(element))?.is_some() {}
        starts.push(place(element));
        self.0.valid.push(true);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        if !matches!(self.0.values, Values::Object(_)) {
            self.make_room(&Kind::Object(Vec::new()));
        }
        let len = self.0.len();
        let Values::Object(fields) = &mut self.0.values else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        // Fields mostly come in the order of the document before.
        let mut next = 0;
        while let Some(at) = map.next_key_seed(Name { fields: &mut *fields, next, len })? {
            map.next_value_seed(Fill(&mut fields[at].1))?;
            next = at + 1;
        }
        for (_, column) in fields.iter_mut().filter(|(_, column)| column.len() <= len) {
            column.push_null();
        }
        self.0.valid.push(true);
        Ok(())
    }
}

/// Finds the position of a field by its name, or makes a new one.
struct Name<'a> {
    fields: &'a mut Vec<(String, Column)>,
    next: usize,
    len: usize,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<usize, E> {
        column::field(self.fields, self.next, self.len, name).map_err(E::custom)
    }
}
