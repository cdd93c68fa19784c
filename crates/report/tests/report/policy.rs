//! What the page's own policy lets a browser run.

use hoap_report::{Report, page};
use hoap_testing::browser::only_its_own_scripts;
use hoap_testing::runs;

use crate::read::ReadBack;

#[test]
fn the_page_allows_its_own_scripts_by_their_hashes_and_no_other() {
    only_its_own_scripts(&page(&Report::of(&[runs::folder(1, 1.0).loaded("a")])).unwrap().html);
}
