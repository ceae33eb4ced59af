/** Converter processes that hang, die or exceed limits: the result of their document, and of the next one. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readOrNull, readProcesses } from "../../../sidecar/cage/processes.ts";
import { startBudget } from "../../../sidecar/documents/budget.ts";
import type { ConverterStart } from "../../../sidecar/documents/converter-process.ts";
import { drawSvgs } from "../../../sidecar/documents/make/draw-svgs.ts";
import { makeMakerPool, type MakerPool } from "../../../sidecar/documents/make/makers.ts";
import { MAX_PANDOC_BYTES, makePandocPool, PANDOC_LIMITS, type PandocPool } from "../../../sidecar/documents/pandoc.ts";
import { NOT_MEASURED } from "../../../sidecar/cage/watch.ts";
import { classifyDeath } from "../../../sidecar/documents/death.ts";
import { readInProcess } from "../../../sidecar/documents/read-in-process.ts";
import { docxParts, makeZip, paragraph } from "./make-zip.ts";

const TOLD: ConverterStart = {
  script: new URL("../__fixtures__/converters/told.ts", import.meta.url),
  nodeFlags: [],
  dataBytes: 900_000_000,
  memoryMb: 450,
  maxAnswerBytes: 1_000_000,
};
const LIMITS = { ...PANDOC_LIMITS, processes: 1, timeoutMs: 20_000 };
/** Time limit of a document that hangs. */
const HANG_MS = 2_000;
/** Leaves time for a busy machine. */
const LONG = { timeout: 15_000 } as const;

let pool: PandocPool;
afterEach(() => pool.close());

async function ask(told: string, signal = new AbortController().signal) {
  const timeoutMs = told === "hang" ? HANG_MS : LIMITS.timeoutMs;
  return await pool.convert({ from: "a", to: "b", input: Buffer.from(told), signal, timeoutMs });
}

/** Returns the text and its process, or the failure's code. */
async function convert(told: string, signal = new AbortController().signal) {
  const done = await ask(told, signal);
  return done.ok ? { text: Buffer.from(done.value.bytes).toString(), name: done.value.warnings[0] } : done.error.code;
}

async function nameOf(told = "hello"): Promise<string> {
  const done = await convert(told);
  if (typeof done === "string") throw new Error(done);
  return done.name ?? "";
}

/** Finds running converters by their host pids. */
function converters(): readonly number[] {
  return readProcesses()
    .filter(({ pid, isZombie }) => !isZombie && /^node\0.*told\.ts/.test(readOrNull(`/proc/${pid}/cmdline`) ?? ""))
    .map(({ pid }) => pid);
}

/** Kills running converters. Retries, since a starting process briefly has a different command line. */
async function killConverters(): Promise<void> {
  await expect.poll(killThose, LONG).toBeGreaterThan(0);
}

function killThose(): number {
  const running = converters();
  for (const pid of running) process.kill(pid, "SIGKILL");
  return running.length;
}

