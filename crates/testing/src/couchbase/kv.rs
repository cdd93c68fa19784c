//! The data service: Couchbase's binary protocol as far as the driver speaks it here. One node with
//! all vBuckets; collections; SCRAM, PLAIN where there is TLS; sub-documents of one step. No
//! compression, no mutation tokens.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::account::{BUCKET, PASSWORD, USER};
use super::scram;
use super::shared::{Shared, Stream};
use super::store::Collection;

const VBUCKETS: usize = 64;

const OK: u16 = 0;
const NOT_FOUND: u16 = 0x01;
const EXISTS: u16 = 0x02;
const INVALID: u16 = 0x04;
const AUTH_ERROR: u16 = 0x20;
const AUTH_CONTINUE: u16 = 0x21;
const NO_ACCESS: u16 = 0x24;
const UNKNOWN_COMMAND: u16 = 0x81;
const UNKNOWN_COLLECTION: u16 = 0x88;
const TEMPORARY: u16 = 0x86;
const IMPOSSIBLE: u16 = 0xa1;
const PATH_NOT_FOUND: u16 = 0xc0;
const PATHS_FAILED: u16 = 0xcc;

/// Features of HELLO that it has: xattr, xerror, select bucket, JSON, unordered execution,
/// synchronous replication, collections, and other frames of requests.
const FEATURES: [u16; 9] = [0x06, 0x07, 0x08, 0x0b, 0x0e, 0x10, 0x11, 0x12, 0x14];

struct Request {
    code: u8,
    opaque: u32,
    cas: u64,
    extras: Vec<u8>,
    key: Vec<u8>,
    value: Vec<u8>,
    durability: Option<u8>,
}

#[derive(Default)]
struct Answer {
    status: u16,
    cas: u64,
    extras: Vec<u8>,
    value: Vec<u8>,
}

fn status(status: u16) -> Answer {
    Answer { status, ..Answer::default() }
}

/// What a connection has come to.
#[derive(Default)]
struct Login {
    begun: Option<scram::Begun>,
    done: bool,
    bucket: bool,
}

