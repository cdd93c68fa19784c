//! TLS: whom the client trusts, what it shows, and what it says where that does not do.

use std::time::Duration;

use hoap_database::key_value::{Fields, Record};
use hoap_database::{Access, Intent};
use hoap_workload::{Error, ErrorKind};
use serde_json::json;

use crate::cluster::certificates::{path, server};
use crate::cluster::conformance::{COLLECTION, load, load_records, session, table, wait};
use crate::cluster::service::{Service, Way};
use crate::cluster::{open, patient, with};

/// Runs something of everything: records by key, statements and a transaction.
fn use_it(url: &str) {
    let target = open(&patient(url));
    load(&target, 2);
    load_records(&target, &["user1"]);
    let mut client = wait(target.key_value().unwrap().session(&table(4))).unwrap();
    assert!(wait(client.read("user1", Fields::All, &mut Record::default())).unwrap());
    let mut session = session(&target);
    let row = wait(async {
        let mut t = session.begin(Access::Read).await?;
        let row = t.get(COLLECTION, "1.1", &["o_id"], Intent::Look).await?;
        t.commit().await?;
        Ok::<_, Error>(row)
    });
    assert_eq!(row.unwrap(), Some(vec![json!(1)]));
    assert_eq!(target.description().settings["tls"], "true");
}

fn refused(url: &str) -> String {
    let e = wait(hoap_couchbase::open(url)).map(drop).unwrap_err();
    let line = e.to_string();
    assert!(matches!(e.kind, ErrorKind::Unavailable | ErrorKind::Invalid), "{e}");
    assert!(!line.contains('\n') && !line.contains("secret"), "{line}");
    line
}

/// A URL whose opening fails soon, with the query node that is asked why.
fn soon(service: &Service, url: &str, rest: &str) -> String {
    let query = format!("query_nodes=127.0.0.1:{}", service.query_ports()[0]);
    with(url, &format!("connect_timeout_ms=1000&{query}{rest}"))
}

#[test]
fn a_password_goes_over_tls_to_servers_of_the_authority_alone() {
    let service = Service::reached(Way::Tls(server("server", false), false));
    let ca = path("authority.pem");
    use_it(&with(&service.url(), &format!("tls_ca={ca}")));
    for (rest, says) in [
        (String::new(), "check tls_ca"),
        (format!("&tls_ca={}", path("stranger.pem")), "check tls_ca"),
    ] {
        let line = refused(&soon(&service, &service.url(), &rest));
        assert!(line.contains(says) && line.contains("certificate"), "{line}");
    }
    let wrong = service.url_as("script", "another secret");
    let line = refused(&soon(&service, &wrong, &format!("&tls_ca={ca}")));
    assert!(line.contains("check the user, the password"), "{line}");
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let service = Service::reached(Way::Tls(server("elsewhere", false), false));
    let ca = format!("&tls_ca={}", path("authority.pem"));
    let line = refused(&soon(&service, &service.url(), &ca));
    assert!(line.contains("certificate names the host"), "{line}");
}

#[test]
fn a_client_certificate_stands_for_user_and_password_everywhere() {
    let service = Service::reached(Way::Tls(server("server", true), true));
    let file = |name: &str| format!("tls_{name}");
    let (ca, cert, key) = (file("ca"), file("cert"), file("key"));
    let trust = format!("{ca}={}", path("authority.pem"));
    let show = |name: &str| {
        format!(
            "{trust}&{cert}={}&{key}={}",
            path(&format!("{name}.pem")),
            path(&format!("{name}.key"))
        )
    };
    let place = service.place();
    use_it(&with(&place, &show("client")));
    let target = open(&patient(&with(&place, &show("client"))));
    assert_eq!(target.description().settings["client_certificate"], "true");
    // One that the server does not know, and none.
    let line = refused(&soon(&service, &place, &format!("&{}", show("stranger"))));
    assert!(line.contains("tls_cert and tls_key"), "{line}");
    let line = refused(&soon(&service, &service.url(), &format!("&{trust}")));
    assert!(line.contains("tls_cert and tls_key"), "{line}");
    // Files that are none.
    let swapped = format!("{trust}&{cert}={}&{key}={}", path("client.key"), path("client.pem"));
    for (files, says) in [
        (format!("{trust}&{cert}=/nowhere.pem&{key}={}", path("client.key")), "/nowhere.pem"),
        (format!("{trust}&{cert}={}&{key}=/nowhere.key", path("client.pem")), "/nowhere.key"),
        (swapped, "client.key"),
    ] {
        let line = refused(&soon(&service, &place, &format!("&{files}")));
        assert!(line.contains(says), "{line}");
    }
    let started = std::time::Instant::now();
    let mixed = format!("{trust}&{cert}={}&{key}={}", path("client.pem"), path("stranger.key"));
    let _ = refused(&soon(&service, &place, &format!("&{mixed}")));
    assert!(started.elapsed() < Duration::from_secs(10));
}
