//! Whether the documents of a scan are those that the file has from its key on.

use hoap_database::Row;
use hoap_workload::Result;

use super::answers::{Judged, as_many, broken};
use super::shared::Shared;
use crate::file::range::Range;
use crate::file::step::Expect;
use crate::generate::order::Order;
use crate::plan::action::Step;

/// What a scan asked for.
pub struct Scanned<'a> {
    /// The key from which on.
    pub start: &'a str,
    /// The most documents.
    pub most: u64,
    /// When the transaction or the command began, by the ledger's clock.
    pub begun: u64,
}

impl Shared {
    /// Holds the documents that a scan found against the file: each is as it was made, they rise by
    /// their keys, and none is left out that was loaded and that no delete has begun for.
    ///
    /// # Errors
    /// [`hoap_workload::ErrorKind::Broken`].
    pub fn check_scanned(
        &self,
        step: &Step,
        scanned: &Scanned<'_>,
        (paths, found): (&[&str], &[(String, Row)]),
    ) -> Result<()> {
        let name = &self.workload.plan.collections[step.collection].name;
        let most = match step.expect {
            Some(Expect::Any) => 0..=u64::MAX,
            Some(Expect::Between(Range { low, high })) => low.max(0) as u64..=high.max(0) as u64,
            None => 0..=scanned.most,
        };
        let judge = || {
            let mut before = None;
            for (key, row) in found {
                let judged = self.scanned_one(step.collection, scanned, (key, before));
                let number = judged.map_err(|answer| format!("{key} {answer}"))?;
                if !self.is_adopted_elsewhere(step.collection, number) {
                    let at = self.place(step.collection, number);
                    self.document(step.collection, &at, (paths, row))
                        .map_err(|answer| format!("{key}: {answer}"))?;
                }
                before = Some(&**key);
            }
            as_many(&most, found.len())?;
            match &self.orders[step.collection] {
                Some(order) => self.left_out(step, scanned, (order, found)),
                None => Ok(()),
            }
        };
        judge().map_err(|answer| {
            let Scanned { start, most, .. } = scanned;
            broken(format!("scan {name} from {start}, {most} at most"), answer)
        })
    }

    /// The number of a document that came back, if it may be there behind the one before.
    fn scanned_one(
        &self,
        collection: usize,
        scanned: &Scanned<'_>,
        (key, before): (&str, Option<&str>),
    ) -> std::result::Result<u64, String> {
        let numbers = &self.numbers[collection];
        match (self.number(collection, key), before) {
            (_, Some(before)) if key == before => Err("came back twice".into()),
            (_, Some(before)) if key < before => Err(format!("stands behind {before}")),
            (_, None) if key < scanned.start => Err("is before the first key".into()),
            (Some(number), _) => match numbers.cannot_be(number, scanned.begun) {
                Some(why) => Err(format!("came back, and {why}")),
                None => Ok(number),
            },
            (None, _) => Err("came back, which the file does not make".into()),
        }
    }

