#!/usr/bin/env python3
"""Writes ../chains.toml, the chains that the program knows, from chainscout's list.

    python3 assets/chains/make.py <chains.json>

The same list always gives the same file. What had to be left out or changed is
said on stderr.
"""

import json
import pathlib
import sys
from urllib.parse import urlsplit

HEAD = """\
# The chains that can be named, one a line. Written by assets/chains/make.py from {source},
# commit {commit}, {commit_date}: change that, not this.
"""
# Pages of an explorer that stand where its base address should.
PAGES = ("/home", "/en")
# Of several chains at one explorer, those that are there: ids as in ethereum-lists/chains, and
# chains of which the address itself speaks.
THERE = {"1717", "7171", "9996", "15551", "808813", "gunz", "21000000_"}
# Main networks that the list calls testnets.
MAINNETS = {999, 3068, 3946, 54176}
# Chains whose ids the list has wrong, by name: the wrong one, the right one, and the coin.
CORRECTED = {"Kardiachain": (23, 24, "KAI"), "Cronos": (24, 25, "CRO")}
MAX_ID = 2**63 - 1  # the largest integer of TOML


def report(chain, words):
    print(f"{chain['key']} {chain['name'].strip()!r}: {words}", file=sys.stderr)


def base(chain):
    """The explorer's base address; of several the one that Blockscout hosts, else the first."""
    given = sorted(chain["explorers"], key=lambda e: not e["hosted_by_blockscout"])
    for other in given[1:]:
        report(chain, f"another explorer is left out: {other['url']}")
    url = given[0]["url"].strip()
    if "://" not in url:
        report(chain, f"https is assumed: {url}")
        url = f"https://{url}"
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname:
        report(chain, f"left out, there is no https: {url}")
        return None
    path = parts.path.rstrip("/")
    for page in PAGES:
        if path.endswith(page):
            report(chain, f"is a page, the base is taken: {url}")
            path = path.removesuffix(page)
    return f"https://{parts.netloc.lower()}{path or '/'}"


def rank(chain):
    """The order of chains that are at one address, where only one can be: the likeliest first."""
    hosted, is_there = chain["hosted_by_blockscout"], chain["key"] in THERE
    return not hosted, not is_there, chain["chain_id"] is None, chain["is_testnet"]


def chains(listed):
    """Chains with their addresses, in the list's order, one at each address."""
    at = {}
    for chain in listed:
        if chain["chain_id"] is not None and not 0 < chain["chain_id"] <= MAX_ID:
            report(chain, "left out, that is no id")
        elif chain["explorers"] and (url := base(chain)):
            at.setdefault(url, []).append(chain)
    kept = {}
    for url, rivals in at.items():
        first, *others = sorted(rivals, key=rank)
        kept[first["key"]] = url
        for other in others:
            report(other, f"left out, {first['key']} {first['name']!r} is at {url}")
    return [(chain, kept[chain["key"]]) for chain in listed if chain["key"] in kept]


def line(chain, url):
    chain_id, coin = chain["chain_id"], chain["native_currency"]
    wrong, right, right_coin = CORRECTED.get(chain["name"].strip(), (None, None, None))
    if wrong is not None and chain_id == wrong:
        chain_id, coin = right, right_coin
        report(chain, f"its id is {right}, not {wrong}")
    fields = {
        "id": chain_id,
        "name": chain["name"].strip(),
        "url": url,
        "symbol": coin,
        "testnet": (chain["is_testnet"] and chain["chain_id"] not in MAINNETS) or None,
        "hosted": chain["hosted_by_blockscout"] or None,
    }
    # A JSON string without escapes beyond \\uXXXX, \\", \\\\ is one of TOML as well.
    said = [f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in fields.items() if v is not None]
    return f"  {{ {', '.join(said)} }},\n"


def main():
    data = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    rows = [line(chain, url) for chain, url in chains(data["chains"])]
    target = pathlib.Path(__file__).parent.with_name("chains.toml")
    text = HEAD.format(**data) + "chains = [\n" + "".join(rows) + "]\n"
    target.write_text(text, encoding="utf-8")
    print(f"{target}: {len(rows)} of {len(data['chains'])} chains, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
