//! The effects of the five transactions on the documents (TPC-C 2.4–2.8, spec §4).

use hoap_ch2::data::{Schema, last_name};
use hoap_ch2::input::{NewOrder, OrderLine, OrderStatus, Payment, StockLevel, Who};
use hoap_ch2::schema::Paths;
use hoap_ch2::transactions as tx;
use hoap_data::Timestamp;
use hoap_workload::ErrorKind;
use serde_json::{Value, json};

use super::loaded::{Fresh, Loaded};

const SCHEMAS: [Schema; 2] = [Schema::Ch2, Schema::Ch2pp];

fn cents(value: &Value) -> i64 {
    tx::cents(value).unwrap()
}

fn now() -> Timestamp {
    "2021-01-01 00:00:01.500000".parse().unwrap()
}

fn line(item: u32, supply_w: u32, quantity: u32) -> OrderLine {
    OrderLine { item, supply_w, quantity }
}

/// Enters an order as a client would, without the driver.
fn enter(loaded: &Loaded, input: &NewOrder) -> Option<tx::Receipt> {
    let paths = Paths::of(loaded.data.spec().schema);
    let data = &loaded.data;
    loaded.write(async |t| tx::new_order(t, &paths, data, input, now()).await).unwrap()
}

/// TPC-C 2.4.2.2: the order, its lines, the district's next number and the stocks.
pub fn new_order_enters_one_document_with_all_its_lines(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let stock = ["s_quantity", "s_ytd", "s_order_cnt", "s_remote_cnt"];
        let before = [
            loaded.get("stock", "1.7", &stock).unwrap(),
            loaded.get("stock", "2.9", &stock).unwrap(),
        ];
        let lines = vec![line(7, 1, 3), line(9, 2, 10), line(7, 1, 4)];
        let input = NewOrder { w: 1, d: 4, c: 12, lines };
        let receipt = enter(&loaded, &input).unwrap();
        assert_eq!(receipt.o_id, 31);
        assert_eq!(loaded.field("district", "1.4", "d_next_o_id"), json!(32));

        let neworder = loaded.get("neworder", "1.4.31", &["no_o_id", "no_d_id", "no_w_id"]);
        assert_eq!(neworder.unwrap(), vec![json!(31), json!(4), json!(1)]);
        let fields =
            ["o_id", "o_c_id", "o_d_id", "o_w_id", "o_carrier_id", "o_ol_cnt", "o_all_local"];
        let order = loaded.get("orders", "1.4.31", &fields).unwrap();
        let wanted = [json!(31), json!(12), json!(4), json!(1), Value::Null, json!(3), json!(0)];
        assert_eq!(order, wanted);
        assert_eq!(loaded.field("orders", "1.4.31", "o_entry_d"), json!(now().to_string()));
        if schema == Schema::Ch2pp {
            let extra = loaded.field("orders", "1.4.31", "o_extra_064");
            assert_eq!(extra.as_str().unwrap().len(), 32);
        }

        let price = cents(&loaded.field("item", "7", "i_price"));
        let Value::Array(lines) = loaded.field("orders", "1.4.31", "o_orderline") else {
            panic!("no lines")
        };
        assert_eq!(lines.len(), 3);
        let dist = if schema == Schema::Ch2 { "s_dist_04" } else { "s_dists[3]" };
        assert_eq!(lines[0]["ol_dist_info"], loaded.field("stock", "1.7", dist));
        assert_eq!(cents(&lines[0]["ol_amount"]), 3 * price);
        assert_eq!(lines[1]["ol_supply_w_id"], json!(2));
        assert!(lines.iter().all(|l| l["ol_delivery_d"].is_null()));
        assert_eq!(lines[2]["ol_number"], json!(3));
        let sum: i64 = lines.iter().map(|l| cents(&l["ol_amount"])).sum();
        assert_eq!(receipt.amount, sum);

        let number = |row: &[Value], i: usize| row[i].as_i64().unwrap();
        let after = [
            loaded.get("stock", "1.7", &stock).unwrap(),
            loaded.get("stock", "2.9", &stock).unwrap(),
        ];
        let fill = |from: i64, q: i64| if from - q < 10 { from - q + 91 } else { from - q };
        assert_eq!(number(&after[0], 0), fill(fill(number(&before[0], 0), 3), 4));
        assert_eq!(number(&after[0], 1), number(&before[0], 1) + 7);
        assert_eq!(number(&after[0], 2), number(&before[0], 2) + 2);
        assert_eq!(number(&after[0], 3), number(&before[0], 3));
        assert_eq!(number(&after[1], 0), fill(number(&before[1], 0), 10));
        assert_eq!(number(&after[1], 3), number(&before[1], 3) + 1);
    }
}

