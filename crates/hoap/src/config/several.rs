//! One command on several databases: `--target pg=postgres://… --target redis=redis://…`.
//!
//! Such a command line is as many as it has databases, each with one of them. A flag that is given
//! once holds for all.

use std::ffi::OsString;

use crate::failure::Failure;

/// Flags that name a database. The URL of one may be the value of any of them, as the commands call
/// it.
pub const DATABASES: [&str; 3] = ["target", "operational", "analytical"];
/// How often each database is run where nobody says: single runs decide nothing.
const REPEAT: &str = "--repeat=3";

/// The most databases of a command: each is a command line of its own, and a column of the page.
const MOST: usize = 100;

/// A command line with one database, and what that database is called.
pub struct One {
    /// As the user named it, or its scheme.
    pub name: String,
    /// The words.
    pub argv: Vec<OsString>,
}

/// A database that was typed.
struct Typed<'a> {
    flag: &'static str,
    name: Option<&'a str>,
    url: &'a str,
}

/// The command lines of `argv`: one, unless it names a database more than once.
///
/// # Errors
/// Says which names are missing, or there twice.
pub fn split(command: Option<&str>, argv: Vec<OsString>) -> Result<Vec<One>, Failure> {
    if !matches!(command, Some("run" | "load")) {
        return Ok(vec![One { name: String::new(), argv }]);
    }
    let (databases, rest) = taken(&argv);
    let of = |flag: &str| databases.iter().filter(|d| d.flag == flag).count();
    let count = DATABASES.iter().map(|flag| of(flag)).max().unwrap_or(0);
    if count <= 1 && databases.iter().all(|d| d.name.is_none()) {
        let name = databases.first().map(|database| scheme(database.url).to_owned());
        return Ok(vec![One { name: name.unwrap_or_default(), argv }]);
    }
    if count > MOST {
        let (command, most) = (command.unwrap_or_default(), format!("there may be {MOST}"));
        return Err(Failure::usage(format!("{command} on {count} databases: {most}")));
    }
    if let Some(flag) =
        DATABASES.into_iter().find(|flag| !matches!(of(flag), 0 | 1) && of(flag) != count)
    {
        let message = format!(
            "{} on {count} databases: --{flag} is there {} times; give it once for all of them, or once \
             for each",
            command.unwrap_or_default(),
            of(flag)
        );
        return Err(Failure::usage(message));
    }
    let mut all: Vec<One> = Vec::new();
    for number in 0..count {
        let mine = DATABASES.into_iter().filter_map(|flag| {
            let mut given = databases.iter().filter(|d| d.flag == flag);
            if of(flag) == 1 { given.next() } else { given.nth(number) }
        });
        let mine: Vec<&Typed> = mine.collect();
        let mut names = mine.iter().filter_map(|d| d.name);
        let name = match (names.next(), mine.first()) {
            (Some(name), _) => name.to_owned(),
            (None, Some(first)) => scheme(first.url).to_owned(),
            (None, None) => continue,
        };
        let mut argv = rest.clone();
        argv.extend(mine.iter().map(|d| format!("--{}={}", d.flag, d.url).into()));
        all.push(One { name, argv });
    }
    for one in &all {
        if all.iter().filter(|other| other.name == one.name).count() > 1 {
            return Err(Failure::usage(format!(
                "two databases are called {}: give each a name of its own, such as --target \
                 a=URL --target b=URL",
                one.name
            )));
        }
    }
    if command == Some("run") && all.len() > 1 && !rest.iter().any(decides) {
        all.iter_mut().for_each(|one| one.argv.push(REPEAT.into()));
    }
    Ok(all)
}

/// The databases among the words, and the other words.
fn taken(argv: &[OsString]) -> (Vec<Typed<'_>>, Vec<OsString>) {
    let (mut databases, mut rest) = (Vec::new(), Vec::new());
    let mut words = argv.iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let flag = DATABASES.into_iter().find_map(|flag| {
            let after = text.strip_prefix("--")?.strip_prefix(flag)?;
            (after.is_empty() || after.starts_with('=')).then_some((flag, after.get(1..)))
        });
        let value = match flag {
            Some((flag, Some(value))) => Some((flag, value)),
            Some((flag, None)) => words.clone().next().and_then(|w| w.to_str()).map(|w| (flag, w)),
            None => None,
        };
        match value {
            Some((flag, value)) => {
                if flag.len() + 2 == text.len() {
                    words.next();
                }
                let (name, url) = named(value);
                databases.push(Typed { flag, name, url });
            }
            None => rest.push(word.clone()),
        }
    }
    (databases, rest)
}

