//! Distributions.

use super::keys::{Keys, Read, Value};
use super::model::{Dist, Length};
use super::range;

/// The exponent of zipfian draws that the file leaves out.
pub const THETA: f64 = 0.99;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A value, a length or a number of children.
    Values,
    /// One of a list.
    Choices,
    /// A document that a field refers to.
    References,
    /// A document of an operation.
    Draws,
}

impl Of {
    fn words(self) -> &'static [&'static str] {
        match self {
            Of::Values => &["uniform", "zipfian", "normal", "exponential"],
            Of::Choices => &["uniform", "zipfian"],
            Of::References => &["uniform", "zipfian", "hotspot"],
            Of::Draws => &["uniform", "zipfian", "hotspot", "latest", "oldest"],
        }
    }
}

/// `dist` of a table and the keys that belong to it. Quantiles lie in `bounds`.
pub fn read(keys: &mut Keys<'_>, of: Of, bounds: Option<(f64, f64)>) -> Read<Dist> {
    let Some(value) = keys.take("dist") else { return Ok(Dist::Uniform) };
    let word = match value.as_text() {
        Some(word) => word,
        None if of == Of::Values => return quantiles(value, bounds),
        None => value.text()?,
    };
    if !of.words().contains(&word) {
        return Err(value.wrong(format!(
            "{word:?} is no distribution here; there are {}",
            of.words().join(", ")
        )));
    }
    Ok(match word {
        "zipfian" => Dist::Zipfian { theta: theta(keys)? },
        "latest" => Dist::Latest { theta: theta(keys)? },
        "normal" => {
            let (mean, sd) = (keys.need("mean")?.number()?, keys.need("sd")?);
            match sd.number()? {
                sd if sd > 0.0 => Dist::Normal { mean, sd },
                _ => return Err(sd.wrong("a standard deviation is above 0")),
            }
        }
        "exponential" => {
            let mean = keys.need("mean")?;
            match mean.number()? {
                above if above > 0.0 => Dist::Exponential { mean: above },
                _ => return Err(mean.wrong("the mean of an exponential distribution is above 0")),
            }
        }
        "hotspot" => {
            let share = |value: Option<Value<'_>>, default| match value {
                Some(value) => value.share(),
                None => Ok(default),
            };
            Dist::Hotspot {
                hot: share(keys.take("hot"), 0.2)?,
                hits: share(keys.take("hits"), 0.8)?,
            }
        }
        "oldest" => Dist::Oldest,
        _ => Dist::Uniform,
    })
}

fn theta(keys: &mut Keys<'_>) -> Read<f64> {
    let Some(value) = keys.take("theta") else { return Ok(THETA) };
    let theta = value.number()?;
    match theta > 0.0 && theta < 1.0 {
        true => Ok(theta),
        false => Err(value.wrong("theta is above 0 and below 1")),
    }
}

/// Pairs of share and value, both rising, from share 0 to 1.
fn quantiles(value: Value<'_>, bounds: Option<(f64, f64)>) -> Read<Dist> {
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for pair in value.list()? {
        let [share, of] = pair.list()?[..] else {
            return Err(pair.wrong("a quantile is [share, value]"));
        };
        let (share_of, value_of) = (share.share()?, of.number()?);
        if let Some((before, value_before)) = pairs.last()
            && (share_of <= *before || value_of < *value_before)
        {
            return Err(
                pair.wrong("shares rise from one quantile to the next, and values do not fall")
            );
        }
        if bounds.is_some_and(|(low, high)| value_of < low || value_of > high) {
            return Err(of.wrong("this quantile lies outside the range"));
        }
        pairs.push((share_of, value_of));
    }
    let ends = (pairs.first().map(|pair| pair.0), pairs.last().map(|pair| pair.0));
    match ends {
        (Some(0.0), Some(1.0)) => Ok(Dist::Quantiles(pairs)),
        _ => Err(value.wrong("quantiles begin with share 0 and end with share 1")),
    }
}

/// A number of characters, words, elements or bytes, with its distribution.
pub fn length(keys: &mut Keys<'_>, value: Value<'_>, most: i64) -> Read<Length> {
    let range = range::lengths(value, most)?;
    let dist = read(keys, Of::Values, Some((range.low as f64, range.high as f64)))?;
    Ok(Length { range, dist })
}
