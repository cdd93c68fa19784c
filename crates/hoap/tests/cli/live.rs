//! What other programs see of a run while it goes on.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hoap_testing::browser::only_its_own_scripts;
use serde_json::{Map, Value};

use super::Place;

/// It waits, so that it takes no core from others.
const YCSB: &str =
    "run ycsb-a --target null:?latency_us=1000 -p recordcount=100 --clients 2 --warmup 300ms";

/// The head and the body of what a URL answers.
fn get(address: &str, path: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.to_owned(), body.to_owned()))
}

/// The value of the metric that this line begins with.
fn value(body: &str, metric: &str) -> Option<f64> {
    let line = body.lines().find(|l| l.starts_with(metric))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

/// The address that a run tells.
fn address(run: &mut Child) -> String {
    let mut told = BufReader::new(run.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("metrics at http://") {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "it tells no address");
    }
    // Somebody must read what else it says.
    std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
    let rest = line.trim().rsplit_once("http://").unwrap().1;
    rest.strip_suffix("/metrics").unwrap().to_owned()
}

#[test]
fn prometheus_scrapes_a_run_while_it_goes_on() {
    let p = Place::new();
    let line = format!("{YCSB} --duration 4s --metrics 127.0.0.1:0 --label test.bed=lab --out run");
    let mut command = p.command(&line);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let address = address(&mut run);
    let success =
        "hoap_operations_total{step=\"1\",phase=\"measured\",kind=\"READ\",outcome=\"success\"}";
    let until = Instant::now() + Duration::from_secs(30);
    let mut seen = Vec::new();
    while seen.len() < 2 {
        assert!(Instant::now() < until, "no operations were counted: {seen:?}");
        std::thread::sleep(Duration::from_millis(200));
        let Some((head, body)) = get(&address, "/metrics") else { break };
        assert!(head.contains("application/openmetrics-text"), "{head}");
        assert!(body.ends_with("# EOF\n"), "{body}");
        if let Some(n) = value(&body, success)
            && seen.last().is_none_or(|&last| n > last)
        {
            assert!(body.contains("benchmark=\"ycsb-a\""), "{body}");
            assert!(body.contains("label_test_bed=\"lab\""), "{body}");
            assert_eq!(value(&body, "hoap_phase{phase=\"measured\"}"), Some(1.0), "{body}");
            assert_eq!(value(&body, "hoap_phase{phase=\"warmup\"}"), Some(0.0), "{body}");
            assert_eq!(value(&body, "hoap_clients{side=\"transactions\"}"), Some(2.0), "{body}");
            let p99 =
                value(&body, "hoap_interval_response_seconds{kind=\"READ\",quantile=\"0.99\"}");
            assert!(p99.is_some_and(|s| s < 60.0), "{body}");
            seen.push(n);
        }
    }
    assert!(get(&address, "/x").is_none_or(|(head, _)| head.starts_with("HTTP/1.1 404")));
    assert!(run.wait().unwrap().success());
    let total: u64 = p.json("run/run.json")["steps"][0]["transactions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|o| o["kind"] == "READ")
        .map(|o| o["count"].as_u64().unwrap())
        .sum();
    assert!(seen[0] > 0.0 && seen[1] <= total as f64, "{seen:?} of {total}");
}

/// Starts a run of this many seconds that serves metrics, with at most `files` file descriptors.
fn serving(p: &Place, seconds: u32, files: u32) -> (Child, String) {
    let line = format!("{YCSB} --duration {seconds}s --metrics 127.0.0.1:0 --out run");
    let hoap = p.command(&line);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]);
    limited.arg(hoap.get_program()).args(hoap.get_args());
    limited.current_dir(hoap.get_current_dir().unwrap());
    let mut run = limited.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let address = address(&mut run);
    // The step has all files that it needs once it measures.
    let until = Instant::now() + Duration::from_secs(30);
    while !get(&address, "/metrics").is_some_and(|(_, body)| body.contains("phase=\"measured\"} 1"))
    {
        assert!(Instant::now() < until, "it does not measure");
        std::thread::sleep(Duration::from_millis(100));
    }
    (run, address)
}

