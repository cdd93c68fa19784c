//! NoSQL specification, sections 2 to 4: Pagination and JOIN against a database in memory that
//! answers from the documents, and against ones that lie.

mod data;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hoap_database::engine::{About, Calls, Done, Engine, Shop, ShopSession};
use hoap_database::failure::Failure;
use hoap_database::shop::{Ask, JoinRow, JoinVariant};
use hoap_database::{Database, NotApplicable};
use hoap_drive::{Client, Outcome, Workload};
use hoap_record::Description;
use hoap_shop::data::{MONTHS, ShopCollection, ShopData, ShopSpec};
use hoap_shop::load::{Loaded, loaded};
use hoap_shop::{Join, Options, Pagination};
use hoap_workload::load::LoadSource;
use hoap_workload::{Error, ErrorKind};
use serde_json::Value;

fn data() -> ShopData {
    let mut spec = ShopSpec::new(3000);
    (spec.customers_per_country, spec.customers_per_zip) = (300, 100);
    spec.orders_per_customer = 2;
    ShopData::new(spec).expect("valid")
}

/// What a lying database does to an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    OneKeyLess,
    OneKeyMore,
    KeyTwice,
    KeyOfAnotherCountry,
    UnknownKey,
    OrderKey,
    OtherCents,
    NoRow,
    RowTwice,
    OtherMonth,
    OtherZip,
}

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Asked {
    Page(String, u32, u32),
    Join(String, String),
}

/// Customers and orders in memory, read from the JSON that a load would write.
#[derive(Clone)]
struct Memory {
    countries: Arc<BTreeMap<String, Vec<String>>>,
    order_lists: Arc<HashMap<String, Vec<String>>>,
    /// Month and cents by key.
    orders: Arc<HashMap<String, (String, i64)>>,
    lie: Option<Lie>,
    /// Every other request fails with it.
    broken: Option<ErrorKind>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Memory {
    fn load(data: &ShopData) -> Memory {
        let (mut countries, mut order_lists) = (BTreeMap::new(), HashMap::new());
        let mut orders = HashMap::new();
        for part in [2, 1, 3] {
            for (key, c) in documents(data, 0, part) {
                let address = &c["address"];
                countries.entry(text(&address["country"])).or_insert_with(Vec::new).push(key);
                let list = c["order_list"].as_array().expect("an array").iter().map(text);
                order_lists.entry(text(&address["zip"])).or_insert_with(Vec::new).extend(list);
            }
            for (key, o) in documents(data, 1, part) {
                let cents = (o["sale_price"].as_f64().expect("a number") * 100.0).round() as i64;
                orders.insert(key, (text(&o["month"]), cents));
            }
        }
        Memory {
            countries: Arc::new(countries),
            order_lists: Arc::new(order_lists),
            orders: Arc::new(orders),
            lie: None,
            broken: None,
            asked: Arc::default(),
        }
    }

    fn lying(&self, lie: Lie) -> Memory {
        Memory { lie: Some(lie), ..self.clone() }
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

/// What a load makes of all that it is told.
fn whole(data: ShopData) -> Loaded {
    Loaded::new(data, &[]).expect("both")
}

/// Keys and documents of part `part` of 3, as a load gets them.
fn documents(data: &ShopData, at: usize, part: u64) -> Vec<(String, Value)> {
    let data = whole(*data);
    let document = |index| {
        let (mut key, mut json) = (String::new(), Vec::new());
        data.append(at, index, &mut key, &mut json);
        (key, serde_json::from_slice(&json).expect("JSON"))
    };
    LoadSource::part(&data, at, part, 3).map(document).collect()
}

impl Engine for Memory {
    fn about(&self) -> About {
        About::new("memory", "memory:", &[], Calls::InProcess)
    }

    fn description(&self) -> Description {
        unreachable!("nothing is recorded of it")
    }

    fn shop(&self) -> Option<&dyn Shop> {
        Some(self)
    }
}

#[async_trait]
impl Shop for Memory {
    fn variants(&self) -> &'static [JoinVariant] {
        &[JoinVariant::TwoPhase, JoinVariant::Lookup]
    }

    async fn shop_session(&self, _: Ask) -> Done<Box<dyn ShopSession>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl ShopSession for Memory {
    async fn page(
        &mut self,
        country: &str,
        offset: u32,
        limit: u32,
        keys: &mut Vec<String>,
    ) -> Done<()> {
        self.note(Asked::Page(country.to_owned(), offset, limit))?;
        let all = self.countries.get(country).map_or(&[][..], Vec::as_slice);
        keys.clear();
        keys.extend(all.iter().skip(offset as usize).take(limit as usize).cloned());
        match self.lie {
            Some(Lie::OneKeyLess) => drop(keys.pop()),
            Some(Lie::OneKeyMore) => keys.push(all[0].clone()),
            Some(Lie::KeyTwice) if keys.len() > 1 => keys[0] = keys[1].clone(),
            Some(Lie::KeyOfAnotherCountry) => {
                let other = self.countries.iter().find(|(name, _)| *name != country);
                keys[0] = other.expect("ten countries").1[0].clone();
            }
            Some(Lie::UnknownKey) => keys[0] = "customer:3000".into(),
            Some(Lie::OrderKey) => keys[0] = "order:0".into(),
            _ => {}
        }
        Ok(())
    }

    async fn join(&mut self, zip: &str, month: &str, rows: &mut Vec<JoinRow>) -> Done<()> {
        self.note(Asked::Join(zip.to_owned(), month.to_owned()))?;
        let orders = self.order_lists.get(zip).into_iter().flatten().map(|key| &self.orders[key]);
        let prices = orders.filter(|(m, _)| m == month).map(|(_, cents)| cents);
        rows.clear();
        rows.extend(prices.copied().reduce(|a, b| a + b).map(|cents| JoinRow {
            month: month.to_owned(),
            zip: zip.to_owned(),
            cents,
        }));
        match self.lie {
            Some(Lie::OtherCents) => rows[0].cents += 1,
            Some(Lie::NoRow) => rows.clear(),
            Some(Lie::RowTwice) => rows.push(rows[0].clone()),
            Some(Lie::OtherMonth) => rows[0].month = "Brumaire".into(),
            Some(Lie::OtherZip) => rows[0].zip.push('0'),
            _ => {}
        }
        Ok(())
    }
}

impl Memory {
    fn note(&self, request: Asked) -> Done<()> {
        let mut asked = self.asked.lock().expect("no panic before");
        asked.push(request);
        match self.broken {
            Some(kind) if asked.len() % 2 == 1 => Err(Failure::new(kind, "no").trying("ask")),
            _ => Ok(()),
        }
    }
}

/// How `count` operations of each of `clients` clients end: outcome and rows.
fn run<W: Workload>(workload: &W, clients: usize, count: usize) -> Vec<(Outcome, u64)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut ends = Vec::new();
        for number in 0..clients {
            let mut client = workload.client(number).await.expect("a client");
            for _ in 0..count {
                let next = client.next();
                assert_eq!((next.kind, next.keying + next.think), (0, std::time::Duration::ZERO));
                let completion = client.run().await;
                assert_eq!(completion.retries, 0);
                ends.push((completion.outcome, completion.rows));
            }
            client.finish();
        }
        ends
    })
}

