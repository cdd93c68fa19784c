//! Every chart is drawn, nothing is fetched, nothing overflows.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::policy;
use hoap_report::{Loaded, Report, page, published};
use hoap_testing::runs;

/// Reports what the page came to, once its charts are drawn. Part of the copy that is tested only.
const PROBE: &str = r#"<script>
addEventListener("load", () => {
  const opened = performance.now();
  for (const d of document.querySelectorAll("details")) d.open = true;
  setTimeout(() => {
    dispatchEvent(new Event("beforeprint"));
    const plots = [...document.querySelectorAll("figure .plot")];
    const facts = {
      opened,
      figures: plots.length,
      empty: plots.filter((p) => !p.querySelector("svg[width], .multiples svg")).map((p) => p.getAttribute("aria-label")),
      broken: plots.filter((p) => p.textContent.includes("could not be drawn")).map((p) => p.textContent),
      wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      late: [...document.querySelectorAll(".late")].filter((l) => !l.querySelector("tbody tr")).length,
      requests: performance.getEntriesByType("resource").map((r) => r.name),
    };
    document.title = "FACTS" + JSON.stringify(facts) + "STCAF";
  }, 1500);
});
</script></body>"#;

/// A browser that draws a page for longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The names that Chromium has; `test` at the root of the repository looks for the same ones.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = PROGRAMS.iter().flat_map(|name| places.iter().map(move |place| place.join(name)));
    all.into_iter().find(|file| file.is_file()).unwrap_or_else(|| {
        panic!("there is no {}; skip these tests with --skip on_chromium::", PROGRAMS.join(" nor "))
    })
}

/// Opens the page and returns what it came to; panics where the console holds an error.
fn open(html: &str, width: u32, dark: bool) -> serde_json::Value {
    let program = program();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("page.html");
    // The page allows no script but its own: the copy allows the probe, too.
    let probe = PROBE.strip_prefix("<script>").unwrap().split("</script>").next().unwrap();
    let sources = format!("script-src {} ", policy::source(probe));
    let html = html.replacen("script-src ", &sources, 1);
    std::fs::write(&file, html.replacen("</body>\n</html>", &format!("{PROBE}</html>"), 1))
        .unwrap();
    let profile = format!("--user-data-dir={}", place.path().join("profile").display());
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let written = |name: &str| File::create(place.path().join(name)).unwrap();
    let mut browser = Command::new(&program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"])
        .args(["--no-first-run", "--disable-component-update", "--disable-sync"])
        .args(["--disable-background-networking", "--virtual-time-budget=20000", "--dump-dom"])
        .args([&profile, &scheme, &format!("--window-size={width},900")])
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(written("dom"))
        .stderr(written("console"))
        .spawn()
        .unwrap_or_else(|e| panic!("start {}: {e}", program.display()));
    let deadline = Instant::now() + PATIENCE;
    while browser.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            browser.kill().unwrap();
            browser.wait().unwrap();
            panic!("{} did not end within {PATIENCE:?}", program.display());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let read = |name: &str| {
        let bytes = std::fs::read(place.path().join(name)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (dom, console) = (read("dom"), read("console"));
    let said: Vec<&str> = console.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(said.is_empty(), "{said:#?}");
    let title = &dom[dom.find("<title>").expect("a page came out")..];
    let start = title.find("FACTS").expect("the probe reported") + 5;
    let text = &title[start..title.find("STCAF").unwrap()];
    serde_json::from_str(&text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
        .unwrap()
}

fn whole(html: &str, width: u32, dark: bool) {
    let facts = open(html, width, dark);
    let none = serde_json::json!([]);
    assert!(facts["figures"].as_u64().unwrap() > 0);
    for key in ["empty", "broken", "requests"] {
        assert_eq!(facts[key], none, "{key} at {width} px: {facts:#}");
    }
    assert!(facts["wider"].as_i64().unwrap() <= 0, "scrolls sideways at {width} px: {facts:#}");
    assert_eq!(facts["late"], 0, "{facts:#}");
}

fn runs() -> Vec<Loaded> {
    vec![
        runs::folder(1, 1.0).ingested().loaded("4Q+4A"),
        runs::folder(2, 1.7).loaded("8Q+4A"),
        runs::plain::folder("ycsb-a", 1, 1.0).loaded("small"),
        runs::plain::folder("ycsb-a", 2, 2.0).loaded("large"),
    ]
}

#[test]
fn every_chart_is_drawn_without_an_error_or_a_request_at_every_width_and_in_the_dark() {
    let mut report = Report::of(&runs());
    report.published = published::choose(None).unwrap();
    for (nodes, configuration) in [4, 8, 3, 6].into_iter().zip(&mut report.configurations) {
        configuration.nodes = Some(nodes);
    }
    let html = page(&report).unwrap().html;
    for (width, dark) in [(1280, false), (1280, true), (500, false), (500, true)] {
        whole(&html, width, dark);
    }
}

#[test]
fn the_page_of_a_void_run_is_whole_alone_and_beside_others() {
    let void = || runs::folder(3, 1.3).void().loaded("void");
    let alone = page(&Report::of(&[void()])).unwrap().html;
    let among = page(&Report::of(&[&runs()[..], &[void()]].concat())).unwrap().html;
    for (width, dark) in [(1280, false), (390, true)] {
        whole(&alone, width, dark);
        whole(&among, width, dark);
    }
}

/// Where the longest are a hundred times the shortest, the scale has logarithms, and 0 has none.
#[test]
fn times_below_a_microsecond_leave_every_chart_whole() {
    let quick = |n: u32| {
        let mut folder = runs::plain::folder("ycsb-a", u64::from(n), 1.0);
        for operation in folder.run.steps.iter_mut().flat_map(|s| &mut s.transactions) {
            operation.latency.p50_us = 0;
        }
        folder.samples.iter_mut().step_by(3).for_each(|s| s.p99_us = 0);
        folder.loaded(&format!("quick {n}"))
    };
    whole(&page(&Report::of(&[quick(1)])).unwrap().html, 1280, false);
    whole(&page(&Report::of(&[quick(1), quick(2)])).unwrap().html, 1280, false);
}

#[test]
fn a_page_of_twenty_runs_is_whole_too() {
    let runs: Vec<Loaded> = (1..=20u32)
        .map(|n| runs::folder(u64::from(n), 1.0).loaded(&format!("configuration {n}")))
        .collect();
    whole(&page(&Report::of(&runs)).unwrap().html, 1280, false);
}
