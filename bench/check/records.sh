#!/usr/bin/env bash
# What the checks around a run read as its data grows, and what passes the socket outside the run's window.
#
#   bench/check/records.sh HOAP FOLDER ycsb|ch2 URL SIZE…
#
# Sizes are records, of one field of 10 bytes or as PROPERTIES says, for a run of YCSB C, or warehouses, for CH2; a run is 10,000
# reads, or 1,000 transactions, with the default of --check. A row of CSV each: size, level, then documents, bytes and seconds of the checks
# before and after the run. If URL has a host and a port on this machine, such as redis://127.0.0.1:6379, the run is made again
# through a proxy that counts bytes: the last column is what passed it before and after the measured window. The data at URL is
# replaced: name a database that nobody needs. Needs python3.
set -euo pipefail
hoap=$(realpath "$1") benchmark=$3 url=$4
mkdir -p "$2" && cd "$2"
shift 4
# Notes when how many bytes passed between a port of its own and PORT. Prints the port, and the notes when it is ended.
proxy=$(cat <<'END'
import asyncio, signal, sys, time
notes = []
async def pipe(source, to):
    try:
        while data := await source.read(1 << 16):
            notes.append((time.time(), len(data)))
            to.write(data)
            await to.drain()
    except OSError:
        pass
    finally:
        to.close()
async def client(reader, writer):
    there = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer))
async def main():
    server = await asyncio.start_server(client, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
    await end.wait()
    for at, length in notes:
        print(at, length)
asyncio.run(main())
END
)
told() { "$@" >out.txt 2>&1 || { cat out.txt >&2; exit 1; }; }
if [ "$benchmark" = ycsb ]; then
    read -ra properties <<<"${PROPERTIES--p fieldcount=1 -p fieldlength=10}"
    of() { settings=("${properties[@]}" -p recordcount="$1"); }
    run=(run ycsb-c --clients 4 --operations 10000 --target)
else
    of() { settings=(-w "$1"); }
    run=(run ch2 --tx-clients 4 --query-clients 0 --operations 1000 --operational)
fi
run() { # run FOLDER URL
    rm -rf "$1"
    local of=("${settings[@]}")
    [ "$benchmark" = ycsb ] || of=()
    told "$hoap" "${run[@]}" "$2" "${of[@]}" --warmup 0s --run-seed 1 --out "$1"
}
port=$(sed -nE 's#.*://([^@/]*@)?(127\.0\.0\.1|localhost):([0-9]+).*#\3#p' <<<"$url")
echo "size,level,before: documents,bytes,seconds,after: documents,bytes,seconds,bytes outside the window"
for size in "$@"; do
    of "$size"
    told "$hoap" load "$benchmark" --target "$url" "${settings[@]}" --replace
    run direct "$url"
    rm -f notes
    if [ -n "$port" ]; then
        exec 3< <(exec python3 -c "$proxy" "$port")
        pid=$!
        read -r own <&3
        run proxied "${url/:$port/:$own}"
        kill "$pid"
        cat <&3 >notes
    fi
    python3 - "$size" <<'END'
import datetime, json, os, sys
run = json.load(open("direct/run.json"))
read = {of["when"]: of for of in run["checks_read"]}
cells = [[of["documents"], of["bytes"], round(of["seconds"], 3)] for of in (read["before the run"], read["after the run"])]
outside = ""
if os.path.exists("notes"):
    run = json.load(open("proxied/run.json"))
    started = datetime.datetime.fromisoformat(run["started"][:26].rstrip("Z") + "+00:00").timestamp()
    begin = started + run["steps"][0]["start_seconds"]
    end = begin + run["steps"][0]["seconds"]
    notes = [line.split() for line in open("notes")]
    outside = sum(int(length) for at, length in notes if not begin <= float(at) <= end)
print(sys.argv[1], run["configuration"]["check"], *sum(cells, []), outside, sep=",", flush=True)
END
done
