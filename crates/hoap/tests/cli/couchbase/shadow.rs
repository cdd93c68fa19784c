//! An Analytics service whose collections follow those of the scripted cluster, some documents at a
//! time, as real ones do by DCP. It answers the statements that `hoap` sends it and refuses all
//! others; the 22 queries have the answers that it is given, whatever their parameters are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hoap_workload::answers::AnswerFile;
use serde_json::{Map, Value, json};

use super::analytics::{AnalyticsRequest, Service, error, rows, table};
use super::cluster::{self, BUCKET, PASSWORD, USER};

/// Documents of a collection that it takes in at once, and how often it does.
const AT_ONCE: usize = 500;
const EVERY: Duration = Duration::from_millis(30);
/// While it is asked how fresh it is, it rests until it was asked so often since it last took
/// something in: each probe but one of these sees it behind, however slow the machine is.
const PROBES: u32 = 3;
/// After that long without a probe, none is coming.
const PROBED: Duration = Duration::from_secs(2);

/// A shadowed collection: the CAS and the text of each document as they were taken in.
type Collection = BTreeMap<String, (u64, Vec<u8>)>;

#[derive(Default)]
struct State {
    collections: BTreeMap<String, Collection>,
    /// Those whose link was connected after they were made.
    connected: BTreeSet<String>,
    held: bool,
    /// The probes since it last took something in, and when the last one came.
    probed: Option<(u32, Instant)>,
    analyzed: BTreeSet<String>,
    /// The text of each query, and its answer.
    answers: Vec<(String, AnswerFile)>,
    /// The query that fails.
    fails: Option<u8>,
    asked: BTreeMap<u8, u64>,
}

/// The service of one scope.
pub struct Shadow {
    service: Service,
    scope: String,
    state: Arc<Mutex<State>>,
}

impl Shadow {
    pub fn start(cluster: &cluster::Service, scope: &str) -> Shadow {
        let state = Arc::<Mutex<State>>::default();
        let (source, place) = (cluster.0.clone(), scope.to_owned());
        let follower = Arc::downgrade(&state);
        std::thread::spawn(move || follow(&follower, &source, &place));
        let (source, place, known) = (cluster.0.clone(), scope.to_owned(), state.clone());
        let service = Service::new(move |asked| answer(asked, &source, &place, &known));
        Shadow { service, scope: scope.to_owned(), state }
    }

    /// Its URL, with the user and without the password.
    pub fn url(&self) -> String {
        let place = &self.service.place;
        format!("couchbase-analytics://{USER}@{place}/{BUCKET}.{}?service=server", self.scope)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Takes nothing in while it is held.
    pub fn hold(&self, held: bool) {
        self.state().held = held;
    }

    /// Answers the query of this text so.
    pub fn answers(&self, text: &str, answer: AnswerFile) {
        self.state().answers.push((text.to_owned(), answer));
    }

    /// This query fails from now on.
    pub fn fails(&self, query: u8) {
        self.state().fails = Some(query);
    }

    /// How often each query was asked.
    pub fn asked(&self) -> BTreeMap<u8, u64> {
        self.state().asked.clone()
    }

    /// The collections of which statistics were gathered.
    pub fn analyzed(&self) -> BTreeSet<String> {
        self.state().analyzed.clone()
    }
}

/// Takes in what changed, in the order in which it did, as long as anybody wants to know.
fn follow(state: &Weak<Mutex<State>>, source: &cluster::Shared, scope: &str) {
    while let Some(state) = state.upgrade() {
        take_in(&mut state.lock().unwrap(), source, scope);
        drop(state);
        std::thread::sleep(EVERY);
    }
}

fn take_in(state: &mut State, source: &cluster::Shared, scope: &str) {
    let rests = |(probes, last): (u32, Instant)| probes < PROBES && last.elapsed() < PROBED;
    if state.held || state.probed.is_some_and(rests) {
        return;
    }
    state.probed = None;
    let State { collections, connected, .. } = state;
    let mut store = source.store.lock().unwrap();
    for (name, shadow) in collections.iter_mut().filter(|(name, _)| connected.contains(*name)) {
        let Ok(there) = store.collection(scope, name) else { continue };
        shadow.retain(|key, _| there.documents.contains_key(key));
        let mut changed: Vec<_> = there
            .documents
            .iter()
            .filter(|(key, d)| shadow.get(*key).is_none_or(|(cas, _)| *cas != d.cas))
            .map(|(key, d)| (d.cas, key, &d.text))
            .collect();
        changed.sort_unstable_by_key(|(cas, ..)| *cas);
        for (cas, key, text) in changed.into_iter().take(AT_ONCE) {
            shadow.insert(key.clone(), (cas, text.clone()));
        }
    }
}

/// The report of Couchbase Server's `/analytics/status/ingestion`.
fn ingestion(state: &State, source: &cluster::Shared, scope: &str) -> Value {
    let mut store = source.store.lock().unwrap();
    let full = format!("{BUCKET}/{scope}");
    let mut states = Vec::new();
    for (name, shadow) in &state.collections {
        let Ok(there) = store.collection(scope, name) else { continue };
        let all = there.documents.len();
        let same = |(key, (cas, _)): &(&String, &(u64, Vec<u8>))| {
            there.documents.get(*key).is_some_and(|d| d.cas == *cas)
        };
        let taken = shadow.iter().filter(same).count();
        let progress = if all == 0 { 1.0 } else { taken as f64 / all as f64 };
        let scopes = json!([{"name": full, "collections": [{"name": name}]}]);
        states.push(
            json!({"timestamp": 1_631_107_234_921u64, "progress": progress, "scopes": scopes}),
        );
    }
    json!({"links": [{"name": "Local", "scope": full, "status": "healthy", "state": states}]})
}

/// The last name between backticks before a mark.
fn name_before<'a>(text: &'a str, mark: &str) -> &'a str {
    let before = text.split(mark).next().unwrap_or("");
    before.trim_end().trim_end_matches('`').rsplit('`').next().unwrap_or("")
}

