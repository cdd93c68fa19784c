//! Statements that read records, a text for each selection of fields, made once.

use crate::key_value::Fields;

/// A text for each selection of fields.
pub struct Reads {
    all: String,
    one: Vec<String>,
    none: String,
}

impl Reads {
    /// Those that `text` makes of what is selected: all fields, one by its number, none.
    pub fn new(
        all: &str,
        one: impl IntoIterator<Item = String>,
        none: &str,
        text: impl Fn(&str) -> String,
    ) -> Reads {
        let one = one.into_iter().map(|field| text(&field)).collect();
        Reads { all: text(all), one, none: text(none) }
    }

    /// The text for these fields.
    #[inline]
    pub fn text(&self, fields: Fields) -> &str {
        match fields {
            Fields::All => &self.all,
            Fields::None => &self.none,
            Fields::One(number) => &self.one[usize::from(number)],
        }
    }
}
