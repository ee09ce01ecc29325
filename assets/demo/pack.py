#!/usr/bin/env python3
"""Packs the devnet data set into chain.zip, the demo chain bundled in the program.

    python3 assets/demo/pack.py <dataset directory>

The same data set always gives the same archive: members are sorted and carry no
clock. Raw traces, two thirds of the data, become one member per block, so that
one trace can be read without unpacking the others.
"""

import gzip
import json
import pathlib
import sys
import zipfile

TABLES = [
    "addresses",
    "balances",
    "blocks",
    "instances",
    "internal_transactions",
    "token_transfers",
    "tokens",
    "transactions",
]
META = ["chain_id", "head", "coin_exchange_rate", "coin_historic_exchange_rate"]
EPOCH = (1980, 1, 1, 0, 0, 0)


def lines(dataset, table):
    with gzip.open(dataset / f"{table}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as rows:
        return list(rows)


def trimmed(meta):
    kept = {key: meta[key] for key in META}
    kept["accounts"] = meta["accounts"] | meta["exact"] | {"never_used": meta["never_used"]}
    kept["contracts"] = {name: entry["address"] for name, entry in meta["contracts"].items()}
    kept["notable"] = meta["notable"]
    return json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def traces_by_block(dataset, transactions):
    block_of = {row["hash"]: row["block_number"] for row in map(json.loads, transactions)}
    members = {}
    for line in lines(dataset, "raw_traces"):
        block = block_of[json.loads(line)["hash"]]
        members.setdefault(f"raw_traces/{block}.jsonl", []).append(line)
    return {name: "".join(rows) for name, rows in members.items()}


def members(dataset):
    tables = {table: lines(dataset, table) for table in TABLES}
    packed = {f"{table}.jsonl": "".join(rows) for table, rows in tables.items()}
    meta = json.loads((dataset / "meta.json").read_text(encoding="utf-8"))
    packed["meta.json"] = trimmed(meta)
    return packed | traces_by_block(dataset, tables["transactions"])


def main():
    dataset = pathlib.Path(sys.argv[1])
    target = pathlib.Path(__file__).with_name("chain.zip")
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in sorted(members(dataset).items()):
            member = zipfile.ZipInfo(name, EPOCH)
            member.external_attr = 0o644 << 16
            archive.writestr(member, text.encode(), zipfile.ZIP_DEFLATED, compresslevel=9)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
