#!/usr/bin/env python3
"""Own documents, proven on data sets that others publish in npm packages: each is learned, loaded into
databases, read, searched and changed with every answer compared, and verified. Nothing that was learned
is edited but the operations named below.

    bench/learn/run.py HOAP FOLDER URL...      # a URL for each database, with NAME for the data set's name

FOLDER, a new one, has the packages (npm pack), the samples and the workload files. Prints a table; the
exit code is 1 if a mean size differs by more than 10 %, a share by more than 0.05, or a check fails.
"""
import json
import subprocess
import sys
import tarfile
from pathlib import Path

PACKAGES = ["world-countries@5.1.0", "@mdn/browser-compat-data@8.1.9", "caniuse-db@1.0.30001813",
            "vega-datasets@3.2.1"]

# Lines that take the place of the learned operations, by the data set's name: of these no change is
# suggested, because no field that is always there has a plain name.
OPERATIONS = {
    name: [
        f'{{ name = "read-{name}", weight = 60, read = "{name}", dist = "zipfian" }}',
        f"""{{ name = "change-{name}", weight = 10, patch = "{name}", set = {{ "'{field}'" = "$new" }} }}""",
        f'{{ name = "new-{name}", weight = 10, insert = "{name}" }}',
    ]
    for name, field in [("movies", "IMDB Rating"), ("birdstrikes", "Wildlife Size")]
}


def features(node, path):
    """Each feature of MDN's tree as a document."""
    if "__compat" in node:
        yield {"feature": ".".join(path), **node["__compat"]}
    for name, child in node.items():
        if name != "__compat" and isinstance(child, dict):
            yield from features(child, path + [name])


def samples(folder):
    """The data sets: a name and the file or folder that `hoap learn` reads."""
    for package in PACKAGES:
        done = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True,
                              capture_output=True, text=True)
        name = package.rsplit("@", 1)[0].rsplit("/", 1)[-1]
        with tarfile.open(folder / done.stdout.strip().splitlines()[-1]) as archive:
            archive.extractall(folder / name, filter="data")
    tree = json.loads((folder / "browser-compat-data/package/data.json").read_text())
    mdn = folder / "mdn.ndjson"
    with mdn.open("w") as out:
        for name, node in tree.items():
            if name not in ("__meta", "browsers"):
                out.writelines(json.dumps(of) + "\n" for of in features(node, [name]))
    return {
        "countries": folder / "world-countries/package/countries.json",
        "mdn": mdn,
        "caniuse": folder / "caniuse-db/package/features-json",
        "movies": folder / "vega-datasets/package/data/movies.json",
        "birdstrikes": folder / "vega-datasets/package/data/birdstrikes.csv",
    }


def with_operations(name, file):
    """Puts the operations of the table in the place of the learned ones."""
    if name in OPERATIONS:
        text = file.read_text()
        begin, end = text.index("operations = ["), text.index("\n]\n") + 3
        lines = "".join(f"  {line},\n" for line in OPERATIONS[name])
        file.write_text(text[:begin] + "operations = [\n" + lines + "]\n" + text[end:])


def main():
    hoap, folder, urls = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir()

    def call(*args):
        done = subprocess.run([hoap, *map(str, args), "--json"], capture_output=True, text=True,
                              cwd=folder)
        if done.returncode != 0:
            print(" ".join(map(str, args)), done.stdout[-2000:], done.stderr, file=sys.stderr)
        return done.returncode == 0, json.loads(done.stdout or "null")

    failed = False
    head = [url.split(":")[0] for url in urls]
    print("| sample | documents | mean bytes | made | greatest difference of a share |",
          " | ".join(head), "|")
    print("|---|---|---|---|---|" + "---|" * len(urls))
    for name, sample in samples(folder.resolve()).items():
        file = folder.resolve() / f"{name}.toml"
        ok, learned = call("learn", f"{name}={sample}", "-o", file)
        of = learned["collections"][0]
        with_operations(name, file)
        (mean, made), share = of["mean_bytes"], of["greatest_difference_of_shares"]
        failed |= not ok or abs(made / mean - 1) > 0.1 or share > 0.05
        cells = []
        for url in urls:
            target = url.replace("NAME", name)
            loaded, _ = call("load", file, "--target", target, "--replace")
            ran, _ = call("run", file, "--target", target, "--clients", 2, "--operations", 2000,
                            "--warmup", "0s", "--check-reads", "--out", folder / f"{name}-{len(cells)}")
            verified, checks = call("verify", file, "--target", target)
            failed |= not (loaded and ran and verified)
            documents = sum(check["checked"] for check in (checks or {}).get("checks", [])[1:])
            passed = loaded and ran and verified
            cells.append(f"passed, {documents} documents verified" if passed else "FAILED")
        print(f"| {name} | {of['documents'][0]} | {mean:.0f} | {made:.0f} ({made / mean - 1:+.1%}) |"
              f" {share:.3f} |", " | ".join(cells), "|", flush=True)
    sys.exit(failed)


main()
