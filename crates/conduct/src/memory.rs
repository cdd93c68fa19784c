//! Whether the clients of a run fit into the memory of the driver's machine.

use hoap_drive::{StepPlan, available_memory};
use hoap_workload::{Error, ErrorKind, Result};

/// What a client takes at least, bytes: measured were 7 KiB where there is no database, 28 KiB with
/// a connection to Redis, 47 KiB with one to PostgreSQL.
const CLIENT: u64 = 8 << 10;

/// The same where each has a thread and a connection of its own in this process: measured was 1 MiB
/// with SQLite and an empty cache.
const BLOCKING: u64 = 1 << 20;

/// Refuses steps whose clients cannot fit. `blocking` says of the clients of operations and of
/// those of queries whether each has a thread.
///
/// # Errors
/// [`ErrorKind::Invalid`] with the estimate.
pub fn fits<'a>(
    steps: impl IntoIterator<Item = &'a StepPlan>,
    blocking: (bool, bool),
) -> Result<()> {
    let Some(available) = available_memory() else { return Ok(()) };
    let each = |blocking| if blocking { BLOCKING } else { CLIENT };
    let take = |clients: usize, blocking| (clients as u64).saturating_mul(each(blocking));
    for step in steps {
        let operations = take(step.tx_clients, blocking.0);
        let needed = operations.saturating_add(take(step.query_clients, blocking.1));
        if needed > available {
            let clients = step.tx_clients.saturating_add(step.query_clients);
            let gb = |bytes: u64| bytes as f64 / 1e9;
            return Err(Error::new(
                ErrorKind::Invalid,
                format!("run {clients} clients"),
                format!(
                    "they take at least {:.1} GB of memory, and {:.1} GB are available",
                    gb(needed),
                    gb(available)
                ),
            )
            .advise("use fewer clients, or several machines (--part, hoap merge)"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hoap_drive::End;

    use super::*;

    #[test]
    fn clients_beyond_the_memory_are_refused_and_others_are_not() {
        let step = |tx, queries| StepPlan::new(1, tx, queries, End::After(Duration::from_secs(1)));
        let few = [step(100, 10)];
        assert_eq!(fits(&few, (true, true)), Ok(()));
        for (step, blocking) in [
            (step(usize::MAX, 0), (false, false)),
            (step(1, usize::MAX), (true, true)),
            (step(1 << 40, 1 << 40), (false, true)),
        ] {
            let e = fits(&[few[0].clone(), step], blocking).unwrap_err();
            assert!(e.kind == ErrorKind::Invalid && e.to_string().contains("at least"), "{e}");
        }
    }
}
