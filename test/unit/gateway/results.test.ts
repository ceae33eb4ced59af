/** What the model reads of a result, and what is kept of it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ok } from "../../../core/base/errors.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import type { PerformDeps } from "../../../core/steps/perform.ts";
import { type RestOfText, shapeText } from "../../../core/gateway/shape.ts";
import { readStoredText, formatResult } from "../../../core/prompt/stored-results.ts";
import type { BlobPort } from "../../../core/ports/blobs.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { CallFacts, Tool } from "../../../core/tool/tool.ts";
import { defineTool } from "../../../tools/define-tool.ts";
import { freeWork } from "../../fakes/work-meter.ts";
import { outcomesOf } from "../steps/play-gateway.ts";
import { memoryBlobs } from "./memory-blobs.ts";
import { factsOf } from "../task/world.ts";

const CALL = "call_00000000000000000000000001_1_0";
const KEY = `${factsOf().tenant}/tree/${factsOf().rootId}/results/${CALL}`;
/** The longest note on an omitted part, without its figures. */
const MAX_POINTER = 200;

/** A tool whose result is the text that it is given; `seen` gets the facts of its calls. */
function sayTool(text: string, wholeResult = false, seen: CallFacts[] = []): Tool {
  return defineTool({
    name: "say",
    summary: "Say a text.",
    toolbox: "test",
    category: "control",
    permissions: [],
    security: "safe",
    effect: "none",
    needs: [],
    wholeResult,
    input: z.object({}),
    output: z.object({ text: z.string() }),
    async run(_, context) {
      seen.push(context);
      return { text };
    },
    show: (result) => result.text,
    examples: [{ note: "a text", given: {} }],
  });
}

async function perform(tool: Tool, blobs: BlobPort, names: readonly string[] = ["say", "expand_result"]) {
  const deps: PerformDeps = {
    toolset: { resolve: () => tool, names, skills: [], admits: () => ok(undefined) },
    ports: {} as ToolPorts,
    model: null,
    blobs,
    limits: { mediumCharacters: 4000, largeCharacters: 12_000 },
    maxParallel: 5,
    scriptTimeoutMs: 120_000,
    retryDelaysMs: [],
    timer: globalThis,
    meterWork: () => freeWork,
    giveTurn: freeWork.giveWay,
    reportDefect: () => undefined,
    clock: { now: () => 0 },
  };
  const argumentsHash = await hashArguments("say", {});
  const row = { callId: CALL, tool: "say", arguments: {}, argumentsHash, effect: "none", key: CALL } as const;
  const job = { facts: factsOf(), step: 1, timeoutMs: 1000, calls: [{ ...row, mode: "run", attempt: 1 } as const] };
  const [outcome] = await outcomesOf(job, deps, new AbortController().signal);
  if (outcome === undefined) throw new Error("the call brought no outcome");
  return outcome;
}

describe("a long result", () => {
  test("is stored in full, and shortened with the call of expand_result that reads it", async () => {
    const blobs = memoryBlobs();
    const text = `${"h".repeat(8000)}${"t".repeat(2000)}`;
    const outcome = await perform(sayTool(text), blobs);
    expect(outcome.isLarge).toBe(false);
    expect(outcome.content).toBe(
      `${"h".repeat(3000)}\n[… 6000 of 10000 characters left out; read them with expand_result, result_id "${CALL}" …]\n${"t".repeat(1000)}`,
    );
    expect([...blobs.stored.keys()]).toEqual([`${KEY}.txt`]);
    expect(await readStoredText(blobs, factsOf(), CALL)).toEqual({ ok: true, value: text });
  });

  test("over the large threshold is shorter and needs a summary", async () => {
    const outcome = await perform(sayTool("x".repeat(20_000)), memoryBlobs());
    expect(outcome.isLarge).toBe(true);
    expect(outcome.content).toContain("[… 18000 of 20000 characters left out; read them with expand_result");
  });

  test("that cannot be stored says so, and is not summarised", async () => {
    const outcome = await perform(sayTool("x".repeat(20_000)), memoryBlobs(true));
    expect(outcome).toMatchObject({ state: "confirmed", isLarge: false });
    expect(outcome.content).toContain("18000 of 20000 characters left out; they could not be stored");
    expect(outcome.content).not.toContain("expand_result");
  });

  test("names no tool that the task has not", async () => {
    const outcome = await perform(sayTool("x".repeat(5000)), memoryBlobs(), ["say"]);
    expect(outcome.content).toContain(`the whole is stored as "${CALL}"`);
    expect(outcome.content).not.toContain("expand_result");
  });

  test("of a tool that bounds its own stays unshortened and is never stored as a blob", async () => {
    const blobs = memoryBlobs();
    const outcome = await perform(sayTool("x".repeat(20_000), true), blobs);
    expect(outcome).toMatchObject({ content: "x".repeat(20_000), isLarge: false });
    expect(blobs.stored.size).toBe(0);
  });

  test("is stored as JSON too when its row cannot hold it", async () => {
    const blobs = memoryBlobs();
    const outcome = await perform(sayTool("x".repeat(200_000)), blobs);
    expect([...blobs.stored.keys()].sort()).toEqual([`${KEY}.json`, `${KEY}.txt`]);
    expect(outcome.result).toMatchObject({ ok: true, result: { stored: `${KEY}.json` } });
  });
});

