use std::fmt;
use std::str::FromStr;

use hoap_data::{SpecError, quoted};

use super::FieldLength;
use super::value::digits;

/// The share of a value's bytes that a compressor saves, in thousandths: 0 for values as YCSB's.
///
/// A random character holds five or six bits of the eight of its byte, of which zstd saves a fifth
/// in any value. A compressible value is random characters, as many as the rest of the share
/// allows, and then one character again and again, which costs a compressor a few bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Compressibility(u16);

impl Compressibility {
    const WHOLE: u16 = 1000;
    /// What zstd saves of random characters.
    const LEAST: u16 = 210;

    /// The share, 0 to 1; `None` for values as YCSB's.
    pub fn share(self) -> Option<f64> {
        (self.0 > 0).then(|| f64::from(self.0) / f64::from(Self::WHOLE))
    }

    /// How many of a value's `len` bytes are random characters; they come first.
    #[inline(always)]
    pub(super) fn random(self, len: usize) -> usize {
        match self.0 {
            0 => len,
            share => self::random(share, len).saturating_sub(CHANGE).max(digits(len)),
        }
    }

    /// Refuses values too short to hold a version beside so many bytes that are saved.
    pub(super) fn validate(self, length: FieldLength) -> Result<(), SpecError> {
        let (min, _) = length.bounds();
        let needed = digits(min as usize);
        if self.0 == 0 || random(self.0, min as usize) >= needed {
            return Ok(());
        }
        Err(SpecError::new(format!(
            "compressibility {self} of fields of {min} bytes: {needed} of them tell one write from \
             another and cannot be saved; use a lower compressibility or longer fields"
        )))
    }
}

/// Characters whose entropy is what zstd spends on the change from random ones to a repeated one.
const CHANGE: usize = 2;

/// The number of random characters whose entropy is the share of `len` bytes that is not saved.
#[inline(always)]
fn random(share: u16, len: usize) -> usize {
    let kept = usize::from(Compressibility::WHOLE - share);
    let random = usize::from(Compressibility::WHOLE - Compressibility::LEAST);
    (len * kept).div_ceil(random).min(len)
}

impl FromStr for Compressibility {
    type Err = SpecError;

    fn from_str(s: &str) -> Result<Self, SpecError> {
        let refuse =
            |why: &str| Err(SpecError::new(format!("compressibility {}: {why}", quoted(s))));
        match s.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => {
                match (share * f64::from(Self::WHOLE)).round() as u16 {
                    1..Self::LEAST => refuse(
                        "of random characters as YCSB's a compressor saves 0.21; use 0.21 to 1, or \
                         0 for values as YCSB's",
                    ),
                    share => Ok(Compressibility(share)),
                }
            }
            _ => refuse("use 0.21 to 1, or 0 for values as YCSB's"),
        }
    }
}

impl fmt::Display for Compressibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.share().unwrap_or(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_written_as_they_are_read() {
        for share in ["0", "0.21", "0.5", "0.75", "0.9", "1"] {
            assert_eq!(share.parse::<Compressibility>().unwrap().to_string(), share);
        }
        for (wrong, why) in [
            ("0.2", "saves 0.21"),
            ("1.1", "use 0.21 to 1"),
            ("-1", "use 0.21 to 1"),
            ("half", "half': use 0.21 to 1"),
            ("NaN", "use 0.21 to 1"),
        ] {
            let error = wrong.parse::<Compressibility>().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_version_has_its_room() {
        let refused = |share: &str, len| {
            let share: Compressibility = share.parse().unwrap();
            share.validate(FieldLength::Constant(len)).map_err(|e| e.to_string())
        };
        assert_eq!(refused("0.9", 100), Ok(()));
        let error = refused("1", 100).unwrap_err();
        assert!(
            error.starts_with("compressibility 1 of fields of 100 bytes: 13 of them"),
            "{error}"
        );
        for len in 1..300 {
            for share in [0, 210, 500, 900, 1000].map(Compressibility) {
                assert!((digits(len).min(len)..=len).contains(&share.random(len)));
            }
        }
        assert_eq!(Compressibility(0).random(100), 100);
        assert_eq!(Compressibility(750).random(100), 30);
    }
}
