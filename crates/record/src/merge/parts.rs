//! The parts (`--part I/N`) of merged runs: each from 1 to N once. Runs without parts are merged in
//! any number, as nothing in them says how many there were.

use super::machine::{Machine, refuse};
use crate::error::{Error, ErrorKind, Result};

/// Refuses parts that are not 1/N to N/N, each once.
pub fn check(drivers: &[Machine]) -> Result<()> {
    let parts = drivers.iter().map(part).collect::<Result<Vec<_>>>()?;
    let Some((first, of)) = drivers.iter().zip(&parts).find_map(|(d, p)| Some((d, (*p)?.1))) else {
        return Ok(());
    };
    let mut there: Vec<(u64, &Machine)> = Vec::new();
    for (driver, part) in drivers.iter().zip(&parts) {
        let Some((part, its)) = *part else {
            let why = format!("it was run without --part, and {} is one of {of} parts", first.name);
            let advice = "merge the parts of one run, each of which was given --part";
            return Err(refuse(driver, first, why, advice));
        };
        if its != of {
            let why = format!("it is part {part}/{its}, and {} is one of {of} parts", first.name);
            return Err(refuse(driver, first, why, "merge the parts of one run"));
        }
        if let Some((_, twin)) = there.iter().find(|(other, _)| *other == part) {
            let why = format!("it is part {part}/{of} as {} is", twin.name);
            return Err(refuse(driver, first, why, "give each driver a part of its own"));
        }
        there.push((part, driver));
    }
    if there.len() as u64 == of {
        return Ok(());
    }
    let names: Vec<_> = there.iter().map(|(part, d)| format!("{part}/{of} ({})", d.name)).collect();
    // A broken folder may name any number.
    let mut missing = (1..=of).filter(|part| there.iter().all(|(other, _)| other != part));
    let shown: Vec<_> = missing.by_ref().take(8).map(|part| format!("{part}/{of}")).collect();
    let more = if missing.next().is_some() { " and more" } else { "" };
    let tried = format!("merge parts {}", names.join(", "));
    let why = format!("of the {of} drivers {}{more} are missing", shown.join(", "));
    Err(Error::new(ErrorKind::Invalid, tried, why).advise(
        "name the folder of every part; if a driver gave none, what it wrote and the load it made \
         are unknown: load the data and run again",
    ))
}

/// The number of the driver's part; 0 of a run without `--part`.
pub fn number(driver: &Machine) -> u64 {
    part(driver).ok().flatten().map_or(0, |(part, _)| part)
}

/// The part of the driver, and how many there are. `None` of a run without `--part`.
fn part(driver: &Machine) -> Result<Option<(u64, u64)>> {
    let value = match driver.run.configuration.get("part") {
        None | Some(serde_json::Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let read = value.as_str().and_then(|text| {
        let (part, of) = text.split_once('/')?;
        Some((part.parse().ok()?, of.parse().ok()?))
    });
    match read {
        Some((part, of)) if (1..=of).contains(&part) => Ok(Some((part, of))),
        _ => {
            let why = format!("its part is {value}, which is no I/N");
            Err(Error::new(ErrorKind::Invalid, format!("merge {}", driver.name), why)
                .advise("merge run folders as `hoap run --part I/N` left them"))
        }
    }
}
