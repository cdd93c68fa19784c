//! What an operation on records costs through a session, beside the bare driver, against a service
//! that runs (Linux only): `cargo run --release -p hoap-databases --features dynamodb --example
//! dynamodb_speed -- URL [CLIENTS] [ROUNDS]`
//!
//! Both send the same requests by the same version of AWS's driver with the same settings, in
//! turns, so that a disturbance of the machine hits both. The bare loop looks at no answer and
//! keeps no buffer. CPU-seconds are this thread's, on which the driver's tasks run too. The
//! credentials are those of the environment.

mod common;

use std::hint::black_box;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use aws_sdk_dynamodb::types::{
    AttributeAction, AttributeValue, AttributeValueUpdate, ComparisonOperator,
    ExpectedAttributeValue, ReturnConsumedCapacity,
};

use common::beside::{Bare, Kind, Work, beside, client, sessions};
use common::{Any, with_records};

const RECORDS: u64 = 5_000;
const PREFIX: &str = "hoap-speed";
const TABLE: &str = "hoap-speed.usertable";
const WORKS: [Work; 3] = [
    ("read all fields: GetItem", &[Kind::Read], 2_000),
    ("read one field: GetItem", &[Kind::ReadOne], 2_000),
    ("update: UpdateItem PUT", &[Kind::Update], 2_000),
];

fn main() -> std::process::ExitCode {
    common::main("dynamodb_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a URL, dynamodb://REGION[?endpoint=…]")?;
    let clients = arguments.get(1).map_or(Ok(1), |n| n.parse())?;
    let rounds = arguments.get(2).map_or(Ok(15), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let joint = if url.contains('?') { '&' } else { '?' };
        let target =
            hoap_databases::dynamodb::open(&format!("{url}{joint}prefix={PREFIX}")).await?;
        with_records(&target, RECORDS, async || compare(&target, url, clients, rounds).await).await
    })
}

/// The driver with the settings that a target has by default.
async fn bare(url: &str) -> Result<Client, Any> {
    let (region, options) = url.split_once('?').unwrap_or((url, ""));
    let region = region.strip_prefix("dynamodb://").ok_or("a URL is dynamodb://REGION")?;
    let limit = Duration::from_secs(10);
    let timeout = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(3))
        .read_timeout(limit)
        .operation_attempt_timeout(limit)
        .build();
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .region(Region::new(region.to_owned()))
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeout);
    for endpoint in options.split('&').filter_map(|pair| pair.strip_prefix("endpoint=")) {
        loader = loader.endpoint_url(endpoint);
    }
    Ok(Client::new(&loader.load().await))
}

async fn compare(
    target: &hoap_databases::dynamodb::DynamoDb,
    url: &str,
    clients: usize,
    rounds: usize,
) -> Result<(), Any> {
    let mut bare = vec![Requests(bare(url).await?); clients];
    let mut sessions = sessions(target, clients).await?;
    beside((RECORDS, rounds, &WORKS), (&mut bare, &mut sessions), ["client"], client).await
}

#[derive(Clone)]
struct Requests(Client);

impl Bare for Requests {
    /// An operation as a user of the driver would write it.
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let id = AttributeValue::S(key.to_owned());
        match kind {
            Kind::Read | Kind::ReadOne | Kind::Scan => {
                let mut request = self
                    .0
                    .get_item()
                    .table_name(TABLE)
                    .key("_key", id)
                    .consistent_read(false)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                if kind == Kind::ReadOne {
                    request = request
                        .projection_expression("#0,#1")
                        .expression_attribute_names("#0", "_key")
                        .expression_attribute_names("#1", "field5");
                }
                black_box(request.send().await?);
            }
            Kind::Update | Kind::UpdateOtherwise => {
                let there = ExpectedAttributeValue::builder()
                    .comparison_operator(ComparisonOperator::NotNull);
                let update = AttributeValueUpdate::builder()
                    .value(AttributeValue::S(new.to_owned()))
                    .action(AttributeAction::Put);
                let request = self
                    .0
                    .update_item()
                    .table_name(TABLE)
                    .key("_key", id)
                    .expected("_key", there.build())
                    .attribute_updates("field5", update.build())
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                black_box(request.send().await?);
            }
        }
        Ok(())
    }
}
