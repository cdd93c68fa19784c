//! The token by which drivers and `gather` know each other.

use std::net::SocketAddr;

use hoap_record::{Error, ErrorKind, Result};

/// The variable that holds it.
pub const TOKEN: &str = "HOAP_FLEET_TOKEN";
/// The fewest letters of one.
const SHORTEST: usize = 16;

/// A token.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// That of the environment.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] where it is missing, short, or cannot stand in a header.
    pub fn of_environment() -> Result<Token> {
        Token::new(std::env::var(TOKEN).ok())
    }

    fn new(token: Option<String>) -> Result<Token> {
        let wrong = match token {
            None => "it is not set",
            Some(token) if token.len() < SHORTEST => "it is shorter than 16 letters",
            Some(token) if !token.bytes().all(|b| b.is_ascii_graphic()) => {
                "it has letters that are not printable ASCII"
            }
            Some(token) => return Ok(Token(token)),
        };
        Err(Error::new(ErrorKind::Invalid, format!("read {TOKEN}"), wrong).advise(
            "give `hoap gather` and all drivers one secret, such as that of `openssl rand -hex 16`",
        ))
    }

    /// The header's value.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether the header's value is that of this token. The time says nothing of where it differs.
    pub fn is(&self, header: &[u8]) -> bool {
        let ours = self.bearer();
        let differ = ours.bytes().zip(header).fold(0, |all, (a, b)| all | (a ^ b));
        ours.len() == header.len() && differ == 0
    }
}

/// Refuses an address beyond this machine where nobody said that the token may go there in plain
/// text.
///
/// # Errors
/// Returns [`ErrorKind::Invalid`].
pub fn plain(what: &str, addresses: &[SocketAddr], insecure: bool) -> Result<()> {
    match addresses.iter().find(|address| !address.ip().is_loopback()) {
        Some(beyond) if !insecure => {
            let why = format!("{beyond} is beyond this machine, and nothing is encrypted");
            Err(Error::new(ErrorKind::Invalid, what, why).advise(
                "the token and the run folders would cross the network in plain text: give gather \
                 --tls-cert and --tls-key and the drivers --tls-ca, use a tunnel (ssh -L, ssh -R), \
                 or on a network of your own --insecure-without-tls",
            ))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_equal_to_itself_alone() {
        for wrong in [None, Some("short"), Some("with a space in between")] {
            assert!(Token::new(wrong.map(String::from)).is_err(), "{wrong:?}");
        }
        let token = Token::new(Some("0123456789abcdef".into())).ok().unwrap();
        assert!(token.is(b"Bearer 0123456789abcdef"));
        for other in [&b"Bearer 0123456789abcdeg"[..], b"Bearer 0123456789abcde", b"", b"Bearer "] {
            assert!(!token.is(other));
        }
    }

    #[test]
    fn beyond_this_machine_is_for_those_who_say_so() {
        let (here, there) = ("127.0.0.1:1".parse().unwrap(), "10.0.0.1:1".parse().unwrap());
        assert!(plain("listen", &[here, "[::1]:1".parse().unwrap()], false).is_ok());
        assert!(plain("listen", &[here, there], false).is_err());
        assert!(plain("listen", &["0.0.0.0:1".parse().unwrap()], false).is_err());
        assert!(plain("listen", &[there], true).is_ok());
    }
}
