//! The phases of a step.

/// The phase of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Clients connect. The step's clock has not started.
    Connecting,
    /// Clients run operations that do not count.
    Warmup,
    /// The measured window.
    Measured,
    /// No operation begins any more. Running ones are waited for or cancelled.
    Ended,
}

impl Phase {
    /// The name of the phase in the run folder.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Connecting => "connecting",
            Phase::Warmup => "warmup",
            Phase::Measured => "measured",
            Phase::Ended => "ended",
        }
    }
}
