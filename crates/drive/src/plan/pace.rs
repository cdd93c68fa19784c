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
        /// The same seed draws the same times in the step of the same number.
        seed: u64,
    },
}

impl Arrivals {
    /// Those of the step of this number: each step, and so each probe of a search, draws times of its
    /// own. With one sequence for all, a search would measure how this sequence queues.
    pub(crate) fn of_step(self, number: usize) -> Arrivals {
        match self {
            Arrivals::Poisson { seed } => {
                Arrivals::Poisson { seed: mix(seed ^ mix(number as u64)) }
            }
            constant => constant,
        }
    }

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

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
