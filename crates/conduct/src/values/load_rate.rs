//! How fast a load may go, as a flag: `5k` documents a second, `10MB` a second.

use std::str::FromStr;

use hoap_workload::load::Rate;

use super::{Size, rate};

/// The most that a load writes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadRate(pub Rate);

impl FromStr for LoadRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = text.ends_with('B').then(|| text.parse::<Size>().ok()).flatten();
        let rate = bytes.map(|Size(bytes)| Rate::Bytes(bytes as f64));
        let rate = rate.or_else(|| rate_of_documents(text)).ok_or(
            "the rate of a load is documents a second, such as 500 or 5k, or bytes a second, such as \
             10MB",
        )?;
        Ok(LoadRate(rate))
    }
}

fn rate_of_documents(text: &str) -> Option<Rate> {
    rate(text).ok().map(Rate::Documents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_documents_or_of_bytes() {
        for (text, rate) in [
            ("500", Rate::Documents(500.0)),
            ("0.5", Rate::Documents(0.5)),
            ("5k", Rate::Documents(5e3)),
            ("2M", Rate::Documents(2e6)),
            ("10MB", Rate::Bytes(1e7)),
            ("64KiB", Rate::Bytes(65536.0)),
        ] {
            assert_eq!(text.parse(), Ok(LoadRate(rate)), "{text}");
        }
        for text in ["", "0", "-1", "0MB", "10mb", "10MB/s", "MB", "fast"] {
            assert!(text.parse::<LoadRate>().is_err(), "{text}");
        }
    }
}
