//! Every error names line and column, and what to do.

use hoap_own::file::Text;
use hoap_own::plan::Plan;

/// The first four lines of every file below.
const BEGIN: &str = "hoap = 1\n[collections.shops]\ncount = 10\nfields.city = { words = \"1\" }\n";

/// What is said of a file with these lines from line 5 on.
fn error(lines: &str) -> String {
    let text = Text { path: "shop.toml".into(), text: format!("{BEGIN}{lines}") };
    match text.read().and_then(|file| text.at(Plan::new(&file, 1.0))) {
        Ok(_) => "no error".into(),
        Err(e) => e.to_string(),
    }
}

/// Files that begin alike, and what is said of each.
#[track_caller]
fn all(before: &str, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(lines, expected)| {
            (lines, format!("shop.toml:{expected}"), error(&format!("{before}{lines}")))
        })
        .filter(|(_, expected, found)| expected != found)
        .map(|(lines, expected, found)| format!("{lines}\n  {found}\n  is not {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn of_the_file_and_its_collections() {
    all(
        "",
        &[
            ("name = ", "5:8: string values must be quoted, expected literal string"),
            (
                "[collection.a]",
                "5:2: `collection` is no key of a workload file; did you mean `collections`?",
            ),
            (
                "[collections.a]\nkye = 1\ncount = 1\nfields = {}",
                "6:1: `kye` is no key of a collection; did you mean `key`?",
            ),
            (
                "[collections.a]\nfields = {}",
                "5:1: a collection has `count`, which is missing here",
            ),
            (
                "[collections.1a]\ncount = 1\nfields = {}",
                "5:14: \"1a\" cannot name a collection: a name is of up to 60 letters, digits and _, begins with no digit, and is not `manifest`",
            ),
            (
                "[collections.a]\ncount = \"1..2\"\nfields = {}",
                "6:9: a range counts children: a collection without `per` has one number",
            ),
            ("[collections.a]\ncount = -1\nfields = {}", "6:9: this is from 0 to 17592186044416"),
            (
                "[collections.a]\ncount = 1\nper = \"shop\"\nfields = {}",
                "7:7: no collection shop; did you mean `shops`?",
            ),
            ("[collections.a]\ncount = 1\nper = \"a\"\nfields = {}", "5:14: a is its own parent"),
            (
                "[collections.a]\ncount = 1\narrange = \"rounds\"\nfields = {}",
                "7:11: `arrange` belongs to a collection with `per`",
            ),
            (
                "[collections.a]\ncount = 1\nkey = \"k\"\nfields = {}",
                "7:7: a key tells its number: it has {n}, {hash}, {uuid} or {objectid}, or {parent} and {seq}, and else what is literal",
            ),
            (
                "[collections.a]\ncount = 1\nper = \"shops\"\nkey = \"{parent}{seq}\"\nfields = {}",
                "8:7: {parent} and {seq} need something between them, such as {parent}:{seq}",
            ),
            (
                "[collections.a]\ncount = 1\nindexes.by = [\"x\"]\nfields.y = 1",
                "7:15: no field x here; there are y, n, seq, key and index",
            ),
            (
                "[[operations]]\nname = \"a\"",
                "5:1: a step does something; there are read, find, scan, insert, put, patch, delete and query",
            ),
        ],
    );
}

#[test]
fn of_fields() {
    let begin = "[collections.a]\ncount = 5\nper = \"shops\"\n[collections.a.fields]\n";
    all(
        begin,
        &[
            (
                "x = { integer = \"1..2\", values = [1] }",
                "9:5: a field has one generator, here are two: values and integer",
            ),
            ("x = { integer = \"10..1\" }", "9:17: \"10..1\" is empty: a range is \"low..high\""),
            ("x = { integer = \"1..b\" }", "9:17: \"b\" is no integer: a range is \"low..high\""),
            (
                "x = { interger = \"1..2\" }",
                "9:7: `interger` is no key of a field; did you mean `integer`?",
            ),
            ("x = {}", "9:5: a field has a generator, and here is none"),
            ("x = { ref = \"costumers\" }", "9:13: no collection costumers; there are shops and a"),
            ("x = { copy = \"z\" }", "9:14: no field z here; there are x, n, seq, key and index"),
            (
                "total = { sum = \"lines.amount\" }\nlines = { array = \"1\", of.fields.amount = { copy = \"total\" } }",
                "9:1: `total` is made of itself: total, lines.amount, total",
            ),
            (
                "x = { sum = \"y\" }\ny = { array = \"1..2\", of = { words = \"1\" } }",
                "9:5: `sum` needs numbers; y is text",
            ),
            (
                "x = { integer = \"1..2\", dist = \"zipf\" }",
                "9:32: \"zipf\" is no distribution here; there are uniform, zipfian, normal, exponential",
            ),
            (
                "x = { integer = \"1..2\", dist = [[0, 1], [1, 5]] }",
                "9:45: this quantile lies outside the range",
            ),
            (
                "x = { integer = \"1..2\", dist = [[0, 1], [0.5, 2]] }",
                "9:32: quantiles begin with share 0 and end with share 1",
            ),
            (
                "x = { pattern = \"{uper:3}\" }",
                "9:17: {uper:3} is no piece of a pattern; did you mean `upper`?",
            ),
            (
                "x = { pattern = \"{upper}\" }",
                "9:17: {upper} says how many: {upper:3} or {upper:3..8}",
            ),
            (
                "x = { pattern = \"{upper:3\" }",
                "9:17: \"{upper:3\" has a { without its }; {{ is a brace",
            ),
            (
                "x = { integer = \"1..3\", unique = true }",
                "9:5: 50 documents do not fit into this range of unique integers",
            ),
            (
                "x = { copy = \"n\", distinct = 3 }",
                "9:5: `distinct` values are made alone: of words, text, a random pattern, a number or a date",
            ),
            ("x = { boolean = 2 }", "9:17: a share is from 0 to 1"),
            (
                "x = { words = \"1\", absent = 0.6, null = 0.6 }",
                "9:5: the shares of absent and null are more than 1 together",
            ),
            (
                "x = { after = \"y\", by = \"1..2\" }\ny = { date = \"2024-01-01..2024-01-02\" }",
                "9:5: `by` is a length of time behind a date, such as \"1h..5d\"",
            ),
            (
                "x = { after = \"y\", by = \"1h\" }\ny = { words = \"1\" }",
                "9:5: `after` follows a date or an integer",
            ),
            (
                "x = { date = \"2024-02-30..2024-03-01\" }",
                "9:14: \"2024-02-30\" is no day, such as 2024-01-31: a range is \"low..high\"",
            ),
            ("x = { values = [1, 2], weights = [1] }", "9:34: there are 2 values and 1 weights"),
            (
                "x = { array = \"2\", of = { words = \"1\", absent = 0.1 } }",
                "9:25: an element of an array may be null, not absent",
            ),
            ("x = { words = \"1\", kept = true }", "9:5: `kept` belongs to sum, size and copy"),
            (
                "x = { product = [\"y\", \"y\", \"y\"] }\ny = { integer = \"1..9000000000\" }",
                "9:1: x may have more than 64 bits",
            ),
            (
                "x = { size = \"shops\" }",
                "9:14: shops are no children of this collection: they have no `per` of it",
            ),
            (
                "x = { copy = \"y.z\" }\ny = 1",
                "9:14: y is no object and no ref, so nothing is in it",
            ),
        ],
    );
}

#[test]
fn of_operations() {
    let begin = "[collections.a]\ncount = \"2\"\nper = \"shops\"\nkey = \"{parent}:{seq}\"\n\
        indexes.by = [\"x\", \"y\"]\nfields = { x = { ref = \"parent\" }, y = 1, z = \"t\" }\n[[operations]]\nname = \"o\"\n";
    all(
        begin,
        &[
            (
                "find = \"a\"\nwhere = { z = 1 }",
                "14:11: no index of a begins with z; add by_z = [\"z\"] to its indexes",
            ),
            (
                "find = \"a\"\nwhere = { y = 1 }",
                "14:11: no index of a begins with y; add by_y = [\"y\"] to its indexes",
            ),
            ("read = \"$p\"", "13:8: $p is no draw and no answer (`as`) of an earlier step"),
            ("patch = \"a\"\nadd = { z = 1 }", "14:9: `add` needs a number; a.z is text"),
            (
                "patch = \"a\"\nset = { w = 1 }",
                "14:9: no field w here; there are x, y, z, n, seq, key and index",
            ),
            ("patch = \"a\"", "11:1: a patch changes something: set, add, append or remove"),
            (
                "insert = \"a\"",
                "13:10: a get new documents, and their key has {seq}: arrange = \"rounds\", or a draw with `parent`",
            ),
            ("read = \"b\"", "13:8: no collection b; there are shops and a"),
            (
                "read = \"a\"\nlimit = 3",
                "14:1: `limit` is no key of an operation; there are name, weight, atomic, draw, steps, read, dist, miss, each, fields, as, expect, if and key",
            ),
            ("read = \"a\"\nscan = \"a\"", "11:1: a step does one thing, here are read and scan"),
            ("query = \"q\"", "13:9: no query q"),
            (
                "query = \"q\"\n[queries.r]\ncolumns = [\"x\"]\ntext.oracle = \"SELECT 1\"",
                "16:6: `oracle` is no dialect; there are sqlite, duckdb, postgres, mongodb and sqlpp",
            ),
            (
                "query = \"q\"\n[queries.q]\ncolumns = [\"x\"]\ntext.sqlite = \"SELECT $since\"",
                "16:6: the text of q in sqlite names $since, which is none of its params",
            ),
            (
                "query = \"q\"\n[queries.q]\ncolumns = [\"x\"]\nparams = { since = 1 }\ntext.mongodb = \"[]\"",
                "17:6: the text of q in mongodb does not name $since",
            ),
            (
                "query = \"q\"\n[queries.q]\ncolumns = [\"x\"]\ndraw.a = { new = \"a\", parent = \"$s\" }\ntext.sqlite = \"\"",
                "16:32: $s is no draw and no answer (`as`) of an earlier step",
            ),
            (
                "query = \"q\"\n[queries.q]\ncolumns = [\"x\"]\ndraw.s = { new = \"shops\" }\ntext.sqlite = \"\"",
                "16:6: a query writes nothing: draw.NAME = { from = \"COLLECTION\" }",
            ),
            (
                "query = \"q\"\n[queries.q]\ncolumns = [\"x\", \"m:ratio\"]\norder = \"-m\"\ntext.sqlite = \"\"",
                "16:9: m is a ratio, which orders no rows",
            ),
            (
                "query = \"q\"\n[queries.q]\ncolumns = [\"x\"]\nfile = \"none/{dialect}.sql\"",
                "16:8: read none/sqlite.sql: No such file or directory (os error 2)",
            ),
            (
                "read = \"a\"\nif = { y = { min = \"$new\" } }",
                "14:20: $new is the field's generator anew: it belongs to `set`",
            ),
            (
                "draw.o = { from = \"a\" }\npatch = \"$o\"\neach.l = \"$o.y\"\nset = { y = 2 }",
                "15:10: y is no array: `each` goes over its elements",
            ),
            (
                "draw.o = { from = \"a\" }\ninsert = \"$o\"",
                "11:1: $o is there: what is inserted is new, draw.NAME = { new = \"COLLECTION\" }",
            ),
            ("put = \"a\"\nmiss = 0.1", "11:1: a put is of what is there: leave `miss` out"),
            (
                "draw.o = { from = \"a\" }\npatch = \"$o\"\nappend = { y = 1 }",
                "15:12: `append` needs an array; y is an integer",
            ),
            (
                "patch = \"a\"\nadd = { y = 1.5 }",
                "14:9: a.y has 0 digits behind its point, 1.5 has more",
            ),
            ("read = \"a\"\nfields = [\"x.key\"]", "14:11: x.key is no field of a document"),
        ],
    );
}

/// Small files of large documents, long chains and files elsewhere: each is refused at its place
/// before a document is made.
#[test]
fn of_what_a_stranger_s_file_may_cost() {
    let chain = |first: &str, link: &str, n: usize| -> String {
        let link = |at: usize| format!("x{at} = {}\n", link.replace('@', &format!("x{}", at - 1)));
        format!(
            "[collections.a]\ncount = 2\n[collections.a.fields]\nx0 = {first}\n{}",
            (1..n).map(link).collect::<String>()
        )
    };
    let field = |of: &str| format!("[collections.a]\ncount = 2\nfields.x = {of}");
    let deep = |n: usize| -> String {
        let one = |at: usize| {
            let per = if at == 0 { "shops".into() } else { format!("c{}", at - 1) };
            format!(
                "[collections.c{at}]\ncount = '1'\nper = '{per}'\nkey = '{{parent}}:{{seq}}'\nfields.x = 1\n"
            )
        };
        (0..n).map(one).collect()
    };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("of-a-stranger");
    let _ = std::fs::remove_dir_all(&folder);
    let inside = folder.join("inside");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::write(folder.join("secret"), "of the user's").unwrap();
    std::fs::write(inside.join("words"), "a\nb\t2\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", inside.join("link")).unwrap();
    let large = "may make a document of more than 256 MB";
    let long = "is made of a field that is made of another, and so on: 64 at most";
    let elsewhere = "it is not in the folder of the workload file";
    for (lines, says) in [
        (chain("'ab'", "{ pattern = '{@}{@}' }", 60), large),
        (chain("'ab'", "[{ copy = '@' }, { copy = '@' }]", 31), large),
        (chain("1", "{ fields = { a = { copy = '@' }, b = { copy = '@' } } }", 31), large),
        (chain("1.0", "{ product = ['@', '@'] }", 60), large),
        (chain("1", "{ copy = '@' }", 66), long),
        (chain("{ date = '2024-01-01..2024-01-02' }", "{ after = '@', by = '1s' }", 9000), long),
        (field("{ array = '100000', of = { array = '100000', of = 1 } }"), large),
        (field("{ array = '100000', of = { text = '16000' } }"), large),
        (field(&format!("{{ pattern = '{}' }}", "{lower:100000}".repeat(3000))), large),
        (field("{ map = '100000', keys = { text = '8000' }, of = 1 }"), large),
        (
            format!("{}{}", field("1\n"), "[[operations]]\nname = 'o'\nread = 'a'\n".repeat(33)),
            "32 operations at most",
        ),
        (deep(20), "parents of parents: 16 at most"),
        (
            (0..33).map(|n| format!("[collections.c{n}]\ncount = 1\nfields.x = 1\n")).collect(),
            "32 collections at most",
        ),
        (
            format!(
                "{}{}",
                field("1\n"),
                (0..10_000).map(|n| format!("fields.f{n}=1\n")).collect::<String>()
            ),
            "10000 fields at most",
        ),
        (
            (0..101)
                .map(|n| format!("fields.f{n} = {{ integer = '0..9000000', dist = 'zipfian' }}\n"))
                .fold(String::from("[collections.a]\ncount = 1\n"), |text, field| text + &field),
            "more than 100 million ranks",
        ),
        (format!("[collections.{}]\ncount = 1\nfields.x = 1", "c".repeat(61)), "up to 60 letters"),
        ("[collections.Shops]\ncount = 1\nfields.x = 1".into(), "some databases take Shops for"),
        (field("nan"), "NaN is no number of JSON"),
        (field("{ values = '/etc/hostname' }"), elsewhere),
        (field("{ values = '../secret' }"), elsewhere),
        #[cfg(unix)]
        (field("{ values = 'link' }"), elsewhere),
        #[cfg(unix)]
        (field("{ values = '/dev/zero' }"), elsewhere),
        (field("{ values = '.' }"), "it is not a regular file"),
        (field("{ values = 'none' }"), "o such file"),
        (field("{ values = 'words' }"), "no error"),
        (chain("1", "{ copy = '@' }", 60), "no error"),
        (deep(15), "no error"),
    ] {
        let path = inside.join("shop.toml").display().to_string();
        let text = Text { path, text: format!("{BEGIN}{lines}") };
        let end = text.read().and_then(|file| text.at(Plan::new(&file, 1.0)));
        let told = end.map_or_else(|e| e.to_string(), |_| "no error".into());
        assert!(told.contains(says), "{}: {told}", &lines[..lines.len().min(300)]);
    }
}

/// A file that lost or doubled a line, or has another word in it, is read or refused, with its place:
/// nothing panics, and what is read makes documents.
#[test]
fn files_that_are_damaged_are_read_or_refused() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workloads");
    let mut read = 0;
    for name in ["shop.toml", "telemetry.toml", "sessions.toml"] {
        let whole = std::fs::read_to_string(folder.join(name)).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let words = [
            "\"0..0\"",
            "0",
            "\"\"",
            "[]",
            "{}",
            "-1",
            "\"$x\"",
            "\"{parent}\"",
            "\"zipfian\"",
            "1e300",
        ];
        let mut damaged = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let with = |other: &[&str]| [&lines[..at], other, &lines[at + 1..]].concat().join("\n");
            damaged.extend([with(&[]), with(&[line, line]), with(&[&line[..line.len() / 2]])]);
            if let Some((key, _)) = line.split_once('=') {
                damaged.extend(words.iter().map(|word| with(&[&format!("{key}= {word}")])));
            }
        }
        for text in damaged {
            let text = Text { path: name.into(), text };
            match text.read().and_then(|file| text.at(Plan::new(&file, 0.001))) {
                Err(e) => assert!(e.to_string().starts_with(&format!("{name}:")), "{e}"),
                Ok(plan) => {
                    read += 1;
                    for (at, of) in
                        plan.collections.iter().enumerate().filter(|(_, of)| of.count > 0)
                    {
                        let mut out = Vec::new();
                        plan.document(at, &plan.place(at, of.count - 1), &mut out);
                        let made: Result<serde_json::Value, _> = serde_json::from_slice(&out);
                        assert!(made.is_ok(), "{}: {}", text.text, String::from_utf8_lossy(&out));
                    }
                }
            }
        }
    }
    assert!(read > 50, "{read}");
}
