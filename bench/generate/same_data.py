"""Reads NDJSON, Parquet and CSV of one seed with DuckDB, a reader that has nothing in common with the
writer, and compares every value, nested ones included.

    python3 -m pip install duckdb
    python3 bench/generate/same_data.py target/release/hoap

`hoap` has to be built with `--features parquet`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

# Arrays that the flat form keeps in tables of their own: collection, array, table, key of the
# document, key of the table, order of the elements, columns of an element.
CHILDREN = [
    ("orders", "o_orderline", "orderline", "o_w_id, o_d_id, o_id", "ol_w_id, ol_d_id, ol_o_id",
     "ol_number", None),
    ("customer", "c_addresses", "customer_address", "c_w_id, c_d_id, c_id", "c_w_id, c_d_id, c_id",
     "c_address_position", None),
    ("customer", "c_phones", "customer_phone", "c_w_id, c_d_id, c_id", "c_w_id, c_d_id, c_id",
     "c_phone_position", None),
    ("customer", "c_item_categories", "customer_item_category", "c_w_id, c_d_id, c_id",
     "c_w_id, c_d_id, c_id", "c_category_position", "c_item_category"),
    ("item", "i_categories", "item_category", "i_id", "i_id", "i_category_position", "i_category"),
]

# The same of shop_customer, whose arrays hold arrays: table, rows as SQL takes them out of the nested {0}.
SHOP = {
    "shop_customer_device":
        "SELECT _id AS customer_id, unnest(range(1, len(devices) + 1)) AS position, "
        "unnest(devices) AS device FROM ({0})",
    "shop_customer_linked_device":
        "SELECT _id AS customer_id, m AS list_position, unnest(range(1, len(l) + 1)) AS position, "
        "unnest(l) AS device FROM (SELECT _id, unnest(range(1, len(linked_devices) + 1)) AS m, "
        "unnest(linked_devices) AS l FROM ({0}))",
    "shop_customer_child":
        "SELECT _id AS customer_id, unnest(range(1, len(children) + 1)) AS position, "
        "unnest(children, recursive := true) FROM ({0})",
    "shop_customer_visited_place":
        "SELECT _id AS customer_id, m AS position, p.country AS country FROM (SELECT _id, "
        "unnest(range(1, len(visited_places) + 1)) AS m, unnest(visited_places) AS p FROM ({0}))",
    "shop_customer_visited_city":
        "SELECT _id AS customer_id, m AS place_position, unnest(range(1, len(p.cities) + 1)) AS position, "
        "unnest(p.cities) AS city FROM (SELECT _id, unnest(range(1, len(visited_places) + 1)) AS m, "
        "unnest(visited_places) AS p FROM ({0}))",
    "shop_customer_order":
        "SELECT _id AS customer_id, unnest(range(1, len(order_list) + 1)) AS position, "
        "unnest(order_list) AS order_id FROM ({0})",
}

HYBRID = ["-w", "2", "--seed", "7", "--scale-down", "10"]
DATA = {
    "ch2": HYBRID,
    "ch2pp": HYBRID,
    "ycsb": ["-p", "recordcount=20000", "-p", "fieldlengthdistribution=zipfian", "--seed", "7"],
    "shop": ["--customers", "5000", "--orders-per-customer", "3", "--seed", "7"],
}


def generate(hoap, benchmark, folder, *flags):
    command = [hoap, "gen", benchmark, *DATA[benchmark], "-o", folder, *flags]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def differing(db, left, right):
    """Rows that are in one relation more often than in the other."""
    return count(db, f"({left}) EXCEPT ALL ({right})") + count(db, f"({right}) EXCEPT ALL ({left})")


def count(db, query):
    return db.execute(f"SELECT count(*) FROM ({query})").fetchall()[0][0]


def flat_columns(relation, qualified):
    """Expressions over the nested relation for the columns of the flat table."""
    expressions = []

    def spread(expression, name, kind):
        if kind.id == "struct":
            for inner, inner_kind in kind.children:
                column = f"{name}_{inner}" if qualified else inner
                spread(f'{expression}."{inner}"', column, inner_kind)
        elif name == "s_dists":
            expressions.extend(f"s_dists[{n}] AS s_dist_{n:02}" for n in range(1, 11))
        elif kind.id != "list":
            expressions.append(f'{expression} AS "{name}"')

    for name, kind in zip(relation.columns, relation.types):
        spread(f'"{name}"', name, kind)
    return ", ".join(expressions)


def main(hoap):
    db = duckdb.connect()
    failures = 0
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        for schema in DATA:
            folder = {form: place / schema / form for form in ["ndjson", "parquet", "csv"]}
            generate(hoap, schema, folder["ndjson"])
            generate(hoap, schema, folder["parquet"], "--format", "parquet", "--compress", "zstd")
            generate(hoap, schema, folder["csv"], "--format", "csv", "--schema", "flat")
            for path in sorted(folder["ndjson"].glob("*.ndjson")):
                name = path.stem
                parquet = db.read_parquet(str(folder["parquet"] / f"{name}.parquet"))
                # Parquet's types are the stated ones: JSON and CSV are read as the same.
                types = {c: str(t) for c, t in zip(parquet.columns, parquet.types)}
                columns = "{" + ", ".join(f"'{c}': '{t}'" for c, t in types.items()) + "}"
                json = (f"SELECT * FROM read_json('{path}', format='newline_delimited', "
                        f"columns={columns})")
                nested = f"SELECT * FROM '{folder['parquet'] / name}.parquet'"
                rows = count(db, nested)
                wrong = {"parquet": differing(db, json, nested)}

                flat = f"SELECT {flat_columns(parquet, schema == 'shop')} FROM ({nested})"
                flat_types = {c: str(t) for c, t in zip(db.sql(flat).columns, db.sql(flat).types)}
                wrong["csv"] = differing(db, flat, read_csv(folder["csv"] / f"{name}.csv", flat_types))
                for child in CHILDREN:
                    if child[0] == name and child[1] in types:
                        wrong[f"csv {child[2]}"] = compare_child(db, folder["csv"], nested, child)
                for table, query in SHOP.items() if name == "shop_customer" else ():
                    taken_apart = query.format(nested)
                    relation = db.sql(taken_apart)
                    types = {c: str(t) for c, t in zip(relation.columns, relation.types)}
                    table_rows = read_csv(folder["csv"] / f"{table}.csv", types)
                    wrong[f"csv {table}"] = differing(db, taken_apart, table_rows)
                failures += sum(wrong.values())
                told = ", ".join(f"{form} {count} differ" for form, count in wrong.items())
                print(f"{schema} {name}: {rows} documents; {told}")
    print("all equal" if failures == 0 else f"{failures} rows differ")
    return int(failures > 0)


def read_csv(path, types):
    columns = "{" + ", ".join(f"'{c}': '{t}'" for c, t in types.items()) + "}"
    return f"SELECT * FROM read_csv('{path}', header=true, auto_detect=false, columns={columns})"


def compare_child(db, folder, nested, child):
    """Takes the array apart and compares the rows with the table's."""
    _, array, table, key, table_key, order, element = child
    keys = [f"{of} AS {to}" for of, to in zip(key.split(", "), table_key.split(", "))]
    taken_apart = (f"SELECT {', '.join(keys)}, unnest(range(1, len({array}) + 1)) AS n_, "
                   f"unnest({array}) AS e_ FROM ({nested})")
    if element:
        columns = f"n_ AS {order}, e_ AS {element}"
    elif order == "ol_number":
        columns = "unnest(e_)"
    else:
        columns = f"n_ AS {order}, unnest(e_)"
    rows = f"SELECT {table_key}, {columns} FROM ({taken_apart})"
    relation = db.sql(rows)
    types = {c: str(t) for c, t in zip(relation.columns, relation.types)}
    return differing(db, rows, read_csv(folder / f"{table}.csv", types))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
