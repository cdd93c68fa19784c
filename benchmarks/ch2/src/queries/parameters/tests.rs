//! Specification section 5: the *Ref* and *Dom* columns of the table of queries.

use std::collections::HashSet;

use hoap_data::Timestamp;

use super::super::catalogue::QUERIES;
use super::*;
use crate::data::Schema;

/// The number of random draws per domain: enough to draw each of 62 nations.
const DRAWS: u64 = 2000;

fn spec(warehouses: u32) -> Spec {
    Spec::new(Schema::Ch2pp, warehouses)
}

fn query(number: u8) -> &'static Query {
    crate::queries::catalogue::query(number).unwrap()
}

/// The values of a query as one line, timestamps without their `00:00:00.000000`.
fn line(set: ParameterSet, spec: &Spec, number: u8) -> String {
    let values = set.parameters(spec, query(number));
    let values = values.iter().map(|(name, value)| {
        let text = value.as_str().map_or(value.to_string(), str::to_owned);
        format!("{name}={}", text.strip_suffix(" 00:00:00.000000").unwrap_or(&text))
    });
    values.collect::<Vec<_>>().join(" ")
}

/// Random draws, as strings and numbers by name.
fn draws(number: u8) -> impl Iterator<Item = Parameters> {
    (0..DRAWS).map(move |turn| {
        ParameterSet::Random { seed: 42, stream: 3, turn }.parameters(&spec(100), query(number))
    })
}

