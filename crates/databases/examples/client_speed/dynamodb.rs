//! DynamoDB: AWS's driver with the settings that a session has by default, each request as a user
//! of the driver would write it. The credentials are those of the environment.

use std::hint::black_box;
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use aws_sdk_dynamodb::types::{
    AttributeAction, AttributeValue, AttributeValueUpdate, ComparisonOperator,
    ExpectedAttributeValue, ReturnConsumedCapacity,
};

use super::beside::{Client, Kind, Plan, Settings, Work, records};
use super::common::Any;

const WORKS: &[Work] = &[
    ("read", Kind::Read, 2_000),
    ("read one field", Kind::ReadOne, 2_000),
    ("update", Kind::Update, 2_000),
];
const PREFIX: &str = "hoap-speed";
const TABLE: &str = "hoap-speed.usertable";

#[derive(Clone)]
struct Bare(aws_sdk_dynamodb::Client);

impl Bare {
    async fn new(url: &str) -> Result<Bare, Any> {
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
        Ok(Bare(aws_sdk_dynamodb::Client::new(&loader.load().await)))
    }
}

impl Client for Bare {
    async fn run(&mut self, kind: Kind, key: &str, new: &str) -> Result<(), Any> {
        let id = AttributeValue::S(key.to_owned());
        if kind == Kind::Update {
            let there =
                ExpectedAttributeValue::builder().comparison_operator(ComparisonOperator::NotNull);
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
            return Ok(());
        }
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
        Ok(())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let plan = Plan { database: "DynamoDB", records: 5_000, works: WORKS, settings };
    let joint = if url.contains('?') { '&' } else { '?' };
    let bare = async |clients| Ok(vec![Bare::new(url).await?; clients]);
    records(&format!("{url}{joint}prefix={PREFIX}"), &plan, bare).await
}
