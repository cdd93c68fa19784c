//! A server that is there and says nothing for longer than an answer may take.

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Change, Database, Intent, Patch, Session};
use hoap_workload::{ErrorKind, Result};
use serde_json::json;

use super::{COLLECTION, client, field, load, load_records, record, session, wait};
use hoap_testing::errors::fails;

/// What is asked while the server says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Get,
    Commit,
    Read,
    Update,
    Insert,
    Note,
}

/// How a server is made to say nothing.
pub struct Silence<'a> {
    /// The option `answer_timeout_ms` of the target.
    pub ms: u32,
    /// Gives no answer to what is asked next.
    pub hold: &'a dyn Fn(Asked),
    /// Lets it answer again.
    pub speak: &'a dyn Fn(),
}

impl Silence<'_> {
    fn told<T>(&self, tried: Result<T>, kind: ErrorKind, what: &str) {
        let limit = format!("no answer within {} ms", self.ms);
        let e = fails(tried, kind, &[what, &limit, "answer_timeout_ms"]);
        assert!(e.to_string().starts_with(what), "{e}");
    }
}

/// An operation without an answer is a timeout, a write an ambiguous one. A late answer is not taken
/// for another's, and the sessions are of use again when the server is.
pub fn a_record_without_an_answer_is_given_up(
    patient: &Database,
    target: &Database,
    silence: &Silence,
) {
    use ErrorKind::{Ambiguous, Timeout};
    load_records(patient, &["user1", "user2"]);
    let mut sessions = [client(target), client(target)];
    let mut there = Record::default();
    // What a driver looks up first is there.
    for session in &mut sessions {
        assert!(wait(session.read("user1", Fields::All, &mut there)).unwrap());
        assert!(wait(session.update("user1", &record([(0, "x")]))).unwrap());
    }
    let late = record([(0, "late")]);
    for session in &mut sessions {
        (silence.hold)(Asked::Read);
        let read = wait(session.read("user1", Fields::All, &mut there));
        silence.told(read, Timeout, "read usertable user1 in");
        (silence.hold)(Asked::Update);
        silence.told(wait(session.update("user1", &late)), Ambiguous, "update usertable user1 in");
        (silence.hold)(Asked::Insert);
        silence.told(wait(session.insert("user3", &late)), Ambiguous, "insert usertable user3 in");
    }
    (silence.hold)(Asked::Note);
    silence.told(wait(target.documents().unwrap().note()), Timeout, "read the note in");
    (silence.speak)();
    for session in &mut sessions {
        assert!(wait(session.read("user2", Fields::One(0), &mut there)).unwrap());
        assert_eq!(there, record([(0, "user2 0")]));
        assert!(wait(session.update("user2", &record([(1, "new")]))).unwrap());
        assert!(wait(session.read("user2", Fields::One(1), &mut there)).unwrap());
        assert_eq!(there, record([(1, "new")]));
    }
    assert_eq!(wait(target.documents().unwrap().note()).unwrap(), None);
}

async fn add(session: &mut Session, n: i64, before_commit: &dyn Fn()) -> Result<()> {
    let mut t = session.begin(Access::Write).await?;
    t.patch(COLLECTION, "1.1", &[Patch { path: "o_id", change: Change::AddInteger(n) }]).await?;
    t.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await?;
    before_commit();
    t.commit().await
}

/// A statement without an answer ends its transaction, which is in nobody's way afterwards; a commit
/// without one is ambiguous, and was applied where `applied` says so.
pub fn a_transaction_without_an_answer_is_given_up(
    patient: &Database,
    target: &Database,
    silence: &Silence,
    applied: bool,
) {
    use ErrorKind::{Ambiguous, Invalid, Timeout};
    load(patient, 3);
    let mut session = session(target);
    wait(async {
        // Its statements are prepared.
        add(&mut session, 1, &|| ()).await.unwrap();
        let mut t = session.begin(Access::Write).await.unwrap();
        t.get(COLLECTION, "1.3", &["o_id"], Intent::Look).await.unwrap();
        (silence.hold)(Asked::Get);
        let got = t.get(COLLECTION, "1.2", &["o_id"], Intent::Look).await;
        silence.told(got, Timeout, "get orders 1.2 in");
        // What it has read is not the whole: it ends.
        fails(t.get(COLLECTION, "1.3", &["o_id"], Intent::Look).await, Invalid, &[]);
        t.rollback().await.unwrap();
        (silence.speak)();
        add(&mut session, 10, &|| ()).await.unwrap();
        let unanswered = add(&mut session, 100, &|| (silence.hold)(Asked::Commit)).await;
        silence.told(unanswered, Ambiguous, "commit in");
        (silence.speak)();
        // It is over: the next one begins with it, or without it.
        add(&mut session, 1000, &|| ()).await.unwrap();
    });
    let sum = 1 + 1 + 10 + 1000 + if applied { 100 } else { 0 };
    assert_eq!(field(patient, "1.1", "o_id"), json!(sum));
}