    /// Holds the keys that came back, which rise, against those of the file.
    fn left_out(
        &self,
        step: &Step,
        scanned: &Scanned<'_>,
        (order, found): (&Order, &[(String, Row)]),
    ) -> Judged {
        let (plan, numbers) = (&self.workload.plan, &self.numbers[step.collection]);
        let mut place = order.from(plan, scanned.start);
        let mut next = |until: Option<&str>| {
            while let Some(number) = order.number(place) {
                let key = self.workload.key(step.collection, &plan.place(step.collection, number));
                if until.is_some_and(|until| *key > *until) {
                    break;
                }
                place += 1;
                if until == Some(key.as_str()) {
                    break;
                }
                if numbers.stays(number) {
                    return Some(key);
                }
            }
            None
        };
        for (key, _) in found {
            if let Some(missing) = next(Some(key)) {
                return Err(format!("{missing} is left out before {key}"));
            }
        }
        // A document may be deleted after its key was read, in the place of which none came then.
        let short = scanned.most.saturating_sub(found.len() as u64);
        if short > 0
            && short > numbers.deleted_since(scanned.begun)
            && let Some(missing) = next(None)
        {
            let count = found.len();
            return Err(format!("{missing} is left out, {count} came back"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hoap_data::Part;
    use hoap_database::path::WHOLE;
    use serde_json::{Value, json};

    use super::*;
    use crate::file::Text;
    use crate::plan::Plan;
    use crate::run::numbers::There;
    use crate::workload::Workload;

    /// 25 documents of the keys 0, 1, 10 …, and an operation for each verb that matters.
    fn shared(key: &str) -> Shared {
        let text = format!(
            "hoap = 1\noperations = [{{ name = \"scan\", scan = \"a\", limit = 5 }}, \
             {{ name = \"new\", insert = \"a\" }}, {{ name = \"gone\", delete = \"a\" }}]\n\
             [collections.a]\ncount = 25\nkey = \"{key}\"\nfields.x = {{ copy = \"n\" }}"
        );
        let text = Text { path: "a.toml".into(), text };
        let file = text.read().unwrap();
        let plan = text.at(Plan::new(&file, 1.0)).unwrap();
        let workload = Box::leak(Box::new(Workload::new(file, plan, 1.0)));
        Shared::new(workload, &[(0, 1.0), (1, 1.0), (2, 1.0)], (true, 1, Part::WHOLE))
    }

    /// What is said of an answer to a scan of five documents from a key on.
    fn judged(shared: &Shared, (start, begun): (&str, u64), keys: &[&str]) -> Option<String> {
        let row = |key: &&str| {
            let number = shared.number(0, key).unwrap_or_default();
            ((*key).to_owned(), vec![json!({ "x": number })])
        };
        let found: Vec<(String, Vec<Value>)> = keys.iter().map(row).collect();
        let scanned = Scanned { start, most: 5, begun };
        let step = &shared.workload.plan.operations[0].steps[0];
        shared.check_scanned(step, &scanned, (&[WHOLE], &found)).err().map(|e| e.answer.clone())
    }

    #[test]
    fn a_scan_is_the_next_documents_of_the_file_in_their_order() {
        let shared = shared("{n}");
        let says = |start: &str, keys: &[&str]| judged(&shared, (start, 0), keys);
        assert_eq!(says("1", &["1", "10", "11", "12", "13"]), None);
        assert_eq!(says("6", &["6", "7", "8", "9"]), None);
        assert_eq!(says("95", &[]), None);
        for (start, keys, wrong) in [
            ("1", &["1", "10", "12", "13", "14"][..], "11 is left out before 12"),
            ("1", &["10", "11", "12", "13", "14"], "1 is left out before 10"),
            ("1", &["1", "2", "3", "4", "5"], "10 is left out before 2"),
            ("1", &["1", "10", "11", "12"], "13 is left out, 4 came back"),
            ("1", &[], "1 is left out, 0 came back"),
            ("7", &["7", "8"], "9 is left out, 2 came back"),
            ("1", &["1", "10", "11", "12", "13", "14"], "6 came back, not 0 to 5"),
            ("1", &["1", "11", "10", "12", "13"], "10 stands behind 11"),
            ("1", &["1", "10", "10", "11", "12"], "10 came back twice"),
            ("10", &["1", "10", "11", "12", "13"], "1 is before the first key"),
            ("1", &["1", "10", "10x", "11", "12"], "10x came back, which the file does not make"),
            ("2", &["2", "20", "21", "22", "25"], "25 came back, and was never inserted"),
        ] {
            assert_eq!(says(start, keys).as_deref(), Some(wrong), "{keys:?}");
        }
    }

    /// With a lock-step clock: what is deleted since a scan began may be there or not, and one that is
    /// being inserted too.
    #[test]
    fn what_comes_and_goes_beside_a_scan_may_be_in_it() {
        let shared = shared("{n:3}");
        let of = |begun, keys: &[&str]| judged(&shared, ("003", begun), keys);
        let (with, without) =
            (["003", "004", "005", "006", "007"], ["003", "004", "006", "007", "008"]);
        let numbers = &shared.numbers[0];
        assert!(numbers.delete(5));
        assert_eq!((of(0, &with), of(0, &without)), (None, None));
        // Its key was read before it went.
        assert_eq!(of(0, &["003", "004", "006", "007"]), None);
        assert!(of(0, &["003", "004", "006"]).unwrap().contains("007 is left out, 3 came back"));
        numbers.deleted(5, There::No, 9);
        assert_eq!((of(9, &with), of(9, &without)), (None, None));
        assert_eq!(of(10, &with).unwrap(), "005 came back, and was deleted before");
        assert_eq!(of(10, &without), None);
        assert!(of(10, &["003", "004", "006", "007"]).unwrap().contains("008 is left out"));
        let new = numbers.claim(None);
        assert_eq!(new, 25);
        let last = |keys: &[&str]| judged(&shared, ("023", 10), keys);
        assert_eq!(last(&["023", "024", "025"]), None);
        assert_eq!(last(&["023", "024"]), None);
        numbers.inserted(new, There::No);
        assert_eq!(last(&["023", "024", "025"]).unwrap(), "025 came back, and was never inserted");
    }

    #[test]
    fn documents_of_a_scan_are_as_they_were_made() {
        let shared = shared("{n}");
        let step = &shared.workload.plan.operations[0].steps[0];
        let scanned = Scanned { start: "8", most: 5, begun: 0 };
        let found = [("8", 8), ("9", 7)].map(|(key, x)| (key.to_owned(), vec![json!(x)]));
        let e = shared.check_scanned(step, &scanned, (&["x"], &found)).unwrap_err().to_string();
        assert!(e.starts_with("scan a from 8, 5 at most: 9: x is 7"), "{e}");
    }
}
