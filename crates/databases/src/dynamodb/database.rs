//! The handle that [`super::open`] returns.

use std::sync::Arc;

use hoap_record::Description;
use hoap_workload::Result;
use hoap_workload::capability::{Applicable, NotApplicable};

use super::describe;
use super::options::Place;
use super::server::Server;
use crate::{Remote, RemoteKeyValue};

/// DynamoDB in a region. Clones are the same one.
#[derive(Clone)]
pub struct DynamoDb {
    pub(super) server: Arc<Server>,
    pub(super) description: Arc<Description>,
}

impl DynamoDb {
    /// Asks the service which tables of the prefix there are.
    pub(super) async fn open(place: Place) -> Result<DynamoDb> {
        let server = Arc::new(Server::new(place).await);
        let description = Arc::new(describe::describe(&server).await?);
        Ok(DynamoDb { server, description })
    }

    /// With what it lacks, and why.
    pub(crate) fn remote(self) -> Remote {
        let because =
            "its indexes hold no nested field such as address.country, and it has no join";
        let target = Arc::new(self);
        Remote {
            key_value: Ok(RemoteKeyValue::new(target.clone())),
            target,
            pages: not_applicable("pagination and join", because),
            joins: not_applicable("pagination and join", because),
        }
    }
}

pub(super) fn not_applicable<T>(capability: &'static str, because: &'static str) -> Applicable<T> {
    Err(NotApplicable { capability, database: describe::NAME.to_owned(), because })
}