describe("a converter's process", () => {
  it("is reused for a number of documents", async () => {
    pool = makePandocPool({ ...LIMITS, documentsPerProcess: 3 }, TOLD);
    const names = [await nameOf(), await nameOf(), await nameOf(), await nameOf()];
    expect(new Set(names.slice(0, 3)).size).toBe(1);
    expect(names[3]).not.toBe(names[0]);
  });

  it.each([
    ["hang", "timeout", /took longer than 30 seconds/],
    ["die", "invalid_input", /damaged/],
    ["talk", "invalid_input", /damaged/],
    ["grow", "too_large", /450 MB of memory/],
    ["exhaust", "too_large", /450 MB of memory/],
    ["flood", "too_large", /1 MB of text and pictures/],
  ])(
    "that is instructed to %s fails its document with the cause, and the next one works",
    async (told, code, message) => {
      pool = makePandocPool(LIMITS, TOLD);
      const before = await nameOf();
      const said = expect.stringMatching(message) as string;
      expect(await ask(told)).toMatchObject({ ok: false, error: { code, message: said } });
      const after = await convert("next");
      expect(after).toMatchObject({ text: "next" });
      expect(after).not.toMatchObject({ name: before });
      await expect.poll(() => converters().length, LONG).toBe(1);
    },
  );

  it("that something outside kills during a document is replaced, and the next document works", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const name = await nameOf();
    const cut = convert("wait 1000");
    await sleep(100);
    await killConverters();
    const done = await cut;
    expect(done).toMatchObject({ text: "wait 1000" });
    expect(done).not.toMatchObject({ name });
    expect(await convert("next")).toMatchObject({ text: "next" });
  });

  it("that something outside kills twice gives a retryable failure", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const cut = ask("wait 15000");
    for (const killed of [1, 2]) {
      await expect.poll(() => converters().length, LONG).toBe(1);
      // Either of the two has started.
      await sleep(300 * killed);
      const [before] = converters();
      await killConverters();
      await expect.poll(() => converters().includes(before ?? 0), LONG).toBe(false);
    }
    expect(await cut).toMatchObject({ ok: false, error: { code: "upstream_failed", retryAfterMs: 1_000 } });
    expect(await convert("next")).toMatchObject({ text: "next" });
  });

  it("that died while idle is replaced", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const name = await nameOf();
    await killConverters();
    await expect.poll(converters, LONG).toEqual([]);
    expect(await nameOf()).not.toBe(name);
  });

  it("has the remaining time of its document, including a second process and waiting", async () => {
    pool = makePandocPool({ ...LIMITS, timeoutMs: 4_000 }, TOLD);
    await nameOf();
    const began = performance.now();
    const cut = ask("wait 3000 twice");
    await sleep(2_000);
    const inLine = pool.convert({
      from: "a",
      to: "b",
      input: Buffer.from("late"),
      signal: new AbortController().signal,
      timeoutMs: 500,
    });
    await killConverters();
    expect(await inLine).toMatchObject({ ok: false, error: { code: "rate_limited", retryAfterMs: 1_000 } });
    expect(await cut).toMatchObject({ ok: false, error: { code: "timeout" } });
    // Two processes with the full time each would take at least five seconds.
    expect(performance.now() - began).toBeLessThan(4_900);
  });

  it("ends when its document is cancelled, and waiting documents continue", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const stop = new AbortController();
    const [given, waiting] = [convert("wait 15000", stop.signal), convert("next")];
    const early = convert("never", AbortSignal.timeout(50));
    expect(await early).toBe("timeout");
    stop.abort();
    expect(await given).toBe("timeout");
    expect(await waiting).toMatchObject({ text: "next" });
  });

  it("is one of a limited number", async () => {
    pool = makePandocPool({ ...LIMITS, processes: 2 }, TOLD);
    const names = await Promise.all(Array.from({ length: 8 }, () => nameOf("wait 20")));
    expect(new Set(names).size).toBeLessThanOrEqual(2);
  });

  it("ends after an idle time", async () => {
    pool = makePandocPool({ ...LIMITS, idleMs: 50 }, TOLD);
    await nameOf();
    await expect.poll(converters, LONG).toEqual([]);
  });

  it("refuses input above its limit", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const input = new Uint8Array(MAX_PANDOC_BYTES + 1);
    const done = await pool.convert({ from: "a", to: "b", input, signal: new AbortController().signal });
    expect(done).toMatchObject({ ok: false, error: { code: "too_large" } });
  });
});

describe("a reader's process", () => {
  const question = { kind: "pdf", pages: null, withImages: false } as const;

  async function readTold(told: string, ms = 20_000) {
    return await readInProcess(Buffer.from(told), question, new AbortController().signal, startBudget(ms), TOLD);
  }

  it.each([
    ["hang", "timeout"],
    ["die", "invalid_input"],
    ["talk", "invalid_input"],
    ["exhaust", "too_large"],
  ])("that is instructed to %s gives a clear failure", async (told, code) => {
    expect(await readTold(told, code === "timeout" ? HANG_MS : 20_000)).toMatchObject({ ok: false, error: { code } });
  });

  it("that dies while it reads a PDF's tables again does not lose the first reading", async () => {
    const told = "die in a second reading";
    expect(await readTold(told)).toMatchObject({ ok: true, value: { markdown: told } });
  });

  it("that something outside kills is replaced once", async () => {
    const read = readTold("wait 1000");
    await expect.poll(() => converters().length, LONG).toBe(1);
    await killConverters();
    expect(await read).toMatchObject({ ok: true, value: { markdown: "wait 1000" } });
  });
});

it.each(["need a fresh one", "ask for a fresh one"])(
  "pandoc's reused process that reports %s is replaced for the document",
  async (told) => {
    pool = makePandocPool(LIMITS, TOLD);
    const before = await nameOf();
    const done = await convert(told);
    expect(done).toMatchObject({ text: told });
    expect(done).not.toMatchObject({ name: before });
  },
);

