//! The files that the driver reads whole, whatever they are: they are looked at before.

use std::env::var_os;
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use hoap_record::{Error, ErrorKind, Result, input};

/// Variables that name a file, and its place in the home folder if they are not set.
const FILES: [(&str, Option<&str>); 4] = [
    ("AWS_CONFIG_FILE", Some(".aws/config")),
    ("AWS_SHARED_CREDENTIALS_FILE", Some(".aws/credentials")),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", None),
    ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", None),
];

/// Refuses a file that is a device, a pipe or larger than people write, of those that the
/// environment names and the one of the option `credentials_file`. What is absent or cannot be read
/// is the driver's to tell.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`] with the file and what named it.
pub(super) fn look(credentials: &str) -> Result<()> {
    let home = var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let of_environment = FILES.into_iter().filter_map(|(name, usual)| {
        let file = var_os(name).map(PathBuf::from);
        Some((name, file.or_else(|| Some(home.join(usual?)))?))
    });
    let of_option = ("credentials_file", PathBuf::from(credentials));
    let named = of_environment.chain((!credentials.is_empty()).then_some(of_option));
    for (name, file) in named {
        let file = file.strip_prefix("~").map_or(file.clone(), |below| home.join(below));
        one(name, &file)?;
    }
    Ok(())
}

fn one(name: &str, file: &Path) -> Result<()> {
    match input::bytes(file, input::MOST_TEXT) {
        Err(e) if e.kind() != NotFound && e.raw_os_error().is_none() => {
            let tried = format!("read {} of {name}", file.display());
            Err(Error::new(ErrorKind::Invalid, tried, e).advise("name a file of at most 1 MiB"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_no_file() {
        let folder = std::env::temp_dir();
        for wrong in [folder.as_path(), Path::new("/dev/zero"), Path::new("/dev/urandom")] {
            let e = one("AWS_CONFIG_FILE", wrong).unwrap_err().to_string();
            assert!(e.contains("AWS_CONFIG_FILE: it is not a regular file"), "{e}");
        }
        assert!(one("x", Path::new("/no/such")).is_ok());
        assert!(look("/dev/zero").unwrap_err().to_string().contains("credentials_file"));
    }
}
