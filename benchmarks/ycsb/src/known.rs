//! The properties of YCSB's core workload and client, and the effect of each.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use hoap_data::Part;
use hoap_record::count::count as whole_number;
use hoap_workload::{Error, ErrorKind, Result};

use crate::data::{Exponent, FieldLength, RecordSpec};
use crate::distribution::Distribution;
use crate::properties::Properties;
use crate::proportions::{KINDS, Kind, Proportions};
use crate::setup::{ReadFields, ScanFields, ScanLength, Setup};
use crate::wrong::{SET, all_wrong, invalid};

/// The settings so far. The defaults are those of YCSB 0.17.
struct Draft {
    setup: Setup,
    shares: [f64; KINDS],
    length: (String, u32, u32),
    distribution: String,
    hotspot: (f64, f64),
    exponential: (f64, f64),
}

impl Default for Draft {
    fn default() -> Self {
        let shares = [0.95, 0.05, 0.0, 0.0, 0.0, 0.0];
        let mix = Proportions::new(shares).expect("the default shares sum to 1");
        Draft {
            setup: Setup {
                table: "usertable".into(),
                records: RecordSpec::default(),
                record_count: None,
                insert_start: 0,
                insert_count: None,
                mix,
                distribution: Distribution::Uniform,
                exponent: Exponent::ycsb(),
                scan_length: ScanLength { min: 1, max: 1000, zipfian: false },
                read_fields: ReadFields::All,
                scan_fields: ScanFields::All,
                write_all_fields: false,
                check_reads: false,
                operations: None,
                clients: None,
                rate: None,
                duration: None,
                export_file: None,
                without_effect: Vec::new(),
                part: Part::WHOLE,
            },
            shares,
            length: ("constant".into(), 1, 100),
            distribution: "uniform".into(),
            hotspot: (0.2, 0.8),
            exponential: (95.0, 0.857_142_857_1),
        }
    }
}

impl Draft {
    /// The set-up, including what several properties decide together.
    fn finish(self) -> Result<Setup> {
        let Draft { mut setup, shares, length: (name, min, max), .. } = self;
        setup.mix = Proportions::new(shares)?;
        setup.records.length = field_length(&name, min, max)
            .map_err(|answer| invalid("fieldlengthdistribution", &name, answer))?;
        setup.distribution = match self.distribution.as_str() {
            "uniform" => Distribution::Uniform,
            "zipfian" => Distribution::Zipfian,
            "zipfian-exact" => Distribution::ZipfianExact,
            "latest" => Distribution::Latest,
            "latest-exact" => Distribution::LatestExact,
            "sequential" => Distribution::Sequential,
            "hotspot" => Distribution::Hotspot { data: self.hotspot.0, operations: self.hotspot.1 },
            "exponential" => {
                let (percentile, fraction) = self.exponential;
                Distribution::Exponential { percentile, fraction }
            }
            other => {
                return Err(invalid("requestdistribution", other, "it is unknown").advise(
                    "use uniform, zipfian, zipfian-exact, latest, latest-exact, hotspot, exponential or \
                     sequential",
                ));
            }
        };
        if setup.read_fields == ReadFields::One {
            setup.scan_fields = ScanFields::One;
        }
        Ok(setup)
    }
}

impl Setup {
    /// Reads the properties as YCSB's core workload and client do.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`], with the names of all properties that are unknown, not
    /// supported or have an impossible value.
    pub fn new(properties: &Properties) -> Result<Self> {
        Setup::unless(properties, |_| Ok(()))
    }

    /// The same, where `refuse` knows of properties, by their names, whose they are.
    ///
    /// # Errors
    /// Those of [`Setup::new`], and those of `refuse`.
    pub fn unless(properties: &Properties, refuse: impl Fn(&str) -> Result<()>) -> Result<Self> {
        let mut draft = Draft::default();
        // The class decides which of the others there are.
        let class = |(name, _): &(&str, &str)| *name == "workload";
        let others = properties.iter().filter(|property| !class(property));
        let all = properties.iter().filter(class).chain(others);
        let wrong = |(name, value): (&str, &str)| {
            refuse(name).and_then(|()| apply(&mut draft, name, value)).err()
        };
        all_wrong(all.filter_map(wrong).collect())?;
        let setup = draft.finish()?;
        setup.validate()?;
        Ok(setup)
    }
}