describe("a maker's process", () => {
  let makers: MakerPool;
  beforeEach(() => {
    makers = makeMakerPool(20_000, TOLD);
  });
  afterEach(() => makers.close());

  async function make(told: string) {
    const made = await makers.ask({ kind: "style", format: "docx" }, [Buffer.from(told)], new AbortController().signal);
    return made.ok ? Buffer.from(made.value).toString() : made.error;
  }

  it.each(["need a fresh one", "ask for a fresh one"])(
    "that was reused and reports %s is replaced for the document",
    async (told) => {
      expect(await make("hello")).toBe("hello");
      expect(await make(told)).toBe(told);
      await expect.poll(() => converters().length, LONG).toBe(1);
    },
  );

  it("that was reused is replaced only once", async () => {
    expect(await make("hello")).toBe("hello");
    expect(await make("exhaust")).toMatchObject({
      code: "too_large",
      message: expect.stringMatching(/450 MB of memory/),
    });
    expect(await make("next")).toBe("next");
  });

  it("that something outside kills is replaced once, and then gives a retryable failure", async () => {
    const once = make("wait 1000");
    await expect.poll(() => converters().length, LONG).toBe(1);
    await killConverters();
    expect(await once).toBe("wait 1000");
    const twice = make("wait 15000");
    for (const killed of [1, 2]) {
      await expect.poll(() => converters().length, LONG).toBe(1);
      await sleep(300 * killed);
      const [before] = converters();
      await killConverters();
      await expect.poll(() => converters().includes(before ?? 0), LONG).toBe(false);
    }
    expect(await twice).toMatchObject({ code: "upstream_failed", retryAfterMs: 1_000 });
  });
});

describe("a process that draws", () => {
  const picture = (told: string) => Buffer.from(`<svg><!--${told}--></svg>`);
  const draw = async (...told: string[]) => await drawSvgs(told.map(picture), new AbortController().signal, {}, TOLD);

  it("that was reused and crashes is replaced for the picture", async () => {
    const drawn = await draw("hello", "need a fresh one");
    expect(drawn.map((one) => ("png" in one ? "drawn" : one.why))).toEqual(["drawn", "drawn"]);
  });

  it.each([
    ["exhaust", "450 MB of memory"],
    ["flood", "1 MB of text and pictures"],
  ])("that is instructed to %s omits the picture with its limit, and draws the next one", async (told, limit) => {
    const [left, next] = await draw(told, "next");
    expect(left).toEqual({ why: `it is an SVG that exceeds the limit for drawing (${limit})` });
    expect(next).toMatchObject({ png: expect.anything() });
  });
});

it("a process that could not be measured counts as ended from outside", () => {
  const end = { exitCode: null, endedFromOutside: false, timedOut: false };
  expect(classifyDeath({ ...end, killed: NOT_MEASURED }, "", 450)).toEqual({ cause: "outside" });
  expect(classifyDeath({ ...end, killed: "It took more than 5 bytes of memory." }, "", 450)).toMatchObject({
    cause: "limit",
  });
});

it("a small document that makes pandoc use gigabytes fails clearly below 512 MB, and the next one works", async () => {
  pool = makePandocPool({ ...PANDOC_LIMITS, processes: 1, timeoutMs: 12_000 });
  const signal = new AbortController().signal;
  const cell = (at: number) => `<w:tc>${paragraph(((at * 7919) % 9_973).toString(36))}</w:tc>`;
  const row = `<w:tr>${Array.from({ length: 60 }, (_, at) => cell(at)).join("")}</w:tr>`;
  const heavy = makeZip(docxParts(`<w:tbl>${row.repeat(4_000)}</w:tbl>`));
  const watch = watchMemory();
  const done = await pool.convert({ from: "docx", to: "gfm", input: heavy, signal });
  const most = watch.stop();
  expect(done).toMatchObject({ ok: false, error: { code: expect.stringMatching(/too_large|timeout/) } });
  expect(most).toBeGreaterThan(100 * 1024 ** 2);
  expect(most).toBeLessThan(512 * 1024 ** 2);
  const light = makeZip(docxParts(paragraph("light")));
  const after = await pool.convert({ from: "docx", to: "gfm", input: light, signal, timeoutMs: 30_000 });
  expect(after.ok && Buffer.from(after.value.bytes).toString().trim()).toBe("light");
}, 60_000);

/** Returns the peak memory in bytes of any descendant process. */
function watchMemory(): { stop(): number } {
  let most = 0;
  const look = () => {
    const parents = new Map<number, number>();
    const sizes = new Map<number, number>();
    for (const pid of readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)) {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ");
        parents.set(pid, Number(fields[1]));
        sizes.set(pid, Number(fields[21]) * 4_096);
      } catch {
        // It has ended meanwhile.
      }
    }
    const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid) ?? 0));
    for (const [pid, bytes] of sizes) if (pid !== process.pid && isOurs(pid)) most = Math.max(most, bytes);
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
