//! AsterixDB: a query that touches nothing, with a session's settings, by an HTTP client that takes
//! nothing in the answer apart.

use std::hint::black_box;

use hoap_database::AnalyticalSession;
use hoap_databases::open;
use serde_json::json;

use super::beside::{Client, Kind, Plan, Settings, Work, beside};
use super::common::Any;

const WORKS: &[Work] = &[("query", Kind::Query, 100)];
const TEXT: &str = "SELECT 1 AS one";

struct Bare<'a> {
    http: &'a reqwest::Client,
    endpoint: &'a str,
    body: &'a str,
}

impl Client for Bare<'_> {
    async fn run(&mut self, _: Kind, _: &str, _: &str) -> Result<(), Any> {
        let post = self.http.post(self.endpoint).header("content-type", "application/json");
        let answer = post.body(self.body.to_owned()).send().await?.error_for_status()?;
        black_box(answer.bytes().await?);
        Ok(())
    }
}

struct Session(AnalyticalSession);

impl Client for Session {
    async fn run(&mut self, _: Kind, _: &str, _: &str) -> Result<(), Any> {
        let answer = self.0.query(TEXT, &[]).await?;
        (answer.rows.len() == 1).then_some(()).ok_or_else(|| "the answer is not one row".into())
    }
}

pub async fn compare(url: &str, settings: &Settings) -> Result<(), Any> {
    let plan = Plan { database: "AsterixDB", records: 1, works: WORKS, settings };
    let target = open(url).await?;
    target.documents().map_err(hoap_workload::Error::from)?.create(&[]).await?;
    let analytics = target.analytics().map_err(hoap_workload::Error::from)?;
    let rest = url.split_once("://").ok_or("no host")?.1;
    let (host, dataverse) = rest.split_once('/').ok_or("no dataverse")?;
    let body = json!({
        "statement": TEXT, "dataverse": dataverse.split('?').next(), "readonly": true,
        "multi-statement": false, "client-type": "jdbc", "signature": true,
        "client_context_id": "bare",
    });
    let (endpoint, body) = (format!("http://{host}/query/service"), body.to_string());
    let http = reqwest::Client::builder().no_proxy().build()?;
    let (mut bare, mut sessions) = (Vec::new(), Vec::new());
    for _ in 0..plan.settings.clients() {
        bare.push(Bare { http: &http, endpoint: &endpoint, body: &body });
        sessions.push(Session(analytics.session().await?));
    }
    beside(&plan, &mut bare, &mut sessions).await
}
