/** The processes of converters: what becomes of the document, and of the next one, when one hangs, dies or takes too much. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { ConverterStart } from "../../sidecar/documents/converter-process.ts";
import { MAX_PANDOC_BYTES, makePandocPool, PANDOC_LIMITS, type PandocPool } from "../../sidecar/documents/pandoc.ts";
import { readApart } from "../../sidecar/documents/read-apart.ts";
import { docxParts, makeZip, paragraph } from "./make-zip.ts";

const TOLD: ConverterStart = {
  script: new URL("__fixtures__/converters/told.ts", import.meta.url),
  nodeFlags: [],
  dataBytes: 900_000_000,
  maxAnswerBytes: 1_000_000,
};
const LIMITS = { ...PANDOC_LIMITS, processes: 1, timeoutMs: 20_000 };
/** What a document is given that hangs. */
const HANG_MS = 2_000;
/** A machine can be busy. */
const LONG = { timeout: 15_000 } as const;

let pool: PandocPool;
afterEach(() => pool.close());

async function convert(told: string, signal = new AbortController().signal) {
  const timeoutMs = told === "hang" ? HANG_MS : LIMITS.timeoutMs;
  const done = await pool.convert({ from: "a", to: "b", input: Buffer.from(told), signal, timeoutMs });
  return done.ok ? { text: Buffer.from(done.value.bytes).toString(), pid: done.value.warnings[0] } : done.error.code;
}

async function pidOf(told = "hello"): Promise<string> {
  const done = await convert(told);
  if (typeof done === "string") throw new Error(done);
  return done.pid ?? "";
}

describe("a converter's process", () => {
  it("stays for the next document, up to a number of them", async () => {
    pool = makePandocPool({ ...LIMITS, documentsOfAProcess: 3 }, TOLD);
    const pids = [await pidOf(), await pidOf(), await pidOf(), await pidOf()];
    expect(new Set(pids.slice(0, 3)).size).toBe(1);
    expect(pids[3]).not.toBe(pids[0]);
  });

  it.each([
    ["hang", "timeout"],
    ["die", "invalid_input"],
    ["talk", "invalid_input"],
    ["grow", "invalid_input"],
  ])("told to %s fails that document, and the next one works", async (told, code) => {
    pool = makePandocPool(LIMITS, TOLD);
    const before = await pidOf();
    expect(await convert(told)).toBe(code);
    const after = await convert("next");
    expect(after).toMatchObject({ text: "next" });
    expect(after).not.toMatchObject({ pid: before });
    await expect.poll(() => isAlive(before), LONG).toBe(false);
  });

  it("that is killed in the middle of a document leaves it to another, and the next one works", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const pid = await pidOf();
    const cut = convert("wait 1000");
    await sleep(100);
    process.kill(Number(pid), "SIGKILL");
    const done = await cut;
    expect(done).toMatchObject({ text: "wait 1000" });
    expect(done).not.toMatchObject({ pid });
    expect(await convert("next")).toMatchObject({ text: "next" });
  });

  it("that died while it waited is followed by another", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const pid = await pidOf();
    process.kill(Number(pid), "SIGKILL");
    await expect.poll(() => isAlive(pid), LONG).toBe(false);
    expect(await pidOf()).not.toBe(pid);
  });

  it("ends when its document is given up, and those who wait go on", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const stop = new AbortController();
    const [given, waiting] = [convert("wait 15000", stop.signal), convert("next")];
    const early = convert("never", AbortSignal.timeout(50));
    expect(await early).toBe("timeout");
    stop.abort();
    expect(await given).toBe("timeout");
    expect(await waiting).toMatchObject({ text: "next" });
  });

  it("is one of a few, however many documents come", async () => {
    pool = makePandocPool({ ...LIMITS, processes: 2 }, TOLD);
    const pids = await Promise.all(Array.from({ length: 8 }, () => pidOf("wait 20")));
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
  });

  it("ends when it has had nothing to do for a while", async () => {
    pool = makePandocPool({ ...LIMITS, idleMs: 50 }, TOLD);
    const pid = await pidOf();
    await expect.poll(() => isAlive(pid), LONG).toBe(false);
  });

  it("is not given more than it may hold", async () => {
    pool = makePandocPool(LIMITS, TOLD);
    const input = new Uint8Array(MAX_PANDOC_BYTES + 1);
    const done = await pool.convert({ from: "a", to: "b", input, signal: new AbortController().signal });
    expect(done).toMatchObject({ ok: false, error: { code: "too_large" } });
  });
});

describe("a reader's process", () => {
  it.each([
    ["hang", "timeout"],
    ["die", "invalid_input"],
    ["talk", "invalid_input"],
  ])("told to %s is a clear failure", async (told, code) => {
    const question = { kind: "pdf", pages: null, withImages: false } as const;
    const timeoutMs = code === "timeout" ? HANG_MS : 20_000;
    const done = await readApart(Buffer.from(told), question, new AbortController().signal, TOLD, timeoutMs);
    expect(done).toMatchObject({ ok: false, error: { code } });
  });
});

it("a small document that makes pandoc take gigabytes is a clear failure below 512 MB, and the next one works", async () => {
  pool = makePandocPool({ ...PANDOC_LIMITS, processes: 1, timeoutMs: 12_000 });
  const signal = new AbortController().signal;
  const cell = (at: number) => `<w:tc>${paragraph(((at * 7919) % 9_973).toString(36))}</w:tc>`;
  const row = `<w:tr>${Array.from({ length: 60 }, (_, at) => cell(at)).join("")}</w:tr>`;
  const heavy = makeZip(docxParts(`<w:tbl>${row.repeat(4_000)}</w:tbl>`));
  const watch = watchMemory();
  const done = await pool.convert({ from: "docx", to: "gfm", input: heavy, signal });
  const most = watch.stop();
  expect(done).toMatchObject({ ok: false, error: { code: expect.stringMatching(/invalid_input|timeout/) } });
  expect(most).toBeGreaterThan(100 * 1024 ** 2);
  expect(most).toBeLessThan(512 * 1024 ** 2);
  const light = makeZip(docxParts(paragraph("light")));
  const after = await pool.convert({ from: "docx", to: "gfm", input: light, signal, timeoutMs: 30_000 });
  expect(after.ok && Buffer.from(after.value.bytes).toString().trim()).toBe("light");
}, 60_000);

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    // One that nobody has waited for yet is there and does nothing more.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** The most memory, in bytes, that any single process below this one has had in use. */
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
