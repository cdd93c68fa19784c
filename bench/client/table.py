#!/usr/bin/env python3
"""The table of bench/README.md: bench/client/table.py FILE… of bench/client/run.sh; of rows twice the later ones."""
import csv
import sys

pairs = {}
for file in sys.argv[1:]:
    rows = list(csv.DictReader(open(file), delimiter='\t'))
    for base, ours in zip(rows[::2], rows[1::2]):
        side = 'the bare driver' if base['side'] == 'bare' else base['side']
        pairs[base['database'], base['operation'], side, int(base['clients'])] = base, ours
print('| database | operation | clients | beside | its µs | Hoap\'s µs | ratio | quartiles |')
print('|---|---|--:|---|--:|--:|--:|---|')
for (database, operation, side, clients), (base, ours) in pairs.items():
    print(f"| {database} | {operation} | {clients} | {side} | {base['us']} | {ours['us']} | {ours['ratio']} "
          f"| {ours['low']}–{ours['high']} |")
