//! Taking documents into columns value by value.
//!
//! The values of a field have one type, or none came yet: a column need not be made anew.

use hoap_database::Values;

use super::column::{self, Column, EXACT, Values as Held, place};
use super::kind::Kind;

/// Takes documents.
pub(super) struct Taker {
    documents: Column,
    /// The objects and arrays that are not ended, the outermost first, taken out of what is around
    /// them.
    open: Vec<Open>,
    /// Why the documents cannot be held. What comes after is not looked at.
    refused: Option<String>,
}

/// An object or an array that is not ended.
struct Open {
    column: Column,
    /// The field of the object around it.
    at: usize,
    /// The field that is likely to come next.
    next: usize,
}

impl Taker {
    /// One that takes documents of a kind, and of a wider one where the kind leaves it open.
    pub fn of(kind: &Kind) -> Taker {
        Taker { documents: Column::of(kind, 0), open: Vec::new(), refused: None }
    }

    /// The documents taken.
    ///
    /// # Errors
    /// Why there are values that the columns cannot hold.
    pub fn into_documents(self) -> Result<Column, String> {
        self.refused.map_or(Ok(self.documents), Err)
    }

    #[cold]
    fn refuse(&mut self, why: String) {
        self.refused.get_or_insert(why);
    }

    /// The column of the next value, and which of the fields of an object it is.
    #[inline]
    fn next(&mut self, field: &str) -> Option<(usize, &mut Column)> {
        if self.refused.is_some() {
            return None;
        }
        let Some(Open { column, next, .. }) = self.open.last_mut() else {
            return Some((0, &mut self.documents));
        };
        let len = column.len();
        match &mut column.values {
            Held::List(_, element) => Some((0, element)),
            Held::Object(fields) => match column::field(fields, *next, len, field) {
                Ok(at) => {
                    *next = at + 1;
                    Some((at, &mut fields[at].1))
                }
                Err(why) => {
                    self.refused = Some(why);
                    None
                }
            },
            _ => None,
        }
    }

    /// Takes a scalar: `push` puts it where there is room for it, and returns whether there was.
    #[inline]
    fn scalar(&mut self, field: &str, kind: &Kind, push: impl FnOnce(&mut Held) -> bool) {
        let Some((_, column)) = self.next(field) else { return };
        if matches!(column.values, Held::Unknown) {
            *column = Column::of(kind, column.len());
        }
        if push(&mut column.values) {
            column.valid.push(true);
        } else {
            self.misfit(field, kind);
        }
    }

    #[cold]
    fn misfit(&mut self, field: &str, kind: &Kind) {
        let name = if field.is_empty() { "an element" } else { field };
        self.refuse(format!("{name} is of type {}, others of it are not", kind.sql()));
    }

    /// Begins an object or an array.
    fn begin(&mut self, field: &str, kind: &Kind) {
        let Some((at, column)) = self.next(field) else { return };
        if matches!(column.values, Held::Unknown) {
            *column = Column::of(kind, column.len());
        }
        match (&column.values, kind) {
            (Held::Object(_), Kind::Object(_)) | (Held::List(..), Kind::List(_)) => {
                let column = std::mem::replace(column, Column::of(&Kind::Unknown, 0));
                self.open.push(Open { column, at, next: 0 });
            }
            _ => self.misfit(field, kind),
        }
    }

    /// Ends what was begun last.
    fn end(&mut self) {
        if self.refused.is_some() {
            return;
        }
        let Some(Open { mut column, at, .. }) = self.open.pop() else { return };
        let len = column.len();
        match &mut column.values {
            Held::Object(fields) => {
                let missing = fields.iter_mut().filter(|(_, field)| field.len() <= len);
                missing.for_each(|(_, field)| field.push_null());
            }
            Held::List(starts, element) => starts.push(place(element)),
            _ => {}
        }
        column.valid.push(true);
        let Some(Open { column: around, .. }) = self.open.last_mut() else {
            self.documents = column;
            return;
        };
        match &mut around.values {
            Held::Object(fields) => fields[at].1 = column,
            Held::List(_, element) => **element = column,
            _ => {}
        }
    }
}

