"""Draws the pictures of the demo chain's NFTs as stained glass, from their traits.

The contracts of `PANE` and `GNS` draw a square in the colour of the trait `Hue`. Here the hue is that
of a window, `Level` chooses its pattern and where the light falls in, and a rare NFT is a rose window.
The clones of `Clone Pics` have no metadata: most get a window each, of one pattern per clone.
"""

import base64
import math

PREFIX = "data:image/svg+xml;base64,"
PLAIN_PREFIX = "data:image/svg+xml,"
LEAD = "#14121b"
SIZE = 64


def polygon(points):
    return "M" + "L".join(f"{round(x)} {round(y)}" for x, y in points) + "z"


def on_circle(radius, turn):
    angle = math.tau * turn
    return 32 + radius * math.sin(angle), 32 - radius * math.cos(angle)


def rose(petals):
    """Returns rings of panes around a round one, each with its distance from the middle."""
    for ring, (inner, outer) in enumerate([(9, 20), (20, 30)]):
        count = petals * (ring + 1)
        for n in range(count):
            start, middle, end = n / count, (n + 0.5) / count, (n + 1) / count
            tip = on_circle(outer + 2, middle)
            corners = [on_circle(inner, start), on_circle(outer, start), tip]
            yield polygon(corners + [on_circle(outer, end), on_circle(inner, end)]), n + ring
    yield polygon(on_circle(8, n / petals) for n in range(petals)), 5


def diamonds():
    for row in range(6):
        for column in range(4):
            x, y = 22 * column + 11 * (row % 2) - 1, 13 * row
            yield f"M{x} {y - 13}l11 13-11 13-11-13z", row + 2 * column


def rays(sides):
    """Returns panes around a sun on the horizon, cut by two arcs."""
    edges = [0, 14, 28, 50]
    for ring, (inner, outer) in enumerate(zip(edges, edges[1:])):
        count = sides + 2 * ring
        for n in range(count):
            turns = [-0.25 + 0.5 * (n + side) / count for side in (0, 0.5, 1)]
            near = [on_circle(inner, turn) for turn in reversed(turns)] if inner else [(32, 32)]
            points = [on_circle(outer, turn) for turn in turns] + near
            yield polygon((x, y + 24) for x, y in points), n + 2 * ring
    for n in range(4):
        yield polygon([(16 * n, 56), (16 * n + 16, 56), (16 * n + 16, 64), (16 * n, 64)]), n + 1


def tulip():
    """Returns the panes of a flower between two bands."""
    petals = [[(32, 8), (22, 26), (32, 42), (42, 26)]]
    petals += [[(22, 26), (12, 10), (14, 34), (32, 42)], [(42, 26), (52, 10), (50, 34), (32, 42)]]
    leaves = [[(32, 42), (32, 58), (12, 46)], [(32, 42), (52, 46), (32, 58)]]
    sky = [[(0, 0), (32, 0), (32, 8), (22, 26), (12, 10), (0, 20)]]
    sky += [[(64, 0), (32, 0), (32, 8), (42, 26), (52, 10), (64, 20)]]
    sides = [[(0, 20), (12, 10), (14, 34), (32, 42), (12, 46), (0, 64)]]
    sides += [[(64, 20), (52, 10), (50, 34), (32, 42), (52, 46), (64, 64)]]
    ground = [[(0, 64), (12, 46), (32, 58), (52, 46), (64, 64)]]
    for panes, tone in ((petals, 0), (leaves, 7), (sky, 3), (sides, 4), (ground, 9)):
        for n, points in enumerate(panes):
            yield polygon(points), tone + (n > 0) * (len(panes) % 2)


def chevrons():
    for row in range(7):
        for column in range(4):
            x, y = 16 * column, 12 * row - 8 * (column % 2)
            yield f"M{x} {y - 6}l8-8 8 8v12l-8-8-8 8z", row + 2 * column


def arches():
    """Returns the panes of three pointed windows below a round one."""
    for n, (x, top) in enumerate([(4, 28), (24, 18), (44, 28)]):
        for row in range(4):
            y = top + row * (60 - top) / 4
            tip = top - 12 if row == 0 else y
            sides = [(x, y), (x + 8, tip), (x + 16, y)]
            bottom = top + (row + 1) * (60 - top) / 4
            yield polygon(sides + [(x + 16, bottom), (x, bottom)]), n + 2 * row
    for turn in (0.125, 0.875):
        middle = on_circle(27, turn)
        yield polygon((middle[0] + 7 * math.cos(a), middle[1] + 7 * math.sin(a)) for a in range(6)), 5


def panes(rarity, level):
    if rarity == "rare":
        return rose(6 + level % 4)
    return (diamonds(), rays(3 + level % 4), tulip())[level % 3]


def clone_panes(clone):
    kind, count = clone % 6, clone // 6 % 4
    return (rays(3 + count), arches(), rose(6 + count), chevrons(), tulip(), diamonds())[kind]


def window(hue, level, panes):
    colours = {}
    for path, tone in panes:
        turn = (0, 22, -24, 40, -12, 165)[tone % 6]
        light = (46, 62, 36, 74, 54)[(tone + level) % 5]
        colours.setdefault(f"hsl({(hue + turn) % 360},68%,{light}%)", []).append(path)
    paths = "".join(f"<path fill='{fill}' d='{''.join(d)}'/>" for fill, d in sorted(colours.items()))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {SIZE} {SIZE}'>"
        f"<rect width='{SIZE}' height='{SIZE}' fill='hsl({hue},45%,24%)'/>"
        f"<g stroke='{LEAD}' stroke-width='2'>{paths}</g></svg>"
    )


def with_window(row):
    """Replaces the flat picture of an NFT, in its metadata and in the fields that name it."""
    metadata = row.get("metadata")
    if not isinstance(metadata, dict) or not str(metadata.get("image")).startswith(PREFIX):
        return row
    traits = {trait["trait_type"]: trait["value"] for trait in metadata["attributes"]}
    level = traits["Level"]
    svg = window(int(traits["Hue"]), level, panes(traits["Rarity"], level))
    image = PREFIX + base64.b64encode(svg.encode()).decode()
    replaced = {key: image for key in ("image_url", "media_url") if row.get(key) == metadata["image"]}
    return row | replaced | {"metadata": metadata | {"image": image}}


def with_clone_window(row, clone):
    """Invents metadata for an NFT of a clone: its contract has none. Every fifth clone stays without."""
    if clone % 5 == 4:
        return row
    hue = (67 * clone + 16 * int(row["id"])) % 360
    image = PLAIN_PREFIX + window(hue, clone, clone_panes(clone))
    traits = [{"trait_type": "Hue", "value": str(hue)}, {"trait_type": "Clone", "value": clone}]
    name = f"Clone Pics {clone:02} #{row['id']}"
    return row | {"metadata": {"attributes": traits, "name": name}, "image_url": image}
