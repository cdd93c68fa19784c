//! What is taken for a secret, and what a URL's parts are.

use super::*;

#[test]
fn passwords_and_secret_options_are_hidden_and_nothing_else_is() {
    for (url, redacted) in [
        ("postgres://u:secret@h/d", "postgres://u:***@h/d"),
        ("postgres://u:se:c@ret@h:5432/d?a=b", "postgres://u:***@h:5432/d?a=b"),
        ("redis://:secret@h:6379", "redis://:***@h:6379"),
        ("mongodb://u:secret@h1:1,h2:2/d?w=1", "mongodb://u:***@h1:1,h2:2/d?w=1"),
        ("postgres://u:se/cr?et@h/d", "postgres://***"),
        ("postgres://h/d?user=u&password=s&x=1", "postgres://h/d?user=u&password=***&x=1"),
        ("dynamodb://eu?SessionToken=abc&x=1", "dynamodb://eu?SessionToken=***&x=1"),
        ("postgres://u:p@h/d?sslpassword=q", "postgres://u:***@h/d?sslpassword=***"),
        ("postgres://u:p@ss/w@h/d", "postgres://***"),
        ("postgres://u:1?p@h/d", "postgres://***"),
        ("postgres://u:2026/xSECRET@h/d", "postgres://***"),
        ("postgres://u:/SECRET@h", "postgres://***"),
        ("postgres://u:x]/SECRET@h", "postgres://***"),
        ("postgres://u:99#SECRET@h", "postgres://***"),
        ("postgres://u:1?a=b@h", "postgres://***"),
        ("--target=redis:u:1?a=b@h", "--target=redis:***"),
        ("postgres://h:5432/d?application_name=me@home", "postgres://***"),
        ("postgres://[::1]/d?x=a@b", "postgres://***"),
        ("postgres://h/d?password=x&y z#&bogus=1", "postgres://h/d?password=***&bogus=1"),
        ("postgres:/u:p@h", "postgres:/u:***@h"),
        ("postgres:u:p@h/d", "postgres:u:***@h/d"),
        ("--target=POSTGRES:/u:p@h", "--target=POSTGRES:/u:***@h"),
        ("postgres:host=h password=x y", "postgres:host=h password=***"),
        ("postgres:password='x y' host=h", "postgres:password=*** host=h"),
        ("dynamodb://eu?endpoint=http://k:p@h&x=1", "dynamodb://***"),
        ("postgres:password=é\u{a0}host=é", "postgres:password=***\u{a0}host=é"),
        ("sqlite:x.db?password=s", "sqlite:x.db?password=***"),
    ] {
        assert!(has_secret(url), "{url}");
        assert_eq!(redact(url), redacted);
        assert_eq!(redact(redacted), redacted, "twice is as once");
    }
    for (doubtful, redacted) in [
        ("postgres://u:pass", "postgres://u:***"),
        ("postgres:u:pass/word", "postgres:u:***"),
        ("postgres://u:x]pass?a=b", "postgres://u:***"),
        ("mongodb://h:1,u:é", "mongodb://h:1,u:***"),
        ("password=x", "password=***"),
    ] {
        assert!(!has_secret(doubtful), "{doubtful}");
        assert_eq!(redact(doubtful), redacted);
    }
    for plain in [
        "sqlite:a:b@c.db?synchronous=off",
        "--target=sqlite:///a:b@c.db",
        "mongodb://mongodb:27017,redis:1/d",
        "cassandra://h/k?token_aware=off&password_file=x",
        "redis::RedisError",
        "redis: refused: later",
        "postgres://u@h:5432/d",
        "postgres://h/d?application_name=me@home",
        "postgres://[::1]:5432/d",
        "postgres://[::1]:5432/d?x=a%40b",
        "postgres://u:@h/d",
        "postgres://h/d?passfile=/home/u/.pgpass&sslkey=a.key",
        "null:",
        "",
        "://",
        "://@",
        "a://:",
    ] {
        assert!(!has_secret(plain), "{plain}");
        assert_eq!(redact(plain), plain);
    }
}

#[test]
fn urls_within_a_text_are_redacted() {
    let text = "invalid value 'redis://u:p@h' for '--target': connect \"redis://u:p@h\" failed";
    let scrubbed =
        "invalid value 'redis://u:***@h' for '--target': connect \"redis://u:***@h\" failed";
    assert_eq!(scrub(text), scrubbed);
    assert_eq!(scrub("bad 'postgres:host=h password=x y'"), "bad 'postgres:host=h password=***");
    assert_eq!(scrub("unexpected 'password=x'"), "unexpected 'password=***");
    for (text, scrubbed) in [
        // A quote that nobody encoded is part of the password, of the user, of an option.
        ("invalid URI http://u:pa\"ss@h/v1: why", "invalid URI http://u:***@h/v1: why"),
        ("open 'redis://u:p'a'ss@h' failed", "open 'redis://u:***@h' failed"),
        ("open 'mongodb://u\"v:pass@h', again", "open 'mongodb://u\"v:***@h', again"),
        ("(postgres://h/d?password=\"pass\")", "(postgres://h/d?password=***"),
        ("'redis://u:p@h','rediss://u:q@h'", "'redis://***"),
        // Quotes around a URL are none of it.
        ("at 'redis://u:p@h:1'; \"redis://h:2\".", "at 'redis://u:***@h:1'; \"redis://h:***."),
    ] {
        assert_eq!(scrub(text), scrubbed);
    }
    for plain in ["a\u{a0}b  c\n", "open postgres:…: it names no host", "redis: it is down: why"]
    {
        assert_eq!(scrub(plain), plain);
    }
}

