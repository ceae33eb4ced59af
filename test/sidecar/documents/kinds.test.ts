/**
 * Tables and pictures of documents that our makers write: found, and rendered as they are in the document. docs/knowledge.md lists what
 * is missed. `cut-documents.test.ts` has the formulas, and documents of other programs.
 */
import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import type { CutOf, CutPiece } from "../../../core/documents/cut-piece.ts";
import type { DocumentToMake, Slide } from "../../../core/documents/make.ts";
import { cutDocument } from "../../../sidecar/documents/cut/cut.ts";
import type { FoundImage } from "../../../sidecar/documents/images.ts";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";
import { readDocument } from "../../../sidecar/documents/read.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { formatTable } from "../../../tools/knowledge/piece-views.ts";
import { PICTURES, TABLES } from "./kind-texts.ts";
import { openWorkshop, png } from "./made.ts";

const workshop = openWorkshop();
const pool = makePandocPool();
afterAll(() => {
  workshop.close();
  pool.close();
});

const IMAGES = new Map([
  ["a.png", png(300, 200)],
  ["b.png", png(240, 240)],
]);

interface Cut {
  readonly pieces: readonly CutPiece[];
  readonly images: readonly FoundImage[];
}

/** Makes a document, and reads and cuts it. */
async function cut(order: DocumentToMake, images = new Map<string, Uint8Array>()): Promise<Cut> {
  const { bytes } = await workshop.made(order, { images });
  const name = `a.${order.format}`;
  const { signal } = new AbortController();
  const read = await readDocument(
    bytes,
    { name, pages: null, withImages: true, signal },
    { convert: pool.convert, readInProcess },
  );
  if (!read.ok) throw new Error(read.error.message);
  const { markdown, kind, images: found } = read.value;
  return { pieces: cutDocument(markdown, kind, new Set(found.map((image) => image.name))), images: found };
}

const only = <Kind extends CutPiece["kind"]>(pieces: readonly CutPiece[], kind: Kind): CutOf<Kind>[] =>
  pieces.filter((piece): piece is CutOf<Kind> => piece.kind === kind);

const writeLine = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll(/[|\\*_$]/g, "\\$&")).join(" | ")} |`;

type Table = (typeof TABLES)[number];

function writeTable(format: "docx" | "pdf" | "xlsx", { columns, rows }: Table): DocumentToMake {
  if (format === "xlsx") {
    const sheet = { name: "Stock", columns: columns.map((header) => ({ header })), rows: rows.map((row) => [...row]) };
    return { format, content: { sheets: [sheet] } };
  }
  const lines = [columns, columns.map(() => "---"), ...rows];
  return { format, markdown: `# Stock\n\nWhat there is.\n\n${lines.map(writeLine).join("\n")}\n\nThat is all.\n` };
}

describe.each(["docx", "pdf", "xlsx"] as const)("a table of a %s", (format) => {
  it.each(TABLES)("is found with its columns and rows: $what", async (table) => {
    const { pieces } = await cut(writeTable(format, table));
    const [found, ...more] = only(pieces, "table");
    expect(more).toEqual([]);
    const { columns = [], rows = [], page = null, heading = [] } = found ?? {};
    const place = { page: format === "docx" ? null : 1 };
    expect({ columns, rows, page }).toEqual({ columns: table.columns, rows: table.rows, ...place });
    // The parser of PDFs guesses headings by the size of their letters.
    if (format !== "pdf") expect(heading).toEqual(["Stock"]);
    const shown = formatTable({ caption: null, columns, rows, row_count: rows.length });
    expect(shown.split("\n")).toEqual([table.columns, ...table.rows].map((cells) => cells.join(" | ")));
  });
});

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** As many pictures as there are alternative texts; other bytes for other pictures. */
async function expectPictures({ pieces, images }: Cut, { alts, words }: (typeof PICTURES)[number], format: string) {
  const found = only(pieces, "image");
  expect(found).toHaveLength(alts.length);
  const hashes: string[] = [];
  for (const { name } of found) {
    const image = images.find((one) => one.name === name);
    if (image === undefined) throw new Error(`no bytes for ${name}`);
    hashes.push(hash(await image.bytes()));
  }
  expect(new Set(hashes).size).toBe(alts.length);
  // The parser of PDFs writes pictures again.
  if (format !== "pdf") expect(hashes).toEqual([...IMAGES.values()].slice(0, alts.length).map(hash));
  if (format === "docx") expect(found.map(({ alt }) => alt ?? "")).toEqual(alts);
  if (words !== "") expect(found[0]?.text).toContain(words);
  else expect(found[0]?.text).not.toBe("");
}

describe.each(["docx", "pdf"] as const)("a picture of a %s", (format) => {
  it.each(PICTURES)("is found with the text next to it: $what", async (picture) => {
    await expectPictures(await cut({ format, markdown: `# Pumps\n\n${picture.markdown}` }, IMAGES), picture, format);
  });
});

/** Slides with the same pictures. */
const SLIDES: readonly {
  readonly what: string;
  readonly slides: Slide[];
  readonly words: string;
  readonly count: number;
}[] = [
  { what: "alone", slides: [{ title: "Pump", image: "a.png" }], words: "", count: 1 },
  {
    what: "next to points",
    slides: [{ title: "Pump", image: "a.png", bullets: ["It is red"] }],
    words: "It is red",
    count: 1,
  },
  {
    what: "next to a text",
    slides: [{ title: "Pump", image: "a.png", text: "It is blue" }],
    words: "It is blue",
    count: 1,
  },
  {
    what: "with a caption",
    slides: [{ title: "Pump", image: "a.png", text: "Figure 1: The pump" }],
    words: "Figure 1: The pump",
    count: 1,
  },
  { what: "with notes", slides: [{ title: "Pump", image: "a.png", notes: "Say this" }], words: "", count: 1 },
  {
    what: "on two slides",
    slides: [
      { title: "One", image: "a.png" },
      { title: "Two", image: "b.png" },
    ],
    words: "",
    count: 2,
  },
  {
    what: "after a slide of text",
    slides: [
      { title: "One", text: "First" },
      { title: "Two", image: "a.png" },
    ],
    words: "",
    count: 1,
  },
];

describe("a picture of a presentation", () => {
  it.each(SLIDES)("is found on its slide: $what", async ({ slides, words, count }) => {
    const done = await cut({ format: "pptx", content: { slides } }, IMAGES);
    await expectPictures(
      done,
      { what: "", markdown: "", alts: Array.from({ length: count }, () => ""), words },
      "pptx",
    );
    const numbers = slides.flatMap(({ image }, index) => (image === undefined ? [] : [index + 1]));
    expect(only(done.pieces, "image").map(({ page }) => page)).toEqual(numbers);
  });
});
