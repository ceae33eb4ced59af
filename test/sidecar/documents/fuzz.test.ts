/**
 * Documents of every format, damaged by a seeded generator, read and cut as an ingest does: each gives a result or a clear error, and
 * the readers keep working. DOCUMENTS_SEED replays a run, and DOCUMENTS_CASES makes it longer.
 */
import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { readZipDirectory, readEntry } from "../../../sidecar/documents/zip.ts";
import { makePandocPool } from "../../../sidecar/documents/pandoc.ts";
import { seededRandom } from "../../drill/random.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { ingest } from "./ingest-job.ts";
import { png } from "./made.ts";
import { makeZip } from "./make-zip.ts";

/** Ten of each format. Their damage differs in each run. */
const CASES = Number(process.env["DOCUMENTS_CASES"] ?? 130);
const AT_ONCE = 3;
const RUN_MS = 300_000;
/** The 30 seconds of a document, and the time to end its processes. */
const DOCUMENT_MS = 35_000;
const GROWTH_BYTES = 400 * 1024 ** 2;
const CODES = ["invalid_input", "too_large", "unsupported_media", "timeout"];
const NAMES = [
  "report.docx",
  "report.odt",
  "report.rtf",
  "report.epub",
  "report.pdf",
  "figures.xlsx",
  "slides.pptx",
  "page.html",
  "table.csv",
  "mail.eml",
  "study.ipynb",
  "chart.svg",
  "photo.png",
];

const pool = makePandocPool();
const converters = { convert: pool.convert, readInProcess };
afterAll(() => pool.close());

const TEXTS: Readonly<Record<string, string | Uint8Array>> = {
  "mail.eml":
    'From: Ana <ana@example.com>\r\nSubject: =?utf-8?Q?Gr=C3=BC?=\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n--x\r\nContent-Disposition: attachment; filename="a.png"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--x--\r\n',
  "study.ipynb":
    '{"nbformat":4,"metadata":{"kernelspec":{"language":"python"}},"cells":[{"cell_type":"code","source":["x = 1\\n","x"],"outputs":[{"output_type":"stream","text":["1"]}]}]}',
  "chart.svg": '<svg viewBox="0 0 120 80"><title>Chart</title><desc>Sales &amp; costs</desc></svg>',
  "photo.png": png(64, 48),
  "page.html":
    "<!DOCTYPE html><h1>Head</h1><p>a <b>b</b> <a href='https://example.com'>c</a><table><tr><td>1</td></tr></table>",
  "table.csv": 'a;b;c\n1;"x;y";3\n4;"say ""hi""";6\n',
};

function original(name: string): Buffer {
  const text = TEXTS[name];
  if (text !== undefined) return Buffer.from(text);
  return readFileSync(new URL(`../__fixtures__/documents/${name}`, import.meta.url));
}

/** Generates integers below a bound. */
type Random = (below: number) => number;

/** Damages a document one to three times. */
function harm(bytes: Buffer, random: Random): Buffer {
  let harmed = Buffer.from(bytes);
  for (let times = random(3); times >= 0; times -= 1) {
    const at = random(harmed.length + 1);
    const length = random(Math.min(400, harmed.length - at + 1));
    const part = harmed.subarray(at, at + length);
    const harms = [
      () => harmed.subarray(0, at),
      () => Buffer.concat([harmed.subarray(0, at), harmed.subarray(at + length)]),
      () =>
        Buffer.concat([
          harmed.subarray(0, at),
          ...Array.from({ length: 1 + random(40) }, () => part),
          harmed.subarray(at),
        ]),
      () =>
        Buffer.concat([
          harmed.subarray(0, at),
          Buffer.from(Array.from({ length }, () => random(256))),
          harmed.subarray(at + length),
        ]),
      () =>
        Buffer.from(
          harmed.toString("latin1").replaceAll(/\d+/g, (digits) => (random(20) === 0 ? "4294967295" : digits)),
          "latin1",
        ),
    ];
    harmed = (harms[random(harms.length)] ?? (() => harmed))();
  }
  return harmed;
}

/** Damages half of the archives inside one part and repacks them, so that their checksums match. */
async function bent(name: string, random: Random): Promise<Buffer> {
  const bytes = original(name);
  const directory = readZipDirectory(bytes);
  if (!directory.ok || random(2) === 0) return harm(bytes, random);
  const victim = random(directory.value.length);
  const parts = await Promise.all(
    directory.value.map(async (entry, index) => {
      const whole = Buffer.from(await readEntry(entry));
      return { name: entry.name, method: entry.method, bytes: index === victim ? harm(whole, random) : whole };
    }),
  );
  return makeZip(parts);
}

const seed = Number(process.env["DOCUMENTS_SEED"] ?? Date.now() % 1_000_000);

it(`${CASES} damaged documents (seed ${seed}) end in a result or a clear error, and the next good one is read`, {
  timeout: RUN_MS,
}, async () => {
  const ends = new Map<string, number>();
  const before = process.memoryUsage().rss;
  const run = async (at: number) => {
    const share = seededRandom(seed * 1_000 + at);
    const random: Random = (below) => Math.floor(share() * below);
    const name = NAMES[at % NAMES.length] ?? "";
    const withImages = random(2) === 0;
    const { end, message, ms, markdown, pieces } = await ingest(name, await bent(name, random), converters, withImages);
    expect([...CODES, "ready"], `seed ${seed}, case ${at}`).toContain(end);
    if (end !== "ready") expect(message.length, `seed ${seed}, case ${at}`).toBeGreaterThan(10);
    expect(ms, `seed ${seed}, case ${at}`).toBeLessThan(DOCUMENT_MS);
    for (const piece of pieces) expect(piece.end, `seed ${seed}, case ${at}`).toBeLessThanOrEqual(markdown.length);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  };
  let next = 0;
  const worker = async () => {
    while (next < CASES) {
      next += 1;
      await run(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.log(`seed ${seed}:`, JSON.stringify(Object.fromEntries(ends)));
  expect(ends.get("ready")).toBeGreaterThan(20);
  expect(ends.get("invalid_input")).toBeGreaterThan(20);
  expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_BYTES);
  for (const name of NAMES)
    expect(await ingest(name, original(name), converters), name).toMatchObject({ end: "ready" });
});
