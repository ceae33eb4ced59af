#!/usr/bin/env python3
"""Statistics of a CSV file, as Markdown, JSON and an SVG chart. Python's standard library only."""
import argparse
import csv
import io
import json
import statistics
import sys
from collections import Counter, defaultdict
from html import escape
from pathlib import Path

TOP = 10          # groups and values that are shown
MOSTLY = 0.8      # share of numbers that makes a column one of numbers


def fail(message):
    sys.exit(f"report.py: {message}")


def read_rows(path):
    """The header and the rows of a file, and the character that separates its cells."""
    if not path.is_file():
        fail(f"{path}: no such file")
    data = path.read_bytes()
    if b"\0" in data:
        fail(f"{path} is no text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if not text.strip():
        fail(f"{path} is empty")
    first = text.lstrip().splitlines()[0]
    separator = max(",;\t|", key=first.count)
    csv.field_size_limit(10_000_000)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(map(str.strip, row))]
    header = [name.strip() or f"column {i}" for i, name in enumerate(rows[0], 1)]
    if len(rows) < 2:
        fail(f"{path} has no rows under its header")
    return header, rows[1:], separator


def number(text, separator):
    """A cell as a number; None for other text."""
    plain = text.strip().replace("\u00a0", "").replace(" ", "").rstrip("%")
    plain = plain.replace(".", "").replace(",", ".") if separator == ";" and "," in plain else plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if abs(value) < 1e300 else None


def describe(name, cells, separator):
    """What a column holds."""
    filled = [(row, cell.strip()) for row, cell in enumerate(cells, 2) if cell.strip()]
    column = {"name": name, "filled": len(filled), "empty": len(cells) - len(filled)}
    parsed = [(row, cell, number(cell, separator)) for row, cell in filled]
    values = sorted(value for _, _, value in parsed if value is not None)
    if not values or len(values) < MOSTLY * len(filled):
        counts = Counter(cell for _, cell in filled)
        return {**column, "type": "text", "different": len(counts), "top": counts.most_common(TOP)}
    odd = [{"row": row, "value": cell} for row, cell, value in parsed if value is None]
    quarters = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return {
        **column, "type": "number", "sum": sum(values), "mean": statistics.fmean(values), "median": quarters[1],
        "min": values[0], "max": values[-1], "quarter": quarters[0], "three_quarters": quarters[2],
        "deviation": statistics.stdev(values) if len(values) > 1 else 0.0, "no_numbers": odd,
    }


def totals(groups, values):
    """Count, sum and mean of each group, the largest first. Without values, rows are counted."""
    found = defaultdict(list)
    for group, value in zip(groups, values):
        if value is not None:
            found[group.strip() or "(empty)"].append(value)
    lines = [{"group": g, "rows": len(v), "sum": sum(v), "mean": statistics.fmean(v)} for g, v in found.items()]
    return sorted(lines, key=lambda line: (-line["sum"], line["group"]))


def spread(values):
    """How many values lie in each of ten equal steps."""
    low, high = min(values), max(values)
    if low == high:
        return [(show(low), len(values))]
    step = (high - low) / 10
    counts = Counter(min(int((value - low) / step), 9) for value in values)
    return [(f"{show(low + i * step)} to {show(low + (i + 1) * step)}", counts[i]) for i in range(10)]


def show(value):
    """A number as people read it."""
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:,.4g}" if abs(value) < 1 else f"{value:,.2f}"


def cell(text):
    """A text as a cell of a Markdown table."""
    short = " ".join(str(text).split())
    return (short[:60] + "…" if len(short) > 60 else short).replace("|", "\\|")


def table(header, lines):
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in [header, ["---"] * len(header), *lines])


def chart(title, bars):
    """Bars from left to right, as SVG; a value below zero has its bar in another colour."""
    most = max((abs(value) for _, value in bars), default=0) or 1
    parts = [f'<text x="10" y="24" font-size="16" font-weight="bold">{escape(title)}</text>']
    for i, (label, value) in enumerate(bars):
        y, width, colour = 44 + i * 28, 380 * abs(value) / most, "#c2554d" if value < 0 else "#3b6ea5"
        name = label if len(label) < 25 else label[:24] + "…"
        parts.append(f'<text x="200" y="{y + 15}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="210" y="{y}" width="{width:.1f}" height="20" fill="{colour}"/>')
        parts.append(f'<text x="{216 + width:.1f}" y="{y + 15}">{show(value)}</text>')
    height = 54 + 28 * len(bars)
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" viewBox="0 0 720 {height}" '
            f'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')