const CHECKED: Options = Options { seed: 7, check_reads: true };
const UNCHECKED: Options = Options { seed: 7, check_reads: false };

fn all_done(ends: &[(Outcome, u64)]) {
    for (outcome, _) in ends {
        assert!(matches!(outcome, Outcome::Done), "{outcome:?}");
    }
}

/// Even shares: none is off by more than five standard deviations.
fn assert_even(counts: &BTreeMap<String, usize>, values: usize) {
    assert_eq!(counts.len(), values, "{counts:?}");
    let share = counts.values().sum::<usize>() as f64 / values as f64;
    for (value, &count) in counts {
        assert!((count as f64 - share).abs() < 5.0 * share.sqrt(), "{value}: {count} of {share}");
    }
}

/// Section 3: 100 % reads; country uniform over all, offset over 0 to 5, limit over 1 to 100; a
/// right answer passes the check.
#[test]
fn pages() {
    let memory = Memory::load(&data());
    let pagination =
        Pagination::new(Database::new(memory.clone()).pages().unwrap(), data(), CHECKED);
    assert_eq!((pagination.kinds(), pagination.loop_length()), (vec!["PAGE"], None));
    assert!(!pagination.blocking());
    let ends = run(&pagination, 4, 5000);
    all_done(&ends);
    let (mut countries, mut offsets, mut limits) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (asked, (_, rows)) in memory.asked.lock().expect("no panic").iter().zip(&ends) {
        let Asked::Page(country, offset, limit) = asked else { panic!("{asked:?}") };
        assert_eq!(*rows, u64::from(*limit));
        for (counts, value) in [
            (&mut countries, country.clone()),
            (&mut offsets, offset.to_string()),
            (&mut limits, limit.to_string()),
        ] {
            *counts.entry(value).or_insert(0) += 1;
        }
    }
    assert!(countries.keys().eq(memory.countries.keys()));
    assert_even(&countries, 10);
    assert_even(&offsets, 6);
    assert_even(&limits, 100);
    assert!(offsets.keys().map(|o| o.parse::<u32>().expect("a number")).eq(0..6));
    assert!(limits.contains_key("1") && limits.contains_key("100"));
}