impl Values for Taker {
    fn begin_object(&mut self, field: &str) {
        self.begin(field, &Kind::Object(Vec::new()));
    }

    fn end_object(&mut self) {
        self.end();
    }

    fn begin_array(&mut self, field: &str) {
        self.begin(field, &Kind::List(Box::new(Kind::Unknown)));
    }

    fn end_array(&mut self) {
        self.end();
    }

    fn null(&mut self, field: &str) {
        if let Some((_, column)) = self.next(field) {
            column.push_null();
        }
    }

    fn bool(&mut self, field: &str, value: bool) {
        self.scalar(field, &Kind::Bool, |held| match held {
            Held::Bool(values) => {
                values.push(value);
                true
            }
            _ => false,
        });
    }

    fn int(&mut self, field: &str, value: u64) {
        self.scalar(field, &Kind::Int, |held| match (held, i64::try_from(value)) {
            (Held::Int(values), Ok(value)) => {
                values.push(value);
                true
            }
            (Held::Double(values), _) if value <= EXACT => {
                values.push(value as f64);
                true
            }
            _ => false,
        });
    }

    fn real(&mut self, field: &str, value: f64) {
        self.scalar(field, &Kind::Double, |held| match held {
            Held::Double(values) => {
                values.push(value);
                true
            }
            _ => false,
        });
    }

    fn text(&mut self, field: &str, value: &[u8]) {
        self.scalar(field, &Kind::Text, |held| match held {
            Held::Text(texts) => {
                texts.push(value);
                true
            }
            _ => false,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the fields of a document.
    type Write<'a> = &'a dyn Fn(&mut Taker);

    /// Takes one document after the other.
    fn taken(kind: &Kind, documents: &[Write<'_>]) -> Result<Kind, String> {
        let mut taker = Taker::of(kind);
        for document in documents {
            taker.begin_object("");
            document(&mut taker);
            taker.end_object();
        }
        let column = taker.into_documents()?;
        assert_eq!(column.len(), documents.len());
        let kind = column.kind();
        for (name, array) in column.into_fields().map_err(|failure| failure.answer)? {
            assert_eq!(array.len(), documents.len(), "{name}");
        }
        Ok(kind)
    }

    fn kind(fields: &[(&str, Kind)]) -> Kind {
        Kind::Object(fields.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect())
    }

    #[test]
    fn types_become_known_as_values_come() {
        let list = |of| Kind::List(Box::new(of));
        let found = taken(
            &Kind::documents(),
            &[
                &|t| t.null("a"),
                &|t| {
                    t.begin_array("l");
                    t.end_array();
                    t.int("a", 1);
                },
                &|t| {
                    t.begin_object("o");
                    t.real("x", 0.5);
                    t.end_object();
                    t.text("t", b"text");
                },
                &|t| {
                    t.begin_array("l");
                    t.begin_object("");
                    t.bool("b", true);
                    t.end_object();
                    t.null("");
                    t.end_array();
                },
            ],
        );
        let expected = kind(&[
            ("a", Kind::Int),
            ("l", list(kind(&[("b", Kind::Bool)]))),
            ("o", kind(&[("x", Kind::Double)])),
            ("t", Kind::Text),
        ]);
        assert_eq!(found, Ok(expected));
        // A whole number fits among doubles.
        let double = kind(&[("a", Kind::Double)]);
        assert_eq!(taken(&double, &[&|t| t.int("a", 7)]), Ok(double.clone()));
    }

    #[test]
    fn values_that_fit_nowhere_are_refused() {
        let documents: [(Write<'_>, &str); 6] = [
            (&|t| t.text("a", b"x"), "a is of type VARCHAR"),
            (&|t| t.real("a", 0.5), "a is of type DOUBLE"),
            (&|t| t.int("a", u64::MAX), "a is of type BIGINT"),
            (&|t| t.begin_object("a"), "a is of type JSON"),
            (&|t| t.int("A", 1), "differ in case only"),
            (
                &|t| {
                    t.int("a", 1);
                    t.int("a", 1);
                },
                "twice",
            ),
        ];
        for (document, why) in documents {
            let refused = taken(&kind(&[("a", Kind::Int)]), &[document]).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
