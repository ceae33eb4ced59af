/** The skills of `skills/`. Written by `npm run skills`; not edited by hand. */
import type { Skill } from "./skill.ts";

/** A skill of this release, whole. */
export interface ShippedSkill {
  readonly skill: Skill;
  readonly files: readonly { readonly path: string; readonly mode: number; readonly text: string }[];
}

/** Of their tools, as a source. */
export const SHIPPED_HASH = "9a226c3513c246a29951ac83866cf950ba53aef1bf8dadb1ec688622c210854f";

export const SHIPPED: readonly ShippedSkill[] = [
  {
    "skill": {
      "name": "data-report",
      "slug": "data_report",
      "description": "Makes a report of a CSV file (statistics of every column, missing and odd values, totals by group, a chart) as Markdown, JSON and SVG. Use when somebody sends a CSV or a table and asks for a report, an analysis, key figures, a summary or a chart of the data.",
      "allowedTools": [
        "read_*",
        "list_directory",
        "find_files",
        "write_file",
        "run_skill_script",
        "statistics_summary",
        "evaluate_expression",
        "create_*",
        "convert_markdown_to_docx",
        "attach_file",
        "load_skill"
      ],
      "scripts": [
        {
          "name": "report.py",
          "path": "scripts/report.py",
          "description": "Statistics of a CSV file. Arguments: FILE [--out FOLDER] [--group COLUMN] [--value COLUMN] [--title TEXT]. Writes report.md, report.json and chart.svg, and prints report.md.",
          "timeoutS": 60,
          "network": false
        }
      ],
      "category": "data",
      "version": "1.0",
      "author": "Otto",
      "tags": [
        "csv",
        "statistics",
        "report",
        "chart"
      ],
      "license": "Apache-2.0",
      "compatibility": "Needs Python 3 (standard library only)",
      "metadata": {},
      "hash": "c0bea504271f96c2818cb4d0565ff9031b5b140aecb6d1bb8401dc13c58a3f74"
    },
    "files": [
      {
        "path": "SKILL.md",
        "mode": 420,
        "text": "---\nname: data-report\ndescription: Makes a report of a CSV file (statistics of every column, missing and odd values, totals by group, a chart) as Markdown, JSON and SVG. Use when somebody sends a CSV or a table and asks for a report, an analysis, key figures, a summary or a chart of the data.\nlicense: Apache-2.0\ncompatibility: Needs Python 3 (standard library only)\ncategory: data\nversion: \"1.0\"\nauthor: Otto\ntags: [csv, statistics, report, chart]\nallowed-tools:\n  - read_*\n  - list_directory\n  - find_files\n  - write_file\n  - run_skill_script\n  - statistics_summary\n  - evaluate_expression\n  - create_*\n  - convert_markdown_to_docx\n  - attach_file\n  - load_skill\nscripts:\n  - name: report.py\n    description: \"Statistics of a CSV file. Arguments: FILE [--out FOLDER] [--group COLUMN] [--value COLUMN] [--title TEXT]. Writes report.md, report.json and chart.svg, and prints report.md.\"\n    timeout: 60\n    network: false\n---\n\n# Data report\n\nFigures come from the script, never from your head. Where the agent may not run scripts (the permission exec), they come from `statistics_summary` and `evaluate_expression`, and the report says that no script was run. Your part is to ask the right question of the data and to say what the figures mean.\n\n## Steps\n\n1. **Look first.** Find the file (`list_directory`) and read its beginning with `read_file`. An XLSX or a PDF: `read_document`, then save the table as CSV with `write_file`.\n2. **Run the script** on the whole file:\n\n   `run_skill_script` with skill_name `data-report`, script_name `report.py`, args `data/sales.csv --out report`\n\n3. **Choose a grouping.** When a column of names (region, product, month) and a column of amounts fit the question, run it again with `--group region --value amount`. The chart then shows the totals of the groups, else how the values spread.\n4. **Read what it says of the data itself**: empty cells, values that are no numbers in a column of numbers, rows of another length, rows that are there twice. Name what can change the result, with its row.\n5. **Write the report** to `report/summary.md`: the answer in three sentences, the figures that carry it in one table, the chart (`![Amount by region](chart.svg)`), what is wrong with the data, and what to look at next.\n6. **Deliver**: attach the summary and the chart. For a Word file, `convert_markdown_to_docx`; for Excel, `create_xlsx` with the tables of `report.json`.\n\n## Rules\n\n- Every number in the summary is in `report.md` or `report.json`. To calculate a further one, say of what.\n- Round in the text (1.2 million), keep the exact value in the table.\n- The mean of a skewed column misleads: when mean and median differ much, tell both.\n- A difference is no cause. Say \"is higher\", not \"because of\".\n- Fewer than 30 rows in a group: say how many there are.\n\nWhen the script fails, its message says why: see [references/errors.md](references/errors.md).\n"
      },
      {
        "path": "references/errors.md",
        "mode": 420,
        "text": "# What the script says, and what to do\n\n| message | do |\n| --- | --- |\n| `no such file` | look where it is (`find_files`); paths begin in the task's folder |\n| `is empty`, `has no rows` | tell the sender: there is nothing to report |\n| `is no text` | it is not a CSV: read it with `read_document`, save the table as CSV with `write_file` |\n| `no column named …` | the message lists the columns; take the name exactly as it stands there |\n| `has no numbers` | `--value` needs a column of numbers; without it, rows are counted |\n\nThe script reads commas, semicolons, tabs and bars as separators, UTF-8 and Windows-1252, `1,234.50`, and `1.234,50` where\ncells are separated by semicolons. The first row has to hold the names of the columns.\n"
      },
      {
        "path": "scripts/report.py",
        "mode": 493,
        "text": "#!/usr/bin/env python3\n\"\"\"Statistics of a CSV file, as Markdown, JSON and an SVG chart. Python's standard library only.\"\"\"\nimport argparse\nimport csv\nimport io\nimport json\nimport statistics\nimport sys\nfrom collections import Counter, defaultdict\nfrom html import escape\nfrom pathlib import Path\n\nTOP = 10          # groups and values that are shown\nMOSTLY = 0.8      # share of numbers that makes a column one of numbers\n\n\ndef fail(message):\n    sys.exit(f\"report.py: {message}\")\n\n\ndef read_rows(path):\n    \"\"\"The header and the rows of a file, and the character that separates its cells.\"\"\"\n    if not path.is_file():\n        fail(f\"{path}: no such file\")\n    data = path.read_bytes()\n    if b\"\\0\" in data:\n        fail(f\"{path} is no text\")\n    try:\n        text = data.decode(\"utf-8-sig\")\n    except UnicodeDecodeError:\n        text = data.decode(\"cp1252\", errors=\"replace\")\n    if not text.strip():\n        fail(f\"{path} is empty\")\n    first = text.lstrip().splitlines()[0]\n    separator = max(\",;\\t|\", key=first.count)\n    csv.field_size_limit(10_000_000)\n    rows = [row for row in csv.reader(io.StringIO(text, newline=\"\"), delimiter=separator) if any(map(str.strip, row))]\n    header = [name.strip() or f\"column {i}\" for i, name in enumerate(rows[0], 1)]\n    if len(rows) < 2:\n        fail(f\"{path} has no rows under its header\")\n    return header, rows[1:], separator\n\n\ndef number(text, separator):\n    \"\"\"A cell as a number; None for other text.\"\"\"\n    plain = text.strip().replace(\"\\u00a0\", \"\").replace(\" \", \"\").rstrip(\"%\")\n    plain = plain.replace(\".\", \"\").replace(\",\", \".\") if separator == \";\" and \",\" in plain else plain.replace(\",\", \"\")\n    try:\n        value = float(plain)\n    except ValueError:\n        return None\n    return value if abs(value) < 1e300 else None\n\n\ndef describe(name, cells, separator):\n    \"\"\"What a column holds.\"\"\"\n    filled = [(row, cell.strip()) for row, cell in enumerate(cells, 2) if cell.strip()]\n    column = {\"name\": name, \"filled\": len(filled), \"empty\": len(cells) - len(filled)}\n    parsed = [(row, cell, number(cell, separator)) for row, cell in filled]\n    values = sorted(value for _, _, value in parsed if value is not None)\n    if not values or len(values) < MOSTLY * len(filled):\n        counts = Counter(cell for _, cell in filled)\n        return {**column, \"type\": \"text\", \"different\": len(counts), \"top\": counts.most_common(TOP)}\n    odd = [{\"row\": row, \"value\": cell} for row, cell, value in parsed if value is None]\n    quarters = statistics.quantiles(values, n=4, method=\"inclusive\") if len(values) > 1 else [values[0]] * 3\n    return {\n        **column, \"type\": \"number\", \"sum\": sum(values), \"mean\": statistics.fmean(values), \"median\": quarters[1],\n        \"min\": values[0], \"max\": values[-1], \"quarter\": quarters[0], \"three_quarters\": quarters[2],\n        \"deviation\": statistics.stdev(values) if len(values) > 1 else 0.0, \"no_numbers\": odd,\n    }\n\n\ndef totals(groups, values):\n    \"\"\"Count, sum and mean of each group, the largest first. Without values, rows are counted.\"\"\"\n    found = defaultdict(list)\n    for group, value in zip(groups, values):\n        if value is not None:\n            found[group.strip() or \"(empty)\"].append(value)\n    lines = [{\"group\": g, \"rows\": len(v), \"sum\": sum(v), \"mean\": statistics.fmean(v)} for g, v in found.items()]\n    return sorted(lines, key=lambda line: (-line[\"sum\"], line[\"group\"]))\n\n\ndef spread(values):\n    \"\"\"How many values lie in each of ten equal steps.\"\"\"\n    low, high = min(values), max(values)\n    if low == high:\n        return [(show(low), len(values))]\n    step = (high - low) / 10\n    counts = Counter(min(int((value - low) / step), 9) for value in values)\n    return [(f\"{show(low + i * step)} to {show(low + (i + 1) * step)}\", counts[i]) for i in range(10)]\n\n\ndef show(value):\n    \"\"\"A number as people read it.\"\"\"\n    return f\"{value:,.0f}\" if value == int(value) and abs(value) < 1e15 else f\"{value:,.4g}\" if abs(value) < 1 else f\"{value:,.2f}\"\n\n\ndef cell(text):\n    \"\"\"A text as a cell of a Markdown table.\"\"\"\n    short = \" \".join(str(text).split())\n    return (short[:60] + \"…\" if len(short) > 60 else short).replace(\"|\", \"\\\\|\")\n\n\ndef table(header, lines):\n    return \"\\n\".join(\"| \" + \" | \".join(map(cell, line)) + \" |\" for line in [header, [\"---\"] * len(header), *lines])\n\n\ndef chart(title, bars):\n    \"\"\"Bars from left to right, as SVG; a value below zero has its bar in another colour.\"\"\"\n    most = max((abs(value) for _, value in bars), default=0) or 1\n    parts = [f'<text x=\"10\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{escape(title)}</text>']\n    for i, (label, value) in enumerate(bars):\n        y, width, colour = 44 + i * 28, 380 * abs(value) / most, \"#c2554d\" if value < 0 else \"#3b6ea5\"\n        name = label if len(label) < 25 else label[:24] + \"…\"\n        parts.append(f'<text x=\"200\" y=\"{y + 15}\" text-anchor=\"end\">{escape(name)}</text>')\n        parts.append(f'<rect x=\"210\" y=\"{y}\" width=\"{width:.1f}\" height=\"20\" fill=\"{colour}\"/>')\n        parts.append(f'<text x=\"{216 + width:.1f}\" y=\"{y + 15}\">{show(value)}</text>')\n    height = 54 + 28 * len(bars)\n    body = \"\\n\".join(parts)\n    return (f'<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"{height}\" viewBox=\"0 0 720 {height}\" '\n            f'font-family=\"sans-serif\" font-size=\"13\">\\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\\n{body}\\n</svg>\\n')\n\n\ndef main():\n    arguments = argparse.ArgumentParser(prog=\"report.py\", description=__doc__)\n    arguments.add_argument(\"file\", type=Path)\n    arguments.add_argument(\"--out\", type=Path, default=Path(\"report\"))\n    arguments.add_argument(\"--group\", help=\"a column: its values are the groups\")\n    arguments.add_argument(\"--value\", help=\"a column of numbers: they are added up\")\n    arguments.add_argument(\"--title\")\n    given = arguments.parse_args()\n    header, rows, separator = read_rows(given.file)\n    uneven = [i for i, row in enumerate(rows, 2) if len(row) != len(header)]\n    rows = [(row + [\"\"] * len(header))[: len(header)] for row in rows]\n    cells = {name: [row[i] for row in rows] for i, name in enumerate(header)}\n    for name in filter(None, (given.group, given.value)):\n        if name not in cells:\n            fail(f\"no column named {name}. There are: {', '.join(header)}\")\n    columns = [describe(name, [row[i] for row in rows], separator) for i, name in enumerate(header)]\n    numeric = [column for column in columns if column[\"type\"] == \"number\"]\n    if given.value and given.value not in [column[\"name\"] for column in numeric]:\n        fail(f\"the column {given.value} has no numbers\")\n\n    title = given.title or given.file.stem\n    groups, bars, caption = [], [], \"\"\n    if given.group:\n        values = [number(text, separator) for text in cells[given.value]] if given.value else [1.0] * len(rows)\n        groups = totals(cells[given.group], values)\n        bars, caption = [(line[\"group\"], line[\"sum\"]) for line in groups[:TOP]], f\"{given.value or 'Rows'} by {given.group}\"\n    elif numeric:\n        name = given.value or numeric[0][\"name\"]\n        bars, caption = spread([v for v in (number(t, separator) for t in cells[name]) if v is not None]), f\"How {name} spreads\"\n    twice = len(rows) - len(set(map(tuple, rows)))\n\n    lines = [f\"# {title}\", f\"{len(rows)} rows, {len(header)} columns.\"]\n    if numeric:\n        keys = [\"filled\", \"empty\", \"sum\", \"mean\", \"median\", \"min\", \"max\", \"deviation\"]\n        lines += [\"## Numbers\", table([\"column\", *keys], [[c[\"name\"], *(show(c[key]) for key in keys)] for c in numeric])]\n    texts = [column for column in columns if column[\"type\"] == \"text\"]\n    if texts:\n        often = [[c[\"name\"], c[\"filled\"], c[\"empty\"], c[\"different\"], \", \".join(f\"{v} ({n})\" for v, n in c[\"top\"][:3])] for c in texts]\n        lines += [\"## Texts\", table([\"column\", \"filled\", \"empty\", \"different\", \"most often\"], often)]\n    if groups:\n        shown = [[g[\"group\"], g[\"rows\"], show(g[\"sum\"]), show(g[\"mean\"])] for g in groups[:TOP]]\n        lines += [f\"## {caption}\", table([given.group, \"rows\", \"sum\", \"mean\"], shown)]\n        if len(groups) > TOP:\n            lines.append(f\"{len(groups) - TOP} further groups are in report.json.\")\n    odd = [f\"- {c['name']}: {len(c['no_numbers'])} values are no numbers, e.g. row {c['no_numbers'][0]['row']}: {cell(c['no_numbers'][0]['value'])}\"\n           for c in numeric if c[\"no_numbers\"]]\n    odd += [f\"- {c['name']}: {c['empty']} of {len(rows)} cells are empty\" for c in columns if c[\"empty\"]]\n    odd += [f\"- {len(uneven)} rows have another number of cells than the header, e.g. row {uneven[0]}\"] if uneven else []\n    odd += [f\"- {twice} rows are there more than once\"] if twice else []\n    lines += [\"## What is odd in the data\", \"\\n\".join(odd) or \"Nothing was found.\"]\n\n    given.out.mkdir(parents=True, exist_ok=True)\n    report = \"\\n\\n\".join(lines) + \"\\n\"\n    (given.out / \"report.md\").write_text(report, encoding=\"utf-8\")\n    data = {\"title\": title, \"rows\": len(rows), \"columns\": columns, \"groups\": groups, \"uneven_rows\": uneven, \"repeated_rows\": twice}\n    (given.out / \"report.json\").write_text(json.dumps(data, ensure_ascii=False, indent=1) + \"\\n\", encoding=\"utf-8\")\n    if bars:\n        (given.out / \"chart.svg\").write_text(chart(caption, bars), encoding=\"utf-8\")\n    print(report)\n\n\nif __name__ == \"__main__\":\n    main()\n"
      }
    ]
  },
  {
    "skill": {
      "name": "meeting-notes",
      "slug": "meeting_notes",
      "description": "Turns a transcript, a recording's text or rough notes of a meeting into minutes with decisions, action items and open questions. Use when somebody asks for meeting notes, minutes, a summary of a call or a stand-up, or sends a transcript.",
      "allowedTools": [
        "read_*",
        "list_directory",
        "find_files",
        "write_file",
        "convert_markdown_to_docx",
        "attach_file",
        "get_current_datetime",
        "load_skill"
      ],
      "scripts": [],
      "category": "writing",
      "version": "1.0",
      "author": "Otto",
      "tags": [
        "meetings",
        "minutes",
        "summary"
      ],
      "license": "Apache-2.0",
      "compatibility": null,
      "metadata": {},
      "hash": "d3dff093ef9a0c426fd235b2d24c10496c7e8737934a4fba26897ed3804527c2"
    },
    "files": [
      {
        "path": "SKILL.md",
        "mode": 420,
        "text": "---\nname: meeting-notes\ndescription: Turns a transcript, a recording's text or rough notes of a meeting into minutes with decisions, action items and open questions. Use when somebody asks for meeting notes, minutes, a summary of a call or a stand-up, or sends a transcript.\nlicense: Apache-2.0\ncategory: writing\nversion: \"1.0\"\nauthor: Otto\ntags: [meetings, minutes, summary]\nallowed-tools:\n  - read_*\n  - list_directory\n  - find_files\n  - write_file\n  - convert_markdown_to_docx\n  - attach_file\n  - get_current_datetime\n  - load_skill\n---\n\n# Meeting notes\n\nWrite minutes that somebody who was not there can act on. What counts is what was decided, who does what by when, and what is still open.\n\n## Steps\n\n1. **Find the source.** It is in the task, or a file (`list_directory`, then `read_file`; `read_document` for PDF and DOCX). Read all of it, to the end: decisions are often made in the last minutes.\n2. **Collect, before you write**, with the speaker for each:\n   - decisions: somebody agreed, or nobody objected to a clear proposal;\n   - action items: what, who, by when;\n   - questions that nobody answered, and topics that were put off;\n   - figures, dates and names, exactly as they were said.\n3. **Write** by the outline in [references/outline.md](references/outline.md). Leave a heading out when nothing belongs under it.\n4. **Check every line against the source.** Take out what was not said.\n5. **Deliver.** Save as `notes/YYYY-MM-DD-<topic>.md` with the date of the meeting, and attach it. Make a DOCX of it when a document is asked for.\n\n## Rules\n\n- Never invent an owner or a date. Write `owner: open` or `due: open`: a gap that is seen gets filled.\n- A proposal is no decision. When it is not clear whether something was decided, it is an open question.\n- \"Next Friday\" becomes a date, counted from the day of the meeting. When that day is not known, ask for it or keep the words.\n- Speakers whose names are not known stay `Speaker 1`, as in the transcript. Do not guess.\n- Leave out small talk, and what was said off the record.\n- Write in the language of the meeting, unless another is asked for.\n- Ten lines for each half hour are enough. Nobody reads minutes that are longer than the meeting.\n\n## What is asked for often\n\n| request | do |\n| --- | --- |\n| \"just the action items\" | only that table, in the answer itself, no file |\n| several meetings at once | one file each, and a list of all open action items |\n| a stand-up | for each person: done, next, blocked |\n| an earlier meeting's notes exist | say which of its action items are done, by what was said |\n"
      },
      {
        "path": "references/outline.md",
        "mode": 420,
        "text": "# Outline of the minutes\n\n```markdown\n# <Topic>: <YYYY-MM-DD>\n\n**There:** Ana, Ben, Speaker 3 · **Missing:** Chris · **Length:** 45 min\n\n## In short\nTwo or three sentences: why they met, and the result.\n\n## Decisions\n1. We ship on 3 March. (Ana; because the audit ends on 1 March)\n\n## Action items\n| what | who | due |\n| --- | --- | --- |\n| Send the contract to legal | Ben | 2026-02-27 |\n| Ask two customers about the price | open | open |\n\n## What was discussed\n**Price.** One paragraph a topic: the arguments, not who spoke when.\n\n## Open questions\n- Who signs for the customer? (raised by Speaker 3)\n\n## Next meeting\n2026-03-04, 10:00\n```\n"
      }
    ]
  },
  {
    "skill": {
      "name": "skill-writer",
      "slug": "skill_writer",
      "description": "Writes, checks and improves skills (SKILL.md packages). Use when somebody wants to make a skill, turn a way of working into a skill, add a script to one, or asks why a skill is not chosen or is refused.",
      "allowedTools": [
        "read_*",
        "list_directory",
        "find_files",
        "search_in_files",
        "write_file",
        "create_directory",
        "attach_file",
        "load_skill"
      ],
      "scripts": [],
      "category": "authoring",
      "version": "1.0",
      "author": "Otto",
      "tags": [
        "skills",
        "authoring"
      ],
      "license": "Apache-2.0",
      "compatibility": null,
      "metadata": {},
      "hash": "0488a5e524ebd0b4352df95ad4a536eddb7ca70229212c5c0e21f8894ebeaeb2"
    },
    "files": [
      {
        "path": "SKILL.md",
        "mode": 420,
        "text": "---\nname: skill-writer\ndescription: Writes, checks and improves skills (SKILL.md packages). Use when somebody wants to make a skill, turn a way of working into a skill, add a script to one, or asks why a skill is not chosen or is refused.\nlicense: Apache-2.0\ncategory: authoring\nversion: \"1.0\"\nauthor: Otto\ntags: [skills, authoring]\nallowed-tools:\n  - read_*\n  - list_directory\n  - find_files\n  - search_in_files\n  - write_file\n  - create_directory\n  - attach_file\n  - load_skill\n---\n\n# Skill writer\n\nA skill is what an expert would tell a capable newcomer before a job: the steps, the rules that are not obvious, the mistakes that are made. It is read by a model in the middle of a task, so every sentence has to earn its place.\n\n## Steps\n\n1. **Understand the job.** Ask with `ask_human` what you cannot know: an example of a request, of a good result and of a bad one; which files go in and come out; what must never happen. Three questions at most, at once.\n2. **Choose a name**: what is done, in lower-case letters and hyphens (`invoice-check`, not `helper`).\n3. **Write the description.** It decides whether the skill is chosen: what it does, then \"Use when …\" with the words that people really say. At most 1,024 characters.\n4. **List the tools** it needs in `allowed-tools`, and no others: a task under the skill has these and `ask_human`. Patterns are good for families (`read_*`).\n5. **Write the instructions**: numbered steps, then rules, then what goes wrong and what to do then. Say the reason where a rule is surprising.\n6. **Move what is not always needed** to `references/`, and link it where it is needed. SKILL.md stays under 500 lines.\n7. **Use a script** where the same result has to come out every time: counting, converting, checking. Declare it in `scripts`.\n8. **Save** the files under `skills/<name>/`, scripts too, with `write_file`, read [references/checklist.md](references/checklist.md) and go through it, attach them, and say how they are uploaded: the folder as a ZIP, or only the SKILL.md, to `POST /v1/skills`. `POST /v1/skills/validate` only checks.\n\n## A whole SKILL.md\n\n```markdown\n---\nname: invoice-check\ndescription: Checks invoices for wrong sums, missing tax numbers and doubles. Use when somebody sends an invoice or asks whether a bill is right.\nversion: \"1.0\"\nallowed-tools: [read_*, list_directory, run_skill_script, write_file]\nscripts:\n  - name: sums.py\n    description: \"Adds up the lines of an invoice. Arguments: FILE (JSON).\"\n    timeout: 30\n    network: false\n---\n\n# Invoice check\n\n1. Read the invoice with `read_document`.\n2. Save its lines as `lines.json` and run `sums.py` on it.\n3. …\n\n## Rules\n\n- Never correct an invoice. Say what is wrong and where.\n```\n\n## Rules\n\n- No secrets, no names of customers, nothing that is true only today.\n- Name tools as Otto does (`read_file`, `run_command`). What other programs call `Read` or `Bash` allows nothing here.\n- A script begins with `#!/usr/bin/env python3` (or what runs it), uses standard libraries, says in its error what to do, and asks for `network: true` only when it cannot do without.\n- To improve a skill, read what went wrong first. Change the sentence that misled; do not add one more.\n"
      },
      {
        "path": "references/checklist.md",
        "mode": 420,
        "text": "# Before a skill is handed over\n\n1. The folder has the skill's name; SKILL.md begins with `---`.\n2. The description says what and when. Would it be chosen for the first example, and not for a request that is only similar?\n3. A text with `: ` in the head is in quotes.\n4. Every tool that the steps name is in `allowed-tools`; nothing else is.\n5. Every script in `scripts:` is in `scripts/`, has a first line that says what runs it, and was tried on an empty and on a\n   broken input.\n6. Every link leads to a file of the folder.\n7. A newcomer could follow it without asking. What would they get wrong first? Is that in the rules?\n8. Read it aloud and take out a third.\n"
      }
    ]
  }
];
