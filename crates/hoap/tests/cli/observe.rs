//! What a run records of the servers (`--observe`), and the report of it.

use std::net::TcpListener;

use serde_json::Value;

use super::{End, Place};

/// A port that was free a moment ago.
fn free() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn series<'a>(step: &'a Value, source: &str, series: &str) -> &'a Value {
    let all = step["observed"].as_array().unwrap();
    let is = |of: &&Value| of["source"] == source && of["series"] == series;
    all.iter().find(is).unwrap_or_else(|| panic!("{source} {series}: {all:?}"))
}

/// A run observes its own endpoint, which a library for Prometheus writes: the endpoint and the
/// record count the same operations. Beside it the test's own process, whose child the run is.
#[test]
fn a_run_records_its_servers_and_the_report_shows_them() {
    let p = Place::new();
    let (port, pid) = (free(), std::process::id());
    p.ok(&format!(
        "run ycsb-a --target null:?latency_us=500 -p recordcount=100 --clients 2 --warmup 1s \
         --duration 3s --metrics 127.0.0.1:{port} --observe tests=pid:{pid} \
         --observe hoap=http://127.0.0.1:{port}/metrics#hoap_step,hoap_operations_total{{outcome}} \
         --out run"
    ));
    let run = p.json("run/run.json");
    let step = &run["steps"][0];
    let operations: f64 = step["transactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["per_second"].as_f64().unwrap())
        .sum();
    let counted = series(step, "hoap", "hoap_operations_total{outcome=\"success\"}");
    let mean = counted["mean"].as_f64().unwrap();
    // The endpoint counts whole ticks, and a busy machine reads it late: some more or less of
    // three.
    assert!((0.3..3.0).contains(&(mean / operations)), "{mean} of {operations}");
    let cpu = series(step, "tests", "cpu_seconds_total")["mean"].as_f64().unwrap();
    let own = step["driver"]["cpu_seconds"].as_f64().unwrap();
    assert!(cpu > 0.0 && cpu * 3.0 > own * 0.5, "{cpu} cores, of which the driver took {own} s");
    let sources = run["observed"].as_array().unwrap();
    assert_eq!(sources.len(), 2, "{sources:?}");
    assert!(sources.iter().all(|s| s["readings"].as_u64() >= Some(4) && s["missed"] == 0));
    assert_eq!(sources[1]["from"], format!("http://127.0.0.1:{port}/metrics"));
    let shown = p.ok("show --full run").out;
    assert!(shown.contains("Servers: CPU") && shown.contains("cpu_seconds_total"), "{shown}");
    p.ok("report run -o page.html --csv tables");
    let page = p.text("page.html");
    assert!(page.contains("The servers beside the load") && page.contains("observed-cpu-0"));
    let csv = p.text("tables/observed-cpu-over-time-0.csv");
    assert!(csv.starts_with("source,series,step,at (s),value (cores)"), "{csv}");
    assert!(csv.lines().count() >= 4, "{csv}");
}

/// Report of three databases, section 4.1.1: a cache was warmed up until it answered 60 % of reads.
#[test]
fn a_warm_up_ends_where_an_observed_metric_has_passed_a_bound_or_says_that_it_did_not() {
    let p = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // A cache that gets warmer with each reading, and a counter.
    std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let mut readings = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for line in lines.map_while(Result::ok) {
                if line.is_empty() {
                    readings += 1;
                    let hits = f64::from(readings) / 5.0;
                    let text = format!(
                        "# TYPE hits gauge\nhits{{cache=\"keys\"}} {hits}\n# TYPE asked_total counter\n\
                         asked_total {readings}\n"
                    );
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
                    let _ = stream.write_all((head + &text).as_bytes());
                }
            }
        }
    });
    let run = format!(
        "run ycsb-c --target null:?latency_us=500 --duration 100ms --tick 20ms \
         --observe db=http://{address}/metrics#hits{{cache}},asked_total"
    );
    p.ok(&format!("{run} --warmup until:hits>0.5:10m --out warm"));
    let record = p.json("warm/run.json");
    assert_eq!(record["configuration"]["warmup"], "until:hits>0.5:600s");
    let step = &record["steps"][0];
    assert_eq!(step["warmup_settled"], true);
    // The third reading is above: the first is from before the run, one more each second.
    assert!(step["warmup_seconds"].as_f64().unwrap() < 600.0, "{step:#}");
    assert!(series(step, "db", "hits{cache=\"keys\"}")["mean"].as_f64() > Some(0.5), "{step:#}");

    let cold = p.ok(&format!("{run} --warmup until:hits{{cache=\"keys\"}}<0.1:60ms --out cold"));
    assert!(cold.out.contains("did not come within"), "{}", cold.out);
    assert_eq!(p.json("cold/run.json")["steps"][0]["warmup_settled"], false);

    for (bound, why) in
        [("misses>1", "hits{cache=\"keys\"}"), ("asked_total>1", "no source has this gauge")]
    {
        p.fails(&format!("{run} --warmup until:{bound} --out refused"), 2, &[why]);
        assert!(!p.path("refused").exists());
    }
    let alone = "run ycsb-c --target null: --warmup until:hits>0.6 --out refused";
    p.fails(alone, 2, &["--observe"]);
}

