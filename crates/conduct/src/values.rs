//! Values of flags: sizes, shares, lists; the clients of a load are in [`load_clients`], its rate is
//! in [`load_rate`], parts are in [`part`], warm-ups in [`warmup`].

mod load_clients;
mod load_rate;
mod part;
mod warmup;

use std::fmt;
use std::str::FromStr;

use hoap_drive::FASTEST;

pub use hoap_record::count::count;
pub use load_clients::LoadClients;
pub use load_rate::LoadRate;
pub use part::PartArg;
pub use warmup::Warmup;

/// Bytes: `1000`, `256MB`, `64MiB`, `1GB`; more than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let digits = s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
        let (number, unit) = s.split_at(digits);
        let bytes = match unit {
            "" => Some(1),
            "kB" | "KB" => Some(1000),
            "MB" => Some(1_000_000),
            "GB" => Some(1_000_000_000),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "GiB" => Some(1 << 30),
            _ => None,
        };
        let size = number.parse::<u64>().ok().zip(bytes).and_then(|(n, unit)| n.checked_mul(unit));
        size.filter(|&n| n > 0).map(Size).ok_or_else(|| {
            "a size is a number and kB, MB, GB, KiB, MiB or GiB, such as 256MB".into()
        })
    }
}

/// A rate as people write it: `0.5`, `5000`, `5k`, `2M`.
///
/// # Errors
/// Says what a rate is.
pub fn rate(s: &str) -> Result<f64, String> {
    let (digits, times) = match s.as_bytes().last() {
        Some(b'k') => (&s[..s.len() - 1], 1e3),
        Some(b'M') => (&s[..s.len() - 1], 1e6),
        _ => (s, 1.0),
    };
    let number = digits.parse::<f64>().map(|number| number * times);
    let good = number.ok().filter(|rate| *rate > 0.0 && *rate <= FASTEST);
    good.ok_or_else(|| {
        "a rate is a number above 0 and at most 1e9, also with k or M, such as 0.5, 5000 or 5k"
            .into()
    })
}

/// A share: `1%`, `0.5%`; from nothing to the whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let number = s.strip_suffix('%').and_then(|digits| digits.trim().parse::<f64>().ok());
        let share = number.map(|percent| percent / 100.0);
        share
            .filter(|share| (0.0..=1.0).contains(share))
            .map(Percent)
            .ok_or_else(|| "a share is a number from 0 to 100 and %, such as 1%".into())
    }
}

/// The largest share of a kind that may fail: `1%`, or `off`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MostFailures(pub Option<f64>);

impl MostFailures {
    /// As `run.json` has it.
    pub fn setting(self) -> serde_json::Value {
        self.0.map_or_else(|| "off".into(), Into::into)
    }
}

impl FromStr for MostFailures {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "off" => Ok(MostFailures(None)),
            share => Percent::from_str(share)
                .map(|share| MostFailures(Some(share.0)))
                .map_err(|e| format!("{e}, or off")),
        }
    }
}

/// The most clients of a frontier: `256,32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostClients {
    /// Of transactions.
    pub transactions: usize,
    /// Of queries.
    pub queries: usize,
}

impl FromStr for MostClients {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let number = |word: &str| word.parse().ok().filter(|&n| n > 0);
        let both = s.split_once(',').and_then(|(tx, q)| Some((number(tx)?, number(q)?)));
        let (transactions, queries) = both.ok_or_else(|| {
            "the most clients are a number of transaction clients and one of query clients, both \
             above 0, such as 64,8"
                .to_string()
        })?;
        Ok(MostClients { transactions, queries })
    }
}

impl fmt::Display for MostClients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.transactions, self.queries)
    }
}

/// Numbers of queries, each once, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryList(pub Vec<u8>);

impl QueryList {
    /// All 22.
    pub fn all() -> Self {
        QueryList((1..=22).collect())
    }
}

impl FromStr for QueryList {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || "a list of queries is numbers from 1 to 22 and ranges, such as 1,5-7".into();
        let mut numbers = Vec::new();
        for word in s.split(',') {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (first, last): (u8, u8) = match (first.parse(), last.parse()) {
                (Ok(first), Ok(last)) => (first, last),
                _ => return Err(wrong()),
            };
            if !(1 <= first && first <= last && last <= 22) {
                return Err(wrong());
            }
            for number in first..=last {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        Ok(QueryList(numbers))
    }
}

impl fmt::Display for QueryList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == QueryList::all() {
            return f.write_str("1-22");
        }
        let words: Vec<String> = self.0.iter().map(u8::to_string).collect();
        f.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_as_people_write_them() {
        for (text, number) in
            [("0.5", 0.5), ("5000", 5e3), ("5k", 5e3), ("1.5M", 1.5e6), ("1e9", 1e9)]
        {
            assert_eq!(rate(text), Ok(number), "{text}");
        }
        for text in ["", "k", "0", "-1", "NaN", "inf", "1e308", "2000M", "5/s"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_and_lists_read_what_users_type_and_nothing_else() {
        assert_eq!("256MB".parse(), Ok(Size(256_000_000)));
        assert_eq!("64MiB".parse(), Ok(Size(64 << 20)));
        for wrong in ["", "MB", "0", "5 MB", "-5MB", "5mb", "1.5GB", "99999999999999GiB"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
        assert_eq!("0.5%".parse(), Ok(Percent(0.005)));
        for wrong in ["", "%", "1", "-1%", "101%", "NaN%", "one%"] {
            assert!(wrong.parse::<Percent>().is_err(), "{wrong}");
        }
        let most = MostClients { transactions: 64, queries: 8 };
        assert_eq!(most.to_string().parse(), Ok(most));
        for wrong in ["", "64", "64,", "0,1", "1,0", "-1,2", "1,2,3", "many,few"] {
            assert!(wrong.parse::<MostClients>().is_err(), "{wrong}");
        }
        assert_eq!("1,5-7,6".parse(), Ok(QueryList(vec![1, 5, 6, 7])));
        for wrong in ["", "0", "23", "7-5", "1,,2", "x", "1-"] {
            assert!(wrong.parse::<QueryList>().is_err(), "{wrong}");
        }
    }
}
