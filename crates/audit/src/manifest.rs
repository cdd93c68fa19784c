//! What a bundle says of itself: `manifest.json`, its first file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the format.
pub const FORMAT: u32 = 1;
/// Its name in the bundle.
pub const MANIFEST: &str = "manifest.json";
/// The most bytes of the manifest.
pub const MOST_MANIFEST: u64 = 8 << 20;
/// The most bytes of a file.
pub const MOST_FILE: u64 = 1 << 30;
/// The most bytes of all files together.
pub const MOST_ALL: u64 = 4 << 30;
/// The most files.
pub const MOST_FILES: usize = 10_000;

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// The program that made the bundle.
    pub program: Program,
    /// The run folders.
    pub runs: Vec<BundledRun>,
    /// Why a setting is as it is, by its name.
    pub reasons: BTreeMap<String, String>,
    /// Every other file, by its name.
    pub files: BTreeMap<String, Fact>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its version with the commit.
    pub version: String,
    /// SHA-256 of the executable file, in hexadecimal digits.
    pub sha256: String,
}

/// A run folder of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundledRun {
    /// Where it is: "runs/01".
    pub at: String,
    /// What the folder was called.
    pub name: String,
    /// Of a run that was added later because it repeats others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
}

/// What a run repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeats {
    /// Runs of the bundle, which are repetitions of one another: "runs/01".
    pub of: Vec<String>,
    /// The program that repeated them.
    pub program: Program,
}

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Its length.
    pub bytes: u64,
    /// SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// Whether a file of a bundle may have this name: at most four short words of plain characters,
/// none of which begins with a dot, with slashes between.
pub fn is_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    let is_word =
        |word: &str| !word.is_empty() && !word.starts_with(['.', '-']) && word.bytes().all(plain);
    name.len() <= 99 && name.split('/').count() <= 4 && name.split('/').all(is_word)
}

/// A name that a file may have, made of one that it may not.
pub fn plain(name: &str) -> String {
    let of = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = name.chars().map(of).take(60).collect();
    match name.trim_start_matches(['.', '-']) {
        "" => "_".to_owned(),
        word => word.to_owned(),
    }
}
