//! A page in a browser, and what its policy lets a browser run.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

/// The source that allows a script of this text.
fn source(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}

/// The sources of scripts that the page allows.
fn allowed(html: &str) -> Vec<&str> {
    let policy = html.split("http-equiv=\"Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = &policy[..policy.find('"').unwrap()];
    let scripts = policy.split("; ").find_map(|part| part.strip_prefix("script-src ")).unwrap();
    scripts.split(' ').collect()
}

/// The page allows its own scripts by their hashes, and no other.
pub fn only_its_own_scripts(html: &str) {
    let scripts: Vec<String> = html
        .split("<script>")
        .skip(1)
        .map(|script| source(&script[..script.find("</script>").unwrap()]))
        .collect();
    assert_eq!(scripts.len(), 2);
    assert_eq!(allowed(html), scripts);
    // A policy of hashes runs no script in an attribute.
    assert!(!html.contains(" onclick=") && !html.contains("javascript:"));
}

/// Reports what the page came to, once its charts are drawn. Part of the copy that is tested only.
const PROBE: &str = r##"<script>
addEventListener("load", () => {
  const opened = performance.now();
  for (const d of document.querySelectorAll("details")) d.open = true;
  const saved = [];
  HTMLAnchorElement.prototype.click = function () { saved.push(this.href); };
  const wider = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const label = (p) => p.getAttribute("aria-label");
  setTimeout(() => {
    dispatchEvent(new Event("beforeprint"));
    const plots = [...document.querySelectorAll("figure .plot")];
    const facts = {
      opened,
      figures: plots.length,
      empty: plots.filter((p) => !p.querySelector("svg[width], .multiples svg")).map((p) => p.getAttribute("aria-label")),
      broken: plots.filter((p) => p.textContent.includes("could not be drawn")).map((p) => p.textContent),
      wider: wider(),
      menus: document.querySelectorAll("figure > .menu").length,
      // A link within the page leads somewhere, and no id is there twice.
      dangling: [...document.querySelectorAll('a[href^="#"]')].map((a) => decodeURIComponent(a.hash.slice(1))).filter((id) => !document.getElementById(id)),
      twice: [...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, n, all) => all.indexOf(id) !== n),
      late: [...document.querySelectorAll(".late")].filter((l) => !l.querySelector("tbody tr")).length,
      requests: performance.getEntriesByType("resource").map((r) => r.name),
    };
    const buttons = (words) => [...document.querySelectorAll("figure .menu button")].filter((b) => words.includes(b.textContent));
    const scales = buttons(["Linear scale", "Logarithmic scale"]);
    facts.scales = scales.length;
    facts.stuck = scales.filter((b) => {
      const plot = b.closest("figure").querySelector(".plot"), before = [b.textContent, plot.innerHTML];
      b.click();
      const same = b.textContent === before[0] || plot.innerHTML === before[1] || !plot.querySelector("svg");
      b.click();
      return same || b.textContent !== before[0];
    }).map((b) => label(b.closest("figure").querySelector(".plot")));
    buttons(["Save as SVG"]).forEach((b) => b.click());
    const text = (href) => decodeURIComponent(href.slice(href.indexOf(",") + 1));
    const sound = (t) => !t.includes("var(") && !new DOMParser().parseFromString(t, "image/svg+xml").querySelector("parsererror");
    facts.pictures = saved.filter((href) => href.startsWith("data:image/svg+xml") && sound(text(href))).length;
    buttons(["Save as PNG"]).slice(0, 1).forEach((b) => b.click());
    setTimeout(() => {
      facts.dots = saved.filter((href) => href.startsWith("data:image/png;base64,iVBOR")).length;
      document.title = "FACTS" + JSON.stringify(facts) + "STCAF";
    }, 1000);
  }, 1500);
});
</script></body>"##;

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
    let sources = format!("script-src {} ", source(probe));
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

/// Opens the page at a width in pixels: every chart is drawn, nothing is fetched, nothing
/// overflows.
pub fn whole(html: &str, width: u32, dark: bool) {
    let facts = open(html, width, dark);
    let none = serde_json::json!([]);
    assert!(facts["figures"].as_u64().unwrap() > 0);
    for key in ["empty", "broken", "requests", "dangling", "twice", "stuck"] {
        assert_eq!(facts[key], none, "{key} at {width} px: {facts:#}");
    }
    assert!(facts["wider"].as_i64().unwrap() <= 0, "scrolls sideways at {width} px: {facts:#}");
    assert_eq!(facts["late"], 0, "{facts:#}");
    // Every chart has its menu, and the menu makes its picture.
    assert_eq!((&facts["menus"], &facts["pictures"]), (&facts["figures"], &facts["figures"]));
    assert_eq!(facts["dots"], 1, "{facts:#}");
}
