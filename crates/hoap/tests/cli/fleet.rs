//! Drivers that meet at `hoap gather`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::tree::Mine;
use super::{End, Place, gone, until};

const TOKEN: &str = "HOAP_FLEET_TOKEN";
const SECRET: &str = "0123456789abcdef-of-a-test";

/// A command of a fleet that runs, and what it says on standard error.
struct Running {
    child: Child,
    told: JoinHandle<Vec<String>>,
}

impl Running {
    fn start(mut command: Command, mut each: impl FnMut(&str) + Send + 'static) -> Running {
        command.env(TOKEN, SECRET).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let told = std::thread::spawn(move || {
            lines.map(Result::unwrap).inspect(|line| each(line)).collect()
        });
        Running { child, told }
    }

    fn end(self) -> End {
        let end = End::of(self.child.wait_with_output().unwrap());
        End { err: self.told.join().unwrap().join("\n"), ..end }
    }

    /// Ends with this code, and one line of error that says these things.
    fn fails(self, code: i32, says: &[&str]) {
        let end = self.end();
        let told = end.err.lines().find(|line| line.starts_with("hoap: ")).unwrap_or_default();
        assert_eq!(end.code, code, "{says:?}: {end:#?}");
        for words in says {
            assert!(told.contains(words), "no {words:?} in {end:#?}");
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }
}

/// `hoap gather` into `run`, and where it listens.
fn gather(p: &Place, words: &str) -> (Running, String) {
    let (running, address, _) = gather_and_listen(p, words);
    (running, address)
}

/// The same, with the lines that it prints later.
fn gather_and_listen(p: &Place, words: &str) -> (Running, String, Receiver<String>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let command = p.command(&format!("gather {words} --listen 127.0.0.1:0 -o run"));
    let running = Running::start(command, move |line| drop(sender.send(line.to_owned())));
    let first = line_with(&receiver, " drivers at ");
    let (_, address) = first.split_once(" drivers at ").unwrap();
    (running, address.to_owned(), receiver)
}

/// Waits for a line with these words.
fn line_with(lines: &Receiver<String>, words: &str) -> String {
    loop {
        let line = lines.recv_timeout(Duration::from_secs(60));
        let line = line.unwrap_or_else(|e| panic!("no line says {words:?}: {e}"));
        if line.contains(words) {
            return line;
        }
    }
}

fn driver(p: &Place, at: &str, part: &str, flags: &str) -> Running {
    let out = part.split('/').next().unwrap();
    let line = format!(
        "run ycsb-a --target sqlite:t.db --warmup 100ms {flags} --part {part} --meet {at} --out d{out}"
    );
    Running::start(p.command(&line), |_| ())
}

fn loaded() -> Place {
    let p = Place::new();
    p.ok("load ycsb --target sqlite:t.db -p recordcount=200");
    p
}

#[test]
fn drivers_that_meet_begin_every_step_together_and_make_one_run() {
    let p = loaded();
    let mine = Mine::around(&p, &["t.db"]);
    let (gather, at, lines) = gather_and_listen(&p, "2 --operational sqlite:t.db");
    let flags = "--clients 1,2 --duration 1s";
    let two = driver(&p, &at, "2/2", flags);
    // Whoever comes late is waited for.
    line_with(&lines, "1 of 2 drivers are here");
    let one = driver(&p, &at, "1/2", flags);
    for end in [one.end(), two.end(), gather.end()] {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    mine.unchanged("gather");
    let [one, two, run] = ["d1", "d2", "run"].map(|run| p.json(&format!("{run}/run.json")));
    for (number, step) in [(1, 0), (2, 1)] {
        let start = |run: &serde_json::Value| {
            let start = &run["steps"][step]["start"];
            assert!(start["late_seconds"].as_f64().unwrap() <= 0.25, "step {number}: {start}");
            start["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap()
        };
        // One clock, as far as it was measured.
        let apart = start(&one).duration_since(start(&two)).as_secs_f64().abs();
        let error = |run: &serde_json::Value| run["clock"]["error_seconds"].as_f64().unwrap();
        assert!(apart <= 2.0 * (error(&one) + error(&two)), "step {number}: {apart} s apart");
    }
    assert_eq!(run["drivers"].as_array().unwrap().len(), 2);
    for (n, driver) in run["drivers"].as_array().unwrap().iter().enumerate() {
        assert!(driver["clock"]["ahead_seconds"].as_f64().unwrap().abs() < 1.0, "{driver}");
        let sent = format!("run.drivers/part-{}", n + 1);
        let there = std::fs::read_dir(p.path(&sent)).unwrap().count();
        assert_eq!(there, std::fs::read_dir(p.path(&format!("d{}", n + 1))).unwrap().count());
        for name in ["run.json", "samples.csv", "ledger.json", "step-01.hlog", "step-02.hlog"] {
            assert_eq!(p.read(&format!("{sent}/{name}")), p.read(&format!("d{}/{name}", n + 1)));
        }
    }
    let checks = run["checks"].as_array().unwrap();
    assert!(checks.iter().all(|c| c["verdict"] == "pass"), "{checks:#?}");
    let names: Vec<_> = checks.iter().map(|c| c["name"].as_str().unwrap()).collect();
    // The first driver looked at the table before.
    assert_eq!(
        names,
        [
            "record count",
            "nothing changed",
            "start",
            "start",
            "record count",
            "nothing lost: writes",
            "nothing changed"
        ]
    );
    let mut when = [2, 3].map(|n| checks[n]["when"].as_str().unwrap());
    when.sort_unstable();
    assert_eq!(when, ["during the run, part-1", "during the run, part-2"]);
    super::schema::valid(&run);
    super::schema::valid(&one);
}

#[test]
fn a_driver_that_is_killed_ends_all_by_name_soon() {
    let p = loaded();
    let (gather, at) = gather(&p, "2");
    let flags = "--duration 10m --tick 100ms";
    let [one, two] = ["1/2", "2/2"].map(|part| driver(&p, &at, part, flags));
    gone::until_measured(&p.path("d2"));
    two.signal("-KILL");
    let killed = Instant::now();
    gather.fails(1, &["part 2/2 is gone", "it was stopped or killed", "start all again"]);
    one.fails(1, &["meet the drivers at", "part 2/2 is gone"]);
    // Five seconds where the machine has nothing else to do.
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    assert!(p.json("d1/run.json")["partial"].as_str().unwrap().contains("interrupted"));
    assert!(!p.path("run").exists());
    drop(two.end());
}

#[test]
fn who_does_not_belong_ends_all_by_name() {
    for (parts, flags, says) in [
        (["1/2", "1/2"], ["", ""], "part 1/2 is there twice"),
        (["1/2", "2/2"], ["", "--clients 3"], "has another command than part"),
        (["1/2", "2/3"], ["", ""], "part 2/3 came, and 2 drivers are gathered"),
    ] {
        let p = loaded();
        let (gather, at, lines) = gather_and_listen(&p, "2");
        let one = driver(&p, &at, parts[0], flags[0]);
        // The second may end all at once, and the first would find nobody.
        line_with(&lines, "1 of 2 drivers are here");
        let two = driver(&p, &at, parts[1], flags[1]);
        gather.fails(1, &[says]);
        one.fails(1, &[says]);
        two.fails(1, &[says]);
    }
}

#[test]
fn a_driver_whose_run_fails_and_one_that_does_not_come_end_all_by_name() {
    let p = loaded();
    let database = rusqlite::Connection::open(p.path("t.db")).unwrap();
    database.execute("DELETE FROM usertable WHERE rowid = 1", []).unwrap();
    drop(database);
    let (gathered, at, lines) = gather_and_listen(&p, "2");
    let two = driver(&p, &at, "2/2", "--duration 10m");
    // Part 1 looks for all, and may end all before the other has come.
    line_with(&lines, "1 of 2 drivers are here");
    let one = driver(&p, &at, "1/2", "--duration 10m");
    gathered.fails(1, &["part 1/2 ended", "\"record count\""]);
    one.fails(1, &["\"record count\""]);
    two.fails(1, &["part 1/2 ended", "\"record count\""]);

    let p = loaded();
    let (gathered, at) = gather(&p, "2 --wait 2s");
    let one = driver(&p, &at, "1/2", "--duration 10m");
    gathered.fails(1, &["part 2/2 did not come within 2 s"]);
    one.fails(1, &["part 2/2 did not come"]);
}

#[test]
fn strangers_and_secrets_in_plain_text_are_refused() {
    let p = loaded();
    let (gathered, at, lines) = gather_and_listen(&p, "2");
    // More connections without a token than there are places for: they keep no driver out.
    let silent: Vec<_> = (0..300).map(|_| std::net::TcpStream::connect(&at).unwrap()).collect();
    let line = format!("run ycsb-a --target sqlite:t.db --part 1/2 --meet {at} --out x");
    let with = |token: Option<&str>, line: &str| {
        let mut command = p.command(line);
        command.env_remove(TOKEN);
        command.envs(token.map(|token| (TOKEN, token)));
        End::of(command.output().unwrap())
    };
    let stranger = with(Some("another-secret-of-some-length"), &line);
    assert!(
        stranger.code == 2 && stranger.err.contains("the token is another one"),
        "{stranger:#?}"
    );
    line_with(&lines, "refused another token from 127.0.0.1:");
    for token in [None, Some("short")] {
        let end = with(token, &line);
        assert!(end.code == 2 && end.err.contains(TOKEN), "{end:#?}");
        let end = with(token, "gather 2 --listen 127.0.0.1:0 -o y");
        assert!(end.code == 2 && end.err.contains(TOKEN), "{end:#?}");
    }
    assert!(!p.path("x").exists(), "nothing runs before the drivers have met");
    let beyond = with(Some(SECRET), "gather 2 --listen 0.0.0.0:0 -o y");
    assert!(beyond.code == 2 && beyond.err.contains("--insecure-without-tls"), "{beyond:#?}");
    let beyond = with(Some(SECRET), &line.replace(&at, "192.0.2.1:7"));
    assert!(beyond.code == 2 && beyond.err.contains("--insecure-without-tls"), "{beyond:#?}");
    // A stranger ended nobody's run.
    let [one, two] = ["1/2", "2/2"].map(|part| driver(&p, &at, part, "--duration 1s"));
    for end in [one.end(), two.end(), gathered.end()] {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    drop(silent);
    p.fails("gather 2 --listen 127.0.0.1:0 -o run", 2, &["run: it is not empty"]);
    p.fails("run ycsb-a --target null: --meet 127.0.0.1:1", 2, &["--part"]);
    let both = "run ycsb-a --target null: --part 1/2 --meet h:1 --start-at 2100-01-01T00:00:00Z";
    p.fails(both, 2, &["--start-at"]);
    let search = "run ycsb-a --target null: --max-rate --sla p99=1s --part 1/2 --start-at \
                  2100-01-01T00:00:00Z";
    p.fails(search, 2, &["--max-rate", "--meet"]);
    let frontier = "run ch2pp --operational sqlite:t.db --frontier --part 1/2 --start-at \
                    2100-01-01T00:00:00Z";
    p.fails(frontier, 2, &["--frontier", "--meet"]);
}

#[test]
fn messages_are_encrypted_for_who_trusts_the_certificate() {
    let p = loaded();
    let file = hoap_testing::certificates::path;
    let shown = |name: &str| {
        let (cert, key) = (file(&format!("{name}.pem")), file(&format!("{name}.key")));
        format!("2 --tls-cert {cert} --tls-key {key}")
    };
    let (gathered, at) = gather(&p, &shown("server"));
    let flags = |ca: &str| format!("--duration 1s --tls-ca {}", file(ca));
    // Who does not speak TLS, or trusts somebody else, is told so; this ends nobody's run.
    let plain = driver(&p, &at, "1/2", "");
    plain.fails(2, &["the messages are encrypted here", "--tls-ca"]);
    let other = driver(&p, &at, "1/2", &flags("stranger.pem"));
    other.fails(2, &["TLS", "UnknownIssuer"]);
    let [one, two] = ["1/2", "2/2"].map(|part| driver(&p, &at, part, &flags("authority.pem")));
    for end in [one.end(), two.end(), gathered.end()] {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    assert_eq!(p.json("run/run.json")["drivers"].as_array().unwrap().len(), 2);
    std::fs::remove_dir_all(p.path("run")).unwrap();
    std::fs::remove_dir_all(p.path("run.drivers")).unwrap();

    // A certificate of a trusted authority for another host, and none at all.
    let (gathered, at) = gather(&p, &shown("elsewhere"));
    let one = driver(&p, &at, "1/2", &flags("authority.pem"));
    one.fails(2, &["TLS", "not valid for"]);
    gathered.signal("-TERM");
    drop(gathered.end());
    let (gathered, at) = gather(&p, "2");
    let one = driver(&p, &at, "1/2", &flags("authority.pem"));
    one.fails(2, &["TLS"]);
    gathered.signal("-TERM");
    drop(gathered.end());
    let (cert, key) = (file("server.pem"), file("server.key"));
    for (line, says) in [
        (format!("gather 2 --listen 127.0.0.1:0 -o x --tls-cert {cert}"), "--tls-key"),
        (format!("gather 2 --listen 127.0.0.1:0 -o x --tls-cert {key} --tls-key {key}"), "no cert"),
        (format!("gather 2 --listen 127.0.0.1:0 -o x --tls-cert no --tls-key {key}"), "--tls-cert"),
        ("run ycsb-a --target null: --part 1/2 --meet h:1 --tls-ca no".into(), "--tls-ca"),
        ("run ycsb-a --target null: --tls-ca system".into(), "--meet"),
    ] {
        let mut command = p.command(&line);
        let end = End::of(command.env(TOKEN, SECRET).output().unwrap());
        assert!(end.code == 2 && end.err.contains(says), "{line}: {end:#?}");
    }
}

#[test]
fn drivers_of_an_experiment_meet_for_each_of_its_runs() {
    let p = Place::new();
    let stage = |name: &str, more: &str| {
        format!("[[stage]]\nname = \"{name}\"\nflags = {{ target = \"{{target}}\", {more} }}\n")
    };
    let records = "property = [\"recordcount=200\"]";
    let run = "command = \"run\"\nbenchmark = \"ycsb-a\"\n";
    let flags = |clients: &str| {
        format!("{records}, clients = {clients}, duration = \"1s\", warmup = \"100ms\"")
    };
    let text = format!(
        "title = \"Reads\"\nabout = \"A test.\"\ntargets = {{ target = \"any\" }}\n\
         {}command = \"load\"\nbenchmark = \"ycsb\"\n{}{run}{}{run}\
         [[configuration]]\nlabel = \"default\"\nabout = \"as installed\"\n",
        stage("load", records),
        stage("few", &flags("[1]")),
        stage("many", &flags("[1, 3]")),
    );
    p.write("e.toml", &text);
    let line = "experiment run e.toml --target sqlite:t.db";
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let at = format!("127.0.0.1:{port}");
    let drivers = [1, 2].map(|part| {
        let line = format!("{line} --meet {at} --part {part}/2 --out d{part}");
        Running::start(p.command(&line), |_| ())
    });
    let gather = format!("{line} --gather 2 --listen {at} --out all");
    let gathered = Running::start(p.command(&gather), |_| ());
    for end in drivers.map(Running::end).into_iter().chain([gathered.end()]) {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    for (stage, clients) in [("few", vec![2]), ("many", vec![2, 6])] {
        let run = p.json(&format!("all/default/{stage}/run.json"));
        let steps = run["steps"].as_array().unwrap();
        let of: Vec<u64> = steps.iter().map(|s| s["tx_clients"].as_u64().unwrap()).collect();
        assert_eq!(of, clients, "{stage}");
        let checks = run["checks"].to_string();
        assert!(checks.contains("nothing lost") && !checks.contains("fail"), "{checks}");
        assert!(p.path(&format!("d1/default/{stage}/ledger.json")).exists());
    }
    assert!(!p.path("d1/default/load").exists());
    p.ok("experiment report all");

    p.write("r.toml", &text.replace("clients = [1]", "clients = [1], repeat = 2"));
    let line = "experiment run r.toml --target sqlite:t.db --out r";
    p.fails(&format!("{line} --meet {at} --part 1/2"), 2, &["stage few repeats"]);
    p.fails(&format!("{line} --gather 2 --listen {at}"), 2, &["stage few repeats"]);
    p.fails(&format!("{line} --meet {at}"), 2, &["--part"]);
    p.fails(&format!("{line} --gather 2"), 2, &["--listen"]);
}

#[test]
fn ctrl_c_at_the_meeting_point_ends_all() {
    let p = loaded();
    let (gathered, at) = gather(&p, "2");
    let [one, two] = ["1/2", "2/2"].map(|part| driver(&p, &at, part, "--duration 10m"));
    until("both begin", || ["d1", "d2"].iter().all(|d| p.path(d).join("run.json").exists()));
    gathered.signal("-TERM");
    one.fails(1, &["interrupted where the drivers meet"]);
    two.fails(1, &["interrupted where the drivers meet"]);
    let end = gathered.end();
    assert_eq!(end.code, 130, "{end:#?}");
}

#[test]
fn a_driver_that_loses_the_meeting_point_ends() {
    let p = loaded();
    let (gathered, at) = gather(&p, "2");
    let one = driver(&p, &at, "1/2", "--duration 10m");
    until("it begins", || p.path("d1/run.json").exists());
    gathered.signal("-KILL");
    one.fails(3, &["meet the drivers at", "nobody answered", "see how `hoap gather` ended"]);
    drop(gathered.end());
}

#[test]
fn a_driver_is_told_that_another_server_answers() {
    use std::io::{Read, Write};
    let p = loaded();
    for text in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap().to_string();
        let answer = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            stream.write_all(text.as_bytes()).unwrap();
        });
        let said = ["no `hoap gather` of this version answers there"];
        driver(&p, &at, "1/2", "").fails(2, &said);
        answer.join().unwrap();
    }
}

/// A minute that was measured is no minute of the run: neither apart nor lost.
#[test]
fn clocks_that_were_measured_are_taken_into_account() {
    let p = loaded();
    let flags = "--clients 2 --duration 1s";
    let (gathered, at) = gather(&p, "2 --operational sqlite:t.db");
    let [one, two] = ["1/2", "2/2"].map(|part| driver(&p, &at, part, flags));
    for end in [one.end(), two.end(), gathered.end()] {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    let mut ledger = p.json("d2/ledger.json");
    for write in ledger["writes"].as_array_mut().unwrap() {
        for time in ["start", "end"] {
            write[time] = (write[time].as_u64().unwrap() + 60_000_000_000).into();
        }
    }
    p.write_ledger("d2", &ledger);
    let mut run = p.json("d2/run.json");
    let started: jiff::Timestamp = run["started"].as_str().unwrap().parse().unwrap();
    run["started"] = (started + Duration::from_secs(60)).to_string().into();
    p.write("d2/run.json", &run.to_string());
    p.fails(
        "merge d1 d2 --operational sqlite:t.db -o apart",
        2,
        &["not at the same time", "clocks"],
    );
    let ahead = run["clock"]["ahead_seconds"].as_f64().unwrap();
    run["clock"]["ahead_seconds"] = (ahead + 60.0).into();
    p.write("d2/run.json", &run.to_string());
    p.ok("merge d1 d2 --operational sqlite:t.db -o whole");
    assert!(!p.json("whole/run.json")["checks"].to_string().contains("fail"));
}

/// An operation takes 15 ms: three clients do 200 a second, wherever they are.
#[test]
fn drivers_that_meet_find_the_rate_that_a_driver_with_all_their_clients_finds() {
    let p = Place::new();
    let run = "run ycsb-c --target null:?latency_us=15000 -p recordcount=100 --warmup 100ms \
               --max-rate --sla p50=200ms";
    p.ok(&format!("{run} --clients 3 --duration 300ms --out alone"));
    let (gathered, at) = gather(&p, "3");
    let drivers = [1, 2, 3].map(|part| {
        let flags = format!("--clients 1 --duration 750ms --part {part}/3 --meet {at}");
        let line = format!("{run} {flags} --out d{part}");
        Running::start(p.command(&line), |_| ())
    });
    for end in drivers.map(Running::end).into_iter().chain([gathered.end()]) {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    let [alone, run] = ["alone", "run"].map(|run| p.json(&format!("{run}/run.json")));
    let found = |run: &Value| run["search"]["rate"].as_f64().unwrap();
    let rates = (found(&alone), found(&run));
    // Of 50 operations one is no shortfall. A machine that is busy does fewer.
    assert!(rates.0 <= 1.1 * 200.0 && rates.1 <= 1.1 * 200.0, "{rates:?}");
    assert!((0.8..=1.25).contains(&(rates.1 / rates.0)), "{rates:?}");
    super::schema::valid(&run);

    // All drivers made one search, whose probes are what the merged steps say.
    let mut search = run["search"].clone();
    let probes = search["probes"].as_array().unwrap().clone();
    let steps = run["steps"].as_array().unwrap();
    assert_eq!(probes.len() + 1, steps.len());
    for (probe, step) in probes.iter().zip(&steps[1..]) {
        let near = |name: &str, of: &Value| {
            let (a, b) = (step[name].as_f64().unwrap(), of.as_f64().unwrap());
            assert!((a / b - 1.0).abs() < 1e-9, "{name}: {a}, {b}");
        };
        near("rate_intended", &probe["rate"]);
        near("rate_achieved", &probe["achieved"]);
        let time = &probe["times"][0];
        assert_eq!(step["transactions"][0]["latency"]["p50_us"], time["us"]);
        assert_eq!(step["transactions"][0]["timed"], time["operations"]);
        assert_eq!(step["tx_clients"], 3);
    }
    search["drivers"] = 3.into();
    for part in 1..=3 {
        let one = p.json(&format!("d{part}/run.json"));
        assert_eq!(one["search"], search, "part {part}");
        let share = one["steps"][1]["rate_intended"].as_f64().unwrap();
        assert!((share * 3.0 / probes[0]["rate"].as_f64().unwrap() - 1.0).abs() < 1e-9);
        super::schema::valid(&one);
    }
    let drivers = run["drivers"].as_array().unwrap();
    let named = drivers.iter().map(|driver| driver["name"].as_str().unwrap());
    assert!(named.eq([1, 2, 3].map(|part| format!("run.drivers/part-{part}"))), "{drivers:#?}");
    // A driver of a search is no run by itself, and a search by one is none of several.
    p.fails("merge d1 d2 -o x", 2, &["parts", "3/3"]);
    p.fails("merge alone alone -o x", 2, &["alone", "search"]);
    let end = p.ok("report d1 --json -o page.html");
    assert!(!end.out.is_empty());
}

#[test]
fn a_driver_that_is_killed_in_a_probe_ends_the_search_of_all_by_name() {
    let p = Place::new();
    let (gathered, at) = gather(&p, "2");
    let [one, two] = ["1/2", "2/2"].map(|part| {
        let flags = "--target null:?latency_us=20000 -p recordcount=100 --warmup 100ms \
                     --duration 1s --tick 100ms --max-rate --sla p50=200ms";
        let out = part.split('/').next().unwrap();
        let line = format!("run ycsb-c {flags} --part {part} --meet {at} --out d{out}");
        Running::start(p.command(&line), |_| ())
    });
    let samples = p.path("d2/samples.csv");
    let probes = |text: &str| text.lines().any(|line| line.starts_with("2,"));
    let probed = || std::fs::read_to_string(&samples).is_ok_and(|text| probes(&text));
    until("a probe is made", probed);
    two.signal("-KILL");
    gathered.fails(1, &["part 2/2 is gone"]);
    one.fails(1, &["part 2/2 is gone"]);
    let record = p.json("d1/run.json");
    assert!(!record["partial"].is_null() && !p.path("run").exists(), "{record:#}");
    drop(two.end());
}

#[test]
fn drivers_that_meet_choose_the_steps_of_one_frontier() {
    let p = Place::new();
    p.load("t.db");
    let (gathered, at) = gather(&p, "2 --operational sqlite:t.db");
    let drivers = [1, 2].map(|part| {
        let line = format!(
            "run ch2pp --operational sqlite:t.db --frontier=2,1 --warmup 100ms --duration 1s \
             --part {part}/2 --meet {at} --out d{part}"
        );
        Running::start(p.command(&line), |_| ())
    });
    for end in drivers.map(Running::end).into_iter().chain([gathered.end()]) {
        assert_eq!(end.code, 0, "{end:#?}");
    }
    let [one, two, run] = ["d1", "d2", "run"].map(|run| p.json(&format!("{run}/run.json")));
    let clients = |run: &Value, times: u64| {
        let of = |step: &Value, side: &str| times * step[side].as_u64().unwrap();
        let steps = run["steps"].as_array().unwrap();
        let both = steps.iter().map(|s| (of(s, "tx_clients"), of(s, "query_clients")));
        both.collect::<Vec<_>>()
    };
    assert_eq!(clients(&one, 1), clients(&two, 1));
    assert_eq!(clients(&run, 1), clients(&one, 2));
    let all = clients(&run, 1);
    assert!(all.contains(&(2, 0)) && all.contains(&(0, 2)) && all.contains(&(2, 2)), "{all:?}");
    let tpm = |run: &Value| run["steps"][0]["tpm"].as_f64().unwrap();
    assert!((tpm(&run) / (tpm(&one) + tpm(&two)) - 1.0).abs() < 1e-9, "{}", tpm(&run));
}
