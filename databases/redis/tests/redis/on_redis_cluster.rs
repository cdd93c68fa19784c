//! A cluster of three.

use std::sync::atomic::{AtomicBool, Ordering};

use hoap_database::Database;
use hoap_database::key_value::{Fields, Record};
use hoap_workload::ErrorKind;

use crate::conformance::{COLLECTION, batch, client, keys, load_records, record, wait};
use crate::{Guard, open, refused, server};

fn fresh() -> (Database, Guard) {
    crate::fresh("HOAP_TEST_REDIS_CLUSTER", "response_timeout_ms=20000")
}

hoap_suites::variant_tests!(fresh: cluster);
hoap_suites::conformance_tests!(fresh: a_batch_written_again_is_written_once);

/// Clients of a thread that share the connections to the nodes.
mod shared_connections {
    use hoap_database::Database;

    fn fresh() -> (Database, crate::Guard) {
        crate::fresh("HOAP_TEST_REDIS_CLUSTER", "pipeline=4")
    }

    hoap_suites::variant_tests!(fresh: shared_connection);
}

#[test]
fn a_node_without_the_option_is_refused() {
    let e = refused(&server("HOAP_TEST_REDIS_CLUSTER").replace("?cluster=true", ""));
    assert_eq!(e.kind, ErrorKind::Invalid, "{e}");
    assert!(e.to_string().contains("add cluster=on"), "{e}");
    let (target, _guard) = fresh();
    assert!(target.description().settings["cluster"].starts_with("3 nodes"));
}

/// The address of a node by the slot that it has, from CLUSTER SLOTS: host, port, id.
fn owner(admin: &mut redis::Connection, slot: u16) -> (u16, String) {
    type Range = (u16, u16, (String, u16, String));
    let ranges: Vec<redis::Value> = redis::cmd("CLUSTER").arg("SLOTS").query(admin).unwrap();
    for range in ranges {
        let redis::Value::Array(mut range) = range else { panic!("{range:?}") };
        let node = match range.swap_remove(2) {
            redis::Value::Array(mut node) => {
                node.truncate(3);
                redis::Value::Array(node)
            }
            other => panic!("{other:?}"),
        };
        let whole = redis::Value::Array(vec![range[0].clone(), range[1].clone(), node]);
        let (first, last, (_, port, id)): Range = redis::from_redis_value(whole).unwrap();
        if (first..=last).contains(&slot) {
            return (port, id);
        }
    }
    panic!("nobody has slot {slot}")
}

fn node(port: u16) -> redis::Connection {
    redis::Client::open(format!("redis://127.0.0.1:{port}")).unwrap().get_connection().unwrap()
}

/// The slot of a key, and the two nodes that it moves between: the one that has it, and another.
struct Slot {
    number: u16,
    key: String,
    nodes: [(u16, String); 2],
}

impl Slot {
    /// The slot of a document.
    fn of(target: &Database, collection: &str, key: &str) -> Slot {
        let prefix = target.description().url.split("prefix=").nth(1).unwrap().to_owned();
        let key = format!("{}:{collection}:{key}", prefix.split('&').next().unwrap());
        let seed = server("HOAP_TEST_REDIS_CLUSTER").replace("?cluster=true", "");
        let mut admin = redis::Client::open(seed).unwrap().get_connection().unwrap();
        let number = redis::cmd("CLUSTER").arg("KEYSLOT").arg(&key).query(&mut admin).unwrap();
        let has = owner(&mut admin, number);
        let all = [0, 8000, 16000].map(|slot| owner(&mut admin, slot));
        let other = all.into_iter().find(|node| *node != has).unwrap();
        Slot { number, key, nodes: [has, other] }
    }

    fn set(&self, port: u16, words: &[&str]) {
        let mut command = redis::cmd("CLUSTER");
        command.arg("SETSLOT").arg(self.number).arg(words);
        let (): () = command.query(&mut node(port)).unwrap();
    }

