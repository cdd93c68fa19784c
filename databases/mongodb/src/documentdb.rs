//! DocumentDB: an extension of PostgreSQL behind a gateway that speaks MongoDB's protocol.
//!
//! It answers `hello` as a router of a sharded cluster and `buildInfo` with the version of MongoDB
//! whose protocol it speaks. Seen with 0.108, whose source the statements here are from.
//!
//! * Read concern `snapshot` of a transaction is PostgreSQL's REPEATABLE READ, any other one
//!   READ COMMITTED, which loses updates. Write concerns are taken and not used.
//! * Its errors have no labels. What it does not translate is PostgreSQL's SQLSTATE, packed into a
//!   number ([`sqlstate`](super::sqlstate::sqlstate)).
//! * A failed write does not end the transaction: the client aborts it.
//! * A commit whose transaction the gateway no longer knows may have been applied: the gateway
//!   itself tries again where it lost PostgreSQL, and then finds none.
//! * An operation of a transaction that lost PostgreSQL is tried again for
//!   `PostgresCommandTimeoutSecs`, also once the transaction was aborted or has expired; then it is
//!   applied alone. No client can prevent that; the checks after a run see it.
//! * `find` without an order continues at a place in the table: after updates, the next part of its
//!   answer may repeat a document.

use hoap_database::failure::Failure;
use hoap_record::ErrorKind;
use mongodb::bson::{Bson, Document};
use mongodb::error::{Error as DriverError, ErrorKind as Kind};

use super::error;

/// What the gateway's `hello` says of DocumentDB.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gateway {
    /// The versions of its parts, as it gives them; empty where it gives none, as 0.108.
    pub versions: String,
}

/// The gateway, where a server is one: no MongoDB has a member `internal` in its `hello`.
pub(super) fn gateway(hello: &Document) -> Option<Gateway> {
    let internal = hello.get_document("internal").ok()?;
    let versions = ["documentdb_versions", "cosmos_versions"];
    let versions = versions.iter().find_map(|name| internal.get_array(name).ok());
    let versions = versions.into_iter().flatten().filter_map(Bson::as_str);
    Some(Gateway { versions: versions.collect::<Vec<_>>().join(", ") })
}

/// The failure of a commit.
pub(super) fn committing(e: DriverError) -> Failure {
    let unknown = matches!(e.kind.as_ref(), Kind::Command(c) if c.code == NO_SUCH_TRANSACTION);
    let failure = error::failure(e);
    if unknown { Failure { kind: ErrorKind::Unavailable, ..failure }.unsure() } else { failure }
}

const NO_SUCH_TRANSACTION: i32 = 251;

#[cfg(test)]
mod tests {
    use mongodb::bson::doc;

    use super::*;

    #[test]
    fn a_gateway_is_known_by_what_mongodb_does_not_say() {
        assert_eq!(gateway(&doc! {"msg": "isdbgrid", "maxWireVersion": 25}), None);
        let of = |internal: Document| gateway(&doc! {"msg": "isdbgrid", "internal": internal});
        assert_eq!(of(doc! {}), Some(Gateway::default()));
        let later = of(doc! {"documentdb_versions": ["0.117-0", "0.117.0"], "kind": ""});
        assert_eq!(later.unwrap().versions, "0.117-0, 0.117.0");
    }
}
