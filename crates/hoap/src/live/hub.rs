//! What is known of a run while it goes on, and the browsers that are told what is new.
//!
//! The run never waits for them: each has a queue of a few messages, and one that lets its queue
//! fill up is cut off.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hoap_drive::{Observer, Phase, StepPlan, Tick};
use hoap_record::Run;
use hyper::body::{Body, Bytes, Frame};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::about::About;
use super::cell::Cells;
use crate::console::visible;

/// Browsers at a time.
const MOST: usize = 8;
/// Messages that wait for a browser. There is one a second.
const QUEUE: usize = 16;
/// How often a change is told at most, but for the end of a phase.
const EVERY: Duration = Duration::from_millis(900);
/// How long the end waits for the browsers that are there to take the report.
const LAST: Duration = Duration::from_secs(2);

/// What is known of the run, and who is told.
pub struct Hub {
    title: String,
    state: Mutex<State>,
    page: OnceLock<Bytes>,
    report: OnceLock<Bytes>,
    /// How often the report was sent whole.
    fetched: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The last value of each part of what is known.
    parts: Map<String, Value>,
    cells: Cells,
    /// The folder of the run, or of its repetitions.
    folder: Option<PathBuf>,
    told: Option<Instant>,
    /// The number of the last cell that was told.
    told_cell: usize,
    browsers: Vec<Browser>,
}

struct Browser {
    queue: mpsc::Sender<News>,
    /// Dropped with it, which ends the connection.
    _connection: oneshot::Sender<()>,
}

enum News {
    /// Something has changed: a message.
    Changed(Bytes),
    /// All is to be told again.
    All,
}

/// The news for a browser, as the body of an answer that ends with the run.
pub struct Events {
    queue: mpsc::Receiver<News>,
    hub: Arc<Hub>,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let news = ready!(self.queue.poll_recv(context));
        let text = news.map(|news| match news {
            News::Changed(text) => text,
            News::All => self.hub.state().all(),
        });
        Poll::Ready(text.map(|text| Ok(Frame::data(text))))
    }
}

/// A message of the stream: JSON has no line breaks.
fn message(value: &Value) -> Bytes {
    Bytes::from(format!("data: {value}\n\n"))
}

impl State {
    fn all(&self) -> Bytes {
        let mut all = self.parts.clone();
        all.insert("cells".into(), self.cells.all());
        all.insert("all".into(), true.into());
        message(&all.into())
    }

    /// Tells everybody, and cuts off who does not listen.
    fn tell(&mut self, news: impl Fn() -> News) {
        self.browsers.retain(|browser| browser.queue.try_send(news()).is_ok());
        self.told = Some(Instant::now());
        self.told_cell = self.cells.last();
    }

    /// Tells these parts, and the cells that went on since the last time.
    fn tell_parts(&mut self, names: &[&str]) {
        if self.browsers.is_empty() {
            return;
        }
        let mut changed = Map::new();
        for name in names {
            changed.extend(self.parts.get(*name).map(|value| ((*name).to_owned(), value.clone())));
        }
        changed.insert("cells".into(), self.cells.since(self.told_cell));
        let text = message(&changed.into());
        self.tell(|| News::Changed(text.clone()));
    }

    fn is_due(&self) -> bool {
        self.told.is_none_or(|told| told.elapsed() >= EVERY)
    }
}