/// "pg=postgres://…" as a name and a URL. What stands before the first "=" is a name if nothing of a
/// URL is in it, and it can name a folder beside the page.
fn named(value: &str) -> (Option<&str>, &str) {
    match value.split_once('=') {
        Some((name, url))
            if !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c)) =>
        {
            (Some(name), url)
        }
        _ => (None, value),
    }
}

fn scheme(url: &str) -> &str {
    url.split(':').next().unwrap_or_default()
}

/// Whether the word says how often it runs, or is refused with several databases anyway.
fn decides(word: &OsString) -> bool {
    let flag = word.to_str().and_then(|w| w.split('=').next()).unwrap_or_default();
    ["--repeat", "--start-at", "--meet", "--part"].contains(&flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Vec<(String, String)>, String> {
        let argv: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let command = argv[1].to_str();
        let all = split(command, argv.clone()).map_err(|e| e.message().to_owned())?;
        let words =
            |one: &One| one.argv.iter().map(|w| w.to_str().unwrap()).collect::<Vec<_>>().join(" ");
        Ok(all.iter().map(|one| (one.name.clone(), words(one))).collect())
    }

    fn pair(name: &str, line: &str) -> (String, String) {
        (name.into(), line.into())
    }

    #[test]
    fn a_line_is_one_for_each_database() {
        assert_eq!(
            of("hoap run ycsb-a --target pg=postgres://h/d?a=b --clients 4 --target=sqlite:k.db")
                .unwrap(),
            [
                pair("pg", "hoap run ycsb-a --clients 4 --target=postgres://h/d?a=b --repeat=3"),
                pair("sqlite", "hoap run ycsb-a --clients 4 --target=sqlite:k.db --repeat=3"),
            ]
        );
        assert_eq!(
            of("hoap load ycsb --target a=redis://x --target b=redis://y --repeat 1").unwrap(),
            [
                pair("a", "hoap load ycsb --repeat 1 --target=redis://x"),
                pair("b", "hoap load ycsb --repeat 1 --target=redis://y"),
            ]
        );
        assert_eq!(
            of("hoap run ch2pp --operational sqlite:a --analytical x=duckdb:1 --analytical y=duckdb:2 --repeat=2")
                .unwrap(),
            [
                pair("x", "hoap run ch2pp --repeat=2 --operational=sqlite:a --analytical=duckdb:1"),
                pair("y", "hoap run ch2pp --repeat=2 --operational=sqlite:a --analytical=duckdb:2"),
            ]
        );
        // One with a name is itself.
        assert_eq!(
            of("hoap run ycsb-a --target one=sqlite:k.db").unwrap(),
            [pair("one", "hoap run ycsb-a --target=sqlite:k.db")]
        );
    }

    #[test]
    fn other_lines_are_left_as_they_are() {
        for line in [
            "hoap run ycsb-a --target sqlite:a=b.db",
            "hoap run ycsb-a --target ..=sqlite:b.db",
            "hoap run ycsb-a --target",
            "hoap run ch2pp --operational sqlite:a --analytical sqlite:b",
            "hoap verify ycsb --target a=sqlite:a --target b=sqlite:b",
            "hoap run ycsb-a --targets a=b",
        ] {
            let all = of(line).unwrap();
            assert_eq!(all.iter().map(|(_, line)| line).collect::<Vec<_>>(), [line]);
        }
    }

    #[test]
    fn names_are_each_database_its_own() {
        let many = format!("hoap run ycsb-a{}", " --target null:".repeat(MOST + 1));
        for (line, said) in [
            (
                "hoap run ycsb-a --target sqlite:a --target sqlite:b",
                "two databases are called sqlite",
            ),
            (
                "hoap run ycsb-a --target x=sqlite:a --target x=sqlite:b",
                "two databases are called x",
            ),
            (
                "hoap run ch2pp --operational a=u: --operational b=u: --operational c=u: \
                 --analytical u: --analytical v:",
                "--analytical is there 2 times",
            ),
            (&many, "run on 101 databases: there may be 100"),
        ] {
            let told = of(line).unwrap_err();
            assert!(told.contains(said), "{told}");
        }
    }
}
