/** Documents as programs see them that had no part in making them: Debian's Python with its libraries, and poppler. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PYTHON = "/usr/bin/python3";
const TIMEOUT_MS = 30_000;

/** Runs a program on the bytes as a file, whose path is the last argument; gives what it writes. */
function openWith(
  bytes: Uint8Array,
  ending: string,
  program: string,
  args: (path: string) => readonly string[],
): string {
  const folder = mkdtempSync(join(tmpdir(), "otto-opened-"));
  const path = join(folder, `document.${ending}`);
  try {
    writeFileSync(path, bytes);
    return execFileSync(program, args(path), {
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the Python program prints of the document at `sys.argv[1]`, as JSON. */
function python<T>(bytes: Uint8Array, ending: string, program: string): T {
  return JSON.parse(openWith(bytes, ending, PYTHON, (path) => ["-c", program, path])) as T;
}

export interface OpenedDocx {
  readonly title: string;
  readonly author: string;
  readonly created: string;
  readonly paragraphs: readonly (readonly [style: string, text: string])[];
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly pictures: number;
  readonly links: readonly string[];
  readonly xml: string;
  readonly styles: readonly string[];
}

export function openDocx(bytes: Uint8Array): OpenedDocx {
  return python(
    bytes,
    "docx",
    `
import json, sys, docx
d = docx.Document(sys.argv[1])
p = d.core_properties
print(json.dumps({
  "title": p.title, "author": p.author, "created": p.created.isoformat(),
  "paragraphs": [[q.style.name, q.text] for q in d.paragraphs],
  "tables": [[[c.text for c in r.cells] for r in t.rows] for t in d.tables],
  "pictures": len(d.inline_shapes),
  "links": sorted(r.target_ref for r in d.part.rels.values() if r.is_external),
  "xml": d.element.xml,
  "styles": [s.name for s in d.styles],
}))`,
  );
}

export interface OpenedSheet {
  readonly name: string;
  readonly freeze: string | null;
  readonly filter: string | null;
  readonly widths: Readonly<Record<string, number>>;
  /** Value, kind (s text, n number, b boolean, d date, f formula) and number format. */
  readonly rows: readonly (readonly (readonly [value: unknown, kind: string, format: string])[])[];
}

export function openXlsx(bytes: Uint8Array): {
  readonly title: string;
  readonly created: string;
  readonly sheets: readonly OpenedSheet[];
} {
  return python(
    bytes,
    "xlsx",
    `
import json, sys, openpyxl, warnings
warnings.simplefilter("ignore")
w = openpyxl.load_workbook(sys.argv[1])
print(json.dumps({"title": w.properties.title, "created": w.properties.created.isoformat(), "sheets": [{
  "name": s.title, "freeze": s.freeze_panes, "filter": s.auto_filter.ref,
  "widths": {k: v.width for k, v in s.column_dimensions.items()},
  "rows": [[[c.value, c.data_type, c.number_format] for c in r] for r in s.iter_rows()],
} for s in w]}, default=lambda v: v.isoformat()))`,
  );
}

export interface OpenedSlide {
  readonly layout: string;
  readonly texts: readonly string[];
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly pictures: number;
  readonly notes: string;
  readonly xml: string;
}

/** By zipfile and ElementTree: Debian has no python3-pptx. Every part of the archive is parsed. */
export function openPptx(bytes: Uint8Array): {
  readonly created: string;
  readonly title: string;
  readonly slides: readonly OpenedSlide[];
} {
  return python(
    bytes,
    "pptx",
    `
import json, sys, zipfile, posixpath
import xml.etree.ElementTree as E
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
z = zipfile.ZipFile(sys.argv[1])
assert not z.testzip()
parts = {n: E.fromstring(z.read(n)) for n in z.namelist() if n.endswith((".xml", ".rels"))}
def rels(n):
    r = parts.get(posixpath.join(posixpath.dirname(n), "_rels", posixpath.basename(n) + ".rels"))
    out = {}
    for x in (r if r is not None else []):
        t = x.get("Target") if x.get("TargetMode") == "External" else posixpath.normpath(posixpath.join("/", posixpath.dirname(n), x.get("Target"))).lstrip("/")
        assert x.get("TargetMode") == "External" or t in z.namelist(), t
        out[x.get("Id")] = (x.get("Type").split("/")[-1], t)
    return out
text = lambda e: "\\n".join("".join(t.text or "" for t in p.iter(A + "t")) for p in e.iter(A + "p"))
top = rels("ppt/presentation.xml")
slides = []
for s in parts["ppt/presentation.xml"].iter(P + "sldId"):
    n = top[s.get(R + "id")][1]
    r = rels(n)
    layout = [parts[t].find(P + "cSld").get("name") for k, t in r.values() if k == "slideLayout"][0]
    notes = [text(parts[t]) for k, t in r.values() if k == "notesSlide"]
    e = parts[n]
    slides.append({"layout": layout, "texts": [text(b) for b in e.iter(P + "txBody")],
      "tables": [[[text(c) for c in row.iter(A + "tc")] for row in t.iter(A + "tr")] for t in e.iter(A + "tbl")],
      "pictures": len(list(e.iter(P + "pic"))), "notes": "\\n".join(notes), "xml": z.read(n).decode()})
core = {c.tag.split("}")[1]: c.text for c in parts["docProps/core.xml"]}
print(json.dumps({"created": core["created"], "title": core.get("title") or "", "slides": slides}))`,
  );
}

export interface OpenedPdf {
  readonly text: string;
  readonly info: string;
  /** One line for each font; the columns of `pdffonts`. */
  readonly fonts: readonly string[];
  readonly images: number;
}

export function openPdf(bytes: Uint8Array): OpenedPdf {
  const fonts = openWith(bytes, "pdf", "/usr/bin/pdffonts", (path) => [path])
    .split("\n")
    .slice(2);
  const images = openWith(bytes, "pdf", "/usr/bin/pdfimages", (path) => ["-list", path])
    .split("\n")
    .slice(2);
  return {
    text: openWith(bytes, "pdf", "/usr/bin/pdftotext", (path) => ["-layout", path, "-"]),
    info: openWith(bytes, "pdf", "/usr/bin/pdfinfo", (path) => [path]),
    fonts: fonts.filter((line) => line !== ""),
    images: images.filter((line) => line !== "").length,
  };
}