/// The field length from YCSB's three properties.
fn field_length(
    distribution: &str,
    min: u32,
    max: u32,
) -> std::result::Result<FieldLength, String> {
    match distribution {
        "constant" => Ok(FieldLength::Constant(max)),
        "uniform" => Ok(FieldLength::Uniform { min, max }),
        "zipfian" => Ok(FieldLength::Zipfian { min, max }),
        "histogram" => Err("a histogram file of field lengths is not supported".into()),
        _ => Err("it is unknown".into()),
    }
}

type Set = fn(&mut Draft, &str) -> std::result::Result<(), String>;

/// The effect of a property.
enum Use {
    /// It changes the set-up.
    Sets(Set),
    /// It has no effect and is accepted with these values, because Hoap always does what it asks
    /// for.
    Does(&'static [&'static str]),
    /// With these values as [`Use::Does`]; with others it has no effect for this reason, which a
    /// run says.
    Without(&'static [&'static str], &'static str),
    /// It is refused with this reason.
    Not(&'static str),
}
use Use::{Does, Not, Sets, Without};

const SERIES: &str = "samples.csv in the run folder has a series, whose interval --tick sets";
const LINES: &str = "Hoap writes YCSB's text alone; `hoap show --format json` has its own JSON";
const HISTOGRAM: &str =
    "property measurementtype has no effect: percentiles are those of hdrhistogram";
const REPORTS: &str =
    "the run folder holds every result, and `hoap show` and `hoap report` present it";
const STATUS: &str = "a run shows its state each second, and every ten seconds without a terminal";
const FAILURES: &str = "failures are counted by kind and have no response time";
const SINGLE: &str = "single measurements are not kept, histograms are";
const RETRIES: &str = "a load that meets a failure ends, and goes on with --resume; a failed insert of a \
     run is a failure, and its record is inserted again";

