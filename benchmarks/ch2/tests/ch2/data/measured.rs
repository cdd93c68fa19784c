//! The size of a document is counted as it is written.

use hoap_ch2::data::{Collection, DataSet, Schema, Spec};
use hoap_testing::measured::both;

#[test]
fn every_document_counts_its_bytes() {
    for schema in [Schema::Ch2, Schema::Ch2pp] {
        let data = DataSet::new(Spec::new(schema, 2)).expect("valid");
        for collection in Collection::ALL {
            let count = data.count(collection);
            for index in (0..count.min(40)).chain(count.saturating_sub(40)..count) {
                let (counted, written) = both(|w| data.write(collection, index, w));
                assert_eq!(counted, written, "{collection} {index}");
            }
        }
    }
}