    /// Moves the slot to its other node, step by step as `redis-cli --cluster reshard` does.
    fn move_away(&mut self, pause: impl Fn()) {
        let [(from, from_id), (to, to_id)] = &self.nodes;
        pause();
        self.set(*to, &["IMPORTING", from_id]);
        self.set(*from, &["MIGRATING", to_id]);
        pause();
        // Other tests' keys in the slot move as well.
        let mut keys = redis::cmd("CLUSTER");
        keys.arg("GETKEYSINSLOT").arg(self.number).arg(1000);
        let keys: Vec<String> = keys.query(&mut node(*from)).unwrap();
        assert!(keys.contains(&self.key));
        let mut migrate = redis::cmd("MIGRATE");
        migrate.arg("127.0.0.1").arg(to).arg("").arg(0).arg(5000).arg("KEYS").arg(&keys);
        let (): () = migrate.query(&mut node(*from)).unwrap();
        // The slot is between the two: the one redirects to the other for this key alone.
        pause();
        self.set(*to, &["NODE", to_id]);
        self.set(*from, &["NODE", to_id]);
        pause();
        self.nodes.swap(0, 1);
    }
}

/// A slot with a record in it moves to another node while a client updates and reads it: each
/// operation succeeds, on either node.
#[test]
fn a_slot_moves_while_its_records_are_used() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1", "user2"]);
    let mut slot = Slot::of(&target, "usertable", "user1");
    let over = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let mut session = client(&target);
            let mut there = Record::default();
            let mut n = 0u32;
            while !over.load(Ordering::Relaxed) || n < 50 {
                n += 1;
                assert!(wait(session.update("user1", &record([(1, n.to_string())]))).unwrap());
                assert!(wait(session.read("user1", Fields::One(1), &mut there)).unwrap());
                assert_eq!(there, record([(1, n.to_string())]));
            }
            n
        });
        let pause = || std::thread::sleep(std::time::Duration::from_millis(100));
        slot.move_away(pause);
        slot.move_away(pause);
        over.store(true, Ordering::Relaxed);
        worker.join().unwrap()
    });
    assert!(done >= 50);
    assert_eq!(keys(&target, "usertable").len(), 2);
}

/// A slot moves between two pages of a scan: the one redirection among the many commands that are
/// under way ends none of them.
#[test]
fn a_slot_moves_while_a_scan_reads_many_documents() {
    let (target, _guard) = fresh();
    let documents = target.documents().unwrap();
    wait(async {
        documents.create(&[COLLECTION]).await.unwrap();
        let mut bulk = documents.bulk("1/1").await.unwrap();
        bulk.write(COLLECTION, &batch(1, 1000..2000), 1000).await.unwrap();
    });
    let mut slot = Slot::of(&target, COLLECTION, "1.1900");
    let mut count = 0;
    let mut each = |_: &str, _| {
        if count == 0 {
            slot.move_away(|| ());
        }
        count += 1;
        Ok(())
    };
    let scanned = wait(documents.scan(COLLECTION, &["o_id"], &mut each));
    slot.move_away(|| ());
    scanned.unwrap();
    assert_eq!(count, 1000);
}

/// What an insert leaves that ended between its two steps: a record without its key.
#[test]
fn an_insert_that_ended_halfway_is_completed_by_the_next() {
    let (target, _guard) = fresh();
    load_records(&target, &["user1"]);
    let Slot { key: name, nodes: [(port, _), _], .. } = Slot::of(&target, "usertable", "user2");
    let mut there = node(port);
    let (): () = redis::cmd("HSET").arg(&name).arg("field0").arg("x").query(&mut there).unwrap();
    assert_eq!(keys(&target, "usertable").len(), 1);
    let mut session = client(&target);
    // The same fields: the driver sent it twice, since the connection was lost before the answer.
    wait(session.insert("user2", &record([(0, "x")]))).unwrap();
    assert_eq!(keys(&target, "usertable").len(), 2);
    // Its key is there now: this one came later.
    let e = wait(session.insert("user2", &record([(0, "x")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
    let other = open(&target.description().url);
    let e = wait(client(&other).insert("user2", &record([(0, "y")]))).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Duplicate, "{e}");
}
