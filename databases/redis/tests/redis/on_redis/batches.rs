//! How long a load keeps the server from others.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;

use hoap_testing::redis::Server;
use hoap_workload::load::{Existing, Load, load};
use hoap_ycsb::UserTable;
use hoap_ycsb::data::{FieldLength, RecordSpec};

use super::killed::bare;
use crate::conformance::wait;
use crate::open;

/// Bytes of JSON that one transaction may hold, the document that fills them included, and
/// documents.
const TRANSACTION: u64 = 256 << 10;
const DOCUMENTS: u64 = 500;

/// The server's account of its commands, a line each.
struct Monitor(BufReader<TcpStream>);

impl Monitor {
    fn of(server: &Server) -> Monitor {
        let mut stream =
            TcpStream::connect(server.url().strip_prefix("redis://").unwrap()).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut monitor = Monitor(BufReader::new(stream));
        assert_eq!(monitor.next(), "+OK");
        monitor
    }

    fn next(&mut self) -> String {
        let mut line = Vec::new();
        self.0.read_until(b'\n', &mut line).unwrap();
        String::from_utf8_lossy(&line).trim_end().to_owned()
    }

    /// How many documents each transaction wrote until somebody sends PING. EXEC stands before the
    /// commands of its transaction or after them, by the server's version; MULTI before both.
    fn batches(&mut self) -> Vec<u64> {
        let mut batches = Vec::new();
        loop {
            let line = self.next();
            let command = line.split_once("] ").map_or("", |(_, command)| command);
            if command.starts_with("\"HSET\" \"hoap:usertable:") {
                *batches.last_mut().expect("a document without a transaction") += 1;
            } else if command.starts_with("\"MULTI\"") {
                batches.push(0);
            } else if command.starts_with("\"PING\"") || line.is_empty() {
                return batches;
            }
        }
    }
}

/// Redis runs a transaction alone: whoever asks meanwhile waits for its end.
#[test]
fn a_load_is_many_short_transactions_and_none_that_holds_the_server() {
    let server = Server::start();
    let mut admin = bare(&server);
    let target = open(&server.url());
    // Documents of 4 KB and of 64 KB, and many of 200 bytes.
    for (length, count) in [(400, 2000), (6400, 130), (10, 8000)] {
        let document = 10 * u64::from(length);
        let length = FieldLength::Constant(length);
        let table = RecordSpec { count, length, ..RecordSpec::default() };
        let table = UserTable::new("usertable", table).unwrap();
        let what = Load::whole(table, Existing::Replace);
        let never = Arc::new(|| false);
        let mut monitor = Monitor::of(&server);
        wait(load(target.documents().unwrap(), what, never, &mut |_| {})).unwrap();
        let _: String = redis::cmd("PING").query(&mut admin).unwrap();
        let batches = monitor.batches();
        assert_eq!(batches.iter().sum::<u64>(), count);
        let most = *batches.iter().max().unwrap();
        assert!(most <= DOCUMENTS, "{most} documents in one transaction");
        assert!(
            most * document <= TRANSACTION + document,
            "{most} documents of {document} bytes in one transaction"
        );
    }
}
