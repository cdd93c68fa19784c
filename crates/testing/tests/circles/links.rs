//! Links of the repository's pages lead somewhere: to a file that is there, and to a heading that it
//! has. Links to other sites are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every page of the repository but what is built or fetched.
fn pages(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let hidden = name.starts_with('.') && name != ".github";
        if path.is_dir() && !path.is_symlink() && !hidden && name != "target" {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.insert(path.clone(), std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The lines outside of fences and indented samples.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence && !line.starts_with("    ")
    })
}

/// The names by which GitHub links to the headings of a page.
fn headings(page: &str) -> BTreeSet<String> {
    let of = prose(page).filter(|line| line.starts_with('#'));
    of.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().replace(' ', "-")
    })
    .collect()
}

/// What the links and pictures of a page name.
fn targets(page: &str) -> Vec<String> {
    let text: String = prose(page).flat_map(|line| [line, "\n"]).collect();
    let mut all = Vec::new();
    for rest in text.split("](").skip(1) {
        all.extend(rest.split(')').next().map(str::to_owned));
    }
    for sign in ["src=\"", "srcset=\""] {
        for rest in text.split(sign).skip(1) {
            all.extend(rest.split('"').next().map(str::to_owned));
        }
    }
    all
}

/// Why a link of the page leads nowhere.
fn broken(at: &Path, target: &str, pages: &BTreeMap<PathBuf, String>) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => at.to_owned(),
        _ => at.parent().unwrap().join(file),
    };
    let Ok(path) = path.canonicalize() else { return Some("there is no such file") };
    match pages.get(&path) {
        Some(page) if !heading.is_empty() && !headings(page).contains(heading) => {
            Some("the page has no such heading")
        }
        _ => None,
    }
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut all = BTreeMap::new();
    pages(&top.canonicalize().unwrap(), &mut all);
    let mut wrong = String::new();
    for (at, page) in &all {
        for target in targets(page) {
            if let Some(why) = broken(at, &target, &all) {
                wrong += &format!("\n{}: ({target}): {why}", at.display());
            }
        }
    }
    assert!(all.len() > 30, "{} pages", all.len());
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_leads_nowhere_is_found() {
    let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").canonicalize().unwrap();
    let page =
        "# A `b` (c)\n[x](#a-b-c) [y](#a-b) [z](gone.md)\n    [no](link.md)\n<img src=\"no\">";
    let pages = BTreeMap::from([(at.clone(), page.to_owned())]);
    let found = targets(page);
    let found: Vec<_> = found.iter().filter(|to| broken(&at, to, &pages).is_some()).collect();
    assert_eq!(found, ["#a-b", "gone.md", "no"]);
}