/// Serves a connection. Whoever is `known` by a certificate needs no password.
pub async fn serve(mut stream: impl Stream, known: bool, shared: Arc<Shared>) {
    let mut login = Login { done: known, ..Login::default() };
    while let Ok(request) = read(&mut stream).await {
        if request.code == 0x07 {
            return;
        }
        if shared.kv_hangs.load(std::sync::atomic::Ordering::SeqCst)
            && (0x00..=0x05).contains(&request.code)
        {
            continue;
        }
        let answer = answer(&request, &mut login, &shared);
        let mut head = [0u8; 24];
        head[0] = 0x81;
        head[1] = request.code;
        head[4] = answer.extras.len() as u8;
        head[6..8].copy_from_slice(&answer.status.to_be_bytes());
        let body = answer.extras.len() + answer.value.len();
        head[8..12].copy_from_slice(&(body as u32).to_be_bytes());
        head[12..16].copy_from_slice(&request.opaque.to_be_bytes());
        head[16..24].copy_from_slice(&answer.cas.to_be_bytes());
        let whole = [&head[..], &answer.extras, &answer.value].concat();
        if stream.write_all(&whole).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut impl Stream) -> std::io::Result<Request> {
    let mut head = [0u8; 24];
    stream.read_exact(&mut head).await?;
    let number =
        |from: usize, to: usize| head[from..to].iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
    // The other magic has frames before the extras.
    let (frames, key) = match head[0] {
        0x08 => (usize::from(head[2]), usize::from(head[3])),
        _ => (0, number(2, 4) as usize),
    };
    let extras = usize::from(head[4]);
    let mut body = vec![0u8; number(8, 12) as usize];
    stream.read_exact(&mut body).await?;
    let value = body.split_off(frames + extras + key);
    let key = body.split_off(frames + extras);
    let extras = body.split_off(frames);
    // Frame 1 is the durability: a level, and a time limit perhaps.
    let durability =
        body.first().filter(|first| **first >> 4 == 1).and_then(|_| body.get(1).copied());
    Ok(Request {
        code: head[1],
        opaque: number(12, 16) as u32,
        cas: number(16, 24),
        extras,
        key,
        value,
        durability,
    })
}

fn answer(request: &Request, login: &mut Login, shared: &Shared) -> Answer {
    let text = String::from_utf8_lossy(&request.value).into_owned();
    match request.code {
        // HELLO
        0x1f => {
            let asked = request.value.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            let has = asked.filter(|feature| FEATURES.contains(feature));
            Answer { value: has.flat_map(u16::to_be_bytes).collect(), ..Answer::default() }
        }
        // The map of errors
        0xfe => Answer {
            value: json!({"version": 2, "revision": 1, "errors": {}}).to_string().into_bytes(),
            ..Answer::default()
        },
        // The list of mechanisms, the first message, the last one
        0x20 => Answer { value: b"SCRAM-SHA512 PLAIN".to_vec(), ..Answer::default() },
        0x21 if request.key == b"PLAIN" => {
            login.done = shared.tls && text == format!("\0{USER}\0{PASSWORD}");
            status(if login.done { OK } else { AUTH_ERROR })
        }
        0x21 => match scram::begin(&text) {
            Some((begun, answer)) if request.key == b"SCRAM-SHA512" => {
                login.begun = Some(begun);
                Answer { status: AUTH_CONTINUE, value: answer.into_bytes(), ..Answer::default() }
            }
            _ => status(AUTH_ERROR),
        },
        0x22 => {
            let begun = login.begun.take();
            match begun.and_then(|begun| scram::finish(&begun, &text, USER, PASSWORD)) {
                Some(answer) => {
                    login.done = true;
                    Answer { value: answer.into_bytes(), ..Answer::default() }
                }
                None => status(AUTH_ERROR),
            }
        }
        _ if !login.done => status(NO_ACCESS),
        // SELECT_BUCKET
        0x89 if request.key == BUCKET.as_bytes() => {
            login.bucket = true;
            status(OK)
        }
        0x89 => status(NO_ACCESS),
        // The cluster's map
        0xb5 => Answer { value: map(shared, login.bucket).into_bytes(), ..Answer::default() },
        // NOOP
        0x0a => status(OK),
        _ if !login.bucket => status(NO_ACCESS),
        // The number of a collection
        0xbb => {
            let mut store = shared.store.lock().unwrap();
            let (scope, name) = text.split_once('.').unwrap_or(("", ""));
            match store.collection(scope, name) {
                Ok(collection) => {
                    let extras = [&1u64.to_be_bytes()[..], &collection.id.to_be_bytes()].concat();
                    Answer { extras, ..Answer::default() }
                }
                Err(_) => status(UNKNOWN_COLLECTION),
            }
        }
        _ => document(request, shared),
    }
}

/// What each node says of the cluster; of the bucket too, once it is selected.
fn map(shared: &Shared, bucket: bool) -> String {
    // The ports with TLS have names of their own, beside those without it, which real nodes always
    // have: the driver tells nodes apart by them.
    let ports = |services: &[(&str, u16)]| -> Map<String, Value> {
        let both = services.iter().flat_map(|(name, port)| match shared.tls {
            false => vec![((*name).to_owned(), json!(port))],
            true => vec![((*name).to_owned(), json!(port)), (format!("{name}SSL"), json!(port))],
        });
        both.collect()
    };
    let node = |query: &u16, kv: Option<u16>| {
        let mut services = vec![("n1ql", *query), ("mgmt", *query)];
        services.extend(kv.map(|kv| ("kv", kv)));
        json!({"services": ports(&services), "hostname": "127.0.0.1"})
    };
    let nodes = shared.query_ports.iter().enumerate();
    let nodes: Vec<Value> =
        nodes.map(|(i, port)| node(port, (i == 0).then_some(shared.kv_port))).collect();
    let mut map = json!({
        "rev": 1, "revEpoch": 1, "nodesExt": nodes,
        "nodes": [{"hostname": "127.0.0.1", "ports": {"direct": shared.kv_port}}],
        "clusterCapabilitiesVer": [1, 0],
        "clusterCapabilities": {"n1ql": ["enhancedPreparedStatements"]},
    });
    if bucket {
        map["name"] = BUCKET.into();
        map["uuid"] = "script".into();
        map["nodeLocator"] = "vbucket".into();
        map["bucketCapabilities"] = json!(["collections", "durableWrite", "xattr"]);
        map["vBucketServerMap"] = json!({
            "hashAlgorithm": "CRC", "numReplicas": 0,
            "serverList": [format!("127.0.0.1:{}", shared.kv_port)],
            "vBucketMap": vec![vec![0]; VBUCKETS],
        });
    }
    map.to_string()
}

/// An operation on a document. Its key begins with the collection's number in LEB128.
fn document(request: &Request, shared: &Shared) -> Answer {
    let last = request.key.iter().position(|b| b & 0x80 == 0).unwrap_or(0);
    let (number, key) = request.key.split_at((last + 1).min(request.key.len()));
    let id = number.iter().rev().fold(0u32, |id, b| id << 7 | u32::from(b & 0x7f));
    let Ok(key) = std::str::from_utf8(key) else { return status(INVALID) };
    let mut store = shared.store.lock().unwrap();
    let cas = store.next_cas();
    if let Some(status) = shared.kv_refuses.lock().unwrap().remove(key) {
        return self::status(status);
    }
    let Some(collection) = store.by_id(id) else { return status(UNKNOWN_COLLECTION) };
    if key.is_empty() || key.len() > 246 {
        return status(INVALID);
    }
    // There is one node and no replica: only a majority of one can be had.
    if request.durability.is_some_and(|level| level > 3) {
        return status(IMPOSSIBLE);
    }
    shared.durabilities.lock().unwrap().extend(request.durability);
    let there = collection.documents.get(key).map(|d| (d.cas, d.text.clone()));
    let sound = request.cas == 0 || there.as_ref().is_some_and(|(cas, _)| *cas == request.cas);
    // The last four bytes of what a write has there are the expiry.
    if (0x01..=0x03).contains(&request.code) || request.code == 0xd1 {
        let bytes = request.extras.last_chunk::<4>().copied().unwrap_or_default();
        shared.expiries.lock().unwrap().push(u32::from_be_bytes(bytes));
        shared.writes.lock().unwrap().push(request.code);
    }
    match (request.code, there) {
        // GET
        (0x00, Some((cas, value))) => {
            Answer { cas, extras: (2u32 << 24).to_be_bytes().to_vec(), value, status: OK }
        }
        // GET_META, which EXISTS is
        (0xa0, Some((cas, _))) => Answer { cas, extras: vec![0; 21], ..Answer::default() },
        // ADD
        (0x02, Some(_)) => status(EXISTS),
        // Before what is missing comes what is another's.
        (0x03 | 0x04 | 0xd1, Some(_)) if !sound => status(EXISTS),
        (0x00 | 0x03 | 0x04 | 0xa0 | 0xd0 | 0xd1, None) => status(NOT_FOUND),
        // DELETE
        (0x04, Some(_)) => {
            collection.documents.remove(key);
            Answer { cas, ..Answer::default() }
        }
        // SET, ADD, REPLACE
        (0x01..=0x03, _) => {
            collection.set(key, request.value.clone(), cas);
            Answer { cas, ..Answer::default() }
        }
        // LOOKUP_IN, MUTATE_IN
        (0xd0, Some((cas, text))) => Answer { cas, ..look(&request.value, &text) },
        (0xd1, Some((_, text))) => mutate(request, collection, key, &text, cas),
        (0x86, _) => status(TEMPORARY),
        _ => status(UNKNOWN_COMMAND),
    }
}

fn look(mut steps: &[u8], text: &[u8]) -> Answer {
    let document: Value = serde_json::from_slice(text).expect("documents are JSON");
    let (mut all, mut value) = (OK, Vec::new());
    while steps.len() >= 4 {
        let length = usize::from(u16::from_be_bytes([steps[2], steps[3]]));
        let path = String::from_utf8_lossy(&steps[4..4 + length]).into_owned();
        steps = &steps[4 + length..];
        let (status, found) = match document.get(&path) {
            Some(found) => (OK, found.to_string()),
            None => (PATH_NOT_FOUND, String::new()),
        };
        if status != OK {
            all = PATHS_FAILED;
        }
        value.extend_from_slice(&status.to_be_bytes());
        value.extend_from_slice(&(found.len() as u32).to_be_bytes());
        value.extend_from_slice(found.as_bytes());
    }
    Answer { status: all, value, ..Answer::default() }
}

fn mutate(request: &Request, to: &mut Collection, key: &str, text: &[u8], cas: u64) -> Answer {
    let mut document: Map<String, Value> =
        serde_json::from_slice(text).expect("documents are JSON");
    let (mut steps, mut count) = (&request.value[..], 0);
    while steps.len() >= 8 {
        let path = usize::from(u16::from_be_bytes([steps[2], steps[3]]));
        let value = u32::from_be_bytes([steps[4], steps[5], steps[6], steps[7]]) as usize;
        let (name, new) = (&steps[8..8 + path], &steps[8 + path..8 + path + value]);
        // Only setting a field of the document itself.
        if steps[0] != 0xc8 {
            return status(INVALID);
        }
        let new = serde_json::from_slice(new).expect("values are JSON");
        document.insert(String::from_utf8_lossy(name).into_owned(), new);
        steps = &steps[8 + path + value..];
        count += 1;
    }
    if count > 16 {
        return status(INVALID);
    }
    to.set(key, Value::from(document).to_string().into_bytes(), cas);
    Answer { cas, ..Answer::default() }
}
