#!/usr/bin/env bash
# bench/dynamodb/throttle.sh HOAP FOLDER: how many operations of YCSB A fail on provisioned units, as section 4.1.3 of the
# report with Capella has it, on the lab's dynamodb-throttle. Its units for 18 and for 3 nodes are divided by what makes
# 20 operations a second of its throughput on 18 nodes (109,350), and of the 35,100 at which 58 % fail on 3.
set -euo pipefail
hoap=$(realpath "$1") out=$2
cd "$(dirname "$0")/../.."
lab/up dynamodb-throttle
eval "$(lab/env)"
export AWS_ACCESS_KEY_ID=lab AWS_SECRET_ACCESS_KEY=lab
of() { # of NAME READ-UNITS WRITE-UNITS
    local url="$HOAP_TEST_DYNAMODB_THROTTLE&prefix=$1&capacity=provisioned&read_units=$2&write_units=$3&load_write_units=100"
    "$hoap" load ycsb --target "$url" -p recordcount=500 --quiet
    "$hoap" run ycsb-a --target "$url" --clients 16 --rate 20 --duration 11m --warmup 0s --tick 10s --max-failures off \
        --out "$out/$1"
}
of nodes-18 5 10 &
of nodes-3 3 5
wait