/// Section 4: 100 % reads; zip code and month uniform over all; a right answer passes the check.
#[test]
fn joins() {
    let memory = Memory::load(&data());
    let join = Join::new(Database::new(memory.clone()).joins().unwrap(), data(), None, CHECKED)
        .expect("applicable");
    assert_eq!((join.kinds(), join.variant()), (vec!["JOIN"], JoinVariant::TwoPhase));
    let ends = run(&join, 3, 4000);
    all_done(&ends);
    assert!(ends.iter().all(|&(_, rows)| rows == 1));
    let (mut zips, mut months) = (BTreeMap::new(), BTreeMap::new());
    for asked in memory.asked.lock().expect("no panic").iter() {
        let Asked::Join(zip, month) = asked else { panic!("{asked:?}") };
        *zips.entry(zip.clone()).or_insert(0) += 1;
        *months.entry(month.clone()).or_insert(0) += 1;
    }
    assert_even(&zips, 30);
    assert_even(&months, 12);
    assert!(MONTHS.iter().all(|month| months.contains_key(*month)));
}

/// Where a country ends within the page, the shorter page is the right one; where a zip code has no
/// order in the month, the answer without a row is.
#[test]
fn short_answers_are_right() {
    let mut spec = ShopSpec::new(60);
    (spec.customers_per_country, spec.customers_per_zip) = (3, 1);
    let data = ShopData::new(spec).expect("valid");
    let memory = Memory::load(&data);
    let pages = run(
        &Pagination::new(Database::new(memory.clone()).pages().unwrap(), data, CHECKED),
        1,
        500,
    );
    all_done(&pages);
    let sizes: HashSet<u64> = pages.iter().map(|&(_, rows)| rows).collect();
    assert_eq!(sizes, (0..4).collect());
    let joins = run(
        &Join::new(Database::new(memory).joins().unwrap(), data, None, CHECKED)
            .expect("applicable"),
        1,
        500,
    );
    all_done(&joins);
    assert_eq!(joins.iter().map(|&(_, rows)| rows).collect::<HashSet<_>>(), HashSet::from([0, 1]));
}

/// Every kind of wrong answer is a failure when reads are checked, and only then.
#[test]
fn lies_are_caught() {
    let memory = Memory::load(&data());
    let page_lies = [
        (Lie::OneKeyLess, " came back, not "),
        (Lie::OneKeyMore, " came back, not "),
        (Lie::KeyTwice, "came back twice"),
        (Lie::KeyOfAnotherCountry, "is of another country"),
        (Lie::UnknownKey, "no customer has the key 'customer:3000'"),
        (Lie::OrderKey, "no customer has the key 'order:0'"),
    ];
    for (lie, words) in page_lies {
        let run = |options| {
            run(
                &Pagination::new(
                    Database::new(memory.lying(lie)).pages().unwrap(),
                    data(),
                    options,
                ),
                1,
                200,
            )
        };
        // A page of one key cannot hold a key twice.
        let truths = if lie == Lie::KeyTwice { 20 } else { 0 };
        assert_caught(&run(CHECKED), words, truths);
        all_done(&run(UNCHECKED));
    }
    let join_lies = [
        (Lie::OtherCents, "cents of"),
        (Lie::NoRow, "0 rows came back, not 1"),
        (Lie::RowTwice, "2 rows came back, not 1"),
        (Lie::OtherMonth, "and Brumaire came back"),
        (Lie::OtherZip, "came back, not"),
    ];
    for (lie, words) in join_lies {
        let run = |options| {
            run(
                &Join::new(
                    Database::new(memory.lying(lie)).joins().unwrap(),
                    data(),
                    None,
                    options,
                )
                .expect("applicable"),
                1,
                200,
            )
        };
        assert_caught(&run(CHECKED), words, 0);
        all_done(&run(UNCHECKED));
    }
}

