#!/usr/bin/env bash
# The values of `hoap gen ycsb` beside those of YCSB's own iterator: what zstd saves of them, and the share of each
# character at each place of six. Only `"` and `\`, which JSON escapes, are others: `b` and `|`.
#
#   HOAP=target/release/hoap bench/truth/ycsb.sh
#
# Needs a JDK, Maven, zstd and Python. It works in a new folder.
set -euo pipefail
hoap=$(realpath "${HOAP:-target/release/hoap}")
cd "$(mktemp -d)"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact=site.ycsb:core:0.17.0 -DoutputDirectory=.
cat >Values.java <<'JAVA'
public class Values {
    public static void main(String[] arguments) throws Exception {
        var out = new java.io.BufferedOutputStream(System.out);
        for (int n = 0; n < 200_000; n++) {
            out.write(new site.ycsb.RandomByteIterator(100).toArray());
        }
        out.flush();
    }
}
JAVA
javac -cp core-0.17.0.jar Values.java
java -cp core-0.17.0.jar:. Values >jar.values
"$hoap" gen ycsb -p recordcount=20000 -o data >/dev/null
python3 - <<'PY'
import collections, json, subprocess
made = [value for line in open("data/usertable.ndjson") for name, value in json.loads(line).items() if name != "_id"]
open("hoap.values", "w").write("".join(made))
saved, counts = {}, {}
for name in ["jar", "hoap"]:
    values = open(f"{name}.values", "rb").read()
    assert len(values) == 20_000_000
    small = subprocess.run(["zstd", "-3", "-c", f"{name}.values"], capture_output=True, check=True).stdout
    saved[name] = 1 - len(small) / len(values)
    if name == "jar":
        values = values.translate(bytes.maketrans(b'"\\', b"b|"))
    counts[name] = [collections.Counter(values[n] for v in range(0, len(values), 100)
                                        for n in range(v + place, v + 96, 6)) for place in range(6)]
far = 0
for jar, hoap in zip(counts["jar"], counts["hoap"]):
    assert jar.keys() == hoap.keys(), jar.keys() ^ hoap.keys()
    far = max(far, *(abs(jar[c] - hoap[c]) / (jar[c] + hoap[c]) ** 0.5 for c in jar))
print(f"zstd saves {saved['jar']:.1%} of the jar's, {saved['hoap']:.1%} of Hoap's; "
      f"{sum(map(len, counts['jar']))} shares of characters, the farthest {far:.1f} standard errors apart")
assert abs(saved["jar"] - saved["hoap"]) < 0.01 and far < 5
PY
