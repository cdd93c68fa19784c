//! Couchbase: the driver with a cluster of its own, which reads a record as bytes. The password is
//! in `CB_PASSWORD`.

use std::hint::black_box;

use couchbase::authenticator::PasswordAuthenticator;
use couchbase::cluster::Cluster;
use couchbase::collection::Collection;
use couchbase::options::cluster_options::ClusterOptions;
use couchbase::subdoc::mutate_in_specs::MutateInSpec;

use super::beside::{Client, Kind, Plan, Settings, Work, records};
use super::common::Any;

const WORKS: &[Work] = &[("read", Kind::Read, 5_000), ("update", Kind::Update, 5_000)];
/// The scope of the records.
const SCOPE: &str = "speed";

#[derive(Clone)]
struct Bare(Collection);

impl Client for Bare {
    async fn run(&mut self, kind: Kind, key: &str, value: &str) -> Result<(), Any> {
        if kind == Kind::Read {
            black_box(self.0.get(key, None).await?);
        } else {
            let set = [MutateInSpec::upsert("field5", value, None)?];
            black_box(self.0.mutate_in(key, &set, None).await?);
        }
        Ok(())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let form = "write couchbase://USER@HOST/BUCKET";
    let (user, place) =
        url.strip_prefix("couchbase://").and_then(|rest| rest.split_once('@')).ok_or(form)?;
    let (hosts, bucket) = place.split_once('/').ok_or(form)?;
    let plan = Plan { database: "Couchbase", records: 20_000, works: WORKS, settings };
    let login = PasswordAuthenticator::new(user, std::env::var("CB_PASSWORD")?);
    let hosts = format!("couchbase://{hosts}");
    let cluster = Cluster::connect(hosts, ClusterOptions::new(login.into())).await?;
    let bucket = cluster.bucket(bucket);
    bucket.wait_until_ready(None).await?;
    let bare = async |clients| Ok(vec![Bare(bucket.scope(SCOPE).collection("usertable")); clients]);
    records(&format!("{url}?scope={SCOPE}"), &plan, bare).await
}
