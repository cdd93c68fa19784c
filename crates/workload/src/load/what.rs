//! What is to be loaded, and what becomes of what is there.

use std::sync::Arc;

use hoap_data::Part;

use super::pace::Rate;
use super::search::Clients;
use super::source::LoadSource;
use crate::at_work::{self, Together};

/// What to do where data exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse.
    Refuse,
    /// Remove it first.
    Replace,
    /// Resume a load of the same data.
    Resume,
    /// Check what another program loaded, and write the note.
    Adopt {
        /// Whether every document is compared, or a sample.
        whole: bool,
    },
}

/// What to load.
#[derive(Clone)]
pub struct Load {
    /// The documents.
    pub source: Arc<dyn LoadSource>,
    /// The part of them.
    pub part: Part,
    /// What to do where data exists already.
    pub existing: Existing,
    /// Who loads it.
    pub clients: Clients,
    /// How fast at most.
    pub rate: Option<Rate>,
    /// Whether a scheduler starts it, again where it has ended early.
    pub again: bool,
    /// Whether it goes on although others are at work.
    pub beside_others: bool,
}

impl Load {
    /// All of a source, by as many clients as help.
    pub fn whole(source: impl LoadSource + 'static, existing: Existing) -> Load {
        Load {
            source: Arc::new(source),
            part: Part::WHOLE,
            existing,
            clients: Clients::Auto,
            rate: None,
            again: false,
            beside_others: false,
        }
    }

    /// The work as others see it.
    pub(super) fn work(&self) -> at_work::Work {
        let Part { part, of } = self.part;
        at_work::Work {
            what: format!("load {}", self.source.benchmark()),
            together: Some(Together { part, of, work: LOAD.into() }),
            again: self.again,
            beside_others: self.beside_others,
        }
    }
}

/// What the parts of a load do together.
pub(super) const LOAD: &str = "load";
