//! A source as a user writes it.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use percent_encoding::percent_decode_str;

use crate::select::{Selection, USUAL};

/// `[NAME=]http[s]://HOST[:PORT][/PATH][#SERIES,…]` or `[NAME=]pid:N`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSource {
    /// The name of its series in the results.
    pub name: String,
    /// What it is read from.
    pub from: From,
}

/// What a source is read from.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// A metrics endpoint.
    Endpoint(Endpoint),
    /// A process of this machine and those that it started.
    Process(u32),
}

/// A metrics endpoint.
#[derive(Clone, PartialEq)]
pub struct Endpoint {
    /// Whether there is TLS.
    pub tls: bool,
    /// Without brackets.
    pub host: String,
    /// That of the scheme where none is named.
    pub port: u16,
    /// Path and query.
    pub path: String,
    /// What `Authorization` says, if the URL has a user.
    pub authorization: Option<String>,
    /// What is kept.
    pub selection: Selection,
}

/// Without its secret.
impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.url())
    }
}

impl Endpoint {
    /// The URL, without user and password, and without what is kept.
    pub fn url(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}{}", self.place(), self.path)
    }

    /// `HOST:PORT`.
    pub fn place(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl FromStr for MetricSource {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricSource, String> {
        let is_name = |name: &str| {
            let of = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            !name.is_empty() && name.len() <= 64 && name.chars().all(of)
        };
        let (name, from) = match text.split_once('=') {
            Some((name, from)) if is_name(name) => (Some(name), from),
            _ => (None, text),
        };
        let (from, usual) = match from.strip_prefix("pid:") {
            Some(pid) => {
                let pid = pid.parse().ok().filter(|pid| *pid > 0);
                let pid = pid.ok_or("pid: takes the number of a process, as in pid:4711")?;
                (From::Process(pid), format!("pid:{pid}"))
            }
            None => {
                let endpoint = endpoint(from)?;
                let usual = endpoint.place();
                (From::Endpoint(endpoint), usual)
            }
        };
        Ok(MetricSource { name: name.map_or(usual, str::to_owned), from })
    }
}

/// No error repeats the URL, which may hold a password.
fn endpoint(url: &str) -> Result<Endpoint, String> {
    let (url, series) = url.split_once('#').map_or((url, USUAL), |(url, series)| (url, series));
    let known = url.starts_with("http://") || url.starts_with("https://");
    if !known {
        return Err(
            "it is neither [NAME=]http[s]://HOST:PORT/PATH[#SERIES,…] nor [NAME=]pid:N".into()
        );
    }
    let uri: Uri = url.parse().map_err(|e| format!("its URL is none: {e}"))?;
    let tls = uri.scheme_str() == Some("https");
    let authority = uri.authority().ok_or("its URL names no host")?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Err("its URL names no host".into());
    }
    let ported = authority.as_str().rsplit_once('@').map_or(authority.as_str(), |(_, host)| host);
    if ported.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(':')
        && authority.port_u16().is_none()
    {
        return Err("its port is not from 1 to 65535".into());
    }
    let user = authority.as_str().rsplit_once('@').map(|(user, _)| user);
    let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
    let authorization = user.map(|user| {
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        let both = [decoded(user), b":".to_vec(), decoded(password)].concat();
        format!("Basic {}", STANDARD.encode(both))
    });
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // Where exporters have it: a URL without a path is one that nobody serves.
    let path = if path == "/" { "/metrics" } else { path };
    Ok(Endpoint {
        tls,
        host: host.to_owned(),
        port: authority.port_u16().unwrap_or(if tls { 443 } else { 80 }),
        path: path.to_owned(),
        authorization,
        selection: Selection::parse(series)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Endpoint) {
        match text.parse::<MetricSource>().unwrap() {
            MetricSource { name, from: From::Endpoint(endpoint) } => (name, endpoint),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_source_is_an_endpoint_or_a_process_and_may_have_a_name() {
        let (name, of) = read("http://db1:9100");
        assert_eq!((&*name, of.url().as_str()), ("db1:9100", "http://db1:9100/metrics"));
        assert_eq!(of.selection, Selection::parse(USUAL).unwrap());
        let (name, of) = read("db=https://me:s%40p@[::1]/federate?match=up#pg_*{datname=d},x");
        assert_eq!((&*name, of.url().as_str()), ("db", "https://[::1]:443/federate?match=up"));
        assert_eq!(of.authorization.as_deref(), Some("Basic bWU6c0Bw"));
        assert!(!format!("{of:?}").contains("bWU6"), "{of:?}");
        assert_eq!(of.selection, Selection::parse("pg_*{datname=d},x").unwrap());
        let process: MetricSource = "postgres=pid:12".parse().unwrap();
        assert_eq!(process, MetricSource { name: "postgres".into(), from: From::Process(12) });
    }

    #[test]
    fn what_is_no_source_is_refused_without_repeating_a_password() {
        for wrong in [
            "",
            "db1:9100",
            "ftp://me:secret@h/",
            "http://",
            "http://me:secret@",
            "http://me:secret@h:99999/",
            "http://me:secret@h/#",
            "pid:",
            "pid:0",
            "pid:-3",
            "a=b=pid:3",
            "x y=pid:3",
        ] {
            let e = wrong.parse::<MetricSource>().unwrap_err();
            assert!(!e.contains("secret") && !e.contains('\n') && !e.is_empty(), "{wrong}: {e}");
        }
    }
}
