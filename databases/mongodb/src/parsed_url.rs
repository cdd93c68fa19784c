//! The URL of a MongoDB target: a connection string of MongoDB, with options of `hoap` in it.

use hoap_database::options::set_each;
use hoap_database::url::{self, Parts};
use hoap_record::{Error, ErrorKind, Result};

use super::options::{Options, is_own};

/// Where the server is and how it is to be used.
#[derive(Debug, PartialEq)]
pub(super) struct ParsedUrl {
    /// The URL without user and secrets: for errors and the run folder.
    pub shown: String,
    /// The connection string for the driver, with the password in it.
    pub connection: String,
    /// The password, which no message may repeat.
    pub password: Option<String>,
    pub database: String,
    pub options: Options,
}

/// Takes a URL apart. `password` is for one with a user and without a password.
pub(super) fn parse(url: &str, password: Option<&str>) -> Result<ParsedUrl> {
    let scheme = if url.starts_with("mongodb+srv:") { "mongodb+srv" } else { "mongodb" };
    let malformed = |answer: &str| {
        let form = format!("{scheme}://[USER@]HOST[:PORT][,…]/DATABASE");
        url::malformed(scheme, &form, answer)
    };
    let parts = Parts::of(url).map_err(malformed)?;
    let (hosts, database) = (parts.hosts, parts.path);
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if hosts.is_empty() {
        return Err(malformed("it names no host"));
    }
    if !(1..=63).contains(&database.len()) || !database.bytes().all(good) {
        return Err(malformed("it names no database of 1 to 63 letters, digits, _ and -"));
    }
    if parts.query.is_some_and(|query| query.contains('#')) {
        return Err(malformed("a part after # means nothing here"));
    }
    let shown = parts.shown();
    let mut options = Options::default();
    let mut theirs = Vec::new();
    set_each(&shown, parts.query, |name, value| match is_own(name) {
        true => options.set(name, value),
        false => {
            theirs.push(format!("{name}={value}"));
            Ok(())
        }
    })?;
    if scheme == "mongodb" && goes_in_clear(&theirs, hosts) {
        let answer = "authMechanism=PLAIN sends the password in clear to another host";
        return Err(Error::new(ErrorKind::Invalid, format!("open {shown}"), answer)
            .advise("write tls=true, or tls=false if it may go in clear"));
    }
    let given = Some(parts.password).filter(|password| !password.is_empty());
    let password = given.or_else(|| password.filter(|_| !parts.user.is_empty()).map(str::to_owned));
    let login = match (url::encode(&parts.user), &password) {
        (user, Some(password)) => format!("{user}:{}@", url::encode(password)),
        (user, None) if !user.is_empty() => format!("{user}@"),
        _ => String::new(),
    };
    let connection = format!("{scheme}://{login}{hosts}/{database}?{}", theirs.join("&"));
    let connection = connection.trim_end_matches('?').to_owned();
    Ok(ParsedUrl { shown, connection, password, database: database.to_owned(), options })
}

