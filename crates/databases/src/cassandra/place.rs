//! The URL of a Cassandra target: `cassandra://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]…]/KEYSPACE[?…]`.

use hoap_workload::{Error, ErrorKind, Result};

use super::credentials::{self, Credentials};
use super::options::Options;
use crate::options::set_each;

/// The port where the URL names none.
const PORT: u16 = 9042;

/// Where the cluster is and how it is to be used.
#[derive(Debug)]
pub(super) struct Place {
    /// The URL without user and password: for errors and the run folder.
    pub url: String,
    /// Contact points, `HOST:PORT`.
    pub hosts: Vec<String>,
    pub keyspace: String,
    pub credentials: Credentials,
    pub options: Options,
}

/// Takes a URL apart; `environment` gives the value of a variable.
pub(super) fn parse(url: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Place> {
    // As long as it is not clear which part is the password no part is shown.
    let malformed = |answer: &str| {
        Error::new(ErrorKind::Invalid, "open cassandra:…", answer).advise(
            "write cassandra://[USER@]HOST[:PORT][,HOST[:PORT]…]/KEYSPACE[?option=value&…], with / ? # @ \
             : and % in the user's name as %2F %3F %23 %40 %3A and %25",
        )
    };
    let (base, query) = match url.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (url, None),
    };
    if base.contains('#') {
        return Err(malformed("a part after # means nothing here"));
    }
    let rest = base.strip_prefix("cassandra://").ok_or_else(|| malformed("it names no host"))?;
    let (authority, keyspace) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (Some(user), hosts),
        None => (None, authority),
    };
    let points = hosts.split(',').map(host).collect::<std::result::Result<Vec<_>, _>>();
    let points = points.map_err(malformed)?;
    if !is_keyspace(keyspace) {
        return Err(malformed("the keyspace is not a name of 1 to 48 letters, digits and _"));
    }
    let (user, password) = match user {
        None => (None, None),
        Some(info) => {
            let (user, password) = match info.split_once(':') {
                Some((user, password)) => (user, Some(password)),
                None => (info, None),
            };
            let decode = |text| {
                decode(text).ok_or_else(|| malformed("a % is not followed by two hex digits"))
            };
            (Some(decode(user)?), password.map(decode).transpose()?)
        }
    };
    let mark = query.map_or(String::new(), |query| format!("?{query}"));
    let shown = format!("cassandra://{hosts}/{keyspace}{mark}");
    let mut options = Options::default();
    set_each(&shown, query, |name, value| match name {
        "password" | "username" | "user" => Err(
            "it would be seen by others: set CASSANDRA_PASSWORD, or write ~/.cassandra/credentials"
                .to_owned(),
        ),
        _ => options.set(name, value),
    })?;
    options
        .check()
        .map_err(|answer| Error::new(ErrorKind::Invalid, format!("open {shown}"), answer))?;
    let credentials = credentials::find(user, password, environment);
    Ok(Place { url: shown, hosts: points, keyspace: keyspace.to_owned(), credentials, options })
}

/// A contact point with its port.
fn host(text: &str) -> std::result::Result<String, &'static str> {
    let port = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
    let (name, after) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']').ok_or("an IPv6 address lacks its ]")?;
            if address.parse::<std::net::Ipv6Addr>().is_err() {
                return Err("what is in [] is no IPv6 address");
            }
            (format!("[{address}]"), after)
        }
        None => {
            let at = text.find(':').unwrap_or(text.len());
            (text[..at].to_owned(), &text[at..])
        }
    };
    let good = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    if name.is_empty() || !name.chars().all(good) {
        return Err("it names no host");
    }
    match after.strip_prefix(':') {
        None if after.is_empty() => Ok(format!("{name}:{PORT}")),
        Some(text) => {
            port(text).map(|p| format!("{name}:{p}")).ok_or("a port is no number from 1 to 65535")
        }
        None => Err("what follows an IPv6 address is no port"),
    }
}

fn is_keyspace(name: &str) -> bool {
    (1..=48).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.as_bytes()[0].is_ascii_alphabetic()
}

/// Text with `%XX` as its bytes.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = match first {
            b'%' => {
                let hex = std::str::from_utf8(after.get(..2)?).ok()?;
                if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return None;
                }
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                &after[2..]
            }
            _ => {
                bytes.push(first);
                after
            }
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<Place> {
        parse(url, &|_| None)
    }

    #[test]
    fn hosts_keyspace_and_user_are_taken_and_no_secret_is_shown() {
        let place = read("cassandra://us%2Fer:pa%40ss@a,b:7000,[::1]:7001/Bench?lwt=true").unwrap();
        assert_eq!(place.url, "cassandra://a,b:7000,[::1]:7001/Bench?lwt=true");
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
            ("cassandra://[::1]9/k", "no port"),
            ("cassandra://u:sec%4@h/k", "hex digits"),
            ("cassandra://u:secret@h/k#x", "after #"),
            ("cassandra://u:sec/ret@h/k", "%2F"),
            ("cassandra://u:secret@h/k?", "has no value"),
            ("cassandra://u:secret@h/k?cash=1", "the options are read_consistency"),
            ("cassandra://h/k?password=secret", "CASSANDRA_PASSWORD"),
            ("cassandra://h/k?tls=true", "wants tls_ca"),
            ("cassandra://h/k?tls_ca=x", "want tls=true"),
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
