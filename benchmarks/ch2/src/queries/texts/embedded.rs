//! The query texts that are part of the program.

use super::super::set::QuerySet;
use crate::data::Schema;

/// File names and texts.
type Texts = &'static [(&'static str, &'static str)];

/// The texts of a benchmark in a dialect.
pub(super) struct Folder {
    pub(super) schema: Schema,
    pub(super) dialect: &'static str,
    /// Those of each set that has any here.
    sets: &'static [(QuerySet, Texts)],
    /// The text that counts the documents of each collection of both benchmarks.
    pub(super) count: &'static str,
}

impl Folder {
    /// The texts that a set has of its own.
    pub(super) fn texts(&self, set: QuerySet) -> Texts {
        self.sets.iter().find(|(of, _)| *of == set).map_or(&[], |(_, texts)| *texts)
    }
}

/// One folder: its benchmark, its dialect, what its files end with, and by set the numbers of the
/// files in the set's folder.
macro_rules! folder {
    (
        $schema:ident $benchmark:literal, $dialect:literal $end:literal,
        $($set:ident $sub:literal: $($number:literal)*),*
    ) => {
        Folder {
            schema: Schema::$schema,
            dialect: $dialect,
            sets: &[$((QuerySet::$set, &[$((
                concat!("q", $number, $end),
                include_str!(concat!(
                    "../../../queries/", $benchmark, "/", $dialect, "/", $sub, "q", $number, $end
                )),
            )),*])),*],
            count: include_str!(concat!("../../../queries/ch2/", $dialect, "/count", $end)),
        }
    };
}

/// A dialect: the files of the sets but the naive one, of CH2 and of CH2++, which has texts of its
/// own for the queries that read what it nests.
macro_rules! folders {
    ($($dialect:literal $end:literal: [$($ch2:tt)*], [$($ch2pp:tt)*];)*) => {
        &[$(
            folder!(
                Ch2 "ch2", $dialect $end, $($ch2)*,
                Naive "": "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11"
                    "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22"
            ),
            folder!(
                Ch2pp "ch2pp", $dialect $end, $($ch2pp)*,
                Naive "": "03" "05" "07" "08" "10" "18" "22"
            ),
        )*]
    };
}

/// All folders. A new dialect needs two folders and a line here.
pub(super) static FOLDERS: &[Folder] = folders! {
    "sqlite" ".sql":
        [Tuned "tuned/": "03" "05" "07" "08" "09" "10" "17" "18" "19"],
        [Tuned "tuned/": "03" "05" "07" "08" "10" "18"];
    "duckdb" ".sql":
        [Tuned "tuned/": "01" "03" "05" "06" "07" "08" "10" "12" "14" "15" "19" "20"],
        [Tuned "tuned/": "03" "05" "07" "08" "10" "22"];
    "postgres" ".sql":
        [Tuned "tuned/": "03" "05" "07" "08" "09" "10" "18" "19"],
        [Tuned "tuned/": "03" "05" "07" "08" "10" "18"];
    "sqlpp" ".sql":
        [Published "published/": "02" "03" "05" "07" "08" "09" "10" "17" "18" "20" "21", Tuned "tuned/": "18"],
        [Published "published/": "03" "05" "07" "08" "10" "18", Tuned "tuned/": "18"];
    "mongodb" ".json":
        [Tuned "tuned/": "03" "05" "07" "08" "09" "10" "13" "17" "18" "19"],
        [Tuned "tuned/": "03" "05" "07" "08" "10" "18"];
};
