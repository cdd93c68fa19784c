//! How series are drawn: colours, marks and dashes.

use serde::Serialize;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Look {
    /// A colour of the page's style sheet: "c0".
    pub colour: &'static str,
    /// A mark, by the name that D3 has for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<&'static str>,
    /// Dashes of a line; none, or "none", for a full one.
    #[serde(skip_serializing_if = "is_full")]
    pub dash: Option<&'static str>,
}

fn is_full(dash: &Option<&'static str>) -> bool {
    dash.is_none_or(|dash| dash == "none")
}

/// Neighbouring shades for what is no configuration and no kind of operation: steps, kinds of
/// error.
const SHADES: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];
const COLOURS: [&str; 7] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"];
const SYMBOLS: [&str; 7] = ["circle", "triangle", "square", "diamond", "star", "wye", "cross"];
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "9 3 2 3"];

fn pick<T: Copy>(list: &[T], n: usize) -> T {
    list[n % list.len()]
}

impl Look {
    /// How many colours and how many dashes there are.
    pub const COLOURS: usize = COLOURS.len();
    pub const DASHES: usize = DASHES.len();

    /// A series of one run, by its number. Neighbours differ in colour, mark and dash.
    pub fn of(n: usize) -> Look {
        Look { dash: Some(pick(&DASHES, n)), ..Look::of_configuration(n) }.marked(n)
    }

    /// A configuration, by its number. Colour, mark and dash together tell 28 apart.
    pub fn of_configuration(n: usize) -> Look {
        let round = n / COLOURS.len();
        Look {
            colour: pick(&COLOURS, n),
            symbol: Some(pick(&SYMBOLS, n + round)),
            dash: Some(pick(&DASHES, round)),
        }
    }

    /// A step or another part of a whole, by its number: a shade and dashes.
    pub fn part(n: usize) -> Look {
        Look::line(pick(&SHADES, n), pick(&DASHES, n / SHADES.len()))
    }

    /// Only a colour.
    pub fn colour(n: usize) -> Look {
        Look { colour: pick(&COLOURS, n), symbol: None, dash: None }
    }

    /// A line without marks.
    pub fn line(colour: &'static str, dash: &'static str) -> Look {
        Look { colour, symbol: None, dash: Some(dash) }
    }

    /// The same with the dash of this number.
    pub fn dashed(self, dash: usize) -> Look {
        Look { dash: Some(pick(&DASHES, dash)), ..self }
    }

    fn marked(self, n: usize) -> Look {
        Look { symbol: Some(pick(&SYMBOLS, n)), ..self }
    }
}
