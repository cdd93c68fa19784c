//! The phases of a step.

use hoap_record::named;

named! {
    /// The phase of a step.
    #[derive(PartialOrd, Ord)]
    #[repr(u8)]
    Phase, "phase":
    /// Clients connect. The step's clock has not started.
    Connecting = "connecting",
    /// Clients run operations that do not count.
    Warmup = "warmup",
    /// The measured window.
    Measured = "measured",
    /// No operation begins any more. Running ones are waited for or cancelled.
    Ended = "ended",
}