describe("a short result", () => {
  test("stays complete and is not stored as a blob", async () => {
    const blobs = memoryBlobs();
    const outcome = await perform(sayTool("x".repeat(4000)), blobs);
    expect(outcome).toMatchObject({ content: "x".repeat(4000), isLarge: false });
    expect(blobs.stored.size).toBe(0);
  });
});

test("a call knows the tools that its task may use", async () => {
  const seen: CallFacts[] = [];
  await perform(sayTool("a", false, seen), memoryBlobs(), ["say", "read_file"]);
  expect(seen[0]?.tools).toEqual(["say", "read_file"]);
});

describe("shaping", () => {
  const limits = { mediumCharacters: 100, largeCharacters: 300 };

  test("leaves short text complete and renders the head, the tail and the omitted length of long text", () => {
    expect(shapeText("a".repeat(100), limits, "call_1")).toBe("a".repeat(100));
    const shaped = shapeText(`${"h".repeat(150)}${"t".repeat(150)}`, limits, "call_1");
    expect(shaped).toMatch(
      /^h{75}\n\[… 200 of 300 characters left out; read them with expand_result, result_id "call_1" …\]\nt{25}$/,
    );
  });

  test("shows less of a text over the large threshold", () => {
    expect(shapeText("x".repeat(301), limits, "call_1").length).toBeLessThan(
      shapeText("x".repeat(300), limits, "call_1").length,
    );
  });

  const text = fc.string({ unit: "binary", maxLength: 3000 });
  const threshold = fc.integer({ min: 1, max: 3000 });
  const rests = fc.constantFrom<RestOfText>("expandable", "stored", "lost");

  test("is bounded for any text and thresholds, is the text's own head and tail, and never half a character", () => {
    fc.assert(
      fc.property(text, threshold, threshold, rests, (whole, mediumCharacters, largeCharacters, rest) => {
        const shaped = shapeText(whole, { mediumCharacters, largeCharacters }, CALL, rest);
        if (whole.length <= mediumCharacters) {
          expect(shaped).toBe(whole);
          return;
        }
        expect(shaped.length).toBeLessThanOrEqual(mediumCharacters + MAX_POINTER);
        expect(shaped.isWellFormed()).toBe(true);
        const [line = ""] = /\n\[… \d+ of \d+ characters left out; [^\n]* …\]\n/.exec(shaped) ?? [];
        const at = shaped.lastIndexOf(line);
        const [head, tail] = [shaped.slice(0, at), shaped.slice(at + line.length)];
        expect(line).toContain(`${whole.length - head.length - tail.length} of ${whole.length}`);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
      }),
    );
  });

  test("stores every text that it shortens, character for character", async () => {
    await fc.assert(
      fc.asyncProperty(text, threshold, async (whole, mediumCharacters) => {
        const blobs = memoryBlobs();
        const options = { blobs, limits: { mediumCharacters, largeCharacters: 1 }, canExpand: true };
        const { content, isLarge } = await formatResult(whole, factsOf(), CALL, options);
        expect(isLarge).toBe(whole.length > mediumCharacters);
        if (isLarge) expect(await readStoredText(blobs, factsOf(), CALL)).toEqual({ ok: true, value: whole });
        else expect(content).toBe(whole);
      }),
    );
  });
});
