//! The witness alone, at the highest rate: what isolation a database shows where transactions meet
//! all the time.

use std::sync::atomic::AtomicBool;

use hoap_ch2::ledger::RunMark;
use hoap_ch2::witness::{self, Witnesses};
use hoap_database::Database;
use hoap_isolation::judge;
use hoap_record::history::Attempt;
use hoap_record::{Level, Witness};

use hoap_testing::wait;

/// Runs this many clients with this many transactions each and judges what they saw. A transaction
/// is tried often, so that most commit.
pub fn provoke(target: &Database, clients: u32, transactions: u32) -> Witness {
    let (promised, history) = (isolation(target), history(target, clients, transactions));
    let witness = judge(&history, promised).unwrap();
    let all = u64::from(clients * transactions);
    assert!(witness.committed > all / 2, "{} of {all} committed", witness.committed);
    witness
}

/// The same of a database that promises this and keeps it, and shows none of these anomalies.
pub fn kept(
    target: &Database,
    (clients, transactions): (u32, u32),
    promised: Level,
    never: &[&str],
) -> Witness {
    let witness = provoke(target, clients, transactions);
    assert_eq!(witness.promised, Some(promised));
    let seen = anomalies(&witness);
    assert!(!witness.broken() && !seen.iter().any(|name| never.contains(name)), "{witness:#?}");
    witness
}

/// What the database promises.
pub fn isolation(target: &Database) -> Option<Level> {
    target.transactions().unwrap().isolation()
}

/// What the clients did and saw.
pub fn history(target: &Database, clients: u32, transactions: u32) -> Vec<Attempt> {
    let witnesses = Witnesses::new(RunMark::draw(), 1, 1.0);
    wait(witnesses.prepare(target, false)).unwrap();
    std::thread::scope(|scope| {
        for number in 0..clients {
            let mut witness = witness::Witness::new(&witnesses, number);
            scope.spawn(move || {
                let mut session = wait(target.transactions().unwrap().session()).unwrap();
                for _ in 0..transactions {
                    wait(witness.run(&mut session, 1000, &AtomicBool::new(false)));
                }
            });
        }
    });
    let history = wait(witnesses.history(target)).unwrap();
    wait(witnesses.remove(target)).unwrap();
    history
}

/// The names of the anomalies of a history.
pub fn anomalies(witness: &Witness) -> Vec<&str> {
    witness.anomalies.iter().map(|anomaly| anomaly.name.as_str()).collect()
}