/// Every property of CoreWorkload, Client, Measurements and the kinds of measurements in YCSB 0.17,
/// and `readallfieldsbyname` of later versions.
const KNOWN: &[(&str, Use)] = &[
    // The records.
    (
        "recordcount",
        Sets(|d, v| {
            let count = count(v)?;
            (d.setup.record_count, d.setup.records.count) = (Some(count), count);
            Ok(())
        }),
    ),
    ("fieldcount", Sets(|d, v| set(&mut d.setup.records.fields, whole(v)))),
    ("fieldlength", Sets(|d, v| set(&mut d.length.2, whole(v)))),
    ("minfieldlength", Sets(|d, v| set(&mut d.length.1, whole(v)))),
    ("fieldlengthdistribution", Sets(|d, v| set(&mut d.length.0, Ok(v.into())))),
    ("compressibility", Sets(|d, v| set(&mut d.setup.records.compressibility, parse(v)))),
    ("fieldlengthhistogram", Not("a histogram file of field lengths is not supported")),
    ("fieldnameprefix", Sets(|d, v| set(&mut d.setup.records.prefix, parse(v)))),
    ("insertorder", Sets(|d, v| set(&mut d.setup.records.order, parse(v)))),
    ("zeropadding", Sets(|d, v| set(&mut d.setup.records.zero_padding, whole(v)))),
    ("insertstart", Sets(|d, v| set(&mut d.setup.insert_start, whole(v)))),
    ("insertcount", Sets(|d, v| set(&mut d.setup.insert_count, count(v).map(Some)))),
    ("table", Sets(|d, v| set(&mut d.setup.table, table(v)))),
    // The operations.
    ("operationcount", Sets(|d, v| set(&mut d.setup.operations, whole(v).map(unless_zero)))),
    ("readproportion", Sets(|d, v| set(&mut d.shares[Kind::Read as usize], number(v)))),
    ("updateproportion", Sets(|d, v| set(&mut d.shares[Kind::Update as usize], number(v)))),
    ("insertproportion", Sets(|d, v| set(&mut d.shares[Kind::Insert as usize], number(v)))),
    ("scanproportion", Sets(|d, v| set(&mut d.shares[Kind::Scan as usize], number(v)))),
    (
        "readmodifywriteproportion",
        Sets(|d, v| set(&mut d.shares[Kind::ReadModifyWrite as usize], number(v))),
    ),
    ("deleteproportion", Sets(|d, v| set(&mut d.shares[Kind::Delete as usize], number(v)))),
    ("requestdistribution", Sets(|d, v| set(&mut d.distribution, Ok(v.into())))),
    (
        "zipfianconstant",
        Sets(|d, v| {
            let exponent = number(v).and_then(|v| Exponent::new(v).map_err(|e| e.to_string()));
            set(&mut d.setup.exponent, exponent)
        }),
    ),
    ("hotspotdatafraction", Sets(|d, v| set(&mut d.hotspot.0, within(v, 0.0..=1.0)))),
    ("hotspotopnfraction", Sets(|d, v| set(&mut d.hotspot.1, within(v, 0.0..=1.0)))),
    ("exponential.percentile", Sets(|d, v| set(&mut d.exponential.0, within(v, 0.001..=99.999)))),
    ("exponential.frac", Sets(|d, v| set(&mut d.exponential.1, within(v, 1e-9..=1e9)))),
    (
        "readallfields",
        Sets(|d, v| {
            let fields = |all| if all { ReadFields::All } else { ReadFields::One };
            set(&mut d.setup.read_fields, boolean(v).map(fields))
        }),
    ),
    ("readallfieldsbyname", Does(&["false"])),
    ("writeallfields", Sets(|d, v| set(&mut d.setup.write_all_fields, boolean(v)))),
    ("minscanlength", Sets(|d, v| set(&mut d.setup.scan_length.min, whole(v)))),
    ("maxscanlength", Sets(|d, v| set(&mut d.setup.scan_length.max, whole(v)))),
    (
        "scanlengthdistribution",
        Sets(|d, v| {
            set(
                &mut d.setup.scan_length.zipfian,
                one_of(v, &["uniform", "zipfian"]).map(|v| v == "zipfian"),
            )
        }),
    ),
    ("dataintegrity", Sets(|d, v| set(&mut d.setup.check_reads, boolean(v)))),
    ("core_workload_insertion_retry_limit", Without(&["0"], RETRIES)),
    ("core_workload_insertion_retry_interval", Without(&[], RETRIES)),
    ("core_workload_insertion_keep_going_on_error", Without(&["false"], RETRIES)),
    // Of later versions: scans are neither slowed nor cut off, and nothing of them is kept.
    ("maxscanrate", Does(&["0"])),
    ("scanoptimelimit", Does(&["0"])),
    ("discardscannedrecord", Does(&["true", "false"])),
    // The client.
    (
        "workload",
        Sets(|_, v| {
            let class = v.strip_prefix("site.").or(v.strip_prefix("com.yahoo."));
            // go-ycsb names it core.
            match class.unwrap_or(v) {
                "ycsb.workloads.CoreWorkload" | "core" => Ok(()),
                _ => Err("only YCSB's CoreWorkload is supported".into()),
            }
        }),
    ),
    ("threadcount", Sets(threads)),
    ("threads", Sets(threads)),
    (
        "target",
        Sets(|d, v| {
            let rate: u32 = whole(v)?;
            set(&mut d.setup.rate, Ok((rate > 0).then_some(f64::from(rate))))
        }),
    ),
    (
        "maxexecutiontime",
        Sets(|d, v| {
            let seconds: u64 = whole(v)?;
            set(&mut d.setup.duration, Ok(unless_zero(seconds).map(Duration::from_secs)))
        }),
    ),
    ("dotransactions", Does(&["true"])),
    ("db", Without(&[], "the database is named by --target")),
    ("status", Does(&["true", "false"])),
    ("status.interval", Without(&[], STATUS)),
    ("label", Without(&[], "results are told apart by their run folders")),
    (
        "exporter",
        Sets(|_, v| {
            let text = v.ends_with("ycsb.measurements.exporter.TextMeasurementsExporter");
            text.then_some(()).ok_or_else(|| format!("it is not supported: {LINES}"))
        }),
    ),
    ("exportfile", Sets(|d, v| set(&mut d.setup.export_file, Ok(Some(v.into()))))),
    // The measurements: full histograms of service, wait and response time and a series a second
    // are always recorded.
    (
        "measurementtype",
        Sets(|d, v| {
            let because = match v {
                "hdrhistogram" => return Ok(()),
                "histogram" => {
                    d.setup.without_effect.push(HISTOGRAM.into());
                    return Ok(());
                }
                "timeseries" => SERIES,
                "raw" => SINGLE,
                _ => return Err("it is unknown".into()),
            };
            Err(format!("it is not supported: {because}"))
        }),
    ),
    ("measurement.interval", Does(&["op", "intended", "both"])),
    ("measurement.trackjvm", Without(&["false"], "there is no JVM")),
    ("histogram.buckets", Without(&[], "histograms keep three digits of any time")),
    ("timeseries.granularity", Without(&["1000"], "--tick says how often samples are taken")),
    // `hoap show --format ycsb` prints them.
    ("hdrhistogram.percentiles", Sets(|_, v| percentiles(v))),
    ("hdrhistogram.fileoutput", Without(&["false"], REPORTS)),
    ("hdrhistogram.output.path", Without(&[], REPORTS)),
    ("measurement.histogram.verbose", Without(&["false"], REPORTS)),
    ("measurement.raw.output_file", Without(&[], SINGLE)),
    ("measurement.raw.no_summary", Without(&[], SINGLE)),
    ("reportlatencyforeacherror", Without(&["false"], FAILURES)),
    ("latencytrackederrors", Without(&[], FAILURES)),
];

