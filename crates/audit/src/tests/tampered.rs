//! Tampering, a row each.

use serde_json::Value;

use super::*;

/// What is in `run.json` alone: nothing else is there to make it of. `docs/audit.md` names them.
const NOT_MADE_AGAIN: &[&str] = &[
    "backlog",
    "every_seconds",
    "longest_gap",
    "newest_seen",
    "oldest_us",
    "rate_shortfall",
    "rolled_back",
    "took",
    "unfinished",
    "warmup_seconds",
];

/// Another value that a doctor might write: by a twentieth better or worse.
fn other(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Number(number) if number.is_u64() => {
            let number = number.as_u64()?;
            (number + (number / 20).max(1)).into()
        }
        Value::Number(number) => (number.as_f64()? * 1.05 + 1.0).into(),
        Value::String(text) => format!("{text}x").into(),
        _ => return None,
    })
}

/// The places of all numbers and words below a value.
fn leaves(value: &Value, at: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{at}/{name}"), into));
        }
        Value::Array(values) => values
            .iter()
            .enumerate()
            .for_each(|(n, value)| leaves(value, &format!("{at}/{n}"), into)),
        Value::Number(_) | Value::String(_) => into.push(at.to_owned()),
        _ => {}
    }
}

/// Each number and word of each step, one after the other.
#[test]
fn a_doctored_number_of_a_step_is_named_unless_nothing_else_has_it() {
    let (mut rows, mut unseen) = (0, Vec::new());
    for folder in ["folders/hybrid-1", "folders/open", "folders/repeated-1/01"] {
        let files = files(folder);
        let honest: Value = serde_json::from_slice(&files["run.json"]).unwrap();
        let mut doctored = taken(&files);
        let mut places = Vec::new();
        leaves(&honest["steps"], "/steps", &mut places);
        for place in places {
            let mut run = honest.clone();
            let there = run.pointer_mut(&place).unwrap();
            *there = other(there).unwrap();
            doctored.take("run.json", &serde_json::to_vec(&run).unwrap()).unwrap();
            let mut findings = Findings::default();
            of_folder(&doctored, &BTreeMap::new(), &mut findings);
            rows += 1;
            match voids(&findings).first() {
                Some(line) => assert!(line.starts_with("runs/01/"), "{folder}, {place}: {line}"),
                None => unseen.push(format!("{folder}{place}")),
            }
        }
    }
    let known = |place: &String| NOT_MADE_AGAIN.iter().any(|name| place.contains(name));
    let (known, unknown): (Vec<_>, Vec<_>) = unseen.into_iter().partition(known);
    assert!(rows > 400, "{rows}");
    assert_eq!(unknown, Vec::<String>::new(), "{} of {rows} unseen", known.len());
    for name in NOT_MADE_AGAIN {
        assert!(known.iter().any(|place| place.contains(name)), "{name} is seen each time");
    }
}

#[test]
fn no_number_of_a_record_is_too_large_or_small_to_be_audited() {
    let files = files("folders/open");
    let honest: Value = serde_json::from_slice(&files["run.json"]).unwrap();
    let mut folder = taken(&files);
    let mut places = Vec::new();
    leaves(&honest, "", &mut places);
    for place in places {
        for value in [0.into(), (1u64 << 53).into(), u64::MAX.into(), 1e308.into(), (-1e308).into()]
        {
            let mut run = honest.clone();
            *run.pointer_mut(&place).unwrap() = value;
            // What does not read is refused, and all else is audited.
            if folder.take("run.json", &serde_json::to_vec(&run).unwrap()).is_ok() {
                of_folder(&folder, &BTreeMap::new(), &mut Findings::default());
            }
        }
    }
}

/// What the manifest says, and what is there.
#[test]
fn tampering_with_what_the_manifest_lists_is_named() {
    use sha2::{Digest, Sha256};
    let honest = packed(&parts(&files("folders/hybrid-1")));
    let mut tar = tar::Archive::new(zstd::Decoder::new(honest.as_slice()).unwrap());
    let entries: Vec<(String, Vec<u8>)> = tar
        .entries()
        .unwrap()
        .map(|entry| {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().to_str().unwrap().to_owned();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            (name, bytes)
        })
        .collect();
    let again = |entries: &[(String, Vec<u8>)]| {
        let zstd = zstd::Encoder::new(pack::BEGIN.to_vec(), 1).unwrap();
        let mut tar = tar::Builder::new(zstd);
        for (name, bytes) in entries {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_entry_type(tar::EntryType::Regular);
            tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    };
    let void = |entries: &[(String, Vec<u8>)]| {
        voids(&audit(again(entries).as_slice(), &()).unwrap().findings).join("\n")
    };
    assert_eq!(void(&entries), "");
    // Each file, a byte longer; then with its digest made again, which only numbers can tell.
    for at in 1..entries.len() {
        let mut doctored = entries.clone();
        doctored[at].1.push(b'\n');
        let name = &entries[at].0;
        assert!(void(&doctored).contains(&format!("{name}: its SHA-256 is")), "{name}");
        let mut gone = entries.clone();
        gone.remove(at);
        assert!(void(&gone).contains(&format!("{name}: the manifest lists it")), "{name}");
    }
    let mut more = entries.clone();
    more.push(("runs/01/plans/q01.plan.json".into(), b"{}".to_vec()));
    assert!(void(&more).contains("q01.plan.json: the manifest does not list it"));
    let mut odd = entries.clone();
    odd.push(("runs/01/notes.txt".into(), b"mine".to_vec()));
    assert!(void(&odd).contains("notes.txt: no run folder has a file of this name"));
    let mut made_again = entries.clone();
    let run = made_again.iter().position(|(name, _)| name.ends_with("run.json")).unwrap();
    let text = String::from_utf8(made_again[run].1.clone()).unwrap();
    made_again[run].1 = text.replace("\"p99_us\":14502", "\"p99_us\":9502").into_bytes();
    let mut of: Value = serde_json::from_slice(&made_again[0].1).unwrap();
    let digest: String =
        Sha256::digest(&made_again[run].1).iter().map(|byte| format!("{byte:02x}")).collect();
    of["files"]["runs/01/run.json"]["sha256"] = digest.into();
    of["files"]["runs/01/run.json"]["bytes"] = made_again[run].1.len().into();
    made_again[0].1 = serde_json::to_vec(&of).unwrap();
    let found = void(&made_again);
    assert!(found.contains("p99_us is 9502") && !found.contains("SHA-256"), "{found}");
}
