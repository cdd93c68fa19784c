//! The sets of query texts.

use hoap_data::named;

named! {
    /// The set of texts that a run uses. All sets have the same answers. A set is its own texts, in
    /// a folder of its name, and for the other queries the naive ones.
    #[derive(Hash)]
    QuerySet, "query set":
    /// The collections in the order of the published texts, which decides the joins where a planner
    /// has no statistics. SQL++ alone has texts of its own.
    Published = "published",
    /// The texts closest to the definition.
    Naive = "naive",
    /// The texts rewritten for the engine.
    Tuned = "tuned",
}
