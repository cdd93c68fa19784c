#!/usr/bin/env bash
# What the checks around a run of YCSB read as its table grows, and what passes the socket for them.
#
#   bench/check/records.sh HOAP FOLDER URL RECORDS…
#
# A row of CSV each: records, then documents, bytes and seconds of the checks before and after a run of YCSB C of 10,000
# operations. Records of one field of 10 bytes. If URL has a host and a port on this machine, such as redis://127.0.0.1:6379,
# the run goes through a proxy that counts bytes, once with and once without checks: the last column is the difference.
# The table is replaced: name a database that nobody needs. Needs python3.
set -euo pipefail
hoap=$(realpath "$1") url=$3
mkdir -p "$2" && cd "$2"
shift 3
# Counts what passes between a port of its own and PORT until it is killed, and prints the port, then the bytes.
proxy=$(cat <<'END'
import asyncio, signal, sys
moved = 0
async def pipe(source, to):
    global moved
    try:
        while data := await source.read(1 << 16):
            moved += len(data)
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
    print(moved, flush=True)
asyncio.run(main())
END
)
settings=(-p fieldcount=1 -p fieldlength=10)
run() { # run LEVEL URL
    rm -rf "run-$1"
    "$hoap" run ycsb-c --target "$2" "${settings[@]}" -p recordcount="$records" --clients 4 --operations 10000 --warmup 0s \
        --run-seed 1 --check "$1" --out "run-$1" >out.txt 2>&1 || { cat out.txt >&2; exit 1; }
}
through() { # through LEVEL PORT: prints the bytes
    exec 3< <(exec python3 -c "$proxy" "$2")
    local pid=$! port bytes
    read -r port <&3
    run "$1" "${url/:$2/:$port}"
    kill "$pid"
    read -r bytes <&3
    echo "$bytes"
}
port=$(sed -nE 's#.*://([^@/]*@)?(127\.0\.0\.1|localhost):([0-9]+).*#\3#p' <<<"$url")
echo "records,before documents,bytes,seconds,after documents,bytes,seconds,bytes at the socket"
for records in "$@"; do
    "$hoap" load ycsb --target "$url" "${settings[@]}" -p recordcount="$records" --replace >out.txt 2>&1 ||
        { cat out.txt >&2; exit 1; }
    # The level that is the default at this size.
    level=$([ "$records" -gt 1000000 ] && echo touched || echo full)
    moved=
    if [ -n "$port" ]; then
        with=$(through "$level" "$port")
        moved=$((with - $(through off "$port")))
    else
        run "$level" "$url"
    fi
    python3 - "$records" "run-$level/run.json" "$moved" <<'END'
import json, sys
read = {of["when"]: of for of in json.load(open(sys.argv[2]))["checks_read"]}
cells = [[of["documents"], of["bytes"], round(of["seconds"], 3)] for of in (read["before the run"], read["after the run"])]
print(sys.argv[1], *sum(cells, []), sys.argv[3], sep=",", flush=True)
END
done
