//! A database that keeps nothing but the districts' counters: its documents are made when they are
//! read, with the keys and the shape that a run leaves. What it answers takes no memory that a
//! check would be blamed for.

use std::collections::BTreeMap;

use async_trait::async_trait;
use hoap_ch2::data::DataSet;
use hoap_ch2::ledger::HistoryKey;
use hoap_data::random::Stream;
use hoap_database::engine::{
    About, Calls, Documents, Done, Each, Engine, OpenTransaction, Read, Session, Transactions,
};
use hoap_database::{Access, Condition, Find, Order, Patch, Patched, Row};
use hoap_record::Description;
use hoap_record::witness::Level;
use hoap_testing::scanned::only_reads;
use serde_json::{Map, Value, json};

use crate::ledger::terminals::{Counters, Run, payment};

#[derive(Clone)]
pub struct Answers {
    data: DataSet,
    districts: Vec<Counters>,
}

impl Answers {
    /// As the load leaves it.
    pub fn before(data: &DataSet) -> Self {
        let districts = data.spec().warehouses as usize * 10;
        Answers { data: *data, districts: vec![Counters::loaded(data); districts] }
    }

    /// As the run leaves it.
    pub fn after(data: &DataSet, run: &Run) -> Self {
        Answers { data: *data, districts: run.districts.clone() }
    }

    fn counters(&self, w: u64, d: u64) -> Option<Counters> {
        let at = w.checked_sub(1)? * 10 + d.checked_sub(1)?;
        self.districts.get(at as usize).copied()
    }

    /// The fields of a document by name; `None` where it is not there.
    fn fields(&self, collection: &str, key: &str) -> Option<Vec<(&'static str, Value)>> {
        if collection == "history" {
            let ([w, d, c_w, c_d, c], amount) = payment(&self.data, HistoryKey::parse(key)?);
            return Some(vec![
                ("h_w_id", w.into()),
                ("h_d_id", d.into()),
                ("h_c_w_id", c_w.into()),
                ("h_c_d_id", c_d.into()),
                ("h_c_id", c.into()),
                ("h_amount", (amount as f64 / 100.0).into()),
                ("h_date", "2021-01-01 00:00:00.000000".into()),
                ("h_data", "an address and a name".into()),
            ]);
        }
        let numbers: Vec<u64> = key.split('.').filter_map(|n| n.parse().ok()).collect();
        match (collection, &numbers[..]) {
            ("orders", &[w, d, o_id]) => self.order(w, d, o_id),
            ("neworder", &[w, d, o_id]) => {
                let Counters { next, oldest } = self.counters(w, d)?;
                (u64::from(oldest)..u64::from(next)).contains(&o_id).then_some(())?;
                Some(vec![("no_w_id", w.into()), ("no_d_id", d.into()), ("no_o_id", o_id.into())])
            }
            ("customer", &[w, d, c]) => Some(vec![
                ("c_w_id", w.into()),
                ("c_d_id", d.into()),
                ("c_id", c.into()),
                ("c_balance", json!(-10.0)),
                ("c_ytd_payment", json!(10.0)),
                ("c_delivery_cnt", 0.into()),
                ("c_payment_cnt", 1.into()),
            ]),
            ("stock", &[w, i]) => Some(vec![
                ("s_w_id", w.into()),
                ("s_i_id", i.into()),
                ("s_quantity", 50.into()),
                ("s_ytd", 0.into()),
                ("s_order_cnt", 0.into()),
                ("s_remote_cnt", 0.into()),
            ]),
            _ => None,
        }
    }

    /// One line in a hundred is another warehouse's (TPC-C 2.4.1.5).
    fn order(&self, w: u64, d: u64, o_id: u64) -> Option<Vec<(&'static str, Value)>> {
        let Counters { next, oldest } = self.counters(w, d)?;
        (o_id < u64::from(next)).then_some(())?;
        let mut random = Stream::new(o_id, &[w, d]);
        let mut draw = |from: u32, to: u32| random.uniform(from.into()..=to.into());
        let delivered = o_id < u64::from(oldest);
        let date = if delivered { json!("2021-01-01 00:00:00.000000") } else { Value::Null };
        let lines = draw(5, 15);
        let line = |_| {
            let remote = draw(1, 100) == 1;
            let supplier = if remote { draw(1, self.data.spec().warehouses) } else { w as i64 };
            let mut line = Map::new();
            line.insert("ol_i_id".into(), draw(1, self.data.items()).into());
            line.insert("ol_supply_w_id".into(), supplier.into());
            line.insert("ol_delivery_d".into(), date.clone());
            line.insert("ol_quantity".into(), draw(1, 10).into());
            line.insert("ol_amount".into(), draw(1, 9_999).into());
            Value::Object(line)
        };
        let rows: Vec<Value> = (0..lines).map(line).collect();
        Some(vec![
            ("o_w_id", w.into()),
            ("o_d_id", d.into()),
            ("o_id", o_id.into()),
            ("o_c_id", (1 + o_id * 7 % u64::from(self.data.customers_per_district())).into()),
            ("o_carrier_id", if delivered { 5.into() } else { Value::Null }),
            ("o_ol_cnt", lines.into()),
            ("o_orderline", rows.into()),
            ("o_all_local", 1.into()),
            ("o_entry_d", "2021-01-01 00:00:00.000000".into()),
        ])
    }
}

