//! What a client costs beside the bare driver (Linux only): `cargo run --release -p hoap-databases
//! --features couchbase --example couchbase_speed -- [URL] [ROUNDS]`
//!
//! YCSB C and A's update, a record of ten fields by its key. Both sides use the official driver
//! with a cluster of their own, send the same operations in the same runtime and take turns, so
//! that a disturbance of the machine hits both. The bare loop reads a record as the driver's bytes
//! and looks at nothing in it. CPU-seconds are this thread's, in which the driver's tasks run too.
//! Without a URL (`couchbase://USER@HOST/BUCKET`, the password in `CB_PASSWORD`) the cluster is the
//! tests' script, in threads of its own.

mod common;

use hoap_testing::couchbase as service;
use std::hint::black_box;

use couchbase::authenticator::PasswordAuthenticator;
use couchbase::cluster::Cluster;
use couchbase::collection::Collection;
use couchbase::options::cluster_options::ClusterOptions;
use couchbase::subdoc::mutate_in_specs::MutateInSpec;
use hoap_databases::couchbase::Couchbase;

use common::beside::{Bare, Kind, Work, beside, client, sessions};
use common::{Any, with_records};

const RECORDS: u64 = 20_000;
const WORKS: [Work; 2] =
    [("read all fields", &[Kind::Read], 5_000), ("update one field", &[Kind::Update], 5_000)];
/// The scope of the records.
const SCOPE: &str = "speed";

fn main() -> std::process::ExitCode {
    common::main("couchbase_speed", run)
}

/// Where the cluster is, and who asks.
struct Place {
    hosts: String,
    bucket: String,
    user: String,
    password: String,
}

impl Place {
    fn read(url: &str, password: String) -> Option<Place> {
        let (user, rest) = url.strip_prefix("couchbase://")?.split_once('@')?;
        let (hosts, bucket) = rest.split_once('/')?;
        let [user, hosts, bucket] = [user, hosts, bucket].map(str::to_owned);
        Some(Place { hosts, bucket, user, password })
    }

    /// The records as the bare driver has them.
    async fn bare(&self) -> Result<(Cluster, Collection), Any> {
        let login = PasswordAuthenticator::new(&self.user, &self.password);
        let hosts = format!("couchbase://{}", self.hosts);
        let cluster = Cluster::connect(hosts, ClusterOptions::new(login.into())).await?;
        let bucket = cluster.bucket(self.bucket.as_str());
        bucket.wait_until_ready(None).await?;
        let collection = bucket.scope(SCOPE).collection("usertable");
        Ok((cluster, collection))
    }
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let (url, rounds) = match arguments {
        [url, rounds, ..] => (Some(url.clone()), rounds.parse()?),
        [one] if one.contains("://") => (Some(one.clone()), 15),
        [rounds] => (None, rounds.parse()?),
        [] => (None, 15),
    };
    // The script's threads end with the process.
    let (base, url, password) = match url {
        Some(url) => (url.clone(), url, std::env::var("CB_PASSWORD").unwrap_or_default()),
        None => {
            let script = service::Service::start();
            let url = script.place().replace("://", &format!("://{}@", service::USER));
            (script.url(), url, service::PASSWORD.to_owned())
        }
    };
    let place = Place::read(&url, password).ok_or("write couchbase://USER@HOST/BUCKET")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_databases::couchbase::open(&format!("{base}?scope={SCOPE}")).await?;
        with_records(&target, RECORDS, async || compare(&target, &place, rounds).await).await
    })
}

struct Collected(Collection);

impl Bare for Collected {
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

async fn compare(target: &Couchbase, place: &Place, rounds: usize) -> Result<(), Any> {
    let (_cluster, collection) = place.bare().await?;
    let mut sessions = sessions(target, 1).await?;
    let both = (&mut [Collected(collection)][..], &mut sessions[..]);
    beside((RECORDS, rounds, &WORKS), both, ["client"], client).await
}
