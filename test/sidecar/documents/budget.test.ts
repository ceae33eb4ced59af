/** The 30 seconds of a document: each engine that it needs gets what the ones before it left. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { startBudget } from "../../../sidecar/documents/budget.ts";
import type { Engines } from "../../../sidecar/documents/make/make-document.ts";
import { readDocument } from "../../../sidecar/documents/read.ts";
import { limitEngines } from "../../../sidecar/documents/make/engines.ts";
import { defineMakeJob } from "../../../sidecar/documents/make/make-job.ts";
import { docxParts, makeZip, paragraph } from "./make-zip.ts";

const DOCUMENT_MS = 30_000;
/** What each engine takes, and by how much a timer may be early. */
const ENGINE_MS = 120;
const EARLY_MS = 20;

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "otto-budget-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Engines that take some time, and what each of them was given, in their order. */
function slowEngines(): { readonly given: number[]; readonly engines: Engines } {
  const given: number[] = [];
  const spend = async (ms: number | undefined) => {
    given.push(ms ?? Infinity);
    await sleep(ENGINE_MS);
  };
  const converted = ok({ bytes: new TextEncoder().encode('{"blocks":[]}'), media: [], warnings: [] });
  const engines: Engines = {
    pandoc: async ({ timeoutMs }) => (await spend(timeoutMs), converted),
    maker: async (_question, _parts, _signal, timeoutMs) => (await spend(timeoutMs), ok(new Uint8Array(1))),
    draw: async (svgs, _signal, limits) => (await spend(limits?.documentMs), svgs.map(() => ({ why: "not drawn" }))),
    style: async (_format, _signal, budget) => (await spend(budget?.leftMs()), ok(new Uint8Array(1))),
  };
  return { given, engines };
}

/** Each has at least what one engine takes less than the one before it. */
function expectShrinking(given: readonly number[], most: number): void {
  for (const [index, ms] of given.entries())
    expect(ms, given.join(", ")).toBeLessThanOrEqual(most - index * (ENGINE_MS - EARLY_MS));
}

it("a second run of pandoc for lost tables has what the first one left", async () => {
  const given: number[] = [];
  const convert = async ({ timeoutMs = Infinity }: { readonly timeoutMs?: number }) => {
    given.push(timeoutMs);
    await sleep(ENGINE_MS);
    return ok({ bytes: Buffer.from(given.length === 1 ? "[TABLE]\n" : "<table></table>\n"), media: [], warnings: [] });
  };
  const readInProcess = async () => expect.fail("not pandoc's");
  const order = { name: "a.docx", pages: null, withImages: false, signal, budget: startBudget(5_000) };
  const read = await readDocument(makeZip(docxParts(paragraph("x"))), order, { convert, readInProcess });
  expect(read).toMatchObject({ ok: true, value: { markdown: "<table></table>" } });
  expect(given).toHaveLength(2);
  expectShrinking(given, 5_000);
});

it("every engine that makes a document has what the others left", async () => {
  const { given, engines } = slowEngines();
  const within = limitEngines(startBudget(5_000), engines);
  await within.style("docx", signal);
  await within.pandoc({ from: "a", to: "b", input: new Uint8Array(), signal });
  await within.draw([new Uint8Array()], signal);
  await within.maker({ kind: "style", format: "docx" }, [], signal);
  expect(given).toHaveLength(4);
  expectShrinking(given, 5_000);
});

it("an engine that is asked when the time is used up has none", async () => {
  const { given, engines } = slowEngines();
  const within = limitEngines(startBudget(0), engines);
  await within.pandoc({ from: "a", to: "b", input: new Uint8Array(), signal });
  await within.maker({ kind: "style", format: "docx" }, [], signal);
  await within.draw([], signal);
  expect(given).toEqual([0, 0, 0]);
});

it("a document that is made has 30 seconds for all its engines together", async () => {
  const { given, engines } = slowEngines();
  mkdirSync(join(folder, "in"), { recursive: true });
  const content = { sheets: [{ name: "A", rows: [["b"]] }] };
  const order = { document: { format: "xlsx", content }, images: [], template: null, now_ms: 0 };
  const done = await defineMakeJob(engines).perform({ tenant: "ten_1", order, folder, files: [], signal });
  expect(done).toMatchObject({ ok: true });
  expect(given.length).toBeGreaterThan(0);
  expectShrinking(given, DOCUMENT_MS);
});