/// Applies one property.
fn apply(draft: &mut Draft, name: &str, value: &str) -> Result<()> {
    let Some((_, what)) = KNOWN.iter().find(|(known, _)| *known == name) else {
        return Err(Error::new(ErrorKind::Invalid, format!("{SET}{name}"), "it is unknown")
            .advise("remove it; options of a database belong into the --target URL"));
    };
    // Java's number parsers would reject the blanks that a properties file keeps at the end of a
    // line.
    let value = value.trim();
    match what {
        Sets(set) => set(draft, value).map_err(|answer| invalid(name, value, answer)),
        Does(values) | Without(values, _) if values.contains(&value) => Ok(()),
        Without(_, because) => {
            let remark = format!("property {name} has no effect: {because}");
            draft.setup.without_effect.push(remark);
            Ok(())
        }
        Does(values) => {
            let advice = format!("remove it, or use {}", values.join(" or "));
            Err(invalid(name, value, "it is not supported").advise(advice))
        }
        Not(because) => {
            let answer = format!("it is not supported: {because}");
            Err(invalid(name, value, answer).advise("remove it"))
        }
    }
}

fn set<T>(to: &mut T, value: std::result::Result<T, String>) -> std::result::Result<(), String> {
    *to = value?;
    Ok(())
}

fn number<T: FromStr<Err: Display>>(value: &str) -> std::result::Result<T, String> {
    value.parse().map_err(|e| format!("it is not a number in range ({e})"))
}

/// A number without a fraction, also with k or M.
fn whole<T: TryFrom<u64>>(value: &str) -> std::result::Result<T, String> {
    whole_number(value).map_err(|e| format!("it is not a number in range ({e})"))
}

fn parse<T: FromStr<Err: Display>>(value: &str) -> std::result::Result<T, String> {
    value.parse().map_err(|e: T::Err| e.to_string())
}

fn count(value: &str) -> std::result::Result<u64, String> {
    whole(value).and_then(|n| unless_zero(n).ok_or_else(|| "it must be at least 1".into()))
}

fn threads(draft: &mut Draft, value: &str) -> std::result::Result<(), String> {
    set(&mut draft.setup.clients, count(value).and_then(narrow).map(Some))
}

fn narrow(n: u64) -> std::result::Result<u32, String> {
    u32::try_from(n).map_err(|_| "it is too large".into())
}

fn unless_zero(n: u64) -> Option<u64> {
    (n > 0).then_some(n)
}

fn within(value: &str, range: std::ops::RangeInclusive<f64>) -> std::result::Result<f64, String> {
    let x: f64 = number(value)?;
    let (low, high) = (range.start(), range.end());
    range.contains(&x).then_some(x).ok_or_else(|| format!("it is not in {low} to {high}"))
}

/// The percentiles of YCSB's output, such as `50,95,99.9`.
fn percentiles(value: &str) -> std::result::Result<(), String> {
    value.split(',').try_for_each(|one| within(one.trim(), 0.0..=100.0).map(drop))
}

/// Java reads any value other than "true" as false; here it is an error.
fn boolean(value: &str) -> std::result::Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("it is neither true nor false".into()),
    }
}

fn one_of<'a>(value: &'a str, values: &[&str]) -> std::result::Result<&'a str, String> {
    let known = values.contains(&value);
    known.then_some(value).ok_or_else(|| format!("it is not one of {}", values.join(", ")))
}

fn table(value: &str) -> std::result::Result<String, String> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let named = !value.is_empty() && value.len() <= 63 && value.bytes().all(fits);
    let first = value.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    (named && first)
        .then(|| value.to_owned())
        .ok_or_else(|| "use up to 63 ASCII letters, digits and '_', a digit not first".into())
}
