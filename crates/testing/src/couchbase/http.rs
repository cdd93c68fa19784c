//! The query service's REST API: one port a node. Every request is checked; what the module under
//! test would not send is refused with a message that no test expects.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::account::{BUCKET, PASSWORD, USER};
use super::faults::Act;
use super::parse::{Statement, parse};
use super::run::{Place, run};
use super::shared::{Shared, Stream};
use super::store::{Done, Refusal, refusal};

/// Serves a connection. Whoever is `known` by a certificate needs no password.
pub async fn serve(mut stream: impl Stream, known: bool, node: usize, shared: Arc<Shared>) {
    let mut buffer = Vec::new();
    loop {
        let Some((head, body)) = read(&mut stream, &mut buffer).await else { return };
        let line = head.lines().next().unwrap_or("").to_owned();
        let login = format!("Basic {}", STANDARD.encode(format!("{USER}:{PASSWORD}")));
        let header = |name: &str| {
            head.lines().find_map(|line| {
                let (n, value) = line.split_once(':')?;
                n.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        let known = known || header("authorization").as_deref() == Some(login.as_str());
        let (status, answer) = if !known {
            let error = json!({"code": 13014, "msg": "User does not have credentials"});
            (401, json!({"errors": [error], "status": "fatal"}))
        } else if line.starts_with("GET /admin/ping ") {
            (200, json!({}))
        } else if !line.starts_with("POST /query/service ")
            || header("content-type").as_deref() != Some("application/json")
        {
            (400, json!({"errors": [{"code": 1000, "msg": format!("{line}?")}]}))
        } else {
            let Ok(request) = serde_json::from_slice::<Value>(&body) else { return };
            let words = text_of(&request, node, &shared);
            let fault = {
                let mut faults = shared.faults.lock().unwrap();
                let at = faults.iter().position(|fault| words.contains(&fault.words));
                at.map(|at| faults.remove(at))
            };
            shared.seen.lock().unwrap().push((node, words, request.clone()));
            match fault.map(|fault| fault.act) {
                Some(Act::Cut) => return,
                Some(Act::Hang) => {
                    tokio::time::sleep(Duration::from_secs(60)).await;
                    return;
                }
                Some(Act::Answer(status, answer)) => (status, answer),
                Some(Act::CutAfter) => {
                    let _ = answer(&request, node, &shared);
                    return;
                }
                None => match answer(&request, node, &shared) {
                    Ok(answer) => (200, answer),
                    Err(Refusal(status, error)) => {
                        // A COMMIT that fails rolls back, which the service reports as a second
                        // error.
                        let second =
                            json!({"code": 17008, "msg": "Rollback Transaction statement error"});
                        let second = (error["code"] == 17007).then_some(second);
                        let errors: Vec<Value> = std::iter::once(error).chain(second).collect();
                        (status, json!({"results": [], "errors": errors, "status": "fatal"}))
                    }
                },
            }
        };
        let body = answer.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all((head + &body).as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut impl Stream, buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            let whole = end + 4 + length.unwrap_or(0usize);
            if buffer.len() >= whole {
                let rest = buffer.split_off(whole);
                let body = buffer[end + 4..].to_vec();
                *buffer = rest;
                return Some((head, body));
            }
        }
        let mut piece = [0u8; 16384];
        let count = stream.read(&mut piece).await.ok()?;
        if count == 0 {
            return None;
        }
        buffer.extend_from_slice(&piece[..count]);
    }
}

/// The text of the statement, prepared or not.
fn text_of(request: &Value, node: usize, shared: &Shared) -> String {
    match (request["statement"].as_str(), request["prepared"].as_str()) {
        (Some(text), _) => text.to_owned(),
        (_, Some(name)) => {
            let store = shared.store.lock().unwrap();
            store.prepared.get(&(node, name.to_owned())).cloned().unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Members that a request may have.
const MEMBERS: [&str; 11] = [
    "statement",
    "prepared",
    "args",
    "query_context",
    "timeout",
    "scan_consistency",
    "txid",
    "txstmtnum",
    "txtimeout",
    "kvtimeout",
    "durability_level",
];

fn duration(value: &Value) -> Option<Duration> {
    let milliseconds = value.as_str()?.strip_suffix("ms")?.parse().ok()?;
    Some(Duration::from_millis(milliseconds))
}

fn answer(request: &Value, node: usize, shared: &Shared) -> Done<Value> {
    let wrong = |what: &str| Err(refusal(400, 1065, format!("Unrecognized parameter: {what}")));
    let members = request.as_object().map(|m| m.keys().cloned().collect::<Vec<_>>());
    let members = members.unwrap_or_default();
    if let Some(other) = members.iter().find(|m| !MEMBERS.contains(&m.as_str())) {
        return wrong(other);
    }
    if duration(&request["timeout"]).is_none() {
        return wrong("timeout");
    }
    let text = text_of(request, node, shared);
    if text.is_empty() {
        return Err(refusal(404, 4040, "No such prepared statement"));
    }
    let statement = parse(&text).map_err(|e| refusal(400, 3000, e))?;
    let tx = request["txid"].as_str();
    let consistency = request["scan_consistency"].as_str();
    let begins = matches!(statement, Statement::Begin);
    match (tx.is_some(), consistency) {
        // A transaction's is said when it begins.
        (true, Some(_)) => return wrong("scan_consistency"),
        (false, Some("request_plus" | "not_bounded")) | (true, None) => {}
        // Before there is a scope the version is asked for.
        _ if text == "SELECT RAW DS_VERSION()" || text.contains("system:buckets") => {}
        _ => return wrong("scan_consistency"),
    }
    let context = request["query_context"].as_str().unwrap_or("");
    let scope = context.strip_prefix(&format!("default:`{BUCKET}`.`"));
    let scope = scope.and_then(|rest| rest.strip_suffix('`')).unwrap_or("");
    let levels = ["none", "majority", "majorityAndPersistActive", "persistToMajority"];
    let mut store = shared.store.lock().unwrap();
    if let Some(id) = tx {
        let number = request["txstmtnum"].as_u64();
        let number = number.ok_or_else(|| refusal(400, 1065, "txstmtnum is missing"))?;
        store.enter(id, node, number)?;
    }
    let results = match (&statement, tx) {
        (Statement::Begin, None) => {
            let level = request["durability_level"].as_str().unwrap_or("");
            let limit = duration(&request["txtimeout"]);
            let (true, Some(limit), Some(_)) =
                (levels.contains(&level), limit, duration(&request["kvtimeout"]))
            else {
                return wrong("durability_level, txtimeout or kvtimeout");
            };
            vec![json!({"txid": store.begin(node, limit)})]
        }
        (Statement::Commit, Some(id)) => {
            store.commit(id, scope)?;
            Vec::new()
        }
        (Statement::Rollback, Some(id)) => {
            store.roll_back(id);
            Vec::new()
        }
        (Statement::Begin | Statement::Commit | Statement::Rollback, _) => return wrong("txid"),
        (Statement::Prepare { name, text }, None) => {
            parse(text).map_err(|e| refusal(400, 3000, e))?;
            store.prepared.insert((node, name.clone()), text.clone());
            vec![json!({"name": name})]
        }
        (statement, _) => {
            let empty = Vec::new();
            let args = request["args"].as_array().unwrap_or(&empty);
            run(&mut store, statement, &Place { scope, tx, args })?
        }
    };
    debug_assert!(!begins || results.len() == 1);
    Ok(json!({"requestID": "script", "results": results, "status": "success"}))
}