/// Whether the metrics are answered within half a minute.
fn answers(address: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until {
        if get(address, "/metrics").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    false
}

fn end(mut run: Child) {
    run.kill().unwrap();
    run.wait().unwrap();
}

/// What a stream of events tells until the run has ended: its cells by number, and the last value of
/// each part.
fn told(address: &str) -> (BTreeMap<u64, Value>, Map<String, Value>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let (mut cells, mut parts) = (BTreeMap::new(), Map::new());
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let Some(text) = line.strip_prefix("data: ") else { continue };
        let Value::Object(mut news) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
        let new = news.remove("cells").unwrap();
        if news.remove("all").is_some() {
            cells.clear();
        }
        for cell in new.as_array().unwrap() {
            cells.insert(cell["n"].as_u64().unwrap(), cell.clone());
        }
        parts.extend(news);
        if parts.contains_key("end") {
            break;
        }
    }
    (cells, parts)
}

#[test]
fn the_page_of_a_run_is_told_what_its_folder_has_and_then_the_report() {
    let p = Place::new();
    let line = YCSB.replace("--clients 2", "--clients 1,2");
    let line = format!("{line} --duration 1500ms --tick 70ms --metrics 127.0.0.1:0 --out run");
    let mut run = p.command(&line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let address = address(&mut run);
    let (head, page) = get(&address, "/").unwrap();
    assert!(head.contains("frame-ancestors 'none'") && head.contains("nosniff"), "{head}");
    only_its_own_scripts(&page);
    assert!(page.contains("default-src 'none'") && page.contains("connect-src 'self'"));
    // One that says nothing more, and one that leaves.
    let mut stalled = TcpStream::connect(&address).unwrap();
    write!(stalled, "GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut left = TcpStream::connect(&address).unwrap();
    write!(left, "GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    left.read_exact(&mut [0; 100]).unwrap();
    drop(left);
    let (cells, parts) = told(&address);
    assert_eq!(parts["end"]["report"], true, "{parts:#?}");
    let (_, report) = get(&address, "/report").unwrap();
    only_its_own_scripts(&report);
    assert!(report.contains("id=\"result\"") && !report.contains("connect-src"));
    assert!(run.wait().unwrap().success());
    let record = p.json("run/run.json");
    assert!(record["partial"].is_null());
    assert_eq!(record["steps"].as_array().unwrap().len(), 2);
    for step in record["steps"].as_array().unwrap() {
        for of in step["transactions"].as_array().unwrap() {
            let measured = cells.values().filter(|c| c["phase"] == "measured");
            let rows = measured.filter(|c| c["step"] == step["number"]);
            let rows = rows.flat_map(|c| c["operations"].as_array().unwrap());
            let rows = rows.filter(|row| row[0] == of["kind"]);
            let [count, longest] =
                [1usize, 5].map(|at| rows.clone().map(move |r| r[at].as_u64().unwrap()));
            assert_eq!(count.sum::<u64>(), of["count"].as_u64().unwrap(), "{of:#}");
            // What was in flight at the end of the window has a time, too.
            assert!(longest.max() <= of["latency"]["max_us"].as_u64(), "{of:#}");
        }
    }
    // The tables of the page are those of the report.
    let tables = parts["record"]["tables"].as_array().unwrap();
    let throughput = tables.iter().find(|table| table["id"] == "throughput").unwrap();
    assert_eq!(throughput["rows"].as_array().unwrap().len(), 2);
    assert_eq!(parts["plan"]["steps"].as_array().unwrap().len(), 2);
}

/// The first line of the answer to these lines.
fn answer(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = request.replace("SELF", address).replace('\n', "\r\n");
    write!(stream, "{request}\r\n\r\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

#[test]
fn only_the_run_s_own_page_reads_it_and_nobody_writes() {
    let p = Place::new();
    let (run, address) = serving(&p, 120, 1024);
    let port = address.rsplit_once(':').unwrap().1;
    for (request, status) in [
        ("GET / HTTP/1.1\nHost: SELF".to_owned(), 200),
        (format!("GET / HTTP/1.1\nHost: localhost:{port}"), 200),
        (format!("GET / HTTP/1.1\nHost: [::1]:{port}"), 200),
        ("HEAD / HTTP/1.1\nHost: SELF".to_owned(), 200),
        ("HEAD /events HTTP/1.1\nHost: SELF".to_owned(), 200),
        ("GET /metrics HTTP/1.0".to_owned(), 200),
        ("GET /nowhere HTTP/1.1\nHost: SELF".to_owned(), 404),
        ("GET /report HTTP/1.1\nHost: SELF".to_owned(), 404),
        // A name that leads here and is not ours.
        (format!("GET / HTTP/1.1\nHost: rebound.example:{port}"), 403),
        ("GET /metrics HTTP/1.1\nHost: rebound.example".to_owned(), 403),
        ("GET /events HTTP/1.1\nHost: 127.0.0.1.rebound.example".to_owned(), 403),
        ("GET / HTTP/1.1\nHost: SELF\nHost: rebound.example".to_owned(), 403),
        ("GET / HTTP/1.1\nHost: ".to_owned(), 403),
        ("GET /events HTTP/1.1\nHost: SELF\nSec-Fetch-Site: cross-site".to_owned(), 403),
        ("POST / HTTP/1.1\nHost: SELF\nContent-Length: 0".to_owned(), 405),
        ("POST /metrics HTTP/1.1\nHost: SELF\nContent-Length: 0".to_owned(), 405),
        ("DELETE /report HTTP/1.1\nHost: SELF".to_owned(), 405),
        ("OPTIONS /events HTTP/1.1\nHost: SELF".to_owned(), 405),
    ] {
        let first = answer(&address, &request);
        assert!(first.contains(&format!(" {status} ")), "{request:?}: {first}");
    }
    // A report of a run that goes on says how far it is; of one that was killed, too.
    let page = || std::fs::read_to_string(p.path("page.html")).unwrap();
    p.ok("report run -o page.html");
    assert!(page().contains("the run goes on: 0 of 1 steps are whole; step 1 was in its "));
    end(run);
    p.ok("report run -o page.html");
    assert!(page().contains("the run did not end: 0 of 1 steps are whole"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_browser_opens_the_page_or_the_run_says_that_none_does() {
    let p = Place::new();
    std::fs::create_dir(p.path("bin")).unwrap();
    p.write("bin/xdg-open", "#!/bin/sh\nprintf %s \"$1\" >opened.part && mv opened.part opened\n");
    let opener = p.path("bin/xdg-open");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&opener, executable).unwrap();
    let line = format!("{YCSB} --duration 1s --open --out");
    let path = |path: &str| format!("{}:{path}", p.path("bin").display());
    let mut command = p.command(&format!("{line} run"));
    command.env("PATH", path("/usr/bin:/bin"));
    let told = super::End::of(command.output().unwrap());
    let opened = std::fs::read_to_string(p.path("opened")).unwrap();
    assert!(told.code == 0 && told.err.contains(&format!("page at {opened}, ")), "{told:#?}");
    std::fs::remove_file(&opener).unwrap();
    let mut command = p.command(&format!("{line} other"));
    command.env("PATH", path(""));
    let told = super::End::of(command.output().unwrap());
    assert!(told.code == 0 && told.err.contains("no browser opened"), "{told:#?}");
}

#[test]
fn metrics_are_served_again_after_a_lack_of_file_descriptors() {
    let p = Place::new();
    let (run, address) = serving(&p, 120, 48);
    let held: Vec<_> = (0..60).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let files = || std::fs::read_dir(format!("/proc/{}/fd", run.id())).unwrap().count();
    let until = Instant::now() + Duration::from_secs(30);
    while files() < 48 {
        assert!(Instant::now() < until, "it does not run out of file descriptors: {}", files());
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(held);
    assert!(answers(&address), "the metrics are not served any more");
    end(run);
}

#[test]
fn slow_and_large_requests_end_and_others_are_answered() {
    let p = Place::new();
    let (run, address) = serving(&p, 120, 1024);
    let mut held: Vec<_> = (0..80).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let files = || std::fs::read_dir(format!("/proc/{}/fd", run.id())).unwrap().count();
    std::thread::sleep(Duration::from_millis(500));
    assert!(files() < 64 + 30, "{} files for 80 connections", files());
    assert!(answers(&address));
    let mut slow = held.swap_remove(0);
    slow.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A limit closes it, or resets it.
    assert!(matches!(slow.read(&mut [0]), Ok(0)) || slow.take_error().unwrap().is_some());
    let mut large = TcpStream::connect(&address).unwrap();
    let head = format!("GET /metrics HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(64 << 10));
    let _ = large.write_all(head.as_bytes());
    let mut answer = Vec::new();
    let _ = large.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    end(run);
}

#[test]
fn an_address_that_others_reach_is_warned_of() {
    let p = Place::new();
    let line = format!("{YCSB} --operations 100 --out run --metrics");
    let told = |address: &str, out: &str| {
        let line = line.replace("--out run", &format!("--out {out}"));
        p.ok(&format!("{line} {address}")).err.contains("without a password")
    };
    assert!(told("0.0.0.0:0", "a") && !told("127.0.0.1:0", "b"));
}

#[test]
fn an_address_that_is_taken_is_an_error_before_the_run() {
    let p = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let line = format!("{YCSB} --metrics {address} --out run");
    p.fails(&line, 3, &["listen for Prometheus", &address.to_string(), "--metrics"]);
    assert!(!p.path("run").exists());
    assert_eq!(p.run(&format!("{YCSB} --metrics nowhere")).code, 2);
}

#[test]
fn metrics_are_a_key_of_a_configuration_file_too() {
    let p = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    p.write("c.toml", &format!("metrics = \"{address}\"\n"));
    p.fails(&format!("{YCSB} --config c.toml --out run"), 3, &["listen for Prometheus"]);
}

#[cfg(not(feature = "otlp"))]
#[test]
fn a_build_without_the_exporter_says_so() {
    let p = Place::new();
    p.fails(&format!("{YCSB} --otlp http://127.0.0.1:9"), 2, &["--features otlp"]);
}

#[cfg(feature = "otlp")]
mod otlp {
    use std::net::TcpListener;
    use std::sync::mpsc;

    use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
    use opentelemetry_proto::tonic::metrics::v1::{metric, number_data_point};
    use prost::Message;

    use super::*;

    /// A collector that hands over each request: its path and what it brings.
    fn collector() -> (String, mpsc::Receiver<(String, ExportMetricsServiceRequest)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let sender = sender.clone();
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream.unwrap());
                    while let Some(request) = request(&mut stream) {
                        stream
                            .get_mut()
                            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                            .unwrap();
                        if sender.send(request).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        (address, receiver)
    }

    fn request(stream: &mut BufReader<TcpStream>) -> Option<(String, ExportMetricsServiceRequest)> {
        let (mut path, mut length, mut line) = (String::new(), 0, String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let lower = line.to_ascii_lowercase();
            if line.starts_with("POST ") {
                path = line.split(' ').nth(1)?.to_owned();
            } else if let Some(n) = lower.strip_prefix("content-length:") {
                length = n.trim().parse().ok()?;
            } else if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        Some((path, ExportMetricsServiceRequest::decode(&*body).ok()?))
    }

    /// The sum of a counter's points in a request, 0 where it is not there.
    fn total(request: &ExportMetricsServiceRequest, name: &str) -> i64 {
        let scopes = request.resource_metrics.iter().flat_map(|r| &r.scope_metrics);
        let metrics = scopes.flat_map(|s| &s.metrics).filter(|m| m.name == name);
        metrics
            .filter_map(|m| match m.data.as_ref()? {
                metric::Data::Sum(sum) => Some(sum),
                _ => None,
            })
            .flat_map(|sum| &sum.data_points)
            .filter_map(|point| match point.value? {
                number_data_point::Value::AsInt(n) => Some(n),
                number_data_point::Value::AsDouble(_) => None,
            })
            .sum()
    }

    #[test]
    fn a_collector_gets_every_operation_of_the_run() {
        let p = Place::new();
        let (address, requests) = collector();
        p.ok(&format!("{YCSB} --operations 500 --otlp http://{address} --out run"));
        let last = requests.try_iter().last().expect("nothing came");
        assert_eq!(last.0, "/v1/metrics");
        let run = p.json("run/run.json");
        let counted = run["steps"][0]["transactions"].as_array().unwrap().iter();
        let counted: i64 = counted.map(|o| o["count"].as_i64().unwrap()).sum();
        // The warm-up's operations are there, too.
        assert!(total(&last.1, "hoap.operations") >= counted, "{counted} of {last:?}");
    }

    #[test]
    fn a_collector_that_is_not_there_does_not_disturb_the_run() {
        let p = Place::new();
        p.ok(&format!("{YCSB} --operations 500 --otlp http://127.0.0.1:9 --out run"));
        p.fails(&format!("{YCSB} --otlp :: --out other"), 2, &["send metrics to ::"]);
    }

    /// A key in the headers is for the collector that was named.
    #[test]
    fn a_collector_that_redirects_sends_nobody_elsewhere() {
        let p = Place::new();
        let (elsewhere, requests) = collector();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut stream = BufReader::new(stream);
            let asked = request(&mut stream).is_some();
            let answer = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{elsewhere}/v1/metrics\r\n\
                 Content-Length: 0\r\n\r\n"
            );
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
            asked
        });
        let line = format!("{YCSB} --duration 1500ms --otlp http://{address} --out run");
        let mut command = p.command(&line);
        command.env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=of-this-collector");
        let end = super::super::End::of(command.output().unwrap());
        assert!(end.code == 0 && asked.join().unwrap(), "{end:#?}");
        assert_eq!(requests.try_iter().count(), 0, "the other one was told");
    }

    /// The client's words repeat the address as it was given.
    #[test]
    fn a_password_that_makes_the_address_a_wrong_one_is_not_shown() {
        let p = Place::new();
        p.write("c.toml", "otlp = 'http://me:tip\"top s3cret@[h:1'\n");
        let end = p.fails(&format!("{YCSB} --config c.toml --out run"), 2, &["send metrics to"]);
        assert!(!["tip", "top", "s3cret"].iter().any(|part| end.err.contains(part)), "{end:#?}");
    }
}

/// Without a terminal: a line every ten seconds, of words that a script can split.
#[test]
fn progress_is_told_in_pairs_where_there_is_no_terminal() {
    let p = Place::new();
    let end = p.ok(&format!("{YCSB} --duration 11s --tick 100ms --out run"));
    let told: Vec<&str> = end.err.lines().filter(|line| line.starts_with("progress ")).collect();
    let [line] = told[..] else { panic!("{end:#?}") };
    let pairs: std::collections::BTreeMap<&str, &str> =
        line.split(' ').skip(1).map(|pair| pair.split_once('=').unwrap()).collect();
    assert_eq!((pairs["step"], pairs["steps"], pairs["phase"]), ("1", "1", "measured"));
    let rate: f64 = pairs["ops_per_second"].parse().unwrap();
    assert!(rate > 0.0 && pairs["seconds"].parse::<f64>().unwrap() > 9.0, "{line}");
    assert!(end.err.lines().all(|line| !line.contains('\r') && !line.contains('\u{1b}')));
    let last = end.err.lines().last().unwrap();
    assert!(last.starts_with("verdict: ") && last.ends_with("; nothing was checked"), "{last}");
}
