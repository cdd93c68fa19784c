//! The options of a URL, `?name=value&…`: what the tables of all databases have in common.
//!
//! An option is one entry of its database's table, which [`options!`] takes:
//!
//! ```text
//! connect_timeout: Duration = ("connect_timeout_ms", "10000", milliseconds(1..=3_600_000),
//!     "milliseconds to wait for a connection; 1 to 3600000"),
//! ```
//!
//! These are the field of the struct and its type, the name in URLs, the default as a URL would
//! write it, the reader of a value, and the meaning with its unit and the values allowed.

use std::ops::RangeInclusive;
use std::time::Duration;

use hoap_record::{Error, ErrorKind};

use crate::url::{HIDDEN, decode, redact};

/// What one option of a URL means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionHelp {
    /// Its name.
    pub name: &'static str,
    /// Its value where the URL does not give it.
    pub default: &'static str,
    /// What it does, with the unit and the values allowed.
    pub meaning: &'static str,
}

/// The value read, or why it is refused.
pub type Read<T> = Result<T, String>;

/// Makes a struct of options, `OPTIONS` with their [`OptionHelp`], the defaults, and `set`, which
/// takes one option by name. Options after `driver` have no field: the driver reads them.
#[macro_export]
macro_rules! options {
    (
        $(#[$about:meta])*
        $vis:vis struct $Options:ident {
            $(
                $(#[$doc:meta])*
                $field:ident: $type:ty = ($name:literal, $default:expr, $read:expr, $meaning:expr),
            )*
        }
        $(driver { $($theirs:literal = ($their_default:expr, $their_meaning:expr),)* })?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $Options {
            $($(#[$doc])* pub $field: $type,)*
        }

        /// The options of this database's URLs.
        pub const OPTIONS: &[$crate::options::OptionHelp] = &[
            $($crate::options::OptionHelp {
                name: $name,
                default: $default,
                meaning: $meaning,
            },)*
            $($($crate::options::OptionHelp {
                name: $theirs,
                default: $their_default,
                meaning: $their_meaning,
            },)*)?
        ];

        impl Default for $Options {
            fn default() -> Self {
                Self { $($field: $read($default).expect("a default is a good value"),)* }
            }
        }

        impl $Options {
            /// Takes the value of one option that is not the driver's.
            pub(crate) fn set(&mut self, name: &str, value: &str) -> $crate::options::Read<()> {
                match name {
                    $($name => self.$field = $read(value)?,)*
                    _ => return Err($crate::options::unknown(OPTIONS)),
                }
                Ok(())
            }
        }

        #[cfg(test)]
        #[test]
        fn the_table_of_options_is_sound() {
            let own = [$($name),*].len();
            $crate::options::sound(OPTIONS, own, &|name, value| {
                let mut options = $Options::default();
                options.set(name, value).map(|()| options == $Options::default())
            });
        }
    };
}

/// MongoDB's option that may come several times: each names members that the next ones are for.
const MAY_REPEAT: &str = "readPreferenceTags";

/// Calls `set` with the name and the value of each option; what it returns is why it refuses.
///
/// # Errors
/// [`ErrorKind::Invalid`] where an option is refused, has no value or comes twice. The error
/// repeats the URL without its secrets.
pub fn set_each(
    url: &str,
    query: Option<&str>,
    mut set: impl FnMut(&str, &str) -> Read<()>,
) -> hoap_record::Result<()> {
    let invalid =
        |answer: String| Error::new(ErrorKind::Invalid, format!("open {}", redact(url)), answer);
    // What is no name may be part of a password with a question mark in it.
    let called = |name: &str| match name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        true => format!("option `{name}`"),
        false => "an option".to_owned(),
    };
    let mut names = Vec::new();
    for pair in query.into_iter().flat_map(|q| q.split('&')) {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(invalid(format!("{} has no value", called(pair)))
                .advise("options are name=value, joined by &"));
        };
        if names.contains(&name) && name != MAY_REPEAT {
            return Err(invalid(format!("{} is given twice", called(name))));
        }
        names.push(name);
        set(name, value).map_err(|why| {
            // The value may be a URL, too, or part of what may be a secret: only what the URL shows
            // is told.
            let (shown, redacted) = (redact(url), redact(value));
            let told = |value: &str| shown.contains(&format!("{name}={value}"));
            let why = match [value, &redacted].into_iter().find(|value| told(value)) {
                Some(same) if same == value => why,
                Some(redacted) => why.replace(value, redacted),
                None => why.replace(value, HIDDEN),
            };
            invalid(format!("{}: {why}", called(name)))
        })?;
    }
    Ok(())
}

/// Why a name that is none of `options` is refused.
pub fn unknown(options: &[OptionHelp]) -> String {
    let all: Vec<_> = options.iter().map(|o| o.name).collect();
    format!("no such option; the options are {}", all.join(", "))
}

/// Any text, such as a name or the path of a file, percent-encoded as in all of a URL.
pub fn text(value: &str) -> Read<String> {
    decode(value).ok_or_else(|| "it does not decode as percent-encoded UTF-8".to_owned())
}

/// Any text, for a driver that decodes it.
pub fn encoded(value: &str) -> Read<String> {
    Ok(value.to_owned())
}

/// On or off.
pub fn switch(value: &str) -> Read<bool> {
    match value {
        "on" | "yes" | "true" => Ok(true),
        "off" | "no" | "false" => Ok(false),
        _ => Err(format!("`{value}` is not one of on, off")),
    }
}

/// A whole number within bounds.
pub fn number(within: RangeInclusive<u32>) -> impl Fn(&str) -> Read<u32> {
    move |value| match value.parse() {
        Ok(n) if within.contains(&n) => Ok(n),
        _ => {
            let (least, most) = (within.start(), within.end());
            Err(format!("`{value}` is not a whole number from {least} to {most}"))
        }
    }
}

/// A whole number of microseconds within bounds.
pub fn microseconds(within: RangeInclusive<u32>) -> impl Fn(&str) -> Read<Duration> {
    move |value| number(within.clone())(value).map(|n| Duration::from_micros(n.into()))
}

/// A whole number of milliseconds within bounds.
pub fn milliseconds(within: RangeInclusive<u32>) -> impl Fn(&str) -> Read<Duration> {
    move |value| number(within.clone())(value).map(|n| Duration::from_millis(n.into()))
}

/// A whole number of seconds within bounds.
pub fn seconds(within: RangeInclusive<u32>) -> impl Fn(&str) -> Read<Duration> {
    move |value| number(within.clone())(value).map(|n| Duration::from_secs(n.into()))
}

/// A time that 0 stands for the lack of.
pub fn unless_zero(
    read: impl Fn(&str) -> Read<Duration>,
) -> impl Fn(&str) -> Read<Option<Duration>> {
    move |value| read(value).map(|time| Some(time).filter(|time| !time.is_zero()))
}

/// A value that an empty text stands for the lack of.
pub fn if_given<T>(read: impl Fn(&str) -> Read<T>) -> impl Fn(&str) -> Read<Option<T>> {
    move |value| if value.is_empty() { Ok(None) } else { read(value).map(Some) }
}

/// One of several words.
pub fn words(words: &[&'static str]) -> impl Fn(&str) -> Read<&'static str> {
    move |value| {
        let found = words.iter().find(|word| **word == value).copied();
        found.ok_or_else(|| format!("`{value}` is not one of {}", words.join(", ")))
    }
}

/// What one of several words stands for.
pub fn meant<T: Clone>(table: &[(&'static str, T)]) -> impl Fn(&str) -> Read<T> {
    move |value| {
        let names: Vec<_> = table.iter().map(|(name, _)| *name).collect();
        let at = names.iter().position(|name| *name == value);
        let at = at.ok_or_else(|| format!("`{value}` is not one of {}", names.join(", ")))?;
        Ok(table[at].1.clone())
    }
}

/// What the names of tables or keys begin with.
pub fn prefix(value: &str) -> Read<String> {
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    match (1..=64).contains(&value.len()) && value.bytes().all(good) {
        true => Ok(value.to_owned()),
        false => Err(format!("`{value}` is not 1 to 64 letters, digits, _ and -")),
    }
}

/// Whether a table of options keeps its promises; the first `own` are not the driver's. `set`
/// says whether an option with this value is as without it.
#[doc(hidden)]
pub fn sound(options: &[OptionHelp], own: usize, set: &dyn Fn(&str, &str) -> Read<bool>) {
    let mut names: Vec<_> = options.iter().map(|o| o.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), options.len(), "a name is there twice");
    let why = set("no such", "").unwrap_err();
    assert!(options.iter().all(|o| why.contains(o.name)), "{why}");
    for OptionHelp { name, default, meaning } in &options[..own] {
        assert_eq!(set(name, default), Ok(true), "{name}={default}");
        let says = |word: &str| {
            let mut words = meaning.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c)));
            words.any(|found| found == word)
        };
        let units = [
            ("_us", &["microseconds"][..]),
            ("_ms", &["milliseconds"]),
            ("_s", &["seconds"]),
            ("timeout", &["seconds"]),
            ("_mb", &["MiB", "megabytes"]),
        ];
        for (_, units) in units.iter().filter(|(end, _)| name.ends_with(end)) {
            assert!(units.iter().any(|unit| says(unit)), "{name} has no unit: {meaning}");
        }
        // The refusal of a value that is never good says which are.
        let Err(why) = set(name, "\u{1}") else { continue };
        assert!(!why.contains("no such option"), "{name}: {why}");
        if let Some((_, range)) = why.split_once("whole number from ") {
            let (least, most) = range.split_once(" to ").expect("a range has two ends");
            assert!(says(least) && says(most), "{name} from {range}: {meaning}");
        }
        if let Some((_, words)) = why.split_once("is not one of ") {
            let words = words.split(", ").filter(|word| words != "on, off" || *word == "on");
            words.for_each(|word| assert!(says(word), "{name} may be {word}: {meaning}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> hoap_record::Result<()> {
        set_each(&format!("x://h?{query}"), Some(query), |name, value| match name {
            "wrong" => Err(format!("`{value}`")),
            _ => Ok(()),
        })
    }

    #[test]
    fn an_option_has_a_value_and_is_given_once() {
        assert_eq!(read("a=1&b=&c=x=y"), Ok(()));
        assert_eq!(read("readPreferenceTags=dc:a&readPreferenceTags="), Ok(()));
        for (query, why) in [
            ("", "option `` has no value"),
            ("a=1&b", "option `b` has no value"),
            ("a=1&word@h", "an option has no value"),
            ("a=1&b=2&a=1", "option `a` is given twice"),
            ("wrong=http://u:word@h", "option `wrong`: `***`"),
            ("wrong=word", "option `wrong`: `word`"),
            // What the URL does not show is not told.
            ("a=http://h&wrong=x:word", "option `wrong`: `***`"),
        ] {
            let e = read(query).unwrap_err();
            assert_eq!((e.kind, &*e.answer), (ErrorKind::Invalid, why), "{query}");
        }
    }

    #[test]
    fn a_switch_is_on_or_off_in_several_spellings() {
        for (word, on) in [("on", true), ("yes", true), ("true", true)] {
            assert_eq!(switch(word), Ok(on));
        }
        for word in ["off", "no", "false"] {
            assert_eq!(switch(word), Ok(false));
        }
        assert_eq!(switch("On"), Err("`On` is not one of on, off".to_owned()));
    }
}