#[test]
fn a_url_is_taken_apart() {
    let parts = Parts::of("x://us%2Fer:p@s%3As%25%C3%A9@a,b:70,[::1]:71/d/e?f=g").unwrap();
    assert_eq!((&*parts.user, &*parts.password), ("us/er", "p@s:s%é"));
    assert_eq!(parts.hosts(), Ok(vec![("a", None), ("b", Some(70)), ("[::1]", Some(71))]));
    assert_eq!((parts.path, parts.query), ("d/e", Some("f=g")));
    assert_eq!(parts.shown(), "x://a,b:70,[::1]:71/d/e?f=g");
    for (url, why) in [
        ("x:/h", "no host"),
        ("x:u:secret://h", "no host"),
        ("x://u:secret%@h", "password does not decode"),
        ("x://%ff:secret@h", "name does not decode"),
        ("x://u:%+1@h", "password does not decode"),
        ("x://u:sec#ret@h", "an @ after"),
        ("x://u:1/secret@h", "an @ after"),
        ("x://u:x]/secret@h", "an @ after"),
        ("x://u:1?a=secret@h", "an @ after"),
        ("x://u:1#secret@h", "an @ after"),
        ("x://u:x]secret", "a port is not"),
        ("x://h#secret", "after #"),
        ("x://u:1?secret@h", "an @ after"),
        ("x://u:secret", "a port is not"),
        ("x://h:0", "a port is not"),
        ("x://[::1", "lacks its ]"),
        ("x://h:65536", "a port is not"),
    ] {
        let e = Parts::of(url).unwrap_err();
        assert!(e.contains(why) && !e.contains("sec"), "{url}: {e}");
    }
    for bad in ["x://", "x://h,", "x://h h", "x://[x]", "x://[::1]9", "x://h%20"] {
        assert!(Parts::of(bad).unwrap().hosts().is_err(), "{bad}");
    }
}

#[test]
fn what_is_encoded_is_decoded_again() {
    assert_eq!(encode("p w/é~"), "p%20w%2F%C3%A9~");
    assert_eq!(decode(&encode("p%w/é~")).as_deref(), Some("p%w/é~"));
}

/// Two ends of a password, of which no part may be seen.
const ENDS: [&str; 2] = ["Zq7", "Kw4"];

/// Passwords with any two printable ASCII characters, and others, at their begin, middle and end,
/// and after digits, which look like a port.
fn passwords() -> impl Iterator<Item = String> {
    let all = || (' '..='~').chain("\t\né\u{a0}\u{202e}語😀".chars());
    // One letter and one digit stand for all as the second character.
    let second = move || all().filter(|c| !c.is_ascii_alphanumeric() || "a0".contains(*c));
    let pairs = all().flat_map(move |a| second().map(move |b| (a, b)));
    let [begin, end] = ENDS;
    pairs.flat_map(move |(a, b)| {
        [
            format!("{begin}{a}{b}{end}"),
            format!("{a}{begin}{b}{end}"),
            format!("{begin}{a}{end}{b}"),
            format!("99{a}{begin}{b}{end}"),
        ]
    })
}

/// Of every printable character, as typed and percent-encoded: a URL is either taken apart as it
/// was meant or refused, the command line sees that there is a password, and none of it is shown.
#[test]
fn no_part_of_any_password_is_shown() {
    const RESTS: [&str; 4] = ["h", "h:5432/d", "h/d?a=b&c=d", "[::1]:1,h/d"];
    for (n, password) in passwords().enumerate() {
        let (scheme, rest) = (PLACES[n % PLACES.len()], RESTS[n / 4 % RESTS.len()]);
        let raw = format!("{scheme}://u:{password}@{rest}");
        let encoded = format!("{scheme}://u:{}@{rest}", encode(&password));
        let meant = |url: &str, parts: &Parts| {
            // An escape that was typed is one: a password with a % must be encoded.
            let typed = url == raw && password.contains('%');
            assert!(typed || parts.password == password, "{url}: {parts:?}");
            assert!(parts.user == "u" && rest.starts_with(parts.hosts), "{url}: {parts:?}");
            parts.shown()
        };
        let told = match Parts::of(&raw) {
            Ok(parts) => meant(&raw, &parts),
            Err(why) => malformed(scheme, "form", why).to_string(),
        };
        let shown = meant(&encoded, &Parts::of(&encoded).expect(&encoded));
        for url in [&raw, &encoded] {
            assert!(has_secret(url) && has_secret(&format!("--target={url}")), "{url}");
        }
        let quoted = scrub(&format!("value '{encoded}' of --target, {encoded}"));
        for text in [told, shown, redact(&raw), redact(&encoded), quoted] {
            assert!(!ENDS.iter().any(|end| text.contains(end)), "{raw}: {text}");
        }
        // Without the slashes, too.
        let bare = raw.replacen("://", ":", 1);
        assert!(has_secret(&bare), "{bare}");
        assert!(!ENDS.iter().any(|end| redact(&bare).contains(end)), "{bare}");
    }
}

#[test]
fn this_machine_is_no_other_host() {
    for host in ["", "localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"] {
        assert!(is_this_machine(host), "{host}");
    }
    for host in ["10.0.0.1", "db.example", "localhost.example", "::2", "127.0.0.1.example"] {
        assert!(!is_this_machine(host), "{host}");
    }
}
