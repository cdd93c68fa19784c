//! Properties files and flags of YCSB, taken as they are: spec nosql §1.

use std::time::Duration;

use hoap_workload::ErrorKind;
use hoap_ycsb::data::{FieldLength, KeyOrder};
use hoap_ycsb::{
    Distribution, Kind, PRESETS, Properties, ReadFields, ScanFields, ScanLength, Setup,
};

fn setup(text: &str) -> Setup {
    let mut properties = Properties::new();
    properties.text(text.as_bytes()).expect("a properties file");
    Setup::new(&properties).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refused(text: &str) -> String {
    let mut properties = Properties::new();
    properties.text(text.as_bytes()).expect("a properties file");
    let error = Setup::new(&properties).expect_err(text);
    assert_eq!(error.kind, ErrorKind::Invalid, "{text}");
    assert_eq!(error.to_string().lines().count(), 1);
    error.to_string()
}

/// CoreWorkload's and Client's defaults.
#[test]
fn defaults_are_ycsbs() {
    let setup = setup("");
    assert_eq!(setup.table, "usertable");
    assert_eq!(Kind::ALL.map(|k| setup.mix.share(k)), [0.95, 0.05, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(setup.distribution, Distribution::Uniform);
    assert_eq!(setup.scan_length, ScanLength { min: 1, max: 1000, zipfian: false });
    let spec = setup.records;
    assert_eq!((spec.fields, spec.length, spec.zero_padding), (10, FieldLength::Constant(100), 1));
    assert_eq!((spec.order, spec.prefix.as_str()), (KeyOrder::Hashed, "field"));
    assert_eq!((setup.read_fields, setup.scan_fields), (ReadFields::All, ScanFields::All));
    assert!(!setup.write_all_fields && !setup.check_reads);
    assert_eq!((setup.operations, setup.clients, setup.rate), (None, None, None));
    assert_eq!((setup.record_count, setup.duration), (None, None));
}

/// Spec §1: A to F and the reports' E with updates.
#[test]
fn presets() {
    let zipfian = Distribution::Zipfian;
    let expected = [
        ("a", [0.5, 0.5, 0.0, 0.0, 0.0], zipfian),
        ("b", [0.95, 0.05, 0.0, 0.0, 0.0], zipfian),
        ("c", [1.0, 0.0, 0.0, 0.0, 0.0], zipfian),
        ("d", [0.95, 0.0, 0.05, 0.0, 0.0], Distribution::Latest),
        ("e", [0.0, 0.0, 0.05, 0.95, 0.0], zipfian),
        ("e-update", [0.0, 0.05, 0.0, 0.95, 0.0], zipfian),
        ("f", [0.5, 0.0, 0.0, 0.0, 0.5], zipfian),
    ];
    assert_eq!(PRESETS.len(), expected.len());
    for (name, shares, distribution) in expected {
        let preset = crate::operations::named(&format!("ycsb-{name}"));
        let setup = Setup::new(&Properties::preset(preset)).expect(name);
        assert_eq!(Kind::ALL.map(|k| setup.mix.share(k))[..5], shares, "{name}");
        assert_eq!(setup.mix.share(Kind::Delete), 0.0);
        assert_eq!(setup.distribution, distribution, "{name}");
        if name.starts_with('e') {
            assert_eq!(setup.scan_length, ScanLength { min: 1, max: 100, zipfian: false });
        }
    }
}

/// A file as YCSB ships them (`workloads/workloade`), with its blanks, and the older class name.
#[test]
fn a_workload_file_of_ycsb() {
    for class in ["com.yahoo.ycsb.workloads.CoreWorkload", "site.ycsb.workloads.CoreWorkload"] {
        let setup = setup(&format!(
            "# Yahoo! Cloud System Benchmark\n\nrecordcount=1000\noperationcount=2000   \n\
             workload={class}\n\nreadallfields=true\n\nreadproportion=0\nupdateproportion=0\n\
             scanproportion=0.95\ninsertproportion=0.05\n\nrequestdistribution=zipfian\n\n\
             maxscanlength=100\n\nscanlengthdistribution=uniform\n\n\n"
        ));
        assert_eq!((setup.record_count, setup.operations), (Some(1000), Some(2000)));
        assert_eq!(setup.mix.share(Kind::Scan), 0.95);
        // CoreWorkload.init: twice the inserts to expect.
        assert_eq!((setup.key_space(1000).expected, setup.key_space(1000).room()), (200, 1201));
    }
}

#[test]
fn every_property_does_what_ycsb_says() {
    let s = setup(
        "recordcount=5000\ninsertstart=1000\ninsertcount=2000\ninsertorder=ordered\nzeropadding=12\n\
         fieldcount=3\nfieldlength=50\nminfieldlength=5\nfieldlengthdistribution=zipfian\n\
         fieldnameprefix=f\nreadallfields=false\nwriteallfields=TRUE\nreadproportion=0.2\n\
         updateproportion=0.2\ninsertproportion=0.2\nscanproportion=0.2\n\
         readmodifywriteproportion=0.2\nrequestdistribution=hotspot\nhotspotdatafraction=0.1\n\
         hotspotopnfraction=0.7\nmaxscanlength=50\nminscanlength=5\nscanlengthdistribution=zipfian\n\
         table=t1\nthreadcount=16\ntarget=1000\nmaxexecutiontime=60\nmeasurementtype=hdrhistogram\n\
         dataintegrity=true\ncore_workload_insertion_retry_limit=0\n\
         core_workload_insertion_retry_interval=3\nhistogram.buckets=1000\nstatus=true\n\
         dotransactions=true",
    );
    assert_eq!((s.records.count, s.insert_start, s.insert_count), (5000, 1000, Some(2000)));
    assert_eq!(s.key_space(5000).requests, 1000..3000);
    let load = s.load_spec();
    assert_eq!((load.start, load.count), (1000, 2000));
    assert_eq!(
        (s.records.order, s.records.zero_padding, s.records.fields),
        (KeyOrder::Ordered, 12, 3)
    );
    assert_eq!(s.records.length, FieldLength::Zipfian { min: 5, max: 50 });
    assert_eq!(s.records.prefix.as_str(), "f");
    assert_eq!((s.read_fields, s.scan_fields), (ReadFields::One, ScanFields::One));
    assert!(s.write_all_fields && s.check_reads);
    assert_eq!(s.distribution, Distribution::Hotspot { data: 0.1, operations: 0.7 });
    assert_eq!(s.scan_length, ScanLength { min: 5, max: 50, zipfian: true });
    assert_eq!((s.table.as_str(), s.clients, s.rate), ("t1", Some(16), Some(1000.0)));
    assert_eq!(s.duration, Some(Duration::from_secs(60)));
    let s =
        setup("requestdistribution=exponential\nexponential.percentile=80\nexponential.frac=0.1");
    assert_eq!(s.distribution, Distribution::Exponential { percentile: 80.0, fraction: 0.1 });
    let s =
        setup("fieldlengthdistribution=uniform\ntarget=0\nmaxexecutiontime=0\noperationcount=0");
    assert_eq!(s.records.length, FieldLength::Uniform { min: 1, max: 100 });
    assert_eq!((s.rate, s.duration, s.operations), (None, None, None));
    for name in ["uniform", "zipfian", "zipfian-exact", "latest", "latest-exact", "sequential"] {
        assert_eq!(setup(&format!("requestdistribution={name}")).distribution.name(), name);
    }
}

/// Properties of YCSB's client and measurements that a file of YCSB may have: those without effect
/// are accepted, and a run says why each has none.
#[test]
fn what_has_no_effect_is_said_once_and_not_refused() {
    let s = setup(
        "threads=7\nstatus.interval=1\nmeasurementtype=histogram\ndb=site.ycsb.BasicDB\n\
         core_workload_insertion_keep_going_on_error=true\nexportfile=out.txt\n\
         core_workload_insertion_retry_limit=3\nlabel=x\nhdrhistogram.percentiles=50, 99.9",
    );
    assert_eq!((s.clients, s.export_file), (Some(7), Some("out.txt".into())));
    let said = |name: &str| {
        let start = format!("property {name} has no effect: ");
        s.without_effect.iter().filter(|remark| remark.starts_with(&start)).count()
    };
    for name in [
        "status.interval",
        "measurementtype",
        "db",
        "core_workload_insertion_keep_going_on_error",
        "core_workload_insertion_retry_limit",
        "label",
    ] {
        assert_eq!(said(name), 1, "{name}: {:?}", s.without_effect);
    }
    assert_eq!(s.without_effect.len(), 6);
    let s = setup(
        "exporter=site.ycsb.measurements.exporter.TextMeasurementsExporter\n\
         measurementtype=hdrhistogram\nreportlatencyforeacherror=false",
    );
    assert_eq!(s.without_effect, Vec::<String>::new());
}

/// What is no property of YCSB 0.17.
#[test]
fn properties_of_hoap() {
    let s = setup(
        "zipfianconstant=0.7\nrequestdistribution=zipfian\ncompressibility=0.75\n\
         readproportion=0.5\nupdateproportion=0.4\ndeleteproportion=0.1",
    );
    assert_eq!((s.exponent.theta(), s.mix.share(Kind::Delete)), (0.7, 0.1));
    assert_eq!(s.records.compressibility.share(), Some(0.75));
    assert_eq!(
        s.benchmark(&s.records),
        "ycsb-custom: 50 % read, 40 % update, 10 % delete, zipfian with constant 0.7, 10 fields of \
         100 bytes, compressible by 0.75"
    );
    assert_eq!(s.key_space(1000).noted(s.distribution, s.exponent)["zipfian_constant"], 0.7);
    // A constant that no draw uses makes no other benchmark.
    let uniform = setup("zipfianconstant=0.7\nreadproportion=1\nupdateproportion=0");
    assert!(!uniform.benchmark(&uniform.records).contains("constant"));
}

/// Spec §1: "A property that is not supported is an error, not silence." Each error names it.
#[test]
fn what_is_unknown_or_not_supported_is_refused_by_name() {
    for (text, answer) in [
        (
            "recordcuont=5",
            "it is unknown; remove it; options of a database belong into the --target",
        ),
        ("fieldlengthdistribution=histogram", "a histogram file of field lengths is not supported"),
        ("fieldlengthhistogram=hist.txt", "not supported"),
        ("workload=site.ycsb.workloads.TimeSeriesWorkload", "only YCSB's CoreWorkload"),
        ("exporter=site.ycsb.measurements.exporter.JSONMeasurementsExporter", "--format json"),
        ("measurementtype=timeseries", "samples.csv"),
        ("measurementtype=raw", "single measurements are not kept"),
        ("measurementtype=x", "unknown"),
        ("maxscanrate=100", "not supported"),
        ("recordcount=5K", "also with k or M"),
        ("hdrhistogram.percentiles=95,101", "not in 0 to 100"),
        ("hdrhistogram.percentiles=", "not a number"),
        ("zipfianconstant=1.2", "zipfian constant 1.2: use 0.001 to 0.999"),
        ("zipfianconstant=much", "not a number"),
        ("compressibility=0.2", "saves 0.21"),
        ("deleteproportion=x", "not a number"),
        ("dotransactions=false", "not supported"),
        ("requestdistribution=zipf", "use uniform, zipfian"),
        ("scanlengthdistribution=latest", "not one of uniform, zipfian"),
        ("fieldlengthdistribution=x", "unknown"),
        ("insertorder=sorted", "use one of hashed, ordered"),
        ("recordcount=many", "not a number"),
        ("recordcount=-1", "not a number"),
        ("recordcount=0", "at least 1"),
        ("threadcount=0", "at least 1"),
        ("threadcount=5000000000", "too large"),
        ("readallfields=yes", "neither true nor false"),
        ("hotspotdatafraction=1.5", "not in 0 to 1"),
        ("exponential.percentile=100", "not in"),
        ("exponential.frac=0", "not in"),
        ("exponential.frac=NaN", "not in"),
        ("table=a b", "ASCII letters"),
        ("table=", "ASCII letters"),
        ("table=1a", "ASCII letters"),
        ("fieldnameprefix=a\\\"", "ASCII letters"),
    ] {
        let error = refused(text);
        let name = text.split('=').next().expect("a name");
        assert!(error.contains(name) && error.contains(answer), "{error}");
    }
    assert!(refused("compressibility=1").contains("13 of them tell one write from another"));
    assert!(refused("insertproportion=0.05").contains("sum to 1.05, not 1"));
    assert!(refused("readproportion=2\nupdateproportion=-1").contains("readproportion is 2"));
    assert!(
        refused("recordcount=10\ninsertstart=5\ninsertcount=6")
            .contains("insertstart 5 and insertcount 6")
    );
    assert!(refused("recordcount=10\ninsertstart=10").contains("do not fit recordcount 10"));
    assert!(refused("maxscanlength=3\nminscanlength=4").contains("minscanlength 4"));
    assert!(refused("fieldlength=0").contains("at least 1 byte"));
    assert!(refused("fieldcount=0").contains("at least 1"));
    assert!(
        refused("fieldlength=4\nminfieldlength=5\nfieldlengthdistribution=uniform")
            .contains("uniform 5-4")
    );
}

/// Numbers as people write them.
#[test]
fn numbers_have_k_and_m() {
    let s =
        setup("recordcount=2.5M\noperationcount=10k\ntarget=5k\nthreadcount=1k\nfieldlength=1k");
    assert_eq!((s.record_count, s.operations), (Some(2_500_000), Some(10_000)));
    assert_eq!(
        (s.rate, s.clients, s.records.length),
        (Some(5e3), Some(1000), FieldLength::Constant(1000))
    );
}

/// What public files say that their workload is, in few words: of YCSB's own and its forks', of
/// go-ycsb, of YCSB in C++, of ports and of scripts. Each is taken, or refused by what decides.
#[test]
fn public_files_are_taken_or_refused_by_what_decides() {
    const A: &str = "recordcount=1000\noperationcount=1000\nreadallfields=true\nreadproportion=0.5\n\
                     updateproportion=0.5\nscanproportion=0\ninsertproportion=0\n\
                     requestdistribution=zipfian\n";
    const CLASS: &str = "only YCSB's CoreWorkload";
    let taken = "";
    let table = [
        ("workload=site.ycsb.workloads.CoreWorkload", taken),
        ("workload=com.yahoo.ycsb.workloads.CoreWorkload", taken),
        ("workload=core", taken),
        ("workload=core\nrequestdistribution=uniform", taken),
        ("workload=core\noperationcount=1000000000000\nthreadcount=8\nfieldcount=2", taken),
        ("maxscanrate=0\nscanoptimelimit=0\ndiscardscannedrecord=false", taken),
        ("discardscannedrecord=true", taken),
        ("core_workload_insertion_keep_going_on_error=true", taken),
        ("core_workload_insertion_retry_limit=10", taken),
        ("recordcount=1000   \r\noperationcount=0\r\nmaxexecutiontime=60\r\n", taken),
        ("operationcount=2147483647\nwriteallfields=true", taken),
        ("insertstart=0\nfieldlengthdistribution=constant\ninsertorder=hashed", taken),
        ("hotspotdatafraction=0.2\nhotspotopnfraction=0.8\ntable=usertable", taken),
        ("measurementtype=histogram\nhistogram.buckets=1000\ntimeseries.granularity=1000", taken),
        ("measurementtype=hdrhistogram\nhdrhistogram.percentiles=50,90,95,99", taken),
        ("# \u{8bb0}\u{5f55}\u{6570}\u{91cf}\ntable=ycsb2", taken),
        ("fieldlengthdistribution=zipfian\nreadmodifywriteproportion=0", taken),
        ("insertproportion=0.5\nupdateproportion=0", taken),
        ("zeropadding=19\nfieldcount=1\nfieldlength=6000", taken),
        ("deleteproportion=0\nstatus=true\nlabel=x", taken),
        ("reportlatencyforeacherror=false\nmeasurement.trackjvm=false", taken),
        ("exporter=com.yahoo.ycsb.measurements.exporter.TextMeasurementsExporter", taken),
        ("readallfieldsbyname=false\nminscanlength=1\nmaxscanlength=100", taken),
        ("scanlengthdistribution=zipfian\ndataintegrity=true", taken),
        ("workload=site.ycsb.workloads.TimeSeriesWorkload\ntagcount=2\ntagcardinality=1,2", CLASS),
        ("workload=com.yahoo.ycsb.workloads.RestWorkload\nurl.trace=t\nheaders=h", CLASS),
        ("workload=com.yahoo.ycsb.workloads.FilterWorkload\nlessproportion=0.2", CLASS),
        ("workload=site.ycsb.workloads.TransactionWorkload\ntransactionReadCount=3", CLASS),
        ("workload=site.ycsb.workloads.CommerceWorkload\nsearchproportion=0.6", CLASS),
        ("workload=com.yahoo.ycsb.workloads.MemcachedCoreWorkload\nmemcached.address=h", CLASS),
        ("workload=sysbench\nevents=20000\ntables=13", CLASS),
        (
            "workload=core\nmixgraph=true\nkeydista=0.002\nfieldlengthdistribution=pareto",
            "keydista",
        ),
        ("insertorder=order", "use one of hashed, ordered"),
        ("field_len_dist=constant", "field_len_dist"),
        ("overwriteproportion=0", "overwriteproportion"),
        ("recordcount=NaN", "not a number"),
        ("measurementformat=filetabdelimited\nstoragedir=/tmp/x", "measurementformat"),
        ("splitlsm.enable_gc=false", "splitlsm.enable_gc"),
        ("measurementtype=timeseries\ntimeseries.granularity=500", "samples.csv"),
        ("period_in_time = true\nmeanvalue = 15", "meanvalue"),
        ("updateproportion=0.6", "sum to 1.1"),
        ("maxexecutiontime=", "not a number"),
        ("numobjects=10", "numobjects"),
    ];
    assert!(table.len() >= 40);
    for (says, decides) in table {
        let text = format!("{A}{says}");
        match decides {
            "" => drop(setup(&text)),
            decides => assert!(refused(&text).contains(decides), "{says}: {}", refused(&text)),
        }
        let mut marked = Properties::new();
        marked.text(format!("\u{feff}{text}").as_bytes()).expect("a mark before the text");
        assert_eq!(marked.get("operationcount").is_some(), marked.get("recordcount").is_some());
    }
    let wide = Properties::new().text(b"\xff\xfea\0=\x001\0").unwrap_err();
    assert!(wide.contains("UTF-16"), "{wide}");
}

/// All that is wrong is named at once: the class first, which decides what the others mean.
#[test]
fn all_wrong_properties_are_named_at_once() {
    let told = refused(
        "delayedSeries=0.0\nrecordcount=1000\ntagcount=2\nthreadcount=x\n\
         workload=site.ycsb.workloads.TimeSeriesWorkload\nzeropadding=1\nsparsity=0",
    );
    assert_eq!(
        told,
        "set property workload=site.ycsb.workloads.TimeSeriesWorkload: only YCSB's CoreWorkload is \
         supported; also wrong: delayedSeries, sparsity, tagcount (it is unknown); threadcount=x (it \
         is not a number in range (a count is a whole number, also with k or M, such as 5000, 5k or \
         2.5M))"
    );
    let mut properties = Properties::new();
    properties.text(b"a.x=1\nb=2\nrecordcount=0").unwrap();
    let refuse = |name: &str| match name.starts_with("a.") {
        true => Err(hoap_workload::Error::new(ErrorKind::Invalid, "set property a.x", "it is A's")),
        false => Ok(()),
    };
    let told = Setup::unless(&properties, refuse).unwrap_err().to_string();
    assert_eq!(
        told,
        "set property a.x: it is A's; also wrong: b (it is unknown); recordcount=0 (it must be at \
         least 1)"
    );
    let many: String = (0..50_000).map(|n| format!("unknown{n}=1\n")).collect();
    assert!(refused(&many).len() < 3_000);
}
