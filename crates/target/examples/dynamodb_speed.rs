//! What an operation on records costs through a session, beside the bare driver, against a service
//! that runs (Linux only):
//! `cargo run --release -p hoap-target --features dynamodb --example dynamodb_speed -- URL [CLIENTS] [ROUNDS]`
//!
//! Both send the same requests by the same version of AWS's driver with the same settings, in turns, so
//! that a disturbance of the machine hits both. The bare loop looks at no answer and keeps no buffer.
//! CPU-seconds are this thread's, on which the driver's tasks run too. The credentials are those of
//! the environment.

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
use futures_util::future::try_join_all;
use hoap_workload::capability::Target;
use hoap_workload::capability::key_value::{Fields, KeyValue, KeyValueSession, Record, Table};

use common::{Any, FIELDS, LENGTH, cpu_seconds, keys, load, median, value};

const RECORDS: usize = 5_000;
const PREFIX: &str = "hoap-speed";
const TABLE: &str = "hoap-speed.usertable";

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
        let target = hoap_target::dynamodb::open(&format!("{url}{joint}prefix={PREFIX}")).await?;
        let documents = target.documents().map_err(hoap_workload::Error::from)?;
        documents.drop(&["usertable"]).await?;
        load(&target, RECORDS as u64).await?;
        println!("{RECORDS} records of {FIELDS} x {LENGTH} bytes, {clients} clients");
        let compared = compare(&target, url, clients, rounds).await;
        documents.drop(&["usertable"]).await?;
        compared
    })
}

/// What is done, and how often in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ReadAll,
    ReadOne,
    Update,
}

const KINDS: [(Kind, &str, usize); 3] = [
    (Kind::ReadAll, "read all fields: GetItem", 2_000),
    (Kind::ReadOne, "read one field: GetItem", 2_000),
    (Kind::Update, "update: UpdateItem PUT", 2_000),
];

/// CPU-seconds of the turns of one kind, bare and through a session.
#[derive(Default)]
struct Turns {
    bare: Vec<f64>,
    session: Vec<f64>,
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
    target: &hoap_target::dynamodb::DynamoDb,
    url: &str,
    clients: usize,
    rounds: usize,
) -> Result<(), Any> {
    let fields: Vec<String> = (0..FIELDS).map(|n| format!("field{n}")).collect();
    let table = Table { name: "usertable".to_owned(), fields };
    let driver = &bare(url).await?;
    let mut sessions = Vec::new();
    for _ in 0..clients {
        sessions.push(KeyValue::session(target, &table).await?);
    }
    let keys = keys(RECORDS as u64);
    let (keys, new) = (&keys, &value(u64::MAX / 16));
    let mut turns: [Turns; KINDS.len()] = Default::default();
    for round in 0..=rounds {
        for ((kind, _, operations), turns) in KINDS.into_iter().zip(&mut turns) {
            let share = operations / clients;
            let start = cpu_seconds()?;
            try_join_all((0..clients).map(|at| async move {
                for i in 0..share {
                    bare_operation(driver, kind, &keys[(at * share + i) % RECORDS], new).await?;
                }
                Ok::<_, aws_sdk_dynamodb::Error>(())
            }))
            .await?;
            let middle = cpu_seconds()?;
            try_join_all(sessions.iter_mut().enumerate().map(|(at, session)| async move {
                let mut record = Record::default();
                for i in 0..share {
                    let key = &keys[(at * share + i) % RECORDS];
                    match kind {
                        Kind::ReadAll => session.read(key, Fields::All, &mut record).await?,
                        Kind::ReadOne => session.read(key, Fields::One(5), &mut record).await?,
                        Kind::Update => {
                            record.clear();
                            record.push(5, |out| out.extend_from_slice(new.as_bytes()));
                            session.update(key, &record).await?
                        }
                    };
                    black_box(&record);
                }
                Ok::<_, hoap_workload::Error>(())
            }))
            .await?;
            // The first round makes the connections.
            if round > 0 {
                turns.bare.push(middle - start);
                turns.session.push(cpu_seconds()? - middle);
            }
        }
    }
    println!("medians of {rounds} turns, CPU-microseconds an operation; ratio of each turn");
    for ((_, name, operations), turns) in KINDS.into_iter().zip(&turns) {
        let operations = (operations / clients * clients) as f64;
        let ratios = turns.session.iter().zip(&turns.bare).map(|(s, b)| s / b).collect();
        println!(
            "{name:26} bare {:7.2}  session {:7.2}  ratio {:.3}",
            median(turns.bare.clone()) / operations * 1e6,
            median(turns.session.clone()) / operations * 1e6,
            median(ratios),
        );
    }
    Ok(())
}

/// An operation as a user of the driver would write it.
async fn bare_operation(
    driver: &Client,
    kind: Kind,
    key: &str,
    new: &str,
) -> Result<(), aws_sdk_dynamodb::Error> {
    let id = AttributeValue::S(key.to_owned());
    match kind {
        Kind::ReadAll | Kind::ReadOne => {
            let mut request = driver
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
        Kind::Update => {
            let there =
                ExpectedAttributeValue::builder().comparison_operator(ComparisonOperator::NotNull);
            let update = AttributeValueUpdate::builder()
                .value(AttributeValue::S(new.to_owned()))
                .action(AttributeAction::Put);
            let request = driver
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