fn answer(
    asked: &AnalyticsRequest,
    source: &cluster::Shared,
    scope: &str,
    state: &Mutex<State>,
) -> (u16, String) {
    let login = format!("Basic {}", STANDARD.encode(format!("{USER}:{PASSWORD}")));
    if asked.authorization != login {
        return error(401, 20000, "Unauthorized user.");
    }
    let mut state = state.lock().unwrap();
    match asked.line.as_str() {
        "GET /analytics/status/ingestion" => {
            return (200, ingestion(&state, source, scope).to_string());
        }
        "POST /analytics/service" => {}
        other if other.starts_with("DELETE /analytics/admin/active_requests?") => {
            return (404, String::new());
        }
        other => return error(404, 21012, other),
    }
    let text = asked.statement();
    let wrong = || error(400, 24000, &format!("Syntax error: {text}"));
    if text == "SELECT VALUE 1" {
        return rows(json!([1]));
    }
    if text.contains("Metadata.`Dataset`") {
        let wanted = asked.body["$names"].as_array().cloned().unwrap_or_default();
        let there = |name: &Value| name.as_str().is_some_and(|n| state.collections.contains_key(n));
        return rows(wanted.into_iter().filter(there).collect());
    }
    if text.starts_with("CREATE ANALYTICS SCOPE ") {
        return rows(json!([]));
    }
    if text.starts_with("CREATE ANALYTICS COLLECTION IF NOT EXISTS ") {
        let (name, of) = (name_before(text, " ON "), name_before(text, " AT "));
        if name != of || !text.ends_with("AT `Local`") {
            return wrong();
        }
        if source.store.lock().unwrap().collection(scope, name).is_err() {
            return error(
                400,
                24125,
                &format!("Collection {name} does not exist in the data service"),
            );
        }
        state.collections.entry(name.to_owned()).or_default();
        return rows(json!([]));
    }
    if text == format!("CONNECT LINK `{BUCKET}`.`{scope}`.`Local`") {
        state.connected = state.collections.keys().cloned().collect();
        return rows(json!([]));
    }
    if text.starts_with("ANALYZE ANALYTICS COLLECTION ") {
        state.analyzed.insert(name_before(text, " WITH ").to_owned());
        return rows(json!([]));
    }
    let from = |name: &str| format!(" FROM `{BUCKET}`.`{scope}`.`{name}` AS ");
    let document = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap_or_default();
    if text.contains(&from("hoap_notes")) {
        let notes = state.collections.get("hoap_notes");
        let note = notes.and_then(|notes| notes.get("note"));
        return rows(note.iter().map(|(_, text)| document(text)).collect());
    }
    if text == format!("SELECT VALUE [meta(c).id, c.`committed`]{}c", from("freshness")) {
        let probes = state.probed.map_or(0, |(probes, _)| probes);
        state.probed = Some((probes + 1, Instant::now()));
        let Some(counters) = state.collections.get("freshness") else {
            return error(404, 24025, "Cannot find analytics collection freshness");
        };
        let row = |(key, (_, text)): (&String, &(u64, Vec<u8>))| {
            json!([key, document(text)["committed"]])
        };
        return rows(counters.iter().map(row).collect());
    }
    let Some(at) = state.answers.iter().position(|(of, _)| of == text) else { return wrong() };
    let number = state.answers[at].1.query;
    *state.asked.entry(number).or_default() += 1;
    if state.fails == Some(number) {
        // The node is lost in the middle of its answer.
        return (0, String::new());
    }
    let AnswerFile { columns, rows, .. } = &state.answers[at].1;
    let object = |row: &Vec<Value>| -> Value {
        let pairs = columns.iter().cloned().zip(row.iter().cloned());
        pairs.collect::<Map<_, _>>().into()
    };
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    table(&names, rows.iter().map(object).collect())
}
