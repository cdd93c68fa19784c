use std::fmt;

use hoap_data::SpecError;
use hoap_data::random::Stream;
use hoap_data::words::counted;

use super::zipf::Zipf;

/// The most bytes of a record's values together.
const MAX_RECORD: u64 = 64 << 20;

/// The length of the values, in bytes (YCSB's `fieldlengthdistribution`, `minfieldlength`,
/// `fieldlength`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FieldLength {
    /// One length for all.
    Constant(u32),
    /// Uniform from `min` to `max`.
    Uniform { min: u32, max: u32 },
    /// Zipfian from `min` to `max`, shorter values being more frequent, with YCSB's constant 0.99.
    Zipfian { min: u32, max: u32 },
}

impl FieldLength {
    /// Least and greatest length.
    pub fn bounds(self) -> (u32, u32) {
        match self {
            FieldLength::Constant(n) => (n, n),
            FieldLength::Uniform { min, max } | FieldLength::Zipfian { min, max } => (min, max),
        }
    }

    /// Refuses impossible lengths, for records of this many fields.
    pub(super) fn validate(self, fields: u16) -> Result<(), SpecError> {
        let (min, max) = self.bounds();
        if min == 0 || min > max {
            return Err(SpecError::new(format!(
                "field length {self}: use at least 1 byte, and a least length that is not above the \
                 greatest"
            )));
        }
        if u64::from(max) * u64::from(fields) > MAX_RECORD {
            return Err(SpecError::new(format!(
                "{} of length {self}: a record may have at most {} MiB",
                counted(fields, "field", "fields"),
                MAX_RECORD >> 20
            )));
        }
        Ok(())
    }
}

impl fmt::Display for FieldLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldLength::Constant(n) => write!(f, "{n}"),
            FieldLength::Uniform { min, max } => write!(f, "uniform {min}-{max}"),
            FieldLength::Zipfian { min, max } => write!(f, "zipfian {min}-{max}"),
        }
    }
}

/// A distribution of [`FieldLength`], ready to draw from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lengths {
    Constant(usize),
    Uniform(u32, u32),
    Zipfian(u32, Zipf),
}

impl Lengths {
    pub(super) fn new(length: FieldLength) -> Self {
        match length {
            FieldLength::Constant(n) => Lengths::Constant(n as usize),
            FieldLength::Uniform { min, max } => Lengths::Uniform(min, max),
            FieldLength::Zipfian { min, max } => {
                Lengths::Zipfian(min, Zipf::new(u64::from(max - min) + 1))
            }
        }
    }

    /// The length drawn from this stream.
    #[inline]
    pub(super) fn draw(&self, mut stream: Stream) -> usize {
        match self {
            Lengths::Constant(n) => *n,
            Lengths::Uniform(min, max) => {
                stream.uniform(i64::from(*min)..=i64::from(*max)) as usize
            }
            Lengths::Zipfian(min, zipf) => *min as usize + zipf.rank(stream.unit()) as usize,
        }
    }
}
