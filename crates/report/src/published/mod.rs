//! Figures that papers and reports state, as data.
//!
//! They come from other machines, versions and clients, so they share no series, table or average
//! with a run. The files are under `published/`; `docs/prices.md` has their format and sources.

use std::sync::LazyLock;

use hoap_record::named;
use serde::Deserialize;

/// A paper or report.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// The name of its file, by which users ask for it.
    #[serde(skip)]
    pub name: &'static str,
    /// Its title.
    pub title: String,
    /// Authors, and who published it.
    pub by: String,
    /// When, where it says so.
    #[serde(default)]
    pub year: Option<u32>,
    /// What was measured with what.
    pub setting: String,
    /// What it says of the systems and the machines, and how they were set.
    #[serde(default)]
    pub settings: Vec<PublishedSetting>,
    /// What it states.
    #[serde(default)]
    pub values: Vec<PublishedFigure>,
    /// What it says in words.
    #[serde(default)]
    pub claims: Vec<PublishedClaim>,
}

/// A setting, a size or a version that the text names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSetting {
    /// Section or table.
    pub section: String,
    /// The system, or what else it belongs to.
    pub of: String,
    /// What is set, as the text calls it.
    pub setting: String,
    /// To what, as the text has it.
    pub value: String,
}

/// What the text says without a number of its own: how results compare, how much data there was,
/// where it contradicts itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedClaim {
    /// Section or table.
    pub section: String,
    /// The benchmark, by the name that the command line uses.
    pub workload: String,
    /// The claim, in our words.
    pub says: String,
}

/// A number that the text states.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// Section or table.
    pub section: String,
    /// The benchmark, by the name that the command line uses.
    pub workload: String,
    /// The system, with its version where the text has one.
    pub system: String,
    /// Nodes of its cluster.
    #[serde(default)]
    pub nodes: Option<u32>,
    /// What else belongs to the number.
    #[serde(default)]
    pub setting: Option<String>,
    /// What it is.
    pub metric: PublishedMetric,
    /// How the text qualifies it: "up to", "around".
    #[serde(default)]
    pub says: Option<String>,
    /// The number, or the lower end of a range.
    pub value: f64,
    /// The upper end of a range.
    #[serde(default)]
    pub to: Option<f64>,
    /// The unit that the text gives.
    pub unit: String,
    /// What a reader must know.
    #[serde(default)]
    pub note: Option<String>,
}

named! {
    /// What a published number is.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    PublishedMetric, "published number":
    /// Operations per second.
    Throughput = "throughput",
    /// Response time in milliseconds; the reports do not say of which kind, YCSB prints means.
    Latency = "response time",
    /// Share of operations that failed, per cent.
    Failed = "failed operations",
    /// The same of updates.
    FailedUpdates = "failed updates",
    /// The same of reads.
    FailedReads = "failed reads",
    /// Geometric mean of the queries' times, seconds.
    Power = "power",
    /// Queries per hour.
    QueriesPerHour = "query throughput",
    /// Documents per second that the analytical side took in.
    #[serde(alias = "load-rate")]
    IngestionRate = "ingestion rate",
    /// One result through another, where the text compares in words: twice, half, 40 % more.
    Ratio = "ratio",
}

impl PublishedMetric {
    /// The only unit that its numbers have in these files.
    pub fn unit(self) -> &'static str {
        match self {
            PublishedMetric::Throughput => "ops/s",
            PublishedMetric::Latency => "ms",
            PublishedMetric::Failed
            | PublishedMetric::FailedUpdates
            | PublishedMetric::FailedReads => "%",
            PublishedMetric::Power => "s",
            PublishedMetric::QueriesPerHour => "queries/h",
            PublishedMetric::IngestionRate => "items/s",
            PublishedMetric::Ratio => "×",
        }
    }
}

impl Study {
    /// "A. Author: Title, 2021".
    pub fn cited(&self) -> String {
        let year = self.year.map(|y| format!(", {y}")).unwrap_or_default();
        format!("{}: {}{year}", self.by, self.title)
    }
}

