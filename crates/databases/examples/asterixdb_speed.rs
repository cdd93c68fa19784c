//! What a query costs beside a bare HTTP client: `cargo run --release -p hoap-databases --features
//! asterixdb --example asterixdb_speed -- URL [QUERIES]`
//!
//! Both sides send the same trivial query with the same settings over one connection, in turns of
//! fifty, so that a disturbance of the machine hits both. The bare loop reads the answer and takes
//! nothing apart.

mod common;

use std::time::Instant;

use hoap_workload::capability::Target;
use serde_json::json;

use common::Any;

const TEXT: &str = "SELECT 1 AS one";
const TURN: usize = 50;

fn main() -> std::process::ExitCode {
    common::main("asterixdb_speed", run)
}

fn run(arguments: &[String]) -> Result<(), Any> {
    let url = arguments.first().ok_or("name a database by its URL")?;
    let queries: usize = arguments.get(1).map_or(Ok(1000), |n| n.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let target = hoap_databases::asterixdb::open(url).await?;
        target.documents().map_err(hoap_workload::Error::from)?.create(&[]).await?;
        let analytics = target.analytics().map_err(hoap_workload::Error::from)?;
        let mut session = analytics.session().await?;
        let rest = url.split_once("://").ok_or("no host")?.1;
        let (host, dataverse) = rest.split_once('/').ok_or("no dataverse")?;
        let endpoint = format!("http://{host}/query/service");
        let dataverse = dataverse.split('?').next().unwrap_or_default();
        let body = json!({
            "statement": TEXT, "dataverse": dataverse, "readonly": true, "multi-statement": false,
            "client-type": "jdbc", "signature": true, "client_context_id": "bare",
        });
        let body = body.to_string();
        let bare = reqwest::Client::builder().no_proxy().build()?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // The first turn of each warms up.
        for turn in 0..=queries.div_ceil(TURN) {
            for _ in 0..TURN {
                let start = Instant::now();
                let answer = session.query(TEXT, &[]).await?;
                if answer.rows.len() != 1 {
                    return Err("the answer is not one row".into());
                }
                if turn > 0 {
                    ours.push(start.elapsed().as_secs_f64() * 1e3);
                }
            }
            for _ in 0..TURN {
                let start = Instant::now();
                let post = bare.post(&endpoint).header("content-type", "application/json");
                let answer =
                    post.body(body.clone()).send().await?.error_for_status()?.bytes().await?;
                std::hint::black_box(answer);
                if turn > 0 {
                    theirs.push(start.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        let quantile = |times: &mut Vec<f64>, q: f64| {
            times.sort_by(f64::total_cmp);
            times[((times.len() - 1) as f64 * q) as usize]
        };
        println!("quantile\tsession ms\tbare ms\tdifference ms");
        for q in [0.1, 0.5, 0.9] {
            let (a, b) = (quantile(&mut ours, q), quantile(&mut theirs, q));
            println!("{q}\t{a:.3}\t{b:.3}\t{:.3}", a - b);
        }
        Ok(())
    })
}
