//! Whether what a transaction read may be old when it writes.

/// Whether the database isolates transactions from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// It does.
    #[default]
    Isolated,
    /// It does not, and the user allows it. A value that a transaction computed from what it read
    /// may then overwrite a newer one. A check of such values reports what it found and fails no
    /// run.
    Stepwise,
}

impl Isolation {
    /// Of transactions that may have the caveat of [`crate::capability::Stepwise`].
    pub fn of(caveat: Option<&str>) -> Isolation {
        if caveat.is_some() { Isolation::Stepwise } else { Isolation::Isolated }
    }
}
