//! The digest of a run folder: of the files that Hoap writes there, and of no others, so that a
//! page beside them changes nothing.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hoap_record::{Error, ErrorKind, Result, input, names};
use sha2::{Digest, Sha256};

/// "sha256:" and 64 digits: of each file, by name, its name, its length and its digest.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where a file cannot be read.
pub fn of_folder(folder: &Path) -> Result<String> {
    let mut all = Sha256::new();
    for name in files(folder)? {
        let path = folder.join(&name);
        let (length, digest) = of_file(&path).map_err(|e| failed(&path, e))?;
        let name = name.to_string_lossy();
        all.update(format!("{name}\n{length}\n{}\n", hex(&digest)));
    }
    Ok(format!("sha256:{}", hex(&all.finalize())))
}

/// Of several, as one.
pub fn of_several(digests: &[String]) -> String {
    match digests {
        [one] => one.clone(),
        several => format!("sha256:{}", hex(&Sha256::digest(several.join("\n")))),
    }
}

/// The files that Hoap wrote into a run folder, by name.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] where the folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for within in ["", "answers", "plans"] {
        let entries = match fs::read_dir(folder.join(within)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound && !within.is_empty() => continue,
            entries => entries.map_err(|e| failed(folder, e))?,
        };
        for entry in entries {
            let name = Path::new(within).join(entry.map_err(|e| failed(folder, e))?.file_name());
            names.extend(names::is_ours(&name).then_some(name));
        }
    }
    names.sort();
    Ok(names)
}

fn failed(path: &Path, e: io::Error) -> Error {
    Error::new(ErrorKind::Invalid, format!("read {}", path.display()), e)
        .advise("name the folder of a run")
}

fn of_file(path: &Path) -> io::Result<(u64, Vec<u8>)> {
    let mut file = input::open(path)?;
    let (mut digest, mut length) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((length, digest.finalize().to_vec()));
        }
        digest.update(&buffer[..read]);
        length += read as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_files_of_the_run_and_of_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let digest = || of_folder(folder.path()).unwrap();
        write("run.json", "{}");
        let first = digest();
        assert!(first.starts_with("sha256:") && first.len() == 71, "{first}");
        for other in ["report.html", "notes.txt", "answers/mine.txt"] {
            write(other, "mine");
            assert_eq!(digest(), first, "{other}");
        }
        let mut seen = vec![first];
        for (name, text) in [("samples.csv", "a"), ("answers/q01.json", "[]"), ("run.json", "{ }")]
        {
            write(name, text);
            assert!(!seen.contains(&digest()), "{name}");
            seen.push(digest());
        }
        // Where one file ends and the next begins is part of it.
        write("samples.csv", "ab");
        write("queries.csv", "c");
        let one = digest();
        write("samples.csv", "a");
        write("queries.csv", "bc");
        assert_ne!(one, digest());
        assert_eq!(of_several(std::slice::from_ref(&one)), one);
        assert_ne!(of_several(&[one.clone(), one.clone()]), one);
    }
}
