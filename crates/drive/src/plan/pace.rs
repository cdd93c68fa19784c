//! Closed and open loop.

/// What sets the pace of the transaction clients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pace {
    /// Closed loop: a client begins its next operation when the last one has ended.
    #[default]
    Closed,
    /// Open loop: operations are due at scheduled times, whether or not the database keeps up. An
    /// operation that waits for a free client keeps its scheduled time, none is skipped, and the
    /// response time counts from the scheduled time. Keying and think times are left out.
    Open {
        /// Operations per second of all clients together, above 0 and at most [`FASTEST`].
        rate: f64,
        /// The distribution of operations over time.
        arrivals: Arrivals,
    },
}

/// The distribution of the operations of an open loop over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Equal intervals.
    Constant,
    /// Equal intervals of one of several drivers that begin together and have one rate each. Each
    /// begins a part of an interval after the one before it, so that all of them together have
    /// equal intervals too, and not bursts.
    ConstantPart {
        /// Which of them, from 1.
        part: u64,
        /// How many they are.
        of: u64,
    },
    /// A Poisson process: intervals are independent and exponential, as between the calls of many
    /// independent users.
    Poisson {
        /// The same seed draws the same times.
        seed: u64,
    },
}

impl Arrivals {
    /// "constant" or "poisson".
    pub fn name(self) -> &'static str {
        match self {
            Arrivals::Constant | Arrivals::ConstantPart { .. } => "constant",
            Arrivals::Poisson { .. } => "poisson",
        }
    }
}

/// The highest rate of an open loop, per second: one operation per nanosecond.
pub const FASTEST: f64 = 1e9;
