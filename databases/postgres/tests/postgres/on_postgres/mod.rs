//! On the server that `HOAP_TEST_POSTGRES` names. Each test has a schema of its own.

mod ch2;
mod concurrency;
mod connecting;
mod cut;
mod faults;
mod records;
mod settings;
mod silent;
mod witness;

use hoap_database::Database;
use hoap_testing::urls::own_name;

use crate::conformance::wait;

/// The server's URL, which ends in the name of a database.
fn server() -> String {
    hoap_testing::urls::server("HOAP_TEST_POSTGRES")
}

/// No power fails in a test, and syncs are slow; so are connections with TLS (`connecting.rs`), and
/// the second for which clients stand before the server looks for a deadlock.
const CHEAP: &str = "&sslmode=disable&synchronous_commit=off&options=-c%20deadlock_timeout%3D50ms";

/// A schema, dropped with its tables at the end of the test.
pub struct Schema {
    server: String,
    name: String,
}

impl Schema {
    fn new() -> Self {
        Self::on(server())
    }

    fn on(server: String) -> Self {
        Schema { server, name: own_name() }
    }

    /// A URL with more options, `&name=value`.
    fn url(&self, more: &str) -> String {
        format!("{}?schema={}{more}", self.server, self.name)
    }

    fn open(&self, more: &str) -> Database {
        wait(hoap_postgres::open(&self.url(more))).unwrap()
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let dropped = wait(async {
            let (client, connection) = connect(&self.server).await?;
            tokio::spawn(connection);
            client.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name)).await
        });
        // A test that failed has said so.
        if !std::thread::panicking() {
            dropped.unwrap();
        }
    }
}

type Connecting = (
    tokio_postgres::Client,
    tokio_postgres::Connection<tokio_postgres::Socket, tokio_postgres::tls::NoTlsStream>,
);

async fn connect(server: &str) -> Result<Connecting, tokio_postgres::Error> {
    tokio_postgres::connect(server, tokio_postgres::NoTls).await
}

/// A connection of the bare driver.
fn raw() -> tokio_postgres::Client {
    let (client, connection) = wait(connect(&server())).unwrap();
    wait(async {
        tokio::spawn(connection);
    });
    client
}

fn fresh_with(options: &str) -> (Database, Schema) {
    fresh_on(server(), options)
}

/// A schema of a server, opened with more options, `&name=value`.
pub fn fresh_on(server: String, options: &str) -> (Database, Schema) {
    let schema = Schema::on(server);
    (schema.open(&format!("{CHEAP}{options}")), schema)
}

fn fresh() -> (Database, Schema) {
    fresh_with("")
}

hoap_suites::conformance_tests!(fresh);
hoap_suites::conformance_tests!(fresh: operations_on_a_table_that_is_gone_are_missing);
hoap_suites::key_value_tests!(fresh);
hoap_suites::shop_tests!(fresh);

/// Transactions fail instead of waiting for each other.
mod serializable {
    use hoap_database::Database;

    use super::{Schema, fresh_with};

    fn fresh() -> (Database, Schema) {
        fresh_with("&isolation=serializable")
    }

    hoap_suites::variant_tests!(fresh: serializable);
}

/// Clients share a pool.
mod pooled {
    use hoap_database::Database;

    use super::{Schema, fresh_with};

    fn fresh() -> (Database, Schema) {
        fresh_with("&pool=3")
    }

    hoap_suites::variant_tests!(fresh: pool);
}
