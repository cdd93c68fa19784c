//! Every chart is drawn, nothing is fetched, nothing overflows.

use hoap_testing::browser::whole;

use super::{kept, page, some};

#[test]
fn every_chart_of_one_campaign_and_of_many_is_drawn_at_every_width_and_in_the_dark() {
    let (all, one) = (page(&kept()).html, page(&some(&["postgres-async"])).html);
    for (width, dark) in [(1200, false), (500, true)] {
        whole(&all, width, dark);
        whole(&one, width, dark);
    }
}
