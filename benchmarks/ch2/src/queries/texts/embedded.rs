//! The query texts that are part of the program.

use super::super::catalogue::COUNT;
use super::super::set::QuerySet;

/// File name and text of the queries for which a set has one of its own.
type Texts = &'static [(&'static str, &'static str)];

/// The texts of a benchmark in a dialect.
pub(super) struct Folder {
    pub(super) benchmark: &'static str,
    pub(super) dialect: &'static str,
    /// In the order of the queries' numbers.
    pub(super) naive: [&'static str; COUNT],
    /// Those of each set that has texts of its own.
    sets: &'static [(QuerySet, Texts)],
    /// The text that counts the documents of each collection.
    pub(super) count: &'static str,
}

impl Folder {
    /// The texts that a set has of its own.
    pub(super) fn texts(&self, set: QuerySet) -> Texts {
        self.sets.iter().find(|(of, _)| *of == set).map_or(&[], |(_, texts)| *texts)
    }
}

/// One folder: its benchmark, its dialect and by set the numbers of the files in the set's folder.
macro_rules! folder {
    ($benchmark:literal, $dialect:literal, $($set:ident $sub:literal: $numbers:tt),*) => {
        folder!($benchmark, $dialect, ".sql", $($set $sub: $numbers),*)
    };
    (
        $benchmark:literal, $dialect:literal, $extension:literal,
        $($set:ident $sub:literal: [$($number:literal),*]),*
    ) => {
        Folder {
            benchmark: $benchmark,
            dialect: $dialect,
            naive: folder!(
                @naive $benchmark, $dialect, $extension:
                "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11"
                "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22"
            ),
            sets: &[$((QuerySet::$set, &[$((
                concat!("q", $number, $extension),
                folder!(@text $benchmark, $dialect, $extension, concat!($sub, "/q"), $number),
            )),*])),*],
            count: folder!(@text $benchmark, $dialect, $extension, "", "count"),
        }
    };
    (@naive $benchmark:literal, $dialect:literal, $extension:literal: $($number:literal)*) => {
        [$(folder!(@text $benchmark, $dialect, $extension, "q", $number)),*]
    };
    (@text $benchmark:literal, $dialect:literal, $extension:literal, $start:expr, $name:literal) => {
        include_str!(concat!(
            "../../../queries/", $benchmark, "/", $dialect, "/", $start, $name, $extension
        ))
    };
}

/// All folders. A new dialect needs a folder and a line for each of its benchmarks.
pub(super) static FOLDERS: &[Folder] = &[
    folder!("ch2", "sqlite", Tuned "tuned": ["03", "05", "07", "08", "09", "10", "17", "18", "19"]),
    folder!("ch2pp", "sqlite", Tuned "tuned": ["03", "05", "07", "08", "09", "10", "17", "18", "19"]),
    folder!("ch2", "duckdb", Tuned "tuned": ["01", "03", "05", "06", "07", "08", "10", "12", "14", "15", "19", "20"]),
    folder!("ch2pp", "duckdb", Tuned "tuned": ["01", "03", "05", "06", "07", "08", "10", "12", "14", "15", "19", "20", "22"]),
    folder!("ch2", "postgres", Tuned "tuned": ["03", "05", "07", "08", "09", "10", "18", "19"]),
    folder!("ch2pp", "postgres", Tuned "tuned": ["03", "05", "07", "08", "09", "10", "18", "19"]),
    folder!("ch2", "sqlpp", Published "published": ["02", "03", "05", "07", "08", "09", "10", "17", "18", "20", "21"], Tuned "tuned": ["18"]),
    folder!("ch2pp", "sqlpp", Published "published": ["02", "03", "05", "07", "08", "09", "10", "17", "18", "20", "21"], Tuned "tuned": ["18"]),
    folder!("ch2", "mongodb", ".json", Tuned "tuned": ["03", "05", "07", "08", "09", "10", "13", "17", "18", "19"]),
    folder!("ch2pp", "mongodb", ".json", Tuned "tuned": ["03", "05", "07", "08", "09", "10", "13", "17", "18", "19"]),
];
