//! What `deploy/` makes of a built program for Debian and Homebrew.

use std::process::{Command, Output};

use super::{End, Place};

const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/debian/package");
const FORMULA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/homebrew/formula");

fn run(program: &str, words: &[&str], p: &Place) -> std::io::Result<Output> {
    let mut command = Command::new(program);
    command.args(words).current_dir(p.path(".")).env("HOAP_REAL", env!("CARGO_BIN_EXE_hoap"));
    command.output()
}

fn text(program: &str, words: &[&str], p: &Place) -> String {
    let end = End::of(run(program, words, p).unwrap());
    assert_eq!(end.code, 0, "{program} {words:?}: {end:?}");
    end.out
}

/// The program under test may need a library of no Debian package. In its place stands one that
/// needs the C library alone and hands on all it is asked.
const STAND_IN: &str = "#include <stdlib.h>\n#include <unistd.h>\n\
    int main(int n, char **words) { return execv(getenv(\"HOAP_REAL\"), words); }\n";

#[test]
fn a_debian_package_has_the_program_its_pages_and_its_completions() {
    let p = Place::new();
    if run("dpkg-deb", &["--version"], &p).is_err() || run("readelf", &["--version"], &p).is_err() {
        eprintln!("left out: dpkg-deb or readelf is not installed");
        return;
    }
    p.write("stand-in.c", STAND_IN);
    text("cc", &["-o", "hoap", "stand-in.c"], &p);
    let deb = text(PACKAGE, &["./hoap", "."], &p);
    let deb = deb.trim();
    let version = env!("CARGO_PKG_VERSION");
    assert!(deb.contains(&format!("/hoap_{version}_")), "{deb}");
    let control = text("dpkg-deb", &["--field", deb], &p);
    for line in [&*format!("Version: {version}"), "Depends: libc6 (>= 2.", "Section: database"] {
        assert!(control.contains(line), "{line}: {control}");
    }
    text("dpkg-deb", &["--extract", deb, "root"], &p);
    let installed = text("./root/usr/bin/hoap", &["--version"], &p);
    assert!(installed.starts_with(&format!("hoap {version}")), "{installed}");
    let listed = text("dpkg-deb", &["--contents", deb], &p);
    for file in [
        "root/root",
        "/usr/share/man/man1/hoap-run.1.gz",
        "/usr/share/bash-completion/completions/hoap",
        "/usr/share/zsh/vendor-completions/_hoap",
        "/usr/share/fish/vendor_completions.d/hoap.fish",
        "/usr/share/doc/hoap/copyright",
    ] {
        assert!(listed.contains(file), "{file}: {listed}");
    }
    let sums = text("sh", &["-c", &format!("dpkg-deb --control {deb} c && cat c/md5sums")], &p);
    p.write("sums", &sums);
    text("sh", &["-c", "cd root && md5sum --check --quiet ../sums"], &p);
    // A script is no program that a package can depend on libraries for.
    assert_ne!(run(PACKAGE, &["/no/such/program", "."], &p).unwrap().status.code(), Some(0));
}

#[test]
fn a_formula_has_the_checksum_of_every_archive_or_there_is_none() {
    let p = Place::new();
    let targets = ["aarch64-apple-darwin", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"];
    for (n, target) in targets.iter().enumerate() {
        let missing = End::of(run(FORMULA, &["1.2.3", "."], &p).unwrap());
        assert!(missing.code != 0 && missing.err.contains("no checksum"), "{missing:?}");
        assert!(!missing.out.contains("class"), "{missing:?}");
        let sum = n.to_string().repeat(64);
        let name = format!("hoap-1.2.3-{target}.tar.gz");
        p.write(&format!("{name}.sha256"), &format!("{sum}  {name}\n"));
    }
    let formula = text(FORMULA, &["1.2.3", "."], &p);
    for (n, target) in targets.iter().enumerate() {
        let place = format!("/releases/download/v1.2.3/hoap-1.2.3-{target}.tar.gz\"\n");
        let after = formula.split_once(&place).unwrap_or_else(|| panic!("{target}: {formula}")).1;
        let sum = format!("sha256 \"{}\"", n.to_string().repeat(64));
        assert!(after.trim_start().starts_with(&sum), "{target}: {formula}");
    }
    if run("ruby", &["--version"], &p).is_ok() {
        p.write("hoap.rb", &formula);
        text("ruby", &["-c", "hoap.rb"], &p);
    }
}
