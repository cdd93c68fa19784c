//! Campaigns of folders and files, each under a name of its own.

use std::path::{Path, PathBuf};

use hoap_record::{Error, ErrorKind, Result};

use crate::outcome::{FILE, Outcome};
use crate::tables::Campaign;

/// The campaigns of these folders and files, with the names that the user gave them. A folder is a
/// campaign's, or it holds campaigns: folders of theirs and files `*.json`.
///
/// # Errors
/// Returns the errors of [`Outcome::open`], and [`ErrorKind::Invalid`] for a folder without a
/// campaign.
pub fn campaigns(
    named: impl IntoIterator<Item = (Option<String>, PathBuf)>,
) -> Result<Vec<Campaign>> {
    let mut all: Vec<Campaign> = Vec::new();
    for (label, path) in named {
        for (file, name) in files(&path)? {
            let name = match &label {
                Some(label) => label.clone(),
                None => name,
            };
            let taken = |name: &str| all.iter().any(|campaign| campaign.name == name);
            let more = (2..).map(|n| format!("{name} ({n})"));
            let name = std::iter::once(name.clone()).chain(more).find(|name| !taken(name));
            all.push(Campaign { name: name.unwrap_or_default(), outcome: Outcome::open(&file)? });
        }
    }
    Ok(all)
}

/// The name of a folder or a file.
pub fn name(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = if whole.is_dir() { whole.file_name() } else { whole.file_stem() };
    name.unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
}

/// The campaigns' files that a path names, each with its name.
fn files(path: &Path) -> Result<Vec<(PathBuf, String)>> {
    let own = |folder: &Path| (folder.join(FILE), name(folder));
    if !path.is_dir() {
        return Ok(vec![(path.to_owned(), name(path))]);
    }
    if path.join(FILE).exists() {
        return Ok(vec![own(path)]);
    }
    let wrong = |answer: String| {
        let tried = format!("read the campaigns in {}", path.display());
        Error::new(ErrorKind::Invalid, tried, answer)
            .advise("name a campaign's folder or its torture.json")
    };
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut within: Vec<PathBuf> =
        entries.map_err(|e| wrong(e.to_string()))?.into_iter().map(|e| e.path()).collect();
    within.sort();
    let found: Vec<_> = within
        .iter()
        .filter_map(|entry| match entry.join(FILE).exists() {
            true => Some(own(entry)),
            false => {
                let json = entry.extension().is_some_and(|e| e == "json") && entry.is_file();
                json.then(|| (entry.clone(), name(entry)))
            }
        })
        .collect();
    match found.is_empty() {
        true => Err(wrong("it holds no torture.json, no folder with one and no *.json".into())),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = r#"{"format":1,"hoap":"0","title":"t","plan":"","seed":1,"faults":1,
        "durable":true,"started":"","seconds":0,"left_out":{},"runs":[]}"#;

    fn names(paths: &[(Option<&str>, &Path)]) -> Result<Vec<String>> {
        let named =
            paths.iter().map(|(label, path)| (label.map(str::to_owned), path.to_path_buf()));
        Ok(campaigns(named)?.into_iter().map(|campaign| campaign.name).collect())
    }

    #[test]
    fn a_folder_is_a_campaign_or_holds_some_and_no_two_have_one_name() {
        let place = tempfile::tempdir().unwrap();
        let all = place.path().join("all");
        std::fs::create_dir_all(all.join("redis")).unwrap();
        for file in ["redis/torture.json", "postgres.json", "README.md"] {
            std::fs::write(all.join(file), EMPTY).unwrap();
        }
        let redis = all.join("redis");
        assert_eq!(names(&[(None, &all)]).unwrap(), ["postgres", "redis"]);
        let file = redis.join(FILE);
        let again = names(&[(None, &redis), (Some("redis"), &file), (Some("redis"), &redis)]);
        assert_eq!(again.unwrap(), ["redis", "redis (2)", "redis (3)"]);
    }

    #[test]
    fn what_is_no_campaign_is_refused_by_name() {
        let place = tempfile::tempdir().unwrap();
        let error = |path: &Path| names(&[(None, path)]).unwrap_err().to_string();
        assert!(error(place.path()).contains("it holds no torture.json"));
        let file = place.path().join("package.json");
        assert!(error(&file).contains("package.json"));
        for text in ["{}", "[", &EMPTY.replace("\"format\":1", "\"format\":2")] {
            std::fs::write(&file, text).unwrap();
            let told = error(place.path());
            assert!(told.contains("package.json") && told.contains("name another campaign"));
        }
    }
}
