//! A database whose counts follow a script.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hoap_database::engine::{About, Analytics, Calls, Done, Engine, QuerySession};
use hoap_database::failure::Failure;
use hoap_database::{Answer, Database, Explained};
use hoap_drive::Canceller;
use hoap_record::Description;
use hoap_workload::ErrorKind;
use hoap_workload::note::{LoadNote, Note};
use serde_json::{Value, json};

use super::super::{Meter, Progress};
use crate::data::{Collection, DataSet, Schema, Spec};

/// What a count does.
pub(super) enum Turn {
    /// Every collection has this many hundredths of its documents, after this time.
    Share(u64, Duration),
    Rows(Vec<(&'static str, u64)>),
    Fails(ErrorKind),
    /// Runs until it is cancelled.
    Hangs,
}

/// A database whose queries follow a script; the last turn is repeated.
#[derive(Default)]
pub(super) struct Scripted {
    turns: Mutex<VecDeque<Turn>>,
    /// When each count began.
    pub asked: Mutex<Vec<Instant>>,
    cancelled: AtomicBool,
}

#[derive(Clone)]
pub(super) struct Script(Arc<Scripted>);

impl Engine for Script {
    fn about(&self) -> About {
        About::new("script", "script:", &[], Calls::InProcess)
    }
    fn description(&self) -> Description {
        let (name, version) = ("Script".into(), String::new());
        Description { url: "script:".into(), name, version, settings: Default::default() }
    }
    fn analytics(&self) -> Option<&dyn Analytics> {
        Some(self)
    }
}

#[async_trait]
impl Analytics for Script {
    fn dialect(&self) -> &'static str {
        "sqlite"
    }
    async fn query_session(&self) -> Done<Box<dyn QuerySession>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl QuerySession for Script {
    async fn query(&mut self, text: &str, _: &[(String, Value)]) -> Done<Answer> {
        assert!(text.contains("count(*)"), "{text}");
        self.0.asked.lock().unwrap().push(Instant::now());
        let turn = {
            let mut turns = self.0.turns.lock().unwrap();
            match turns.len() {
                0 => panic!("no turn"),
                1 => match turns[0] {
                    Turn::Share(share, time) => Turn::Share(share, time),
                    Turn::Fails(kind) => Turn::Fails(kind),
                    _ => turns.pop_front().unwrap(),
                },
                _ => turns.pop_front().unwrap(),
            }
        };
        let rows = match turn {
            Turn::Share(share, time) => {
                tokio::time::sleep(time).await;
                let of =
                    |c: &Collection| vec![json!(c.name()), json!(data().count(*c) * share / 100)];
                Collection::ALL.iter().map(of).collect()
            }
            Turn::Rows(rows) => rows.into_iter().map(|(c, n)| vec![json!(c), json!(n)]).collect(),
            Turn::Fails(kind) => return Err(Failure::new(kind, "it says no")),
            Turn::Hangs => loop {
                if self.0.cancelled.load(Ordering::SeqCst) {
                    return Err(Failure::new(ErrorKind::Cancelled, "cancelled"));
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            },
        };
        Ok(Answer { columns: vec!["collection".into(), "documents".into()], rows })
    }
    async fn explain(&mut self, _: &str, _: &[(String, Value)]) -> Done<Explained> {
        unreachable!()
    }
    async fn counters(&mut self, _: &str, _: &str) -> Done<Vec<(String, i64)>> {
        unreachable!()
    }
    fn canceller(&self) -> Option<Canceller> {
        let script = self.0.clone();
        Some(Arc::new(move || script.cancelled.store(true, Ordering::SeqCst)))
    }
}

pub(super) fn data() -> DataSet {
    DataSet::new(Spec { scale_down: 100, ..Spec::new(Schema::Ch2pp, 1) }).unwrap()
}

pub(super) fn all() -> u64 {
    Collection::ALL.iter().map(|c| data().count(*c)).sum()
}

pub(super) fn note() -> Note {
    let load = LoadNote {
        of: 1,
        slices: 1,
        begun: vec![1],
        done: vec![1],
        settled: true,
        ranges: Vec::new(),
        collections: Vec::new(),
        removing: false,
        documents: all(),
        bytes: 77,
        seconds: 1.0,
        untimed: false,
        clients: 1,
        ingestion: None,
        stored: None,
    };
    Note { benchmark: "ch2pp".into(), data: Value::Null, load, runs: 0, at_work: Vec::new() }
}

pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(future)
}

pub(super) fn scripted(
    turns: impl IntoIterator<Item = Turn>,
) -> (Arc<Scripted>, Arc<Progress>, Meter) {
    let script = Arc::new(Scripted {
        turns: turns.into_iter().collect::<VecDeque<_>>().into(),
        ..Scripted::default()
    });
    let progress = Arc::new(Progress::default());
    let meter =
        Meter::new(Database::new(Script(script.clone())), &data(), progress.clone()).unwrap();
    (script, progress, meter)
}
