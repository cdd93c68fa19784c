//! User and password: from the URL, `CASSANDRA_USER` and `CASSANDRA_PASSWORD`, and the files of
//! cqlsh, `~/.cassandra/credentials` (Cassandra 4.1 and later) and `~/.cassandra/cqlshrc`.
//!
//! Both files are of sections and `name = value`; the sections that count are
//! `PlainTextAuthProvider`, `plain_text_auth` and `authentication`, the names `username` and
//! `password`. As cqlsh does with the first one, a file that others may read is ignored.

use std::fmt;
use std::path::{Path, PathBuf};

const SECTIONS: [&str; 3] = ["PlainTextAuthProvider", "plain_text_auth", "authentication"];

/// Who connects.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Credentials {
    pub user: Option<String>,
    pub password: Option<String>,
    /// Why a file was not read.
    pub ignored: Option<String>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

/// Completes what the URL says.
pub(super) fn find(
    user: Option<String>,
    password: Option<String>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Credentials {
    let variable = |name| environment(name).filter(|value| !value.is_empty());
    let user = user.or_else(|| variable("CASSANDRA_USER"));
    let password = password.or_else(|| user.as_ref().and_then(|_| variable("CASSANDRA_PASSWORD")));
    let mut found = Credentials { user, password, ignored: None };
    let Some(home) = variable("HOME").map(PathBuf::from) else { return found };
    for name in ["credentials", "cqlshrc"] {
        if found.password.is_some() {
            break;
        }
        let file = home.join(".cassandra").join(name);
        let Ok(text) = hoap_record::input::text(&file) else { continue };
        let Some((user, password)) = read(&text) else { continue };
        if found.user.as_ref().is_some_and(|wanted| *wanted != user) {
            continue;
        }
        match why_not(&file) {
            None => (found.user, found.password) = (Some(user), Some(password)),
            why => found.ignored = why,
        }
    }
    found
}

fn why_not(file: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let there = std::fs::metadata(file).ok()?;
        if there.permissions().mode() & 0o077 != 0 {
            return Some(format!(
                "{} was ignored, because group or others have access to it: chmod 0600",
                file.display()
            ));
        }
    }
    #[cfg(not(unix))]
    let _ = file;
    None
}

/// The user and the password of the first section that has both.
pub(super) fn read(text: &str) -> Option<(String, String)> {
    let mut counts = false;
    let (mut user, mut password) = (None, None);
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            counts = SECTIONS.contains(&section.trim());
            continue;
        }
        if !counts || line.starts_with([';', '#']) {
            continue;
        }
        let Some((name, value)) = line.split_once(['=', ':']) else { continue };
        match name.trim() {
            "username" => user = Some(value.trim().to_owned()),
            "password" => password = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    user.zip(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_cqlsh_reads_it() {
        let both = Some(("fred".to_owned(), "!!bang!!$=x".to_owned()));
        for text in [
            "; ours\n[PlainTextAuthProvider]\nusername = fred\npassword = !!bang!!$=x\n",
            "[ui]\npassword = no\n[authentication]\nusername=fred\npassword=!!bang!!$=x\n[x]\nusername=y",
        ] {
            assert_eq!(read(text), both, "{text}");
        }
        for text in
            ["", "username=fred\npassword=x", "[authentication]\nusername=fred\n;password=x"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_url_comes_first_then_variables_then_a_file_that_is_ours_alone() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".cassandra/credentials");
        std::fs::create_dir(home.path().join(".cassandra")).unwrap();
        std::fs::write(&file, "[PlainTextAuthProvider]\nusername = fred\npassword = filed\n")
            .unwrap();
        let path = home.path().display().to_string();
        let environment = |name: &str| (name == "HOME").then(|| path.clone());
        let mode = |mode| {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            find(None, None, &environment)
        };
        let good = mode(0o600);
        assert_eq!((good.user.as_deref(), good.password.as_deref()), (Some("fred"), Some("filed")));
        let other = find(Some("anna".into()), None, &environment);
        assert_eq!((other.user.as_deref(), other.password), (Some("anna"), None));
        let ignored = mode(0o644);
        assert_eq!((ignored.user, ignored.password), (None, None));
        assert!(ignored.ignored.unwrap().contains("chmod 0600"));
        let variables = |name: &str| match name {
            "CASSANDRA_USER" => Some("vera".to_owned()),
            "CASSANDRA_PASSWORD" => Some("set".to_owned()),
            _ => environment(name),
        };
        let set = find(None, None, &variables);
        assert_eq!((set.user.as_deref(), set.password.as_deref()), (Some("vera"), Some("set")));
        let url = find(Some("u".into()), Some("p".into()), &variables);
        assert_eq!((url.user.as_deref(), url.password.as_deref()), (Some("u"), Some("p")));
        assert_eq!(format!("{url:?}"), "Credentials");
    }
}
