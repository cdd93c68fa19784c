//! The password, from where libpq takes it: the URL, `PGPASSWORD`, the password file.

use std::path::{Path, PathBuf};

/// The password, or why there is none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub password: Option<String>,
    /// Why the password file was not read.
    pub ignored: Option<String>,
}

/// Looks in the environment and the password file (`PGPASSFILE`, else `~/.pgpass`).
pub(super) fn find(
    host: &str,
    port: u16,
    database: &str,
    user: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Found {
    if let Some(password) = environment("PGPASSWORD").filter(|p| !p.is_empty()) {
        return Found { password: Some(password), ignored: None };
    }
    let home = || environment("HOME").map(|home| PathBuf::from(home).join(".pgpass"));
    let Some(file) = environment("PGPASSFILE").map(PathBuf::from).or_else(home) else {
        return Found::default();
    };
    if let Some(why) = why_not(&file) {
        return Found { password: None, ignored: Some(why) };
    }
    let Ok(text) = hoap_record::input::text(&file) else { return Found::default() };
    let asked = [host, &port.to_string(), database, user];
    let password = text.lines().find_map(|line| password_of(line, &asked));
    Found { password, ignored: None }
}

/// libpq ignores a file that others may read.
fn why_not(file: &Path) -> Option<String> {
    let there = std::fs::metadata(file).ok()?;
    if !there.is_file() {
        return Some(format!("{} is not a plain file", file.display()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if there.permissions().mode() & 0o077 != 0 {
            return Some(format!(
                "{} was ignored, because group or others have access to it: chmod 0600",
                file.display()
            ));
        }
    }
    None
}

/// The password of a line `host:port:database:user:password`, if the line matches.
pub(super) fn password_of(line: &str, asked: &[&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = Vec::with_capacity(5);
    let mut field = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => field.push(chars.next().unwrap_or('\\')),
            ':' if fields.len() < 4 => fields.push((field == "*", std::mem::take(&mut field))),
            _ => field.push(c),
        }
    }
    let fits = fields.len() == 4
        && fields.iter().zip(asked).all(|((any, field), asked)| *any || field == asked);
    fits.then_some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let password = |line: &str| password_of(line, &["db.example", "5432", "bench", "me"]);
        assert_eq!(password("db.example:5432:bench:me:a b").as_deref(), Some("a b"));
        assert_eq!(password("*:*:*:me:x:y\\:z\\\\").as_deref(), Some("x:y:z\\"));
        assert_eq!(password("*:*:*:*:").as_deref(), Some(""));
        for other in ["", "#*:*:*:*:x", "*:*:*:x", "*:5433:*:*:x", "db.example:*:*:you:x"] {
            assert_eq!(password(other), None, "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_ignored_and_a_variable_comes_first() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(".pgpass");
        std::fs::write(&file, "# ours\n*:*:other:*:no\nh:1:d:u:yes\n").unwrap();
        let home = directory.path().display().to_string();
        let environment = |name: &str| (name == "HOME").then(|| home.clone());
        let mode = |mode| {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            find("h", 1, "d", "u", &environment)
        };
        assert_eq!(mode(0o600).password.as_deref(), Some("yes"));
        let ignored = mode(0o640);
        assert_eq!(ignored.password, None);
        assert!(ignored.ignored.unwrap().contains("chmod 0600"));
        let both = |name: &str| match name {
            "PGPASSWORD" => Some("first".to_owned()),
            _ => environment(name),
        };
        assert_eq!(find("h", 1, "d", "u", &both).password.as_deref(), Some("first"));
        assert_eq!(find("h", 1, "d", "u", &|_| None), Found::default());
    }
}