/// TPC-C 2.4.2.2: total = sum × (1 − discount) × (1 + w_tax + d_tax).
pub fn new_order_adds_up_what_the_customer_pays(fresh: Fresh) {
    let loaded = Loaded::new(fresh, Schema::Ch2pp);
    let receipt =
        enter(&loaded, &NewOrder { w: 1, d: 1, c: 1, lines: vec![line(1, 1, 10)] }).unwrap();
    let number = |collection, key, field| loaded.field(collection, key, field).as_f64().unwrap();
    let factor = (1.0 - number("customer", "1.1.1", "c_discount"))
        * (1.0 + number("warehouse", "1", "w_tax") + number("district", "1.1", "d_tax"));
    assert_eq!(receipt.total, (receipt.amount as f64 * factor).round() as i64);
}

/// TPC-C 2.4.2.3: an unused item, and nothing of the order stays.
pub fn an_unused_item_undoes_the_whole_order(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let before = loaded.get("stock", "1.7", &["s_quantity", "s_ytd"]);
        let unused = loaded.data.items() + 1;
        let input = NewOrder { w: 1, d: 2, c: 3, lines: vec![line(7, 1, 1), line(unused, 1, 1)] };
        let paths = Paths::of(schema);
        let mut session = loaded.session();
        hoap_testing::wait(async {
            let mut t = session.begin(hoap_database::Access::Write).await.unwrap();
            let end = tx::new_order(&mut t, &paths, &loaded.data, &input, now());
            assert_eq!(end.await.unwrap(), None);
            t.rollback().await.unwrap();
        });
        drop(session);
        assert_eq!(loaded.field("district", "1.2", "d_next_o_id"), json!(31));
        assert!(loaded.get("neworder", "1.2.31", &[]).is_none());
        assert!(loaded.get("orders", "1.2.31", &[]).is_none());
        assert_eq!(loaded.get("stock", "1.7", &["s_quantity", "s_ytd"]), before);
    }
}

fn pay(loaded: &Loaded, input: &Payment, key: &str) -> hoap_workload::Result<tx::Paid> {
    let paths = Paths::of(loaded.data.spec().schema);
    loaded.write(async |t| tx::payment(t, &paths, input, key, now()).await)
}