impl Hub {
    /// Of a run that has not begun.
    pub fn new(about: &About<'_>) -> Hub {
        Hub {
            title: about.title.to_owned(),
            state: Mutex::default(),
            page: OnceLock::new(),
            report: OnceLock::new(),
            fetched: AtomicUsize::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page of the run while it goes on.
    pub fn page(&self) -> Bytes {
        self.page.get_or_init(|| hoap_report::live::page(&self.title).into()).clone()
    }

    /// The page of the run that has ended.
    pub fn report(&self) -> Option<Bytes> {
        self.report.get().cloned()
    }

    /// The report was sent whole.
    pub fn fetched(&self) {
        self.fetched.fetch_add(1, Ordering::Relaxed);
    }

    /// The news from now on. `connection` is dropped when this browser does not take them; it comes
    /// back where as many as may listen already.
    pub fn listen(
        self: &Arc<Hub>,
        connection: oneshot::Sender<()>,
    ) -> Result<Events, oneshot::Sender<()>> {
        let mut state = self.state();
        state.browsers.retain(|browser| !browser.queue.is_closed());
        if state.browsers.len() == MOST {
            return Err(connection);
        }
        let (sender, queue) = mpsc::channel(QUEUE);
        // The queue is empty.
        let _ = sender.try_send(News::All);
        state.browsers.push(Browser { queue: sender, _connection: connection });
        Ok(Events { queue, hub: self.clone() })
    }

    /// A part of what is known has changed. It is told now, or with the next interval.
    pub fn set(&self, part: &str, value: Value, now: bool) {
        let mut state = self.state();
        state.parts.insert(part.into(), value);
        if now {
            state.tell_parts(&[part]);
        }
    }

    /// The same of what changes often.
    pub fn set_often(&self, part: &str, value: impl FnOnce() -> Value) {
        let due = self.state().is_due();
        if due {
            self.set(part, value(), true);
        }
    }

    /// The record so far.
    pub fn recorded(&self, folder: &Path, run: &Run) {
        let record = hoap_report::live::so_far(run);
        let mut state = self.state();
        let folder = match run.repetition {
            Some(_) => folder.parent().unwrap_or(folder),
            None => folder,
        };
        state.folder = Some(folder.to_owned());
        state.parts.insert("record".into(), record);
        state.tell_parts(&["record", "now"]);
    }

    /// The run has ended, in these words. Browsers that listen get its report, which `make` makes of
    /// its folder; who does not take it within a few seconds goes without.
    pub async fn end(&self, words: &str, make: impl FnOnce(&Path) -> Option<String>) {
        let (folder, browsers) = {
            let mut state = self.state();
            state.browsers.retain(|browser| !browser.queue.is_closed());
            (state.folder.clone(), state.browsers.len())
        };
        if browsers == 0 {
            return;
        }
        if let Some(report) = folder.and_then(|folder| make(&folder)) {
            let _ = self.report.set(report.into());
        }
        let words = visible(words, false);
        let end = json!({ "words": words, "report": self.report.get().is_some() });
        self.set("end", end, true);
        let begun = Instant::now();
        let waits = |hub: &Hub| {
            let left = hub.state().browsers.iter().any(|browser| !browser.queue.is_closed());
            left || hub.report.get().is_some() && hub.fetched.load(Ordering::Relaxed) < browsers
        };
        while waits(self) && begun.elapsed() < LAST {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Observer for Hub {
    fn phase(&self, _step: &StepPlan, _phase: Phase) {
        self.state().tell_parts(&["now"]);
    }

    fn tick(&self, tick: &Tick<'_>) {
        let mut state = self.state();
        if state.cells.add(tick) {
            state.tell(|| News::All);
        } else if state.is_due() {
            state.tell_parts(&["now"]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hoap_drive::End;
    use http_body_util::BodyExt;

    use super::*;

    fn hub() -> Arc<Hub> {
        let labels = BTreeMap::new();
        Arc::new(Hub::new(&About { benchmark: "ycsb-a", title: "YCSB A", labels: &labels }))
    }

    /// The next message of a browser.
    async fn next(events: &mut Events) -> Value {
        let frame = events.frame().await.expect("it goes on").unwrap();
        let text = frame.into_data().unwrap();
        let text = std::str::from_utf8(&text).unwrap();
        serde_json::from_str(text.strip_prefix("data: ").unwrap().trim_end()).unwrap()
    }

    #[tokio::test]
    async fn a_browser_that_stalls_is_cut_off_and_others_are_told() {
        let hub = hub();
        let (end, mut ended) = oneshot::channel();
        let stalled = hub.listen(end).unwrap();
        let (end, mut other_ended) = oneshot::channel();
        let mut other = hub.listen(end).unwrap();
        assert_eq!(next(&mut other).await["all"], true);
        for n in 0..2 * QUEUE {
            assert!(hub.state().browsers.len() == 2 || n >= QUEUE - 1, "cut off at {n}");
            hub.set("work", json!(n), true);
            assert_eq!(next(&mut other).await["work"], n);
        }
        assert_eq!(ended.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        assert_eq!(other_ended.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        assert_eq!(hub.state().browsers.len(), 1);
        drop(stalled);
    }

    #[tokio::test]
    async fn a_browser_that_comes_late_is_told_all_and_those_that_left_make_room() {
        let hub = hub();
        hub.set("plan", json!("known"), true);
        let listen = || hub.listen(oneshot::channel().0);
        let mut all: Vec<Events> = (0..MOST).map(|_| listen().ok().unwrap()).collect();
        assert!(listen().is_err());
        drop(all.pop());
        let mut late = listen().ok().unwrap();
        assert_eq!(next(&mut late).await["plan"], "known");
        // Nobody is told of what happened where nobody listens.
        drop((late, all));
        let plan = StepPlan::plain(1, 1, End::Operations(1));
        hub.phase(&plan, Phase::Warmup);
        assert!(hub.state().browsers.is_empty());
        hub.end("over", |_| panic!("nobody reads it")).await;
    }
}
