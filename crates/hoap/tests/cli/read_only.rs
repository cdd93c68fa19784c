//! A file on read-only media: whatever only reads works on it, and leaves nothing.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;

use super::outputs::files;
use super::{End, Place, all_pass};

fn mode(path: &Path, mode: u32) {
    set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Runs `hoap` in `writes` with the rights of the user, also where that is root, who has all rights
/// else. `None` where root cannot give them up.
fn with_own_rights(writes: &Place, line: &str) -> Option<End> {
    let hoap = writes.command(line);
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut command = match is_root {
        true => {
            let mut limited = Command::new("setpriv");
            limited.arg("--bounding-set=-dac_override").arg(hoap.get_program());
            limited
        }
        false => Command::new(hoap.get_program()),
    };
    command.args(hoap.get_args()).current_dir(writes.path("."));
    Some(End::of(command.output().ok()?))
}

#[test]
fn whatever_only_reads_works_on_a_file_on_read_only_media() {
    for (folder, file) in [(0o555, 0o644), (0o555, 0o444)] {
        let (media, writes) = (Place::new(), Place::new());
        media.load("ch2.db");
        media.ok("load ycsb -p recordcount=100 --target sqlite:ycsb.db");
        media.ok(
            "load shop --customers 2000 --customers-per-zip 100 --target sqlite:a#b%c?cache_mb=1",
        );
        for name in ["ch2.db", "ycsb.db", "a#b%c"] {
            mode(&media.path(name), file);
        }
        mode(&media.path("."), folder);
        let before = files(&media);
        let run = |line: &str| {
            let line = line.replace("sqlite:", &format!("sqlite:{}/", media.path("").display()));
            with_own_rights(&writes, &line)
        };
        for line in [
            "verify ch2pp --target sqlite:ch2.db",
            "query ch2pp --analytical sqlite:ch2.db --queries 1,6",
            "run ch2pp --operational sqlite:ch2.db --tx-clients 0 --query-clients 1 --loops 1 \
             --params check --out ch2pp",
            "run ycsb-c --target sqlite:ycsb.db --operations 50 --warmup 0s --out ycsb-c",
            "run pagination --target sqlite:a#b%c --operations 20 --warmup 0s --out pagination",
            "run join --target sqlite:a#b%c --operations 20 --warmup 0s --out join",
        ] {
            let Some(end) = run(line) else { return mode(&media.path("."), 0o755) };
            assert_eq!(end.code, 0, "{line}: {end:#?}");
        }
        all_pass(&writes.json("ycsb-c/run.json"));
        for line in [
            "run ycsb-a --target sqlite:ycsb.db --operations 50 --warmup 0s --out a",
            "load ycsb -p recordcount=100 --target sqlite:ycsb.db --replace",
            "load ycsb -p recordcount=100 --target sqlite:new.db",
        ] {
            let end = run(line).unwrap();
            assert_eq!(end.code, 3, "{line}: {end:#?}");
            assert!(end.err.contains("permission"), "{line}: {end:#?}");
        }
        assert!(files(&media) == before);
        mode(&media.path("."), 0o755);
    }
}

/// Its log has what the file lacks, and only who may write takes that in.
#[test]
fn a_file_on_read_only_media_whose_log_has_changes_is_refused() {
    let (media, writes) = (Place::new(), Place::new());
    media.ok("load ycsb -p recordcount=100 --target sqlite:t.db");
    let open = Connection::open(media.path("t.db")).unwrap();
    open.execute("DELETE FROM usertable", []).unwrap();
    for name in ["t.db", "t.db-wal"] {
        std::fs::copy(media.path(name), media.path(&format!("copy-{name}"))).unwrap();
    }
    drop(open);
    for name in ["t.db", "t.db-wal"] {
        let _ = std::fs::remove_file(media.path(name));
        std::fs::rename(media.path(&format!("copy-{name}")), media.path(name)).unwrap();
        mode(&media.path(name), 0o444);
    }
    mode(&media.path("."), 0o555);
    let url = format!("sqlite:{}", media.path("t.db").display());
    let line = format!("run ycsb-c --target {url} --operations 50 --warmup 0s --out run");
    let end = with_own_rights(&writes, &line);
    mode(&media.path("."), 0o755);
    let Some(end) = end else { return };
    assert!(end.code == 3 && end.err.contains("permission"), "{end:#?}");
}
