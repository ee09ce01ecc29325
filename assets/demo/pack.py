#!/usr/bin/env python3
"""Packs the devnet data set into chain.zip, the demo chain bundled in the program.

    python3 assets/demo/pack.py <dataset directory> <node directory> <storage file>

The same data set always gives the same archive: members are sorted and carry no
clock. Raw traces, half of the data, become a member per few blocks, so that one
trace can be read without unpacking all others; rows of blocks become two, so
that the newest are shown without unpacking the rest. Zopfli, from `pip install
zopflipy`, deflates them a tenth smaller than zlib.
"""

import datetime
import gzip
import json
import pathlib
import re
import sys
from zipfile import ZIP_DEFLATED

from stained_glass import with_clone_window, with_window
from zopfli import ZipFile, ZipInfo

TABLES = [
    "addresses",
    "balances",
    "instances",
    "internal_transactions",
    "token_transfers",
    "tokens",
    "transactions",
]
# What the program does not read. It would be decompressed and parsed before the first row is shown.
UNREAD = {
    "addresses": ["gas_used"],
    "internal_transactions": ["tx", "timestamp"],
    "token_transfers": ["block_hash", "timestamp"],
    "transactions": [
        "status", "timestamp", "priority_fee", "transaction_burnt_fee", "fee", "revert_decoded",
        "decoded_input", "method", "transaction_types", "tt",
    ],
}
# The tables that the rows of blocks are in, with the number of their block.
BLOCK_FIELDS = {
    "blocks": "number",
    "internal_transactions": "block_number",
    "logs": "block_number",
    "token_transfers": "block",
    "transactions": "block_number",
}
# The newest blocks, a ninth of the transactions, have more of each than fit a page.
FIRST_BLOCKS = [0, 280]
# A trace is read with its member: about a millisecond.
MAX_TRACE_MEMBER_BYTES = 128 << 10
DECODINGS = pathlib.Path("tests/data/decodings.jsonl.gz")
META = ["chain_id", "head", "coin_exchange_rate", "coin_historic_exchange_rate"]
EPOCH = (1980, 1, 1, 0, 0, 0)
PANIC = "0x4e487b71"
CLONE_NAME = re.compile(r"Clone Pics (\d+)")
# Blockscout has the address of a failed creation; the data set does not.
FAILED_CREATIONS = {
    "0x37ca3b6399aebb6b6cf5ee3eb9d988cf80d95df42ed4a3a03c7cfc169effcba6": "0x973adb9de34c974c3a421a870203c5be9059e9fa",
    "0x942e7a780000bd261804f650b685ef3801fb99b473f6042ecc9171acc77d748b": "0x00bbf6c4102a769076ec39ab0535c5635f2fdd6f",
}


