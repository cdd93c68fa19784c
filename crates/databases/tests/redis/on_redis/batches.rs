//! How long a load keeps the server from others.

use std::sync::Arc;

use hoap_data::ycsb::{FieldLength, RecordSpec};
use hoap_workload::capability::Target;
use hoap_workload::load::{Existing, Load, load};
use hoap_workload::ycsb::UserTable;
use redis::Value;

use super::killed::Own;
use crate::conformance::wait;
use crate::open;

/// Bytes of JSON that one call of the server may hold, the document that fills them included, and
/// documents.
const CALL: u64 = 256 << 10;
const DOCUMENTS: u64 = 500;

/// How many documents each call of the batches' script wrote, and the longest time of one, in
/// microseconds, as the server's own log of commands has it.
fn batches(admin: &mut redis::Connection) -> (Vec<u64>, i64) {
    let log: Vec<Vec<Value>> = redis::cmd("SLOWLOG").arg("GET").arg(-1).query(admin).unwrap();
    let (mut documents, mut longest) = (Vec::new(), 0);
    for entry in log {
        let micros: i64 = redis::from_redis_value(entry[2].clone()).unwrap();
        let words: Vec<String> = redis::from_redis_value(entry[3].clone()).unwrap();
        if !words[0].to_uppercase().starts_with("EVAL") {
            continue;
        }
        // The notes, the keys of the collection, and a key for each document.
        let keys: u64 = words[2].parse().unwrap();
        if keys > 2 {
            documents.push(keys - 2);
            longest = longest.max(micros);
        }
    }
    (documents, longest)
}

/// Redis runs a script alone: whoever asks meanwhile waits for its end.
#[test]
fn a_load_is_many_short_calls_and_none_that_holds_the_server() {
    let server = Own::start();
    let mut admin = server.admin();
    let mut ask = |words: &str| {
        let mut words = words.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        let (): () = command.arg(words.collect::<Vec<_>>()).query(&mut admin).unwrap();
    };
    ask("CONFIG SET slowlog-log-slower-than 0");
    ask("CONFIG SET slowlog-max-len 100000");
    let target = open(&server.url());
    // Documents of 4 KB and of 64 KB, and many of 200 bytes.
    for (length, count) in [(400, 2000), (6400, 130), (10, 8000)] {
        let document = 10 * u64::from(length);
        let length = FieldLength::Constant(length);
        let table = RecordSpec { count, length, ..RecordSpec::default() };
        let table = UserTable::new("usertable", table).unwrap();
        let what = Load::whole(table, Existing::Replace);
        let never = Arc::new(|| false);
        wait(load(target.documents().unwrap(), what, never, &mut |_| {})).unwrap();
        let (batches, longest) = batches(&mut admin);
        eprintln!("{} calls, the longest {longest} µs", batches.len());
        assert_eq!(batches.iter().sum::<u64>(), count);
        let most = *batches.iter().max().unwrap();
        assert!(most <= DOCUMENTS, "{most} documents in one call");
        assert!(
            most * document <= CALL + document,
            "{most} documents of {document} bytes in one call"
        );
        let (): () = redis::cmd("SLOWLOG").arg("RESET").query(&mut admin).unwrap();
    }
}
