#!/usr/bin/env bash
# Whether the work of `hoap gen` for a byte depends on the number of warehouses, collection by collection:
# instructions for as many documents out of one warehouse as out of a hundred. Instructions do not depend
# on what else the machine does, as seconds do.
#
#   bench/generate/size.sh HOAP        # the program; needs valgrind
#
# A data set as a whole is another mixture at another size: items do not grow with it, and they are made
# faster than anything else. One collection is the same kind of document at every size.
set -euo pipefail
hoap=$1
for collection in customer orders stock history; do
    for data in "1 1/10" "100 1/1000"; do
        read -r warehouses part <<<"$data"
        command=("$hoap" gen ch2pp -w "$warehouses" --collections "$collection" --part "$part"
            --stdout --threads 1)
        bytes=$("${command[@]}" | wc -c)
        instructions=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "${command[@]}" \
            2>&1 >/dev/null | sed -n 's/.*Collected : //p')
        printf '%s\tW=%s\t%s bytes\t%s instructions\n' \
            "$collection" "$warehouses" "$bytes" "$instructions"
    done
done
