//! A session of the driver for each runtime.
//!
//! The driver's session has tasks that read and write its connections. They run in the runtime in
//! which the session was made, and end with it. Each worker thread of a run has a runtime, hence a
//! session, which its clients share together with the statements prepared on it.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hoap_database::failure::Done;
use hoap_record::Result;
use scylla::client::session::TlsContext;
use tokio::runtime::{Handle, Id};

use super::connection::Connection;
use super::parsed_url::ParsedUrl;
use super::{statements, tls};

/// The session of a runtime and the statements that its clients share.
pub(super) struct RuntimeSession {
    connection: Connection,
    pub tables: statements::Cache,
}

impl Deref for RuntimeSession {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// The sessions of all runtimes that have clients.
pub(super) struct RuntimeSessions {
    place: Arc<ParsedUrl>,
    tls: Option<TlsContext>,
    altering: Arc<tokio::sync::Mutex<()>>,
    open: Mutex<HashMap<Id, Arc<tokio::sync::Mutex<Weak<RuntimeSession>>>>>,
}

impl RuntimeSessions {
    pub fn new(place: Arc<ParsedUrl>) -> Result<RuntimeSessions> {
        let tls = tls::context(&place)?;
        Ok(RuntimeSessions { place, tls, altering: Default::default(), open: Default::default() })
    }

    /// The session of the current runtime, opened by the first client.
    pub async fn get(&self) -> Done<Arc<RuntimeSession>> {
        let slot = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            // A runtime ends with its step, and its session with it.
            open.retain(|_, slot| {
                Arc::strong_count(slot) > 1
                    || slot.try_lock().is_ok_and(|session| session.strong_count() > 0)
            });
            open.entry(Handle::current().id()).or_default().clone()
        };
        let mut slot = slot.lock().await;
        if let Some(session) = slot.upgrade() {
            return Ok(session);
        }
        let (place, tls) = (self.place.clone(), self.tls.clone());
        let session = Arc::new(RuntimeSession {
            connection: Connection::open(place, tls, self.altering.clone()).await?,
            tables: Default::default(),
        });
        *slot = Arc::downgrade(&session);
        Ok(session)
    }
}
