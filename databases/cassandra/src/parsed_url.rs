//! The URL of a Cassandra target:
//! `cassandra://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]…]/KEYSPACE[?…]`.

use hoap_database::options::set_each;
use hoap_database::url::{self, Parts};
use hoap_record::{Error, ErrorKind, Result};

use super::credentials::{self, Credentials};
use super::options::Options;

/// The port where the URL names none.
const PORT: u16 = 9042;

/// Where the cluster is and how it is to be used.
#[derive(Debug)]
pub(super) struct ParsedUrl {
    /// The URL without user and password: for errors and the run folder.
    pub url: String,
    /// Contact points, `HOST:PORT`.
    pub hosts: Vec<String>,
    pub keyspace: String,
    pub credentials: Credentials,
    pub options: Options,
}

/// Takes a URL apart; `environment` gives the value of a variable.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<ParsedUrl> {
    let malformed = |answer: &str| {
        let form = "cassandra://[USER@]HOST[:PORT][,HOST[:PORT]…]/KEYSPACE";
        url::malformed("cassandra", form, answer)
    };
    let parts = Parts::of(url).map_err(malformed)?;
    let hosts = parts.hosts().map_err(malformed)?;
    let elsewhere = hosts.iter().any(|(name, _)| !url::is_this_machine(name));
    let hosts = hosts.into_iter();
    let hosts = hosts.map(|(name, port)| format!("{name}:{}", port.unwrap_or(PORT))).collect();
    let keyspace = parts.path.to_owned();
    if !is_keyspace(&keyspace) {
        return Err(malformed("the keyspace is not a name of 1 to 48 letters, digits and _"));
    }
    let shown = parts.shown();
    let mut options = Options::default();
    set_each(&shown, parts.query, |name, value| match name {
        "password" | "username" | "user" => Err(
            "it would be seen by others: set CASSANDRA_PASSWORD, or write ~/.cassandra/credentials"
                .to_owned(),
        ),
        _ => options.set(name, value),
    })?;
    options
        .check()
        .map_err(|answer| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer))?;
    let named = |text: String| Some(text).filter(|text| !text.is_empty());
    let credentials = credentials::find(named(parts.user), named(parts.password), environment);
    let said = parts.query.is_some_and(|query| query.split('&').any(|o| o.starts_with("tls=")));
    if credentials.password.is_some() && elsewhere && !options.tls && !said {
        let answer = "the password would go in clear to another host";
        return Err(Error::new(ErrorKind::Invalid, format!("open {shown}"), answer)
            .advise("write tls=on and tls_ca=FILE, or tls=off if it may go in clear"));
    }
    Ok(ParsedUrl { url: shown, hosts, keyspace, credentials, options })
}

fn is_keyspace(name: &str) -> bool {
    (1..=48).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.as_bytes()[0].is_ascii_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<ParsedUrl> {
        parse(url, &|_| None)
    }

    #[test]
    fn hosts_keyspace_and_user_are_taken_and_no_secret_is_shown() {
        let rest = "a,b:7000,[::1]:7001/Bench?lwt=true&tls=off";
        let place = read(&format!("cassandra://us%2Fer:pa%40ss@{rest}")).unwrap();
        assert_eq!(place.url, format!("cassandra://{rest}"));
        assert_eq!(place.hosts, ["a:9042", "b:7000", "[::1]:7001"]);
        assert_eq!((place.keyspace.as_str(), place.options.lwt), ("Bench", true));
        assert_eq!(place.credentials.user.as_deref(), Some("us/er"));
        assert_eq!(place.credentials.password.as_deref(), Some("pa@ss"));
        let place = read("cassandra://10.0.0.1/k").unwrap();
        assert_eq!((place.hosts, place.credentials.user), (vec!["10.0.0.1:9042".to_owned()], None));
    }

    #[test]
    fn a_wrong_url_names_what_is_wrong_and_no_secret() {
        for (url, word) in [
            ("cassandra:", "names no host"),
            ("cassandra:///k", "names no host"),
            ("cassandra://h", "keyspace"),
            ("cassandra://h/", "keyspace"),
            ("cassandra://h/a-b", "keyspace"),
            ("cassandra://h/1a", "keyspace"),
            ("cassandra://h/a/b", "keyspace"),
            ("cassandra://h,/k", "names no host"),
            ("cassandra://h:port/k", "port"),
            ("cassandra://h:0/k", "port"),
            ("cassandra://[::1/k", "lacks its ]"),
            ("cassandra://[x]/k", "no IPv6"),
            ("cassandra://[::1]9/k", "names no host"),
            ("cassandra://u:sec%4@h/k", "does not decode"),
            ("cassandra://u:secret@h#x/k", "after #"),
            ("cassandra://u:sec/ret@h/k", "%2F"),
            ("cassandra://u:secret@h/k?", "has no value"),
            ("cassandra://u:secret@h/k?cash=1", "the options are read_consistency"),
            ("cassandra://h/k?password=secret", "CASSANDRA_PASSWORD"),
            ("cassandra://u:secret@127.0.0.1,h/k", "tls=off if it may"),
            ("cassandra://h/k?tls=true", "wants tls_ca"),
            ("cassandra://h/k?tls_ca=x", "want tls=on"),
            ("cassandra://h/k?tls=true&tls_ca=x&tls_key=y", "go together"),
            ("cassandra://h/k?lwt=true&write_consistency=any", "other than any"),
        ] {
            let e = read(url).unwrap_err();
            assert_eq!(e.kind, ErrorKind::Invalid, "{url}");
            let text = e.to_string();
            assert!(text.contains(word), "{url}: {e}");
            assert!(!text.contains("sec") && !text.contains("ret@"), "{url}: {e}");
        }
    }
}