def lines(dataset, table):
    with gzip.open(dataset / f"{table}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as rows:
        return list(rows)


def trimmed(meta):
    kept = {key: meta[key] for key in META}
    kept["accounts"] = meta["accounts"] | meta["exact"] | {"never_used": meta["never_used"]}
    kept["contracts"] = {name: entry["address"] for name, entry in meta["contracts"].items()}
    kept["notable"] = meta["notable"]
    return json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def to_line(row):
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def transaction(line, inner_failures):
    """Renders a transaction as a real backend does, in what the data set differs."""
    row = json.loads(line)
    # The data set counts the transaction's own failure.
    row["has_error_in_internal_transactions"] = row["hash"] in inner_failures
    row["created_contract"] = row["created_contract"] or FAILED_CREATIONS.get(row["hash"])
    for authorization in row["authorization_list"]:
        authorization["chain_id"] = str(authorization["chain_id"])
    reason = row["revert_reason"] or ""
    if reason.startswith(PANIC):
        code = {"name": "errorCode", "type": "uint256", "value": str(int(reason[10:], 16))}
        call = {"method_id": PANIC[2:], "method_call": "Panic(uint256 errorCode)", "parameters": [code]}
        row["revert_decoded"] = call
    return to_line(row)


def internal_transactions(dataset, rows):
    """Adds what the traces have and the data set lacks: the failures of callers, and CREATE2."""
    traces = {row["hash"]: row["trace"] for row in map(json.loads, lines(dataset, "raw_traces"))}
    for row in map(json.loads, rows):
        trace = traces[row["tx"]]
        frame = trace[row["index"]]
        if frame["action"].get("creationMethod") == "create2":
            row["type"] = "create2"
        failed = {tuple(it["traceAddress"]) for it in trace if it.get("error")}
        path = tuple(frame["traceAddress"])
        if not row["error"] and any(path[:depth] in failed for depth in range(len(path))):
            row["error"] = "Parent reverted"
        yield to_line(row)


def instances(rows, tokens):
    """Adds the pictures."""
    named = ((row, CLONE_NAME.fullmatch(row["name"] or "")) for row in map(json.loads, tokens))
    clones = {row["address_hash"].lower(): int(name[1]) for row, name in named if name}
    for row in map(json.loads, rows):
        clone = clones.get(row["token"])
        yield to_line(with_window(row) if clone is None else with_clone_window(row, clone))


def addresses(rows, tokens):
    """Names tokens as a real backend does: those without a source of their own by the token, and
    others by a tag, as a directory of names would have it."""
    names = {row["address_hash"].lower(): row["name"] for row in map(json.loads, tokens)}
    for row in map(json.loads, rows):
        name = names.get(row["hash"])
        if row["proxy_type"] == "eip1167":
            row["name"] = name
        elif name and name != row["name"]:
            slug = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
            row["tags"] = [{"slug": slug, "name": name, "tagType": "name", "ordinal": 0, "meta": {}}]
        yield to_line(row)


def token_transfers(rows, transactions):
    """Replaces hashes, which deflate badly, by positions in the block."""
    positions = {row["hash"]: row["position"] for row in map(json.loads, transactions)}
    for row in map(json.loads, rows):
        row["position"] = positions[row.pop("tx")]
        yield to_line(row)


def node_answers(node, name):
    """Reads the answers of the chain's node, one a block."""
    with gzip.open(node / f"{name}.jsonl.gz", "rt", encoding="utf-8") as answers:
        return [json.loads(answer)["result"] for answer in answers]


def block(header):
    number = lambda field: int(header[field], 16)
    seconds = datetime.datetime.fromtimestamp(number("timestamp"), datetime.timezone.utc)
    return to_line({
        "number": number("number"),
        "hash": header["hash"],
        "timestamp": seconds.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "parent_hash": header["parentHash"],
        "miner": header["miner"],
        "size": number("size"),
        "gas_limit": number("gasLimit"),
        "gas_used": number("gasUsed"),
        "base_fee_per_gas": str(number("baseFeePerGas")),
    })


def log(row):
    number = lambda field: int(row[field], 16)
    return to_line({
        "block_number": number("blockNumber"),
        "transaction_index": number("transactionIndex"),
        "index": number("logIndex"),
        "address": row["address"],
        "topics": row["topics"],
        "data": row["data"],
    })


def logs(node):
    blocks = node_answers(node, "receipts")
    return [log(row) for receipts in blocks for receipt in receipts for row in receipt["logs"]]


def source(path):
    """Reads a file of the demo contracts, with the settings that compile.js has."""
    text = path.read_text(encoding="utf-8")
    return {
        "language": "solidity",
        # The code names no version.
        "compiler_version": None,
        "evm_version": "prague",
        "optimization_enabled": True,
        "optimization_runs": 200,
        "license_type": re.search(r"SPDX-License-Identifier: (\S+)", text)[1].lower(),
        "file_path": path.name,
        "source_code": text,
        "additional_sources": [],
    }


def contracts(sources):
    """Names the file of each verified contract."""
    for line in pathlib.Path(__file__).with_name("contracts.jsonl").read_text().splitlines():
        row = json.loads(line)
        defined = re.compile(rf"^contract {row['name']}\b", re.MULTILINE)
        row["file"] = next(it["file_path"] for it in sources if defined.search(it["source_code"]))
        yield to_line(row)


def read_fields(table, line):
    if table not in UNREAD:
        return line
    return to_line({key: value for key, value in json.loads(line).items() if key not in UNREAD[table]})


def table_members(table, rows):
    """Returns the member of a table, or its members by first block, in whose names the blocks are."""
    if table not in BLOCK_FIELDS:
        return {f"{table}.jsonl": "".join(rows)}
    members = {first: "" for first in FIRST_BLOCKS}
    for row in rows:
        block = json.loads(row)[BLOCK_FIELDS[table]]
        members[max(first for first in FIRST_BLOCKS if first <= block)] += row
    return {f"{table}/{first:04}.jsonl": text for first, text in members.items()}


def write_decodings(transactions):
    """Writes how the data set decodes the calls and errors, for the tests."""
    keys = ["hash", "decoded_input", "revert_decoded"]
    rows = ({key: row[key] for key in keys} for row in map(json.loads, transactions))
    text = "".join(to_line(row) for row in rows if row["decoded_input"] or row["revert_decoded"])
    DECODINGS.write_bytes(gzip.compress(text.encode(), mtime=0))


def trace_members(dataset, transactions):
    """Groups the traces of successive blocks. A member has the name of its first block."""
    places = {row["hash"]: (row["block_number"], row["position"]) for row in map(json.loads, transactions)}
    blocks = {}
    for row in map(json.loads, lines(dataset, "raw_traces")):
        block, position = places[row["hash"]]
        blocks.setdefault(block, []).append(to_line({"block": block, "position": position, "trace": row["trace"]}))
    members, name = {}, None
    for block, rows in sorted(blocks.items()):
        text = "".join(rows)
        if name is None or len(members[name]) + len(text) > MAX_TRACE_MEMBER_BYTES:
            name = f"raw_traces/{block:04}.jsonl"
            members[name] = ""
        members[name] += text
    return members


def members(dataset, node, storage):
    tables = {table: lines(dataset, table) for table in TABLES}
    calls = list(internal_transactions(dataset, tables["internal_transactions"]))
    inner_failures = {row["tx"] for row in map(json.loads, calls) if row["error"] and row["index"]}
    tables["internal_transactions"] = calls
    tables["transactions"] = [transaction(line, inner_failures) for line in tables["transactions"]]
    tables["token_transfers"] = token_transfers(tables["token_transfers"], tables["transactions"])
    tables["addresses"] = addresses(tables["addresses"], tables["tokens"])
    tables["instances"] = list(instances(tables["instances"], tables["tokens"]))
    tables["blocks"] = [block(header) for header in node_answers(node, "blocks")]
    tables["logs"] = logs(node)
    write_decodings(tables["transactions"])
    packed = {}
    for table, rows in tables.items():
        packed |= table_members(table, [read_fields(table, row) for row in rows])
    meta = json.loads((dataset / "meta.json").read_text(encoding="utf-8"))
    packed["meta.json"] = trimmed(meta)
    sources = [source(path) for path in sorted(dataset.parent.glob("contracts/*.sol"))]
    packed["sources.jsonl"] = "".join(map(to_line, sources))
    packed["contracts.jsonl"] = "".join(contracts(sources))
    packed["storage.jsonl"] = storage.read_text(encoding="utf-8")
    return packed | trace_members(dataset, tables["transactions"])


def main():
    sources = map(pathlib.Path, sys.argv[1:])
    target = pathlib.Path(__file__).with_name("chain.zip")
    with ZipFile(target, "w") as archive:
        for name, text in sorted(members(*sources).items()):
            member = ZipInfo(name, EPOCH)
            member.external_attr = 0o644 << 16
            member.compress_type = ZIP_DEFLATED
            archive.writestr(member, text.encode())
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
