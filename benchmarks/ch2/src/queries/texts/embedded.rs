//! The query texts that are part of the program.

use super::super::catalogue::COUNT;

/// The texts of a benchmark in a dialect.
pub(super) struct Folder {
    pub(super) benchmark: &'static str,
    pub(super) dialect: &'static str,
    /// In the order of the queries' numbers.
    pub(super) naive: [&'static str; COUNT],
    /// File name and text of the queries that have a tuned one.
    pub(super) tuned: &'static [(&'static str, &'static str)],
    /// The text that counts the documents of each collection.
    pub(super) count: &'static str,
}

/// One folder: its benchmark, its dialect and the numbers of the files in its `tuned/`.
macro_rules! folder {
    ($benchmark:literal, $dialect:literal, tuned: [$($tuned:literal),*]) => {
        folder!($benchmark, $dialect, ".sql", tuned: [$($tuned),*])
    };
    ($benchmark:literal, $dialect:literal, $extension:literal, tuned: [$($tuned:literal),*]) => {
        Folder {
            benchmark: $benchmark,
            dialect: $dialect,
            naive: folder!(
                @naive $benchmark, $dialect, $extension:
                "01" "02" "03" "04" "05" "06" "07" "08" "09" "10" "11"
                "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22"
            ),
            tuned: &[$((
                concat!("q", $tuned, $extension),
                folder!(@text $benchmark, $dialect, $extension, "tuned/q", $tuned),
            )),*],
            count: folder!(@text $benchmark, $dialect, $extension, "", "count"),
        }
    };
    (@naive $benchmark:literal, $dialect:literal, $extension:literal: $($number:literal)*) => {
        [$(folder!(@text $benchmark, $dialect, $extension, "q", $number)),*]
    };
    (@text $benchmark:literal, $dialect:literal, $extension:literal, $start:literal, $name:literal) => {
        include_str!(concat!(
            "../../../queries/", $benchmark, "/", $dialect, "/", $start, $name, $extension
        ))
    };
}

/// All folders. A new dialect needs a folder and a line for each of its benchmarks.
pub(super) static FOLDERS: &[Folder] = &[
    folder!("ch2", "sqlite", tuned: ["03", "05", "07", "08", "09", "10", "17", "18", "19"]),
    folder!("ch2pp", "sqlite", tuned: ["03", "05", "07", "08", "09", "10", "17", "18", "19"]),
    folder!("ch2", "duckdb", tuned: ["01", "03", "05", "06", "07", "08", "10", "12", "14", "15", "19", "20"]),
    folder!("ch2pp", "duckdb", tuned: ["01", "03", "05", "06", "07", "08", "10", "12", "14", "15", "19", "20", "22"]),
    folder!("ch2", "postgres", tuned: ["03", "05", "07", "08", "09", "10", "18", "19"]),
    folder!("ch2pp", "postgres", tuned: ["03", "05", "07", "08", "09", "10", "18", "19"]),
    folder!("ch2", "sqlpp", tuned: ["18"]),
    folder!("ch2pp", "sqlpp", tuned: ["18"]),
    folder!("ch2", "mongodb", ".json", tuned: ["03", "05", "07", "08", "09", "10", "13", "17", "18", "19"]),
    folder!("ch2pp", "mongodb", ".json", tuned: ["03", "05", "07", "08", "09", "10", "13", "17", "18", "19"]),
];
