//! A watch against endpoints whose truth is known.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use hoap_observe::{MetricSource, MetricWatch};
use hoap_record::folder::each_observation;
use hoap_record::{Observation, ObservedSeries, RunFolder};

/// Serves on a port of its own what `answer` makes of the number of the request. `None` hangs.
fn endpoint(answer: impl Fn(u64) -> Option<String> + Send + Clone + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let requests = Arc::new(std::sync::atomic::AtomicU64::new(0));
        for stream in listener.incoming() {
            let (answer, requests) = (answer.clone(), requests.clone());
            thread::spawn(move || serve(stream.unwrap(), &answer, &requests));
        }
    });
    format!("http://{address}/metrics")
}

fn serve(
    mut stream: TcpStream,
    answer: &impl Fn(u64) -> Option<String>,
    requests: &std::sync::atomic::AtomicU64,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
        }
        let n = requests.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let Some(text) = answer(n) else { return sleep(Duration::from_secs(60)) };
        let (status, body) = text.split_once('|').unwrap_or(("200 OK", &text));
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        if stream.write_all((head + body).as_bytes()).is_err() {
            return;
        }
    }
}

fn source(text: &str) -> MetricSource {
    text.parse().unwrap()
}

fn folder(path: &Path) -> RunFolder {
    RunFolder::create(path, &hoap_testing::runs::folder(1, 1.0).run).unwrap()
}

fn find<'a>(all: &'a [ObservedSeries], source: &str, series: &str) -> &'a ObservedSeries {
    let is = |of: &&ObservedSeries| of.source == source && of.series == series;
    all.iter().find(is).unwrap_or_else(|| panic!("{source} {series}: {all:?}"))
}

/// A counter that grows by 1,000 a second, read over a window of 2.5 s, beside an endpoint that
/// hangs from its third answer on and a process that does nothing.
#[test]
fn a_window_has_the_growth_of_its_time_whatever_hangs_beside_it() {
    let start = Instant::now();
    let answered = Arc::new(Mutex::new(Vec::new()));
    let all = answered.clone();
    let growing = endpoint(move |_| {
        let value = 1000.0 * start.elapsed().as_secs_f64();
        all.lock().unwrap().push(value);
        Some(format!("# TYPE work counter\nwork_total{{of=\"a\"}} {value}\nheld_bytes 7\n"))
    });
    let hanging = endpoint(|n| (n < 2).then(|| "x 1\n".to_owned()));
    let mut idle = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = idle.id();
    let sources = [
        source(&format!("grows={growing}#*")),
        source(&format!("hangs={hanging}#x")),
        source(&format!("idle=pid:{pid}")),
    ];
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    let folder = folder(&path);
    let watch = MetricWatch::open(&sources).unwrap();
    watch.start(folder.observed().unwrap());
    sleep(Duration::from_millis(1200));
    watch.begin();
    sleep(Duration::from_millis(2500));
    watch.end();
    let window = watch.window().unwrap();
    let work = find(&window, "grows", "work_total");
    // The growth is that between two of its answers, to the digit.
    let (growth, answered) = (work.mean * work.seconds, answered.lock().unwrap().clone());
    let grew = |from: &f64| answered.iter().any(|to| (to - from - growth).abs() < 0.01);
    assert!(answered.iter().any(grew), "{work:?}: {answered:?}");
    // Its time is that between them as far as answers on a busy machine take no longer than this.
    // The last reading of a window is left out where it comes too late.
    assert!((work.seconds - growth / 1000.0).abs() < 0.3, "{work:?}");
    assert!((1.7..3.0).contains(&work.seconds), "{work:?}");
    assert_eq!(find(&window, "grows", "held_bytes").mean, 7.0);
    assert!(window.iter().all(|of| of.source != "hangs"), "{window:?}");
    assert!(find(&window, "idle", "cpu_seconds_total").mean < 0.1, "{window:?}");
    idle.kill().unwrap();
    idle.wait().unwrap();
    sleep(Duration::from_millis(1200));
    let told = watch.sources();
    assert_eq!(told[0].missed, 0, "{told:?}");
    assert!(told[1].missed > 0, "{told:?}");
    assert_eq!(told[1].first_miss.as_deref(), Some("no answer for 3 s"));
    assert_eq!(told[2].from, format!("pid:{pid} (sleep)"));
    assert_eq!(told[2].first_miss, Some(format!("process {pid} (sleep) has ended")));
    drop(watch);
    let mut rows: Vec<Observation> = Vec::new();
    each_observation(&path, |row| {
        rows.push(row);
        Ok(())
    })
    .unwrap();
    let moments: Vec<f64> =
        rows.iter().filter(|r| r.series == "work_total").map(|r| r.at_seconds).collect();
    // It is read on while the others tell how they went.
    assert!(moments.len() as u64 >= told[0].readings, "a row a reading: {moments:?}");
    assert!(moments.is_sorted() && moments.len() >= 5, "{moments:?}");
}

/// A server that restarts within the window: its counter begins at 0 again.
#[test]
fn a_counter_that_was_reset_did_not_shrink() {
    let url = endpoint(|n| Some(format!("c_total {}\n", if n < 3 { 1000 + n } else { n })));
    let place = tempfile::tempdir().unwrap();
    let folder = folder(&place.path().join("run"));
    let watch = MetricWatch::open(&[source(&format!("s={url}#c_total"))]).unwrap();
    // Each reading finds one more; the fourth, within the window, finds 3.
    watch.start(folder.observed().unwrap());
    sleep(Duration::from_millis(200));
    watch.begin();
    sleep(Duration::from_millis(2500));
    watch.end();
    let window = watch.window().unwrap();
    let count = find(&window, "s", "c_total");
    // 3, 1 and 1 in two seconds and a half.
    assert!((1.0..4.0).contains(&count.mean), "{count:?}");
    let rows = std::fs::read_to_string(place.path().join("run/observed.csv")).unwrap();
    assert!(rows.contains(",100") && rows.contains(",3.0\n"), "{rows}");
}

#[test]
fn what_cannot_be_observed_is_refused_before_the_run() {
    let many: String = (0..300).map(|n| format!("m{{n=\"{n}\"}} 1\n")).collect();
    let good = endpoint(|_| Some("a_total 1\nb_total 2\n".into()));
    let many = endpoint(move |_| Some(many.clone()));
    let page = endpoint(|_| Some("<html>\n".into()));
    let moved = endpoint(|_| Some("302 Found|".into()));
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (sources, why) in [
        (vec![format!("{good}")], "none of its series is chosen; it has a_total, b_total"),
        (vec![format!("{many}#m{{n}}")], "300 series are chosen, at most 200 fit"),
        (
            vec![format!("{page}#*")],
            "line 1 is no sample of the Prometheus text format: \"<html>\"",
        ),
        (vec![moved], "the answer is 302 Found"),
        (vec![format!("http://{closed}")], "refused"),
        (vec!["pid:999999999".into()], "there is no such process"),
        (vec![format!("a={good}#*"), "a=pid:1".into()], "two sources have this name"),
    ] {
        let sources: Vec<MetricSource> = sources.iter().map(|text| source(text)).collect();
        let e = MetricWatch::open(&sources).err().unwrap().to_string();
        assert!(e.contains(why) && !e.contains('\n'), "{why}: {e}");
    }
}
