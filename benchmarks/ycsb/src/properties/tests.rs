use super::super::PRESETS;
use super::*;

fn read(text: &[u8]) -> Vec<(String, String)> {
    let mut properties = Properties::new();
    properties.text(text).unwrap();
    properties.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

fn one(text: &str) -> (String, String) {
    let all = read(text.as_bytes());
    assert_eq!(all.len(), 1, "{text:?} {all:?}");
    all.into_iter().next().unwrap()
}

/// java.util.Properties.load: separators, comments, white space, continuation, escapes.
#[test]
fn the_format_is_javas() {
    let pair = |k: &str, v: &str| (k.to_owned(), v.to_owned());
    for text in
        ["a=b", "a:b", "a b", " \t a  = b", "a\t:\tb", "\n\n#x=y\n!z\r\na=b\r\n", "a=\\\n  b"]
    {
        assert_eq!(one(text), pair("a", "b"), "{text:?}");
    }
    assert_eq!(one("a=\\\r\n  b"), pair("a", "b"));
    assert_eq!(one("a"), pair("a", ""));
    assert_eq!(one("a="), pair("a", ""));
    assert_eq!(one("a b=c"), pair("a", "b=c"));
    assert_eq!(one("a==b"), pair("a", "=b"));
    assert_eq!(one("a=b "), pair("a", "b "));
    assert_eq!(one("a\\ b\\=c=d\\\\"), pair("a b=c", "d\\"));
    assert_eq!(one("a=\\t\\n\\u0041\\q"), pair("a", "\t\nAq"));
    assert_eq!(one("a=1,\\\n\t2,\\\n\t3"), pair("a", "1,2,3"));
    assert_eq!(one("a=b\\"), pair("a", "b"));
    assert_eq!(one("# c\\\na=b"), pair("a", "b"));
    // A line of white space goes on as well, and a comment does not begin where a line goes on.
    assert_eq!(one("  \\\n a=b"), pair("a", "b"));
    assert_eq!(one("a=\\\n#b"), pair("a", "#b"));
    assert_eq!(read(b"a = \\\n\n b=c"), [pair("a", ""), pair("b", "c")]);
    assert_eq!(read(b"a=b\\\\\nc=d"), [pair("a", "b\\"), pair("c", "d")]);
    assert_eq!(read(b"a=1\rb=2"), [pair("a", "1"), pair("b", "2")]);
    assert_eq!(one("a\\:b:c"), pair("a:b", "c"));
    assert_eq!(one("=x"), pair("", "x"));
    assert_eq!(one("a\x0cb"), pair("a", "b"));
    assert_eq!(one("a=\\f\\r"), pair("a", "\x0c\r"));
    assert_eq!(one("a=\\ud83d\\ude00"), pair("a", "\u{1f600}"));
    // ISO 8859-1, in which no byte ends a line that is none of CR and LF.
    assert_eq!(read(b"a=\x80\x85\x9f"), [pair("a", "\u{80}\u{85}\u{9f}")]);
    assert_eq!(read(b"a=\xe4"), [pair("a", "ä")]);
    assert_eq!(one("a=1\na=2"), pair("a", "2"));
    assert_eq!(read(b""), []);
    let mut properties = Properties::new();
    assert!(properties.text(b"x=1\na=\\u12").unwrap_err().starts_with("line 2: "));
    assert!(properties.text(b"a=\\u+123").is_err());
}

#[test]
fn later_ones_replace_earlier_ones() {
    let folder = std::env::temp_dir().join(format!("hoap-properties-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("workloada");
    std::fs::write(&path, "recordcount=1000\nreadallfields=true\n").unwrap();
    let mut properties = Properties::preset(&PRESETS[0]);
    properties.file(&path).unwrap();
    properties.pair("recordcount=5=6").unwrap();
    assert_eq!(properties.get("recordcount"), Some("5=6"));
    assert_eq!(properties.get("readallfields"), Some("true"));
    assert_eq!(properties.get("updateproportion"), Some("0.5"));
    std::fs::remove_dir_all(&folder).unwrap();

    let error = properties.file(&path).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.to_string().contains("workloada"), "{error}");
    for wrong in ["", "x", "=x"] {
        assert!(properties.pair(wrong).unwrap_err().to_string().contains("key=value"));
    }
}
