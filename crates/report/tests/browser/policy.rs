//! What the page's own policy lets a browser run.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hoap_report::{Report, page};
use hoap_testing::runs;
use sha2::{Digest, Sha256};

/// The source that allows a script of this text.
pub fn source(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}

/// The sources of scripts that the page allows.
fn allowed(html: &str) -> Vec<&str> {
    let policy = html.split("http-equiv=\"Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = &policy[..policy.find('"').unwrap()];
    let scripts = policy.split("; ").find_map(|part| part.strip_prefix("script-src ")).unwrap();
    scripts.split(' ').collect()
}

#[test]
fn the_page_allows_its_own_scripts_by_their_hashes_and_no_other() {
    let html = page(&Report::of(&[runs::folder(1, 1.0).loaded("a")])).unwrap().html;
    let scripts: Vec<String> = html
        .split("<script>")
        .skip(1)
        .map(|script| source(&script[..script.find("</script>").unwrap()]))
        .collect();
    assert_eq!(scripts.len(), 2);
    assert_eq!(allowed(&html), scripts);
    // A policy of hashes runs no script in an attribute.
    assert!(!html.contains(" onclick=") && !html.contains("javascript:"));
}
