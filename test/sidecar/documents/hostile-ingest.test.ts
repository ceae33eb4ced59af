/**
 * Documents that are made to exhaust the reader or the cutter, or that have nothing to read, through the job of an ingest: each ends as
 * docs/knowledge.md says, in its time and memory, and good documents become ready meanwhile.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { MAX_DOCUMENT_PIECES } from "../../../core/knowledge/document.ts";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { type Ingested, ingest } from "./ingest-job.ts";
import { docxParts, makeZip, type ZipPart } from "./make-zip.ts";
import { png } from "./made.ts";
import { makePdf } from "./pdf-pages.ts";

/** Two documents of one tenant are read at once, next to a third of another. */
const AT_ONCE = 2;
/** The 30 seconds of a document, and the time to end its processes. */
const DOCUMENT_MS = 35_000;
/** Between two good documents. */
const PAUSE_MS = 2_000;
const GROWTH_BYTES = 400 * 1024 ** 2;
const GOOD = "# Pumps\n\nThe red pump.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";

const pool = makePandocPool();
afterAll(() => pool.close());
const converters = { convert: pool.convert, readInProcess };

const fixture = (name: string) => readFileSync(new URL(`../__fixtures__/documents/${name}`, import.meta.url));
const docx = (body: string, more: readonly ZipPart[] = []) => makeZip([...docxParts(body), ...more]);
const text = (unit: string, times: number) => Buffer.from(unit.repeat(times));
const bomb = { name: "word/a.bin", bytes: Buffer.alloc(2_000_000) };
const pages = (count: number) =>
  makePdf(Array.from({ length: count }, (_, at) => `Otter number ${at} swims in the river ${at * 7} at dawn.`));
/** The head of a compound file, as an encrypted Office document is. */
const encrypted = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(4_096)]);

interface Case {
  readonly name: string;
  readonly bytes: Buffer;
  /** `ready`, or the code of the failure; several where it depends on what is exhausted first. */
  readonly end: string | readonly string[];
  /** Part of a warning, or of the failure's message. */
  readonly says?: string;
  readonly pieces?: number;
}

const EXHAUSTED = ["too_large", "timeout"];
/** Those that take their whole time are first, so that the others run next to them. */
const CASES: Readonly<Record<string, Case>> = {
  "links without an end": { name: "a.md", bytes: text("[a](", 100_000), end: EXHAUSTED },
  "HTML nested by a hundred thousand": { name: "a.html", bytes: text("<div>", 100_000), end: EXHAUSTED },
  "emphasis without an end": { name: "a.md", bytes: text("*a_ ", 200_000), end: EXHAUSTED },
  "quotes nested by twenty thousand": {
    name: "a.md",
    bytes: text("> ", 20_000),
    // The heap or the stack.
    end: [...EXHAUSTED, "invalid_input"],
  },
  "two million paragraphs": { name: "a.md", bytes: text("a\n\n", 2_000_000), end: EXHAUSTED },
  "a table of 800,000 cells": { name: "a.csv", bytes: text("1,2\n", 400_000), end: EXHAUSTED },
  "more pieces than a document may have": {
    name: "a.md",
    bytes: text("# a\n\nb\n\n", MAX_DOCUMENT_PIECES + 1),
    end: "too_large",
    says: `the limit is ${MAX_DOCUMENT_PIECES}`,
  },
  "dollars alone": { name: "a.md", bytes: text("$", 300_000), end: "ready" },
  "ten thousand pages": {
    name: "a.pdf",
    bytes: pages(10_000),
    end: "ready",
    says: "Only the first 2000 pages were read.",
  },
  "a ZIP bomb as DOCX": { name: "a.docx", bytes: docx("", [bomb]), end: "too_large", says: "decompression bomb" },
  "a ZIP bomb as XLSX": { name: "a.xlsx", bytes: docx("", [bomb]), end: "too_large", says: "decompression bomb" },
  "a part that says it has two gigabytes": {
    name: "a.docx",
    bytes: docx("", [{ name: "a", bytes: "x", claimedSize: 2 ** 31 }]),
    end: "too_large",
  },
  "parts that overlap": {
    name: "a.docx",
    bytes: docx("", [
      { name: "word/a.bin", bytes: randomBytes(20_000) },
      ...Array.from({ length: 50 }, (_, at) => ({ name: `a${at}`, bytes: randomBytes(3_000), offset: 0 })),
    ]),
    end: "invalid_input",
  },
  "an archive in an archive": {
    name: "a.docx",
    bytes: docx("", [{ name: "word/a.bin", bytes: makeZip(docxParts("")) }]),
    end: "invalid_input",
  },
  "an encrypted PDF": { name: "a.pdf", bytes: fixture("locked.pdf"), end: "invalid_input", says: "encrypted" },
  "an encrypted Office document": { name: "a.docx", bytes: encrypted, end: ["invalid_input", "unsupported_media"] },
  "an encrypted part": {
    name: "a.docx",
    bytes: docx("", [{ name: "a", bytes: "abc", flags: 1 }]),
    end: "invalid_input",
  },
  "an empty file": { name: "a.pdf", bytes: Buffer.alloc(0), end: "invalid_input", says: "empty" },
  "a text of spaces": { name: "a.txt", bytes: text(" \n", 50), end: "ready", pieces: 0 },
  "a document without a paragraph": { name: "a.docx", bytes: docx(""), end: "ready", pieces: 0 },
  "a scan": { name: "a.pdf", bytes: fixture("scan.pdf"), end: "ready", says: "its pages are pictures", pieces: 0 },
  "a picture": { name: "a.png", bytes: Buffer.from(png(20, 10)), end: "ready" },
  "no format": { name: "a.bin", bytes: randomBytes(5_000), end: "unsupported_media", says: "can be read" },
  "a notebook of brackets": { name: "a.ipynb", bytes: text("[", 1_000_000), end: "invalid_input" },
};

function findFault(what: string, { end, says, pieces }: Case, done: Ingested): string[] {
  const told = `${what}: ${done.end} after ${Math.round(done.ms)} ms, ${done.pieces.length} pieces, ${done.message} ${done.warnings.join(" ")}`;
  const isRight =
    [end].flat().includes(done.end) &&
    done.ms < DOCUMENT_MS &&
    (pieces ?? done.pieces.length) === done.pieces.length &&
    `${done.message} ${done.warnings.join(" ")}`.includes(says ?? "") &&
    (done.end === "ready" || done.message.length > 10);
  return isRight ? [] : [told];
}

it("a hostile or empty document has its documented end, and good ones become ready meanwhile", {
  timeout: 200_000,
}, async () => {
  const before = process.memoryUsage().rss;
  const faults: string[] = [];
  const waiting = Object.entries(CASES);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [what, one] = next;
      const done = await ingest(one.name, one.bytes, converters);
      faults.push(...findFault(what, one, done));
    }
  };
  let goods = 0;
  let isOver = false;
  const readGoods = async () => {
    while (!isOver) {
      const good = await ingest("good.md", Buffer.from(GOOD), converters);
      if (good.end !== "ready" || good.pieces.length !== 2 || good.ms > DOCUMENT_MS / 2)
        faults.push(`good: ${good.end}`);
      goods += 1;
      await setTimeout(PAUSE_MS);
    }
  };
  const reading = readGoods();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  isOver = true;
  await reading;
  expect(faults).toEqual([]);
  expect(goods).toBeGreaterThan(5);
  expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_BYTES);
});
