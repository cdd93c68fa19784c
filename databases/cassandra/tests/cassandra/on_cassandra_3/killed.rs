//! Nodes that are killed in the middle of work: with one of three gone the work goes on at QUORUM,
//! and nothing that was acknowledged is lost; with two gone it cannot, and says so.

use hoap_testing::lab::Lab;
use hoap_workload::ErrorKind;

use crate::conformance::{client, record, until, wait, write_through};
use crate::{in_keyspace, open};

#[test]
fn one_of_three_is_lost_and_the_work_goes_on() {
    let lab = Lab::of("cassandra-3");
    let url = in_keyspace(&lab.url(), "bench").replace("127.0.0.1:", "127.0.0.3:");
    let others = lab.url().trim_start_matches("cassandra://").split('/').next().unwrap().to_owned();
    let url = url.replacen("://", &format!("://{others},"), 1);
    let target = open(&format!("{url}?replication=3&request_timeout_ms=15000"));
    let known = [ErrorKind::Ambiguous, ErrorKind::Timeout, ErrorKind::Unavailable];
    let acknowledged = write_through(&target, &known, |until_more| {
        until_more(100);
        lab.kill_process(3);
        // Work goes on: so much of it, however long the nodes take to notice.
        until_more(200);
    });
    // Who comes now connects, although a contact point is gone.
    let later = open(&format!("{url}?request_timeout_ms=15000"));
    acknowledged.is_in(&later);
    // One of three is no quorum.
    let mut session = client(&later);
    lab.kill_process(2);
    until("that the second node is missed", || {
        let e = wait(session.update("user1", &record([(0, "0")])));
        let e = e.expect_err("a write was acknowledged that one node has");
        assert!(known.contains(&e.kind) && !e.to_string().contains('\n'), "{e}");
        e.kind == ErrorKind::Unavailable
    });
}
