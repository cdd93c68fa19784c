//! No secret of a URL is repeated: in no message, no output and no file.

use super::{End, Place};

/// Wrong URLs with a password where people put it. `SCHEME` stands for a scheme.
const WRONG: &[&str] = &[
    "SCHEME://u:p@hunter2@h:port/d",
    "SCHEME://u:p/hunter2@h/d",
    "SCHEME://u:1?hunter2@h/d",
    "SCHEME://u:hunter2@h/d?bogus_option=1",
    "SCHEME://u:hunter2",
    "SCHEME://h/d?bogus_option=1&password=hunter2",
    "SCHEME:/u:hunter2@h",
    "SCHEME:u:hunter2@h/d",
    "SCHEME:u:hunter2",
    "SCHEME:host=h password=hunter2",
    "SCHEME://u:2026/xhunter2@h/d",
    "SCHEME://u:/hunter2@h",
    "SCHEME://u:x]/hunter2@h/d",
    "SCHEME://u:99#hunter2@h",
    "SCHEME://u:1?a=bhunter2@h",
    "SCHEME://h:1/d?application_name=a&x=hunter2@h",
];

#[test]
fn a_wrong_url_is_refused_and_its_secret_is_repeated_nowhere() {
    let names = hoap_databases::known().flat_map(|scheme| scheme.names);
    let places = names.filter(|name| !["duckdb", "sqlite", "null"].contains(name));
    for (row, scheme) in places.chain([&"POSTGRES"]).enumerate() {
        for (column, form) in WRONG.iter().enumerate() {
            let p = Place::new();
            let url = form.replace("SCHEME", scheme);
            let file = p.path("hoap.toml");
            std::fs::write(&file, format!("target = \"{url}\"")).unwrap();
            let target = format!("--target={url}");
            // A line would be taken apart at the URL's spaces.
            let typed =
                |words: &[&str]| End::of(p.command("load ch2pp").args(words).output().unwrap());
            // Each form and each scheme comes in each of these ways.
            let end = match (row + column) % 4 {
                0 => p.fails("load ch2pp --config hoap.toml", 2, &[]),
                1 => p.fails("verify ch2pp --config hoap.toml --json", 2, &[]),
                2 => typed(&[&target]),
                _ => typed(&[&target, "--seed=many"]),
            };
            assert_eq!(end.code, 2, "{url}: {end:#?}");
            assert!(!format!("{end:?}").contains("hunter2"), "{url}: {end:#?}");
            std::fs::remove_file(file).unwrap();
            let left = std::fs::read_dir(p.path(".")).unwrap().count();
            assert_eq!(left, 0, "{url}: a refused command leaves no file");
        }
    }
}

/// Loads and runs with the URL in a configuration file: none of these words is in the process's
/// command line, in what it says, or in a file that it leaves.
#[cfg(feature = "postgres")]
pub fn leaves_no_trace(url: &str, secrets: &[&str]) {
    let p = Place::new();
    p.write("hoap.toml", &format!("target = {url:?}\n[merge]\noperational = {url:?}\n"));
    let holds = |text: &[u8]| {
        // A bundle is searched as what is in it.
        let inside = text.starts_with(b"P*M").then(|| zstd::decode_all(text).unwrap());
        let text = String::from_utf8_lossy(inside.as_deref().unwrap_or(text)).into_owned();
        secrets.iter().any(|secret| text.contains(secret))
    };
    for line in [
        "load ycsb -p recordcount=200 --replace --config hoap.toml",
        "run ycsb-a -p recordcount=200 --duration 500ms --warmup 100ms --out run --config hoap.toml",
        "run ycsb-a -p recordcount=200 --operations 100 --out failed --fields x --config hoap.toml",
        "bundle run -o run.hoap",
        "report run -o page.html --csv tables",
        "report run -o page.html --config hoap.toml",
    ] {
        let mut command = p.command(line);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let typed = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
        let end = child.wait_with_output().unwrap();
        for text in [&typed, &end.stdout, &end.stderr] {
            assert!(!holds(text), "{line}: {}", String::from_utf8_lossy(text));
        }
    }
    assert!(p.path("run/run.json").exists() && p.path("page.html").exists());
    std::fs::remove_file(p.path("hoap.toml")).unwrap();
    let mut folders = vec![p.path(".")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => assert!(!holds(&std::fs::read(&path).unwrap()), "{}", path.display()),
            }
        }
    }
}
