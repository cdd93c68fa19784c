//! No secret of a URL is repeated: in no message, no output and no file.

use super::{End, Place};

/// Wrong URLs with a password where people put it. `SCHEME` stands for a scheme.
const WRONG: &[&str] = &[
    "SCHEME://u:p@hunter2@h:port/d",
    "SCHEME://u:p/hunter2@h/d",
    "SCHEME://u:1?hunter2@h/d",
    "SCHEME://u:hunter2@h/d?bogus_option=1",
    "SCHEME://u:hunter2",
    "SCHEME://h/d?bogus_option=1&password=hunter2",
    "SCHEME:/u:hunter2@h",
    "SCHEME:u:hunter2@h/d",
    "SCHEME:u:hunter2",
    "SCHEME:host=h password=hunter2",
];

#[test]
fn a_wrong_url_is_refused_and_its_secret_is_repeated_nowhere() {
    let names = hoap_databases::known().iter().flat_map(|scheme| scheme.names);
    let places = names.filter(|name| !["sqlite", "null"].contains(name));
    for scheme in places.chain([&"POSTGRES"]) {
        for form in WRONG {
            let p = Place::new();
            let url = form.replace("SCHEME", scheme);
            let file = p.path("hoap.toml");
            std::fs::write(&file, format!("target = \"{url}\"")).unwrap();
            let mut ends = vec![
                p.fails("load ch2pp --config hoap.toml", 2, &[]),
                p.fails("verify ch2pp --config hoap.toml --json", 2, &[]),
            ];
            let target = format!("--target={url}");
            for words in [&[&*target][..], &[&*target, "--seed=many"]] {
                let mut command = p.command("load ch2pp");
                ends.push(End::of(command.args(words).output().unwrap()));
            }
            for end in ends {
                assert_eq!(end.code, 2, "{url}: {end:#?}");
                assert!(!format!("{end:?}").contains("hunter2"), "{url}: {end:#?}");
            }
            std::fs::remove_file(file).unwrap();
            let left = std::fs::read_dir(p.path(".")).unwrap().count();
            assert_eq!(left, 0, "{url}: a refused command leaves no file");
        }
    }
}