/// TPC-C 2.5.2.2: sums of warehouse, district and customer, and a history document.
pub fn payment_moves_the_money_everywhere_it_belongs(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let customer = ["c_balance", "c_ytd_payment", "c_payment_cnt"];
        let before = loaded.get("customer", "2.7.5", &customer).unwrap();
        let w_before = cents(&loaded.field("warehouse", "1", "w_ytd"));
        let amount = 123_456;
        let input = Payment { w: 1, d: 3, c_w: 2, c_d: 7, who: Who::Id(5), amount };
        let paid = pay(&loaded, &input, "r1.0.0").unwrap();

        let after = loaded.get("customer", "2.7.5", &customer).unwrap();
        assert_eq!(cents(&after[0]), cents(&before[0]) - amount);
        assert_eq!((paid.c_id, paid.balance), (5, cents(&after[0])));
        assert_eq!(cents(&after[1]), cents(&before[1]) + amount);
        assert_eq!(after[2].as_i64().unwrap(), before[2].as_i64().unwrap() + 1);
        assert_eq!(cents(&loaded.field("warehouse", "1", "w_ytd")), w_before + amount);
        // At most two decimals are stored.
        let ytd = loaded.field("district", "1.3", "d_ytd").to_string();
        assert!(ytd.split_once('.').is_none_or(|(_, d)| d.len() <= 2), "{ytd}");

        let fields = ["h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id", "h_date", "h_data"];
        let history = loaded.get("history", "r1.0.0", &fields).unwrap();
        assert_eq!(history[..5], [json!(5), json!(7), json!(2), json!(3), json!(1)]);
        assert_eq!(history[5], json!(now().to_string()));
        let names =
            [loaded.field("warehouse", "1", "w_name"), loaded.field("district", "1.3", "d_name")];
        let joined = format!("{}    {}", names[0].as_str().unwrap(), names[1].as_str().unwrap());
        assert_eq!(history[6], json!(joined));

        // A key that collides is an error and moves nothing (spec §4).
        let again = pay(&loaded, &input, "r1.0.0").unwrap_err();
        assert_eq!(again.kind, ErrorKind::Duplicate);
        assert_eq!(loaded.get("customer", "2.7.5", &customer).unwrap(), after);
    }
}

/// TPC-C 2.5.2.2: bad credit puts the payment before the customer's data, good credit does not.
pub fn only_bad_credit_is_written_into_the_customers_data(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let mut seen = [false; 2];
        for c in 1..=30 {
            let key = format!("1.1.{c}");
            let bad = loaded.field("customer", &key, "c_credit") == json!("BC");
            let before = loaded.field("customer", &key, "c_data");
            let input = Payment { w: 1, d: 1, c_w: 1, c_d: 1, who: Who::Id(c), amount: 1000 };
            pay(&loaded, &input, &format!("r1.1.{c}")).unwrap();
            let after = loaded.field("customer", &key, "c_data");
            let prefix = format!("{c} 1 1 1 1 10.00 ");
            assert_eq!(after.as_str().unwrap().starts_with(&prefix), bad);
            assert_eq!(after != before, bad);
            assert!(after.as_str().unwrap().len() <= 500);
            seen[usize::from(bad)] = true;
        }
        assert_eq!(seen, [true; 2]);
    }
}

/// TPC-C 2.5.2.2, 2.6.2.2: of several with one name, the middle one by first name, rounded up.
pub fn by_name_means_the_middle_customer(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let (last, first) = match schema {
            Schema::Ch2 => ("c_last", "c_first"),
            Schema::Ch2pp => ("c_name.c_last", "c_name.c_first"),
        };
        // Four customers of one name, by first name: 8, 3, 21, 5. The middle, rounded up: 3.
        for (c, name) in [(3, "b"), (5, "d"), (8, "a"), (21, "c")] {
            loaded.set("customer", &format!("1.1.{c}"), last, json!("NAMESAKE"));
            loaded.set("customer", &format!("1.1.{c}"), first, json!(name));
        }
        let who = Who::Name("NAMESAKE".into());
        let input = Payment { w: 1, d: 1, c_w: 1, c_d: 1, who: who.clone(), amount: 100 };
        assert_eq!(pay(&loaded, &input, "r1.0.0").unwrap().c_id, 3);
        loaded.set("customer", "1.1.8", last, json!("OTHER"));
        // Three are left: 3, 21, 5. The middle: 21.
        assert_eq!(pay(&loaded, &input, "r1.0.1").unwrap().c_id, 21);
        let nobody = Payment { who: Who::Name("NOBODY".into()), ..input };
        assert_eq!(pay(&loaded, &nobody, "r1.0.2").unwrap_err().kind, ErrorKind::Broken);
    }
}