fn text(parameters: &Parameters, name: &str) -> String {
    let value = &parameters.iter().find(|p| p.0 == name).unwrap().1;
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn integer(parameters: &Parameters, name: &str) -> i64 {
    parameters.iter().find(|p| p.0 == name).unwrap().1.as_i64().unwrap()
}

/// Different values of one parameter among the draws.
fn drawn(number: u8, name: &str) -> HashSet<String> {
    draws(number).map(|p| text(&p, name)).collect()
}

/// The month of a timestamp on a first day, in months since year 0, and the text after the month.
fn month_of(timestamp: &str) -> (i64, &str) {
    let (year, month) = (&timestamp[..4], &timestamp[5..7]);
    (year.parse::<i64>().unwrap() * 12 + month.parse::<i64>().unwrap() - 1, &timestamp[7..])
}

const FIRST: &str = "-01 00:00:00.000000";

/// The Ref column, literally.
#[test]
fn reference_parameters_are_those_of_the_published_runs() {
    let published = [
        "after=2014-07-01",
        "region=Europ data=b",
        "state=a before=2017-03-15",
        "from=2015-07-01 to=2015-10-01",
        "region=Asia from=2016-01-01 to=2017-01-01",
        "from=2016-01-01 to=2017-01-01 amount=600",
        "nation_a=Germany nation_b=Cambodia from=2017-01-01 to=2018-12-31",
        "nation=Germany region=Europe data=b from=2017-01-01 to=2018-12-31",
        "data=bb",
        "from=2015-10-01 to=2016-01-01",
        "nation=Germany",
        "from=2016-01-01 to=2017-01-01",
        "carrier=8",
        "from=2017-09-01 to=2017-10-01",
        "from=2018-01-01 to=2018-04-01",
        "data=zz",
        "data=b",
        "amount=200",
        "data1=h low1=7 high1=17 w11=37 w12=29 w13=70 \
         data2=t low2=16 high2=26 w21=78 w22=17 w23=6 \
         data3=m low3=24 high3=34 w31=91 w32=95 w33=15",
        "nation=Germany data=co from=2016-01-01 12:00:00.000000 to=2017-01-01 12:00:00.000000",
        "nation=Peru from=2017-12-01 to=2017-12-31",
        "digit1=1 digit2=2 digit3=3 digit4=4 digit5=5 digit6=6 digit7=7 \
         from=2013-12-01 to=2013-12-31",
    ];
    for (query, published) in QUERIES.iter().zip(published) {
        let ours = line(ParameterSet::Reference, &spec(100), query.number);
        assert_eq!(ours, published, "{}", query.name);
    }
}

/// The reference dates move with RUN_DATE by whole years.
#[test]
fn another_run_date_shifts_the_years() {
    let later = Spec { run_date: "2031-06-15".parse().unwrap(), ..spec(100) };
    for set in [ParameterSet::Reference, ParameterSet::Check] {
        for query in &QUERIES {
            let now = line(set, &spec(100), query.number);
            let shifted = (2013..2021).rev().fold(now, |line, year| {
                line.replace(&format!("={year}-"), &format!("={}-", year + 10))
            });
            assert_eq!(line(set, &later, query.number), shifted, "{}", query.name);
        }
    }
}

/// "With W < 95 the Ref of Q19 selects no warehouse that exists. Its parameters are then drawn from
/// 1…W by seed".
#[test]
fn q19_names_warehouses_that_exist() {
    let warehouses = |spec: &Spec, set: ParameterSet| -> Vec<i64> {
        let all = set.parameters(spec, query(19));
        let of = |p: &(String, Value)| p.0.starts_with('w').then(|| p.1.as_i64().unwrap());
        all.iter().filter_map(of).collect()
    };
    let random = ParameterSet::Random { seed: 1, stream: 0, turn: 0 };
    for set in [ParameterSet::Reference, ParameterSet::Check, random] {
        for w in [1, 2, 50, 94, 95, 1000] {
            let chosen = warehouses(&spec(w), set);
            assert_eq!(chosen.len(), 9);
            assert!(chosen.iter().all(|c| (1..=i64::from(w)).contains(c)), "W = {w}: {chosen:?}");
            assert_eq!(chosen, warehouses(&spec(w), set), "the same again");
        }
    }
    let set = ParameterSet::Reference;
    assert_eq!(warehouses(&spec(95), set), [37, 29, 70, 78, 17, 6, 91, 95, 15]);
    assert_ne!(warehouses(&spec(94), set), warehouses(&spec(95), set));
    let other = Spec { seed: 2, ..spec(94) };
    assert_ne!(warehouses(&spec(94), set), warehouses(&other, set), "by seed");
}

/// Every timestamp that any set asks for has the documents' form, and `from` comes before `to`.
#[test]
fn timestamps_have_the_form_of_the_documents() {
    let random = (0..50).map(|turn| ParameterSet::Random { seed: 9, stream: 0, turn });
    for set in [ParameterSet::Reference, ParameterSet::Check].into_iter().chain(random) {
        for query in &QUERIES {
            let parameters = set.parameters(&spec(1), query);
            for name in ["after", "before", "from", "to"] {
                if query.parameters.contains(&name) {
                    let text = text(&parameters, name);
                    let read: Timestamp = text.parse().unwrap();
                    assert_eq!(read.to_string(), text);
                }
            }
            if query.parameters.contains(&"from") {
                assert!(text(&parameters, "from") < text(&parameters, "to"), "{}", query.name);
            }
        }
    }
}

/// Dom of Q1: START_DATE + 180–240 days.
#[test]
fn q1_draws_from_sixty_one_days() {
    let days = drawn(1, "after");
    assert_eq!(days.len(), 61);
    assert_eq!(days.iter().min().unwrap(), "2014-06-30 00:00:00.000000");
    assert_eq!(days.iter().max().unwrap(), "2014-08-29 00:00:00.000000");
}

/// Dom of Q2, Q5: 5 regions; of Q2, Q8, Q17: a–z; of Q9, Q16, Q20: two letters.
#[test]
fn regions_and_letters_are_drawn_from_all() {
    for number in [2, 5] {
        assert_eq!(drawn(number, "region").len(), 5, "Q{number}");
    }
    for number in [2, 8, 17] {
        let all: HashSet<_> = ('a'..='z').map(String::from).collect();
        assert_eq!(drawn(number, "data"), all, "Q{number}");
    }
    for number in [9, 16, 20] {
        let data = drawn(number, "data");
        assert!(data.len() > 600, "Q{number}: {}", data.len());
        let two = |d: &String| d.len() == 2 && d.bytes().all(|b| b.is_ascii_lowercase());
        assert!(data.iter().all(two));
        assert!(data.iter().any(|d| d.starts_with('a')) && data.iter().any(|d| d.ends_with('z')));
    }
}

/// Dom of Q3: 62 characters; 1–31 March of year Y+3.
#[test]
fn q3_draws_from_the_states_and_a_march() {
    let states = drawn(3, "state");
    assert_eq!(states.len(), 62);
    assert!(states.iter().all(|s| s.len() == 1 && s.as_bytes()[0].is_ascii_alphanumeric()));
    let days = drawn(3, "before");
    assert_eq!(days.len(), 31);
    assert_eq!(days.iter().min().unwrap(), "2017-03-01 00:00:00.000000");
    assert_eq!(days.iter().max().unwrap(), "2017-03-31 00:00:00.000000");
}

/// Dom of Q4, Q14, Q15: first of a month, Y+1…Y+5; of Q10: Y+1…Y+3. Three months, or one in Q14.
#[test]
fn months_are_drawn_from_their_years() {
    for (number, years, length) in [(4, 5, 3), (10, 3, 3), (14, 5, 1), (15, 5, 3)] {
        let months = drawn(number, "from");
        assert_eq!(months.len(), years * 12, "Q{number}");
        assert_eq!(months.iter().min().unwrap(), "2015-01-01 00:00:00.000000");
        assert_eq!(*months.iter().max().unwrap(), format!("{}-12{FIRST}", 2014 + years));
        for p in draws(number) {
            let (from, to) = (text(&p, "from"), text(&p, "to"));
            let ((from, rest), (to, rest_of_to)) = (month_of(&from), month_of(&to));
            assert_eq!((to - from, rest, rest_of_to), (length, FIRST, FIRST), "Q{number}");
        }
    }
}

/// Dom of Q5, Q6, Q12: 1 January, Y+1…Y+5; of Q20: Y+1…Y+5. One year.
#[test]
fn years_are_drawn_from_five() {
    for number in [5, 6, 12, 20] {
        let years: HashSet<_> = (2015..=2019).map(|y| format!("{y}-01{FIRST}")).collect();
        assert_eq!(drawn(number, "from"), years, "Q{number}");
        for p in draws(number) {
            let (from, to) = (text(&p, "from"), text(&p, "to"));
            assert_eq!(month_of(&to), (month_of(&from).0 + 12, FIRST), "Q{number}");
        }
    }
}

/// Dom of Q6: 500–700; of Q13: 5–10; of Q18: 200–300.
#[test]
fn amounts_and_carriers_fill_their_ranges() {
    for (number, name, range) in
        [(6, "amount", 500..=700), (13, "carrier", 5..=10), (18, "amount", 200..=300)]
    {
        let values: HashSet<_> = draws(number).map(|p| integer(&p, name)).collect();
        assert_eq!(values, range.collect(), "Q{number}");
    }
}

/// Dom of Q7: two different nations; the dates are the published ones.
#[test]
fn q7_draws_two_different_nations() {
    assert_eq!(drawn(7, "nation_a").len(), 62);
    assert_eq!(drawn(7, "nation_b").len(), 62);
    assert!(draws(7).all(|p| text(&p, "nation_a") != text(&p, "nation_b")));
    assert_eq!(drawn(7, "from"), HashSet::from(["2017-01-01 00:00:00.000000".into()]));
    assert_eq!(drawn(7, "to"), HashSet::from(["2018-12-31 00:00:00.000000".into()]));
}

/// Dom of Q8: a nation and its region.
#[test]
fn q8_draws_a_nation_and_its_region() {
    assert_eq!(drawn(8, "nation").len(), 62);
    for p in draws(8) {
        let (_, _, region) = NATIONS.iter().find(|n| n.0 == text(&p, "nation")).unwrap();
        assert_eq!(text(&p, "region"), REGIONS[*region as usize]);
    }
}

/// Dom of Q11, Q20, Q21: 62 nations.
#[test]
fn nations_are_drawn_from_all() {
    for number in [11, 20, 21] {
        assert_eq!(drawn(number, "nation").len(), 62, "Q{number}");
    }
}

/// Dom of Q19: letters; starts 1–10, 10–20, 20–30 of ranges 10 wide; warehouses 1…W.
#[test]
fn q19_draws_three_alternatives() {
    for (i, starts) in [(1, 1..=10), (2, 10..=20), (3, 20..=30)] {
        assert_eq!(drawn(19, &format!("data{i}")).len(), 26);
        let (low, high) = (format!("low{i}"), format!("high{i}"));
        let lows: HashSet<_> = draws(19).map(|p| integer(&p, &low)).collect();
        assert_eq!(lows, starts.collect());
        assert!(draws(19).all(|p| integer(&p, &high) == integer(&p, &low) + 10));
        for j in 1..=3 {
            let warehouses = drawn(19, &format!("w{i}{j}"));
            assert_eq!(warehouses, (1..=100).map(|w| w.to_string()).collect());
        }
    }
}

/// Dom of Q21: December of a year Y…Y+6; of Q22: Y−1…Y+6.
#[test]
fn decembers_are_drawn_from_their_years() {
    for (number, first) in [(21, 2014), (22, 2013)] {
        let decembers: HashSet<_> = (first..=2020).map(|y| format!("{y}-12{FIRST}")).collect();
        assert_eq!(drawn(number, "from"), decembers, "Q{number}");
        for p in draws(number) {
            assert_eq!(text(&p, "to"), text(&p, "from").replace("-12-01", "-12-31"));
        }
    }
}

/// Dom of Q22: 7 different digits.
#[test]
fn q22_draws_seven_different_digits() {
    let mut first = HashSet::new();
    for p in draws(22) {
        let digits: Vec<_> = (1..=7).map(|i| text(&p, &format!("digit{i}"))).collect();
        assert!(digits.iter().all(|d| d.len() == 1 && d.as_bytes()[0].is_ascii_digit()));
        assert_eq!(digits.iter().collect::<HashSet<_>>().len(), 7, "{digits:?}");
        first.insert(digits[0].clone());
    }
    assert_eq!(first.len(), 10);
}

/// The parameters of the check differ from the published ones, so that the check adds to them.
#[test]
fn check_parameters_differ_from_the_reference() {
    for query in &QUERIES {
        let of = |set: ParameterSet| set.parameters(&spec(1), query);
        assert_ne!(of(ParameterSet::Check), of(ParameterSet::Reference), "{}", query.name);
    }
}

#[test]
fn a_random_set_is_a_function_of_seed_stream_and_turn() {
    let draw = |seed, stream, turn| {
        let set = ParameterSet::Random { seed, stream, turn };
        QUERIES.each_ref().map(|q| set.parameters(&spec(100), q))
    };
    let base = draw(1, 1, 1);
    assert_eq!(base, draw(1, 1, 1));
    for other in [draw(2, 1, 1), draw(1, 2, 1), draw(1, 1, 2)] {
        let same = base.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(same <= 5, "{same} of 22 queries have the same parameters");
    }
}

#[test]
fn names_of_fixed_sets_read_back() {
    for set in [ParameterSet::Reference, ParameterSet::Check] {
        assert_eq!(set.to_string().parse::<ParameterSet>(), Ok(set));
    }
    let error = "random".parse::<ParameterSet>().unwrap_err();
    assert_eq!(error.to_string(), "read the name of a parameter set: \"random\"; use ref or check");
}
