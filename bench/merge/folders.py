"""Makes the folders of many drivers' run from that of one short run.

    python3 bench/merge/folders.py RUN OUT [DRIVERS] [SECONDS]

OUT/01 to OUT/DRIVERS (64) are parts 1/DRIVERS and on of one run of SECONDS (3600) in ticks of a
second, in the way of bench/month/folder.py: each with a seed and a command of its own, the ticks
drawn from another seed, and begun a few milliseconds after the one before.
"""

import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "month"))
from folder import Run  # noqa: E402

run, out = Run(sys.argv[1]), pathlib.Path(sys.argv[2])
drivers = int(sys.argv[3]) if len(sys.argv) > 3 else 64
seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 3600
out.mkdir(parents=True)
began = datetime.datetime(2026, 1, 1)
for part in range(1, drivers + 1):
    started = began + datetime.timedelta(milliseconds=3 * part)
    run.write(
        out / f"{part:02}",
        seconds,
        seed=part,
        started=started.isoformat(timespec="milliseconds") + "Z",
        command=run.record["command"] + ["--part", f"{part}/{drivers}"],
        configuration=run.record["configuration"] | {"part": f"{part}/{drivers}", "run-seed": part},
    )