impl PublishedFigure {
    /// The number as the text gives it, without its unit: "around 1,850", "10–13".
    pub fn words(&self) -> String {
        let number = crate::format::number::plain;
        let says = self.says.as_ref().map(|s| format!("{s} ")).unwrap_or_default();
        match self.to {
            Some(to) => format!("{says}{}–{}", number(self.value), number(to)),
            None => format!("{says}{}", number(self.value)),
        }
    }
}

const FILES: [(&str, &str); 5] = [
    ("ch2-2021", include_str!("../../../../published/ch2-2021.toml")),
    ("ch2pp-2025", include_str!("../../../../published/ch2pp-2025.toml")),
    ("dbaas-2020", include_str!("../../../../published/dbaas-2020.toml")),
    ("dbaas-capella", include_str!("../../../../published/dbaas-capella.toml")),
    ("nosql-2021", include_str!("../../../../published/nosql-2021.toml")),
];

/// All studies, by name.
pub fn studies() -> &'static [Study] {
    static STUDIES: LazyLock<Vec<Study>> = LazyLock::new(|| {
        let read = |(name, text): &(&'static str, &str)| {
            // The files are part of the program and tests read each.
            let study: Study = crate::toml::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            Study { name, ..study }
        };
        FILES.iter().map(read).collect()
    });
    &STUDIES
}

/// The studies of this name, or all without one.
///
/// # Errors
/// Returns the names that there are, where this is none of them.
pub fn choose(name: Option<&str>) -> Result<Vec<&'static Study>, String> {
    let chosen: Vec<&Study> =
        studies().iter().filter(|s| name.is_none_or(|name| name == s.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = studies().iter().map(|s| s.name).collect();
        return Err(format!("there are {}", names.join(", ")));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_source_its_unit_and_a_place_of_its_own() {
        let mut seen = Vec::new();
        for study in studies() {
            assert!(!study.title.is_empty() && !study.by.is_empty());
            assert!(!study.values.is_empty() || !study.claims.is_empty());
            for claim in &study.claims {
                assert!(claim.section.starts_with(|c: char| c.is_ascii_digit()), "{claim:?}");
                assert!(claim.says.ends_with('.'), "{claim:?}");
            }
            let mut set = Vec::new();
            for s in &study.settings {
                assert!(s.section.starts_with(|c: char| c.is_ascii_digit()), "{s:?}");
                assert!([&s.of, &s.setting, &s.value].iter().all(|t| !t.is_empty()), "{s:?}");
                assert!(!set.contains(&(&s.of, &s.setting)), "twice: {s:?}");
                set.push((&s.of, &s.setting));
            }
            for f in &study.values {
                assert_eq!(f.unit, f.metric.unit(), "{}: {f:?}", study.name);
                assert!(f.section.starts_with(|c: char| c.is_ascii_digit()), "{f:?}");
                assert!(!f.system.is_empty() && f.value.is_finite() && f.value > 0.0, "{f:?}");
                assert!(f.to.is_none_or(|to| to > f.value), "{f:?}");
                assert!(f.nodes.is_some() || f.setting.is_some(), "which cluster? {f:?}");
                let key = (study.name, &f.workload, &f.system, f.nodes, &f.setting, f.metric);
                let key = format!("{key:?}");
                assert!(!seen.contains(&key), "twice: {key}");
                seen.push(key);
            }
        }
        // As many as docs/prices.md says.
        assert_eq!(seen.len(), 2 + 12 + 31 + 19 + 61);
    }

    #[test]
    fn a_number_reads_as_its_text_says_it() {
        let study = &choose(Some("nosql-2021")).unwrap()[0];
        let words: Vec<String> = study.values.iter().map(PublishedFigure::words).collect();
        for expected in ["up to 105,900", "3.4", "18,255–21,440", "around 8–10", "about 13"] {
            assert!(words.iter().any(|w| w == expected), "{expected}: {words:?}");
        }
        assert!(choose(Some("nosql-1999")).unwrap_err().contains("dbaas-2020"));
        assert_eq!(choose(None).unwrap().len(), studies().len());
    }
}
