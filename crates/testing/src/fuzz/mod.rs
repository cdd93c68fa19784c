//! Fuzzing: what a parser keeps to, whatever it is given.
//!
//! A *target* is a function of bytes that panics where a promise is broken. The promises are more
//! than "no panic": what was read is written and read again as the same; an error is one line and
//! names the file; memory is bounded. The targets of public parsers are in `suites`; other
//! parsers that are not public have theirs beside them, in a module `fuzz` that exists in tests and
//! under `cfg(fuzzing)` only.
//!
//! Each target runs in two ways. `cargo fuzz` searches inputs by coverage (`fuzz/README.md`).
//! [`round`] is short and always the same: a part of the tests.

mod mutate;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use hoap_data::random::Stream;
pub use mutate::mutated;

/// A function of bytes that panics where a promise is broken.
pub type Target = fn(&[u8]);

/// The inputs of a round, unless `HOAP_FUZZ_INPUTS` says otherwise.
const INPUTS: u64 = 2000;

/// The most bytes that an input may make a target hold at once: this, and [`MOST_EACH`] for each of
/// its own bytes. A page's script alone is half a megabyte.
const MOST: u64 = 64 << 20;
const MOST_EACH: u64 = 1000;

/// Runs a target on one input.
///
/// # Panics
/// Where a promise is broken, and where the target's thread holds too much memory.
pub fn run(target: Target, input: &[u8]) {
    let used = allocation_counter::measure(|| target(input)).bytes_max;
    let most = MOST + MOST_EACH * input.len() as u64;
    assert!(used <= most, "{} bytes of input take {used} bytes of memory", input.len());
}

/// Runs a target on the files of `fuzz/corpus/<name>`, and on mutations of them: the same ones
/// whenever the files are the same.
///
/// # Panics
/// Where one is broken; its input is then in a file, which the message names.
pub fn round(name: &str, target: Target) {
    let seeds = corpus(name);
    let inputs = std::env::var("HOAP_FUZZ_INPUTS").map_or(INPUTS, |n| n.parse().unwrap());
    let mut stream = Stream::new(1, &[]);
    let mutations = (0..inputs).map(|_| mutated(&seeds, &mut stream));
    for input in seeds.iter().cloned().chain(mutations) {
        if let Err(broken) = catch_unwind(AssertUnwindSafe(|| run(target, &input))) {
            let kept = std::env::temp_dir().join(format!("hoap-fuzz-{name}"));
            std::fs::write(&kept, &input).unwrap();
            eprintln!("{name}: the input that breaks it is in {}", kept.display());
            resume_unwind(broken);
        }
    }
}

/// The files of a target's corpus, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let read = |e| panic!("{}: {e}", folder.display());
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap_or_else(read).map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.into_iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// An error's text, which must be one line.
pub fn told(error: impl Display) -> String {
    let text = error.to_string();
    assert!(!text.trim().is_empty() && !text.contains(['\n', '\r']), "not one line: {text:?}");
    text
}

/// An error's text, which must be one line with these words.
pub fn told_with(error: impl Display, words: &[&str]) {
    let text = told(error);
    for word in words {
        assert!(text.contains(word), "no {word:?} in {text:?}");
    }
}
