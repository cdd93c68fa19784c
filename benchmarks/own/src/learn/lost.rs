//! What a file does not keep of a sample.

use super::make::dates;
use super::sketch::field::{Field, Object};
use super::sketch::numbers::MOST_DIGITS;
use crate::plan::model::DEPTH;

/// Fields that are named for each reason.
const NAMED: usize = 3;

/// Reasons with the fields they are of.
#[derive(Default)]
pub struct Lost {
    all: Vec<(&'static str, Vec<String>)>,
}

impl Lost {
    /// Looks at all fields of an object.
    pub fn object(&mut self, of: &Object, path: &str, depth: usize) {
        if let Some(map) = &of.map {
            if depth >= DEPTH {
                return self.add("arrays and maps below the sixth level are left out", path);
            }
            return self.field(&map.of, &format!("{path}.*"), depth + 1);
        }
        for (name, of) in &of.fields {
            self.field(
                of,
                &if path.is_empty() { name.clone() } else { format!("{path}.{name}") },
                depth,
            );
        }
    }

    fn field(&mut self, of: &Field, path: &str, depth: usize) {
        if let Some(texts) = &of.texts {
            if texts.wide > 0 {
                self.add("texts that are not listed are ASCII, with as many bytes", path);
            }
            let sample: Vec<_> = texts.sample.values().iter().collect();
            if dates::instants(&sample).is_some_and(|(_, spelling)| !spelling.exact) {
                self.add("dates are written to the millisecond, in UTC", path);
            }
        }
        if of.numbers.as_ref().is_some_and(|of| of.digits[MOST_DIGITS + 1] > 0) {
            self.add("numbers beyond 64 bits or 15 digits are doubles", path);
        }
        if let Some(array) = &of.array {
            match depth >= DEPTH {
                true => self.add("arrays and maps below the sixth level are left out", path),
                false => self.field(&array.element, &format!("{path}[]"), depth + 1),
            }
        }
        if let Some(object) = &of.object {
            self.object(object, path, depth);
        }
    }

    fn add(&mut self, why: &'static str, path: &str) {
        match self.all.iter_mut().find(|(known, _)| *known == why) {
            Some((_, paths)) => paths.push(path.to_owned()),
            None => self.all.push((why, vec![path.to_owned()])),
        }
    }

    /// A line for each reason.
    pub fn lines(&self) -> Vec<String> {
        let line = |(why, paths): &(&str, Vec<String>)| {
            let named: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
            let more = match paths.len().saturating_sub(NAMED) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            format!("{why}: {}{more}", named.join(", "))
        };
        self.all.iter().map(line).collect()
    }
}