/// Whether a password goes in clear to another host although the URL does not say that TLS is off.
fn goes_in_clear(options: &[String], hosts: &str) -> bool {
    let has = |name: &str, value: &str| {
        options.iter().filter_map(|option| option.split_once('=')).any(|(n, v)| {
            n.eq_ignore_ascii_case(name) && (value.is_empty() || v.eq_ignore_ascii_case(value))
        })
    };
    let elsewhere = |text| url::host(text).is_ok_and(|(name, _)| !url::is_this_machine(name));
    has("authMechanism", "PLAIN")
        && !has("tls", "")
        && !has("ssl", "")
        && hosts.split(',').any(elsewhere)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_url_is_mongodbs_with_ours_taken_out() {
        let url = "mongodb://us%2Fer:pa%40ss@h1:1,h2/db?w=majority&sharding=hashed&replicaSet=rs\
                   &query_timeout_ms=5&authMechanismProperties=AWS_SESSION_TOKEN:top";
        let place = parse(url, Some("other")).unwrap();
        assert_eq!(
            place.connection,
            "mongodb://us%2Fer:pa%40ss@h1:1,h2/db?w=majority&replicaSet=rs\
             &authMechanismProperties=AWS_SESSION_TOKEN:top"
        );
        assert_eq!(
            place.shown,
            "mongodb://h1:1,h2/db?w=majority&sharding=hashed&replicaSet=rs&query_timeout_ms=5\
             &authMechanismProperties=***"
        );
        assert_eq!((place.database.as_str(), place.options.hashed), ("db", true));
        assert_eq!(place.options.query_timeout, Duration::from_millis(5));
        let place = parse("mongodb+srv://me@cluster.example/db", Some("p w/é")).unwrap();
        assert_eq!(place.connection, "mongodb+srv://me:p%20w%2F%C3%A9@cluster.example/db");
        assert_eq!(place.shown, "mongodb+srv://cluster.example/db");
        let place = parse("mongodb://me:p@ss@h/db", None).unwrap();
        assert_eq!(place.connection, "mongodb://me:p%40ss@h/db");
        let place = parse("mongodb://[::1]:27017/db", Some("unused")).unwrap();
        assert_eq!(place.connection, "mongodb://[::1]:27017/db");
        assert_eq!(place.password, None);
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("mongodb:", "names no host"),
            ("mongodb:h/db", "names no host"),
            ("mongodb:///db", "names no host"),
            ("mongodb://u:secret", "a port is not"),
            ("mongodb://u:secret@h", "names no database"),
            ("mongodb://u:secret@h/", "names no database"),
            ("mongodb://u:sec/ret@h/db", "an @ after"),
            ("mongodb://u:sec?ret@h/db", "an @ after"),
            ("mongodb://u:sec#ret@h/db", "an @ after"),
            ("mongodb://u:secret@h/d b", "1 to 63 letters"),
            ("mongodb://u:secret@h/db?", "has no value"),
            ("mongodb://u:secret@h/db?cash_back=1", "transaction_read_concern"),
            ("mongodb://u:secret@h/db?sharding=range", "hashed, none"),
            ("mongodb://u:secret@h/db?transaction_write_concern=0", "from 1 to 50"),
            ("mongodb://u:secret@h/db?transaction_read_concern=x", "snapshot, majority"),
            ("mongodb://u:secret@h/db?analytics_read_concern=x", "auto, local"),
            ("mongodb://u:secret@h/db?analytics_read_preference=x", "nearest"),
            ("mongodb://u:secret@h/db?commit_timeout_ms=0", "from 1 to 3600000"),
        ] {
            let e = parse(url, None).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            let text = e.to_string();
            assert!(text.contains(word), "{url}: {e}");
            let told = ["secret", "sec/", "sec?", "sec#", "ret@"].iter().any(|s| text.contains(s));
            assert!(!told, "{url}: {e}");
        }
    }

    #[test]
    fn a_password_goes_in_clear_to_another_host_only_where_the_url_says_so() {
        for (hosts, more, good) in [
            ("h", "", false),
            ("127.0.0.1,h", "", false),
            ("h", "&tls=true", true),
            ("h", "&tls=false", true),
            ("h", "&ssl=false", true),
            ("127.0.0.1,[::1]:7,localhost", "", true),
        ] {
            let url = format!("mongodb://me:secret@{hosts}/db?authMechanism=plain{more}");
            match parse(&url, None) {
                Ok(_) => assert!(good, "{url}"),
                Err(e) => {
                    assert!(!good && e.to_string().contains("tls=false"), "{url}: {e}");
                    assert!(!e.to_string().contains("secret"), "{e}");
                }
            }
        }
        assert!(parse("mongodb+srv://me:p@h/db?authMechanism=PLAIN", None).is_ok());
        assert!(parse("mongodb://me:p@h/db?authMechanism=SCRAM-SHA-256", None).is_ok());
    }
}
