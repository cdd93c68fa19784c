//! The clients of a load as a flag: `4`, `auto`.

use std::fmt;
use std::str::FromStr;

use hoap_workload::load::Clients;

/// The clients that load at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadClients(pub Clients);

impl LoadClients {
    /// As many as help.
    pub const AUTO: LoadClients = LoadClients(Clients::Auto);
    /// More than any server has connections for one program.
    const MOST: u64 = 10_000;
}

impl FromStr for LoadClients {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(LoadClients::AUTO),
            (_, Ok(n @ 1..=LoadClients::MOST)) => Ok(LoadClients(Clients::Number(n))),
            _ => {
                Err(format!("the clients of a load are a number from 1 to {}, or auto", Self::MOST))
            }
        }
    }
}

impl fmt::Display for LoadClients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Clients::Auto => f.write_str("auto"),
            Clients::Number(n) => n.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_auto_is_written_as_it_was_read() {
        for text in ["1", "64", "auto"] {
            assert_eq!(text.parse::<LoadClients>().unwrap().to_string(), text);
        }
        for text in ["0", "-1", "10001", "many", "auto:4", ""] {
            assert!(text.parse::<LoadClients>().is_err(), "{text}");
        }
    }
}
