#!/usr/bin/env python3
"""Holds run.json of run folders, and of every golden run, to docs/run.schema.json with Python's jsonschema:
    pip install jsonschema; bench/truth/schema.py [FOLDER…]
Golden runs have a kind in place of what differs each time ("<integer>"): a value of that kind stands in."""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator

KINDS = {"<number>": 0.5, "<integer>": 1}
top = pathlib.Path(__file__).resolve().parents[2]


def filled(value):
    if isinstance(value, dict):
        return {key: filled(of) for key, of in value.items()}
    if isinstance(value, list):
        return [filled(of) for of in value]
    return KINDS.get(value, value) if isinstance(value, str) else value


schema = json.loads((top / "docs/run.schema.json").read_text())
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
folders = [top / "crates/hoap/tests/cli/golden", *map(pathlib.Path, sys.argv[1:])]
runs = sorted(run for folder in folders for run in folder.glob("**/run.json"))
errors = [(run, e) for run in runs for e in validator.iter_errors(filled(json.loads(run.read_text())))]
for run, e in errors:
    print(f"{run}: {e.json_path}: {e.message}")
# What the schema does not name is refused: else everything is valid.
unknown = validator.is_valid({**filled(json.loads(runs[0].read_text())), "unknown": 1})
print(f"{len(runs)} runs, {len(errors)} errors" + ("; an unknown field is not seen" if unknown else ""))
sys.exit(bool(errors) or unknown)
