//! What an audit finds.

use std::fmt::Display;

use hoap_record::error::clipped;
use hoap_record::named;
use serde::Serialize;

named! {
    /// What a bundle is worth, the best first.
    #[derive(PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    Division, "division":
    /// As the benchmark and the server are by default.
    Standard = "standard",
    /// Something is set otherwise, and the bundle tells what.
    Tuned = "tuned",
    /// Less than the benchmark asks for.
    Rehearsal = "rehearsal",
    /// The bundle contradicts itself, or the database was wrong.
    Void = "void",
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The division that it leaves at best; [`Division::Standard`] of what is only to be known.
    pub division: Division,
    /// The file, and where in it: "runs/01/run.json, step 2, READ".
    pub place: String,
    /// A sentence.
    pub text: String,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub struct Findings {
    /// In the order of the bundle, at most [`Findings::MOST`].
    pub list: Vec<Finding>,
    /// Those left out.
    pub left_out: u64,
    /// Numbers that were made again.
    pub made_again: u64,
}

impl Findings {
    /// The most that are listed: a bundle may be wrong everywhere.
    pub const MOST: usize = 1000;

    /// The division of the runs whose places begin so: "" of all.
    pub fn division(&self, begin: &str) -> Division {
        let of = self.list.iter().filter(|finding| finding.place.starts_with(begin));
        of.map(|finding| finding.division).max().unwrap_or(Division::Standard)
    }

    /// Adds one.
    pub fn add(&mut self, division: Division, place: &str, text: impl Into<String>) {
        // The worst is never what is left out.
        let room = match division {
            Division::Void => Self::MOST,
            _ => Self::MOST / 2,
        };
        match self.list.len() < room {
            true => {
                // Names in a bundle may have millions of bytes.
                let (place, text) = (clipped(place.to_owned()), clipped(text.into()));
                self.list.push(Finding { division, place, text });
            }
            false => self.left_out += 1,
        }
    }

    /// Adds what voids.
    pub fn void(&mut self, place: &str, text: impl Into<String>) {
        self.add(Division::Void, place, text);
    }

    /// Holds a number that is there against the same made again.
    pub fn same<T: PartialEq + Display>(&mut self, place: &str, field: &str, there: T, again: T) {
        self.made_again += 1;
        if there != again {
            self.void(place, format!("{field} is {there}, made again it is {again}"));
        }
    }

    /// The same of numbers with rounding errors.
    pub fn near(&mut self, place: &str, field: &str, there: f64, again: f64) {
        let slack = 1e-9 * again.abs().max(there.abs()).max(1e-9);
        self.within(place, field, there, (again - slack, again + slack));
    }

    /// Holds a number against the bounds that its histogram leaves, both included.
    pub fn within(&mut self, place: &str, field: &str, there: f64, (from, to): (f64, f64)) {
        self.made_again += 1;
        if !(from <= there && there <= to) {
            let again = match (from - to).abs() <= 1e-6 * to.abs() {
                true => to.to_string(),
                false => format!("between {from} and {to}"),
            };
            self.void(place, format!("{field} is {there}, made again it is {again}"));
        }
    }
}