def main():
    arguments = argparse.ArgumentParser(prog="report.py", description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--out", type=Path, default=Path("report"))
    arguments.add_argument("--group", help="a column: its values are the groups")
    arguments.add_argument("--value", help="a column of numbers: they are added up")
    arguments.add_argument("--title")
    given = arguments.parse_args()
    header, rows, separator = read_rows(given.file)
    uneven = [i for i, row in enumerate(rows, 2) if len(row) != len(header)]
    rows = [(row + [""] * len(header))[: len(header)] for row in rows]
    cells = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    for name in filter(None, (given.group, given.value)):
        if name not in cells:
            fail(f"no column named {name}. There are: {', '.join(header)}")
    columns = [describe(name, [row[i] for row in rows], separator) for i, name in enumerate(header)]
    numeric = [column for column in columns if column["type"] == "number"]
    if given.value and given.value not in [column["name"] for column in numeric]:
        fail(f"the column {given.value} has no numbers")

    title = given.title or given.file.stem
    groups, bars, caption = [], [], ""
    if given.group:
        values = [number(text, separator) for text in cells[given.value]] if given.value else [1.0] * len(rows)
        groups = totals(cells[given.group], values)
        bars, caption = [(line["group"], line["sum"]) for line in groups[:TOP]], f"{given.value or 'Rows'} by {given.group}"
    elif numeric:
        name = given.value or numeric[0]["name"]
        bars, caption = spread([v for v in (number(t, separator) for t in cells[name]) if v is not None]), f"How {name} spreads"
    twice = len(rows) - len(set(map(tuple, rows)))

    lines = [f"# {title}", f"{len(rows)} rows, {len(header)} columns."]
    if numeric:
        keys = ["filled", "empty", "sum", "mean", "median", "min", "max", "deviation"]
        lines += ["## Numbers", table(["column", *keys], [[c["name"], *(show(c[key]) for key in keys)] for c in numeric])]
    texts = [column for column in columns if column["type"] == "text"]
    if texts:
        often = [[c["name"], c["filled"], c["empty"], c["different"], ", ".join(f"{v} ({n})" for v, n in c["top"][:3])] for c in texts]
        lines += ["## Texts", table(["column", "filled", "empty", "different", "most often"], often)]
    if groups:
        shown = [[g["group"], g["rows"], show(g["sum"]), show(g["mean"])] for g in groups[:TOP]]
        lines += [f"## {caption}", table([given.group, "rows", "sum", "mean"], shown)]
        if len(groups) > TOP:
            lines.append(f"{len(groups) - TOP} further groups are in report.json.")
    odd = [f"- {c['name']}: {len(c['no_numbers'])} values are no numbers, e.g. row {c['no_numbers'][0]['row']}: {cell(c['no_numbers'][0]['value'])}"
           for c in numeric if c["no_numbers"]]
    odd += [f"- {c['name']}: {c['empty']} of {len(rows)} cells are empty" for c in columns if c["empty"]]
    odd += [f"- {len(uneven)} rows have another number of cells than the header, e.g. row {uneven[0]}"] if uneven else []
    odd += [f"- {twice} rows are there more than once"] if twice else []
    lines += ["## What is odd in the data", "\n".join(odd) or "Nothing was found."]

    given.out.mkdir(parents=True, exist_ok=True)
    report = "\n\n".join(lines) + "\n"
    (given.out / "report.md").write_text(report, encoding="utf-8")
    data = {"title": title, "rows": len(rows), "columns": columns, "groups": groups, "uneven_rows": uneven, "repeated_rows": twice}
    (given.out / "report.json").write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if bars:
        (given.out / "chart.svg").write_text(chart(caption, bars), encoding="utf-8")
    print(report)


if __name__ == "__main__":
    main()