/// All but at most `truths` operations failed because of a broken promise, in these words.
fn assert_caught(ends: &[(Outcome, u64)], words: &str, truths: usize) {
    let mut done = 0;
    for (outcome, rows) in ends {
        match outcome {
            Outcome::Done => done += 1,
            Outcome::Failed(e) => {
                assert_eq!((e.kind, *rows), (ErrorKind::Broken, 0), "{e}");
                let line = e.to_string();
                assert!(line.contains(words) && !line.contains('\n'), "{line}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(done <= truths, "{done} lies of {} passed: {words}", ends.len());
}

/// A database's own failure is passed on with its kind, and the client goes on after it.
#[test]
fn failures_are_passed_on() {
    for kind in [ErrorKind::Timeout, ErrorKind::Unavailable, ErrorKind::Missing] {
        let memory = Memory { broken: Some(kind), ..Memory::load(&data()) };
        let ends =
            run(&Pagination::new(Database::new(memory).pages().unwrap(), data(), CHECKED), 1, 10);
        for pair in ends.chunks(2) {
            match &pair[0].0 {
                Outcome::Failed(e) => assert_eq!(e.kind, kind),
                other => panic!("{other:?}"),
            }
            assert!(matches!(pair[1].0, Outcome::Done));
        }
    }
}

/// The seed decides what clients draw, and each client draws its own, also in a later step.
#[test]
fn seeds_and_clients() {
    let memory = Memory::load(&data());
    let asked = |seed| {
        let memory = Memory { asked: Arc::default(), ..memory.clone() };
        let options = Options { seed, check_reads: false };
        let pagination =
            Pagination::new(Database::new(memory.clone()).pages().unwrap(), data(), options);
        for _ in 0..2 {
            run(&pagination, 2, 20);
        }
        memory.asked.lock().expect("no panic").clone()
    };
    let first = asked(1);
    assert_eq!(first, asked(1));
    assert_ne!(first, asked(2));
    let clients: HashSet<&[Asked]> = first.chunks(20).collect();
    assert_eq!(clients.len(), 4);
}

/// Section 5: a capability or a variant that the database lacks is refused before a run.
#[test]
fn not_applicable() {
    let lacks = NotApplicable {
        capability: "pagination",
        database: "Neither".into(),
        because: "it has no index on a nested field",
    };
    let because =
        "pagination on Neither: not applicable, because it has no index on a nested field";
    assert_eq!(lacks.to_string(), because);
    let error = Error::from(lacks);
    assert_eq!((error.kind, error.to_string()), (ErrorKind::Invalid, because.to_owned()));
    let memory = Memory::load(&data());
    let hash = Join::new(
        Database::new(memory.clone()).joins().unwrap(),
        data(),
        Some(JoinVariant::Hash),
        CHECKED,
    );
    let error = hash.err().expect("an error");
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "join by hash: this database cannot; choose one of two-phase, lookup"
    );
    let lookup = Join::new(
        Database::new(memory).joins().unwrap(),
        data(),
        Some(JoinVariant::Lookup),
        CHECKED,
    )
    .expect("it has it");
    assert_eq!(lookup.variant(), JoinVariant::Lookup);
}

/// The note's parameters and the data give each other; others are refused with what to do.
#[test]
fn parameters() {
    let data = data();
    let parameters = whole(data).parameters();
    assert_eq!(loaded(&parameters).expect("the same").data.spec(), data.spec());
    let through_text = serde_json::from_str(&parameters.to_string()).expect("JSON");
    assert_eq!(loaded(&through_text).expect("the same").data.spec(), data.spec());
    let changes: [(&str, Value); 6] = [
        ("collections", "shop_customer,shop_cart".into()),
        ("version", 0.into()),
        ("customers", 3001.into()),
        ("customers", Value::Null),
        ("order_bytes", (-1).into()),
        ("color", "red".into()),
    ];
    for (name, value) in changes {
        let mut other = parameters.clone();
        other[name] = value;
        let error = loaded(&other).expect_err(name).to_string();
        assert!(error.contains("`hoap load shop --replace`") && !error.contains('\n'), "{error}");
    }
    assert!(loaded(&Value::Null).is_err());
}

/// What a load is told: names, indexes on what the queries filter, join and add up; and each
/// parameter shows.
#[test]
fn source() {
    let spec = *data().spec();
    let data = whole(data());
    assert_eq!(data.benchmark(), "shop");
    assert_eq!(data.collections(), ["shop_customer", "shop_orders"]);
    let indexes = data.indexes();
    let on: Vec<_> = indexes.iter().map(|i| (i.collection.as_str(), i.fields.join(" "))).collect();
    let expected = [
        ("shop_customer", "address.country"),
        ("shop_customer", "address.zip"),
        ("shop_orders", "_id month sale_price"),
    ];
    assert_eq!(on, expected.map(|(c, f)| (c, f.to_owned())));
    let names: HashSet<_> = indexes.iter().map(|i| &i.name).collect();
    assert_eq!(names.len(), 3);
    let changes: [fn(&mut ShopSpec); 8] = [
        |s| s.embedded = true,
        |s| s.seed += 1,
        |s| s.customers *= 2,
        |s| s.orders_per_customer += 1,
        |s| s.customers_per_country = 3000,
        |s| s.customers_per_zip = 50,
        |s| s.customer_bytes += 1,
        |s| s.order_bytes += 1,
    ];
    for change in changes {
        let mut spec = spec;
        change(&mut spec);
        let other = whole(ShopData::new(spec).expect("valid"));
        assert_ne!(other.parameters(), data.parameters());
    }
}

/// Reports of 2020 and 2021: Pagination has customers alone (section 4.3.1), and a join has other
/// models (4.4.1). Of each: what is loaded, its indexes, what it serves, and what it is told where
/// something else is asked.
#[test]
fn what_is_loaded_and_what_it_serves() {
    use JoinVariant::{Ansi, Embedded, JoiningTable, TwoPhase};
    use ShopCollection::{Customer, Orders, Sales};
    let of = |embedded, named: &[ShopCollection]| {
        let spec = ShopSpec { embedded, ..*data().spec() };
        Loaded::new(ShopData::new(spec).expect("valid"), named)
    };
    let (country, both) = ("address.country", "address.country address.zip _id month sale_price");
    let all = [
        (of(false, &[]), "shop_customer shop_orders", both, Some(TwoPhase)),
        (of(false, &[Customer]), "shop_customer", country, None),
        (of(false, &[Sales]), "shop_sales", "", Some(JoiningTable)),
        (of(false, &[Sales, Customer]), "shop_customer shop_sales", country, Some(JoiningTable)),
        (of(true, &[]), "shop_customer", "address.country address.zip", Some(Embedded)),
    ];
    for (source, names, indexes, first) in all {
        let source = source.expect(names);
        assert_eq!(source.collections().join(" "), names);
        let fields: Vec<_> = source.indexes().into_iter().flat_map(|i| i.fields).collect();
        assert_eq!(fields.join(" "), indexes, "{names}");
        assert_eq!(source.first(&[TwoPhase, Embedded, JoiningTable]), first, "{names}");
        let again = loaded(&source.parameters()).expect("the same");
        assert_eq!(again.parameters(), source.parameters());
        assert_eq!(
            (again.collections(), again.data.spec()),
            (source.collections(), source.data.spec())
        );
        assert_eq!(source.expect_customers().is_ok(), source.has(Customer), "{names}");
        assert_eq!(source.expect(Embedded).is_ok(), first == Some(Embedded), "{names}");
        assert_eq!(source.expect(Ansi).is_ok(), first == Some(TwoPhase), "{names}");
        for (variant, load) in
            [(Embedded, "load shop --embedded"), (TwoPhase, "load shop --replace")]
        {
            if let Err(told) = source.expect(variant) {
                let told = told.to_string();
                let names = names.replace(' ', ",");
                assert!(told.contains(&format!("only {names} was loaded")), "{told}");
                assert!(told.contains(load) && told.contains(variant.name()), "{told}");
            }
        }
    }
    for (embedded, named) in
        [(false, &[Orders][..]), (false, &[Orders, Sales]), (true, &[Customer, Orders])]
    {
        let told = of(embedded, named).expect_err("orders alone").to_string();
        assert!(told.contains("load shop_orders") && told.contains("--collections"), "{told}");
    }
}

/// Names of variants and variants give each other.
#[test]
fn variants() {
    for variant in JoinVariant::ALL {
        assert_eq!(variant.name().parse::<JoinVariant>().expect("a name"), variant);
        assert_eq!(variant.to_string(), variant.name());
    }
    let error = "nested\nloop".parse::<JoinVariant>().expect_err("no name").to_string();
    assert!(error.contains("use one of index, ansi, hash") && !error.contains('\n'), "{error}");
}
