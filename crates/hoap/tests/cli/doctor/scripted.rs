//! Services in scripts.

#[cfg(feature = "redis")]
use super::broken;

/// Seen from a machine whose clock is wrong, a certificate is out of its time.
#[test]
#[cfg(feature = "redis")]
fn a_certificate_out_of_its_time_leads_to_the_clock() {
    use hoap_testing::certificates;
    use tokio_rustls::rustls::ServerConnection;

    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    // It ends with the test's process: how often a client tries is its own affair.
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let mut tls = ServerConnection::new(certificates::server("expired", false)).unwrap();
            let _refused = tls.complete_io(&mut stream.unwrap());
        }
    });
    let url = format!("rediss://127.0.0.1:{port}?tls_ca={}", certificates::path("expired.pem"));
    broken(&[&url], &[], "connects", &["certificate expired", "set this machine's clock"]);
}

/// Couchbase's, of both kinds.
#[test]
#[cfg(feature = "couchbase")]
fn a_cluster_in_a_script_is_proved() {
    use hoap_testing::couchbase::{PASSWORD, Service};

    let service = Service::start();
    let url = service.place().replace("://", "://script@");
    let node = service.query_ports()[0];
    let quick = format!("{url}?connect_timeout_ms=700&query_nodes=127.0.0.1:{node}");
    let url = format!("{url}?kv_timeout_ms=60000&connect_timeout_ms=60000&txtimeout_ms=120000");
    let passed = ["loads", "documents", "transactions", "forced conflict", "clients", "records"];
    super::sound(&[&url], &[("CB_PASSWORD", PASSWORD)], &passed, &["queries"]);
    super::broken(
        &[&quick],
        &[("CB_PASSWORD", "wrong")],
        "connects",
        &["check the user, the password"],
    );
}