/// TPC-C 2.6.2.2: the customer's order with the largest number.
pub fn order_status_reads_the_last_order(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let paths = Paths::of(schema);
        let first = OrderStatus { w: 2, d: 5, who: Who::Id(9) };
        let by_name = OrderStatus { w: 2, d: 5, who: Who::Name(last_name(8)) };
        for input in [&first, &by_name] {
            let status = loaded.write(async |t| tx::order_status(t, &paths, input).await).unwrap();
            let key = format!("2.5.{}", status.o_id);
            assert_eq!(loaded.field("orders", &key, "o_c_id"), json!(9));
            assert_eq!(status.balance, cents(&loaded.field("customer", "2.5.9", "c_balance")));
        }
        enter(&loaded, &NewOrder { w: 2, d: 5, c: 9, lines: vec![line(1, 2, 1); 6] }).unwrap();
        let status = loaded.write(async |t| tx::order_status(t, &paths, &first).await).unwrap();
        assert_eq!((status.o_id, status.delivered, status.lines), (31, false, 6));
    }
}

/// TPC-C 2.7.4.2: the oldest undelivered order first; carrier, delivery dates, balance and count.
pub fn delivery_takes_the_oldest_order_of_the_district(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        let paths = Paths::of(schema);
        let deliver = || {
            loaded.write(async |t| tx::deliver_district(t, &paths, (1, 6), 7, now()).await).unwrap()
        };
        let first_open = loaded.data.delivered_per_district() + 1;
        let key = format!("1.6.{first_open}");
        let c = loaded.field("orders", &key, "o_c_id");
        let customer = format!("1.6.{c}");
        let balance = cents(&loaded.field("customer", &customer, "c_balance"));

        let delivered = deliver().unwrap();
        assert_eq!(delivered.o_id, first_open);
        assert!(loaded.get("neworder", &key, &[]).is_none());
        assert_eq!(loaded.field("orders", &key, "o_carrier_id"), json!(7));
        let Value::Array(lines) = loaded.field("orders", &key, "o_orderline") else { panic!() };
        assert!(lines.iter().all(|l| l["ol_delivery_d"] == json!(now().to_string())));
        let sum: i64 = lines.iter().map(|l| cents(&l["ol_amount"])).sum();
        assert_eq!(delivered.amount, sum);
        assert_eq!(cents(&loaded.field("customer", &customer, "c_balance")), balance + sum);
        assert_eq!(loaded.field("customer", &customer, "c_delivery_cnt"), json!(1));

        for o_id in first_open + 1..=30 {
            assert_eq!(deliver().unwrap().o_id, o_id);
        }
        assert_eq!(deliver(), None, "a district without undelivered orders is skipped");
    }
}

/// TPC-C 2.8.2.2: different items of the last 20 orders below the threshold.
pub fn stock_level_counts_each_low_item_once(fresh: Fresh) {
    for schema in SCHEMAS {
        let loaded = Loaded::new(fresh, schema);
        for o in 0..20 {
            let lines = vec![line(1, 1, 1), line(2 + o % 3, 1, 1), line(1, 2, 1)];
            enter(&loaded, &NewOrder { w: 1, d: 8, c: 1, lines }).unwrap();
        }
        for (item, quantity) in [(1, 9), (2, 10), (3, 14), (4, 15)] {
            loaded.set("stock", &format!("1.{item}"), "s_quantity", json!(quantity));
        }
        // The stock of the other warehouse does not count.
        loaded.set("stock", "2.4", "s_quantity", json!(1));
        let count = |threshold| {
            let input = StockLevel { w: 1, d: 8, threshold };
            loaded.write(async |t| tx::stock_level(t, &input).await).unwrap()
        };
        assert_eq!(count(10), 1);
        assert_eq!(count(15), 3);
        assert_eq!(count(16), 4);
        let input = StockLevel { w: 1, d: 9, threshold: 10 };
        loaded.write(async |t| tx::stock_level(t, &input).await).unwrap();
    }
}
