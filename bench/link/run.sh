#!/usr/bin/env bash
# What it costs transactions on SQLite that DuckDB follows: run.sh HOAP FOLDER ROUNDS [SECONDS].
# A round is one run each, on a copy of the same data, without queries and with one query client: SQLite alone;
# changes are logged and nobody reads the log; DuckDB follows every 1000, 100 and 10 ms, and has the queries.
# Prints CSV. Needs python3.
set -euo pipefail
hoap=$(realpath "$1") rounds=$3 seconds=${4:-15}
mkdir -p "$2" && cd "$2"
[ -e seed.db ] || "$hoap" load ch2pp --warehouses 1 --extra-fields 0 --target sqlite:seed.db --quiet
one() { # one ROUND MODE QUERIES
    rm -rf t.db* c.duckdb* run
    cp seed.db t.db
    local second=() follow="duckdb:c.duckdb?link=sqlite:t.db"
    case $2 in
    alone) ;;
    logged) "$hoap" query ch2pp --analytical "$follow" --queries 6 >/dev/null 2>&1 ;;
    *) second=(--analytical "$follow&link_every_ms=$2") ;;
    esac
    "$hoap" run ch2pp --operational sqlite:t.db "${second[@]}" --freshness on --tx-clients 4 \
        --query-clients "$3" --warmup 3s --duration "${seconds}s" --check off --out run >run.log 2>&1
    python3 - "$1" "$2" "$3" <<'END'
import json, sys
step = json.load(open("run/run.json"))["steps"][-1]
count = sum(kind["count"] for kind in step["transactions"])
driver, unseen = step["driver"], step["freshness"]["unseen"]
cpu = driver["cpu_seconds"]
print(*sys.argv[1:], round(step["tpm"]), round(cpu / count * 1e3, 3), unseen["p50_us"] / 1e3, unseen["p95_us"] / 1e3,
      round((step.get("power_seconds") or 0) * 1e3, 1), sep=",", flush=True)
END
}
echo "round,mode,query clients,tpM,CPU ms a transaction,unseen p50 ms,unseen p95 ms,power ms"
for round in $(seq "$rounds"); do
    for queries in 0 1; do
        for mode in alone logged 1000 100 10; do
            # Without a link the queries read SQLite.
            case $mode-$queries in logged-1) continue ;; esac
            one "$round" "$mode" "$queries"
        done
    done
done