#[test]
fn a_source_that_cannot_be_read_is_refused_and_nothing_is_written() {
    let p = Place::new();
    let run = "run ycsb-c --target null: --duration 1s --out run --observe";
    let port = free();
    for (source, code, why) in [
        (format!("http://127.0.0.1:{port}"), 3, "Connection refused"),
        ("pid:999999999".into(), 3, "there is no such process"),
        ("db1:9100".into(), 2, "neither [NAME=]http[s]://"),
        ("http://me:secret@db1:9100/metrics".into(), 2, "the command line shows its password"),
        ("http://db1:9100/metrics#a-b".into(), 2, "no name of a series"),
    ] {
        let End { err, .. } = p.fails(&format!("{run} {source}"), code, &[why]);
        assert!(!err.contains("secret"), "{source}: {err}");
        assert!(!p.path("run").exists(), "{source}");
    }
}

/// Answers that say that an answer follows, without end, are no answer.
#[test]
fn an_endpoint_that_only_continues_is_given_up() {
    use std::io::{Read, Write};
    let p = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // What comes before the question ends the connection.
        assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
        let text = "HTTP/1.1 100 Continue\r\n\r\n".repeat(4000);
        while stream.write_all(text.as_bytes()).is_ok() {}
    });
    let begun = std::time::Instant::now();
    let line = format!("run ycsb-c --target null: --out run --observe http://{address}");
    p.fails(&line, 3, &["no answer for 3 s"]);
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

/// A password in a configuration file is used, and told nowhere.
#[test]
fn the_password_of_an_endpoint_is_in_no_record() {
    let p = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        for line in BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok) {
            if line.is_empty() {
                let text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nx 1\n";
                stream.write_all(text.as_bytes()).unwrap();
            }
            seen.push(line.to_lowercase());
        }
        seen
    });
    let file = format!("observe = [\"http://me:hunter2@{address}/metrics#x\"]\n");
    p.write("flags.toml", &file);
    p.ok(
        "run ycsb-c --target null:?latency_us=500 --duration 1s --warmup 10ms --config flags.toml \
          --out run",
    );
    let seen = serve.join().unwrap();
    // me:hunter2
    assert!(seen.contains(&"authorization: basic bwu6ahvudgvymg==".into()), "{seen:?}");
    for entry in std::fs::read_dir(p.path("run")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    }
}

/// An endpoint that answers each request with this text.
fn endpoint(text: String) -> std::net::SocketAddr {
    use std::io::{BufRead, BufReader, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            for line in lines.filter(String::is_empty) {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
                if stream.write_all(format!("{line}{head}{text}").as_bytes()).is_err() {
                    break;
                }
            }
        }
    });
    address
}

/// Whatever an endpoint says: what a run records of it, every command reads, and a spreadsheet or a
/// terminal takes for text. What cannot be recorded is refused before the run.
#[test]
fn whatever_an_endpoint_says_every_reader_reads_what_is_recorded() {
    let p = Place::new();
    let run =
        "run ycsb-c --target null:?latency_us=500 -p recordcount=10 --warmup 0s --duration 1200ms";
    let many: String =
        (0..200).map(|n| format!("c{n}_total{{l=\"{}\"}} {n}\n", "x".repeat(900))).collect();
    for (n, (text, recorded)) in [
        ("a{l=\"1\"} 1e308\na{l=\"2\"} 1e308\nb 1\n", true),
        ("a +Inf\nb NaN\nc 1\n", true),
        ("a_total 1.7976931348623157e308\nb -1e308\nc 1\n", true),
        ("a{l=\"=1+1\"} 1\na{l=\"\u{1b}]0;t\u{7}\"} 1\na{l=\"\u{202e}\"} 1\n", true),
        (&many, true),
        ("=cmd|' /C calc'!A0 1\n", false),
        ("\u{1b}[2J 1\n", false),
        ("a 1e308\n", false),
        (&format!("a{{l=\"{}\"}} 1\n", "x".repeat(1 << 20)), false),
        ("<html>", false),
        ("", false),
    ]
    .into_iter()
    .enumerate()
    {
        let address = endpoint(text.to_owned());
        let line = format!("{run} --observe e=http://{address}/metrics#*{{*}} --out r{n}");
        let end = p.run(&line);
        assert_eq!(end.code == 0, recorded, "{text:.60}: {end:?}");
        assert!(end.err.len() < 6_000 && !end.err.contains('\u{1b}'), "{end:?}");
        if !recorded {
            assert!(!p.path(&format!("r{n}")).exists(), "{text:.60}");
            continue;
        }
        let record = p.json(&format!("r{n}/run.json"));
        super::schema::valid(&record);
        assert!(!record["steps"][0]["observed"].to_string().contains("null"), "{record}");
        for reader in ["report {} -o {}.html", "show {}", "show {} --format csv"] {
            p.ok(&reader.replace("{}", &format!("r{n}")));
        }
        let rows = p.text(&format!("r{n}/observed.csv"));
        let odd = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!rows.contains(odd), "{rows:.300}");
        for row in rows.lines() {
            let series = row.splitn(3, ',').nth(2).unwrap().trim_start_matches('"');
            assert!(!series.starts_with(['=', '+', '-', '@', '\t']), "{row:.300}");
        }
    }
}