fn row(mut made: Vec<(&'static str, Value)>, fields: &[&str]) -> Row {
    let mut take = |field: &str| {
        let found = made.iter_mut().find(|(name, _)| *name == field);
        found.map(|(_, value)| value.take()).unwrap_or_default()
    };
    fields.iter().map(|field| take(field)).collect()
}

impl Engine for Answers {
    fn about(&self) -> About {
        About::new("Answers", "answers:", &[], Calls::InProcess)
    }

    fn description(&self) -> Description {
        Description {
            url: "answers:".to_owned(),
            name: "Answers".to_owned(),
            version: "1".to_owned(),
            settings: BTreeMap::new(),
        }
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(self)
    }

    fn transactions(&self) -> Option<&dyn Transactions> {
        Some(self)
    }
}

hoap_testing::only_scanned! { Answers:
    /// Warehouses and districts.
    async fn scan(
        &self,
        collection: &str,
        fields: &[&str],
        each: &mut Each<'_>,
    ) -> Done<()> {
        for (i, counters) in self.districts.iter().enumerate() {
            let (w, d) = (i / 10 + 1, i % 10 + 1);
            match collection {
                "warehouse" if d == 1 => {
                    let made = vec![("w_id", w.into()), ("w_ytd", json!(300_000))];
                    each(&w.to_string(), row(made, fields))?;
                }
                "district" => {
                    let made = vec![
                        ("d_w_id", w.into()),
                        ("d_id", d.into()),
                        ("d_ytd", json!(30_000)),
                        ("d_next_o_id", counters.next.into()),
                    ];
                    each(&format!("{w}.{d}"), row(made, fields))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Transactions for Answers {
    fn isolation(&self) -> Option<Level> {
        None
    }

    async fn transaction_session(&self) -> Done<Box<dyn Session>> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Session for Answers {
    async fn begin<'a>(&'a mut self, _: Access) -> Done<Box<dyn OpenTransaction + 'a>> {
        Ok(Box::new(&*self))
    }
}

#[async_trait]
impl OpenTransaction for &Answers {
    fn is_over(&self) -> bool {
        false
    }

    async fn get(&mut self, read: Read<'_>) -> Done<Vec<Option<Row>>> {
        let document = |key: &&str| Some(row(self.fields(read.collection, key)?, read.fields));
        Ok(read.keys.iter().map(document).collect())
    }

    /// The ends of the undelivered orders of a district.
    async fn find(&mut self, find: Find<'_>) -> Done<Vec<(String, Row)>> {
        let [w, d] = [0, 1].map(|at: usize| find.prefix[at].as_u64().unwrap_or_default());
        let there = self.counters(w, d).filter(|counters| counters.oldest < counters.next);
        let number = there.map(|counters| match find.order {
            Order::Ascending => counters.oldest,
            Order::Descending => counters.next - 1,
        });
        Ok(number.into_iter().map(|n| (format!("{w}.{d}.{n}"), vec![n.into()])).collect())
    }

    async fn insert(&mut self, _: &str, _: &[(&str, &Value)]) -> Done<()> {
        only_reads()
    }

    async fn put(&mut self, _: &str, _: &str, _: &Value) -> Done<()> {
        only_reads()
    }

    async fn patch(
        &mut self,
        _: &str,
        _: &str,
        _: &[Patch<'_>],
        _: &[Condition<'_>],
    ) -> Done<Patched> {
        only_reads()
    }

    async fn delete(&mut self, _: &str, _: &str) -> Done<bool> {
        only_reads()
    }

    async fn commit(&mut self) -> Done<()> {
        Ok(())
    }

    async fn rollback(&mut self) -> Done<()> {
        Ok(())
    }
}
