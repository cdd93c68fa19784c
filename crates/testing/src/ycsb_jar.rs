//! YCSB's own code, from Maven Central: what it does is what Hoap must do.

use std::path::{Path, PathBuf};
use std::process::Command;

/// YCSB, and what its measurements need.
const JARS: [(&str, &str); 2] = [
    ("site.ycsb:core:0.17.0", "core-0.17.0.jar"),
    ("org.hdrhistogram:HdrHistogram:2.1.4", "HdrHistogram-2.1.4.jar"),
];

/// Compiles a Java source file against YCSB 0.17 and returns what its class prints for these
/// arguments; or why there is nothing: no Java, or no way to fetch the jars. They are kept in the
/// folder that HOAP_CACHE names, else in `kept`.
pub fn run(source: &Path, class: &str, arguments: &[&str], kept: &str) -> Result<String, String> {
    let folder = match std::env::var_os("HOAP_CACHE") {
        Some(cache) => PathBuf::from(cache).join("ycsb"),
        None => PathBuf::from(kept).join("ycsb"),
    };
    for (artifact, jar) in JARS {
        if !folder.join(jar).exists() {
            let copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";
            let output = format!("-DoutputDirectory={}", folder.display());
            let artifact = format!("-Dartifact={artifact}");
            output_of(Command::new("mvn").args(["-q", "-B", copy, &artifact, &output]))?;
        }
    }
    let separator = if cfg!(windows) { ";" } else { ":" };
    let mut path: Vec<_> =
        JARS.iter().map(|(_, jar)| folder.join(jar).display().to_string()).collect();
    let mut javac = Command::new("javac");
    javac.arg("-cp").arg(path.join(separator)).arg("-d").arg(&folder).arg(source);
    output_of(&mut javac)?;
    path.push(folder.display().to_string());
    output_of(Command::new("java").args(["-cp", &path.join(separator), class]).args(arguments))
}

fn output_of(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{name}: {} {said}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
