//! `ledger.json`, and whether it is the one that its run left.

use std::io::{self, Write};
use std::path::Path;

use twox_hash::XxHash3_128;

use crate::error::{Error, ErrorKind, Result};
use crate::names::LEDGER;
use crate::{input, limits, read, whole};

/// Writes the ledger of a run into its folder, as it is made. Returns its digest.
///
/// # Errors
/// Those of the file.
pub(crate) fn write(
    folder: &Path,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<String> {
    let mut hash = XxHash3_128::new();
    whole::write_with(&folder.join(LEDGER), |to| text(&mut Hashing { to, hash: &mut hash }))?;
    Ok(hexadecimal(hash.finish_128()))
}

/// Reads `ledger.json` of the folder of one driver among several, in the format of the benchmark.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where there is none, or it is not the one that the run left.
pub fn read_ledger(folder: &Path) -> Result<Vec<u8>> {
    let path = folder.join(LEDGER);
    let wrong = |e: &dyn std::fmt::Display| {
        Error::new(ErrorKind::Invalid, format!("read {}", path.display()), e)
    };
    let bytes = input::bytes(&path, limits::MOST_LEDGER).map_err(|e| wrong(&e))?;
    // Runs of older versions do not say.
    match read::read_run(folder)?.ledger {
        Some(left) if left != hexadecimal(XxHash3_128::oneshot(&bytes)) => {
            let answer = "it is not the ledger that the run of this folder left";
            Err(wrong(&answer).advise("copy the driver's whole folder again"))
        }
        _ => Ok(bytes),
    }
}

fn hexadecimal(hash: u128) -> String {
    format!("{hash:032x}")
}

struct Hashing<'a> {
    to: &'a mut dyn Write,
    hash: &'a mut XxHash3_128,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.write(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
