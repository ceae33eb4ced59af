/** Jobs from the Worker to their kind, over loopback. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { headBytes, openPacket, streamPacket } from "../../../adapters/sidecar/packet.ts";
import { type JobFile, runJob } from "../../../adapters/sidecar/run-job.ts";
import { signJobOrder } from "../../../adapters/sidecar/token.ts";
import { failed, ok, isNotSent } from "../../../core/base/errors.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { defineJob } from "../../../sidecar/jobs/job.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

const secret = randomBytes(32).toString("hex");
const folder = mkdtempSync(join(tmpdir(), "otto-jobs-"));
let server: Server;
let url = "";
const seen: string[] = [];
/** Releases jobs with the word "held". */
let held = Promise.withResolvers<void>();
/** Leaves time for a busy machine. */
const LONG = { timeout: 15_000 } as const;

/** Returns every file in capitals, and the order. */
const shout = defineJob({
  name: "shout",
  maxConcurrent: 2,
  maxBytes: 1_000_000,
  maxFiles: 10,
  order: z.strictObject({ word: z.string().max(100) }),
  run: async ({ order, files, folder: own, tenant }) => {
    seen.push(own);
    if (order.word === "no") return { ok: false, code: "invalid_input", message: "No.", field: "word" };
    if (order.word === "held") await held.promise;
    if (order.word === "throw") throw new Error("a defect");
    const given = files.map(({ path }) => {
      const from = join(own, `out-${seen.length}-${path.replaceAll("/", "-")}`);
      writeFileSync(from, readFileSync(join(own, "in", path), "utf8").toUpperCase());
      return { path: `loud/${path}`, mode: 0o755, from };
    });
    return { ok: true, body: { word: order.word, tenant }, files: given };
  },
});

beforeAll(async () => {
  const isolation = async () => ({ level: "none", reason: "Nothing runs here." }) as const;
  const jobs = { kinds: [shout], folder: join(folder, "jobs"), isolation };
  server = makeSidecar(secret, makeSystemEgress(parseEgressAllow("")), jobs);
  url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
});

afterAll(async () => {
  await closeServer(server);
  rmSync(folder, { recursive: true, force: true });
});

function textFile(path: string, text: string): JobFile {
  const bytes = new TextEncoder().encode(text);
  return { path, size: bytes.length, open: async () => ok(new Blob([bytes]).stream()) };
}

const request = { kind: "shout", tenant: "t1", timeoutMs: 20_000, signal: new AbortController().signal };

async function shouted(word: string, files: readonly JobFile[] = [], tenant = "t1") {
  return await runJob(connectSidecar(url, secret), { ...request, tenant, order: { word }, files });
}

async function restOf(files: AsyncIterable<unknown>): Promise<unknown[]> {
  const all = [];
  for await (const file of files) all.push(file);
  return all;
}

it("sends files to a job, returns its result, and removes its folder", async () => {
  const done = await shouted("hello", [
    textFile("a.txt", "one"),
    textFile("deep/b.txt", ""),
    textFile("ä.txt", "zwei"),
  ]);
  if (!done.ok) throw new Error(done.error.message);
  expect(done.value.body).toEqual({ word: "hello", tenant: "t1" });
  const texts = (await restOf(done.value.files)).map((file) => {
    const { path, mode, bytes } = file as { path: string; mode: number; bytes: Uint8Array };
    return [path, mode, new TextDecoder().decode(bytes)];
  });
  expect(texts).toEqual([
    ["loud/a.txt", 0o755, "ONE"],
    ["loud/deep/b.txt", 0o755, ""],
    ["loud/ä.txt", 0o755, "ZWEI"],
  ]);
  await expect.poll(() => readdirSync(join(folder, "jobs")), LONG).toEqual([]);
});

it("returns a job's refusal, and reports a defect as one that may have started", async () => {
  expect(await shouted("no")).toEqual(failed("invalid_input", "No.", { field: "word" }));
  const defect = await shouted("throw");
  expect(defect).toMatchObject(failed("internal", "The sidecar failed."));
  await expect.poll(() => seen.filter((place) => existsSync(place)), LONG).toEqual([]);
});

it.each([
  ["a field that is new", { kind: "shout", order: { word: "a", louder: true } }, "not_available", /different releases/],
  ["a field that is missing", { kind: "shout", order: {} }, "not_available", /different releases/],
  ["a value that does not fit", { kind: "shout", order: { word: "w".repeat(101) } }, "invalid_input", /word/],
  ["an unknown kind", { kind: "sing", order: { word: "a" } }, "not_available", /different releases/],
] as const)("refuses an order with %s before it starts", async (_what, { kind, order }, code, message) => {
  const before = seen.length;
  const done = await runJob(connectSidecar(url, secret), { ...request, kind, order, files: [] });
  const said = expect.stringMatching(message) as string;
  expect(done).toMatchObject({ ok: false, error: { code, message: said, happened: "no" } });
  expect(seen).toHaveLength(before);
});

/** Returns a job's failure with a healthy sidecar that answers orders like this. */
async function answered(status: number, text: string) {
  const played = createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.once("end", () => outgoing.writeHead(incoming.method === "GET" ? 200 : status).end(text));
  });
  const port = await listenOnLoopback(played, 0);
  try {
    return await runJob(connectSidecar(`http://127.0.0.1:${port}`, secret), {
      ...request,
      order: { word: "hello" },
      files: [],
    });
  } finally {
    await closeServer(played);
  }
}

it.each([
  ["a proxy that timed out", 504, "<html>504 Gateway Time-out</html>", "upstream_failed"],
  ["a proxy that lost the sidecar", 503, "no healthy upstream", "upstream_failed"],
  ["a newer sidecar's own code", 500, '{"code":"brand_new","message":"It broke.","sent":true}', "upstream_failed"],
  [
    "a sidecar that has had the token before",
    401,
    '{"code":"unauthenticated","message":"Used.","sent":true}',
    "upstream_failed",
  ],
])("treats the reply of %s as an unknown outcome", async (_who, status, text, code) => {
  const done = await answered(status, text);
  expect(done).toMatchObject({ ok: false, error: { code } });
  expect(done).not.toMatchObject({ error: { happened: "no" } });
});

it.each([
  ["of before there were jobs", 404, '{"code":"not_found","message":"There is POST /egress."}', "not_available"],
  [
    "with another secret",
    401,
    '{"code":"wrong_secret","message":"The token was signed with a different secret."}',
    "upstream_failed",
  ],
])("reports that nothing was started by a sidecar %s", async (_which, status, text, code) => {
  expect(await answered(status, text)).toMatchObject({ ok: false, error: { code, happened: "no" } });
});

it.each([
  ["a path that leads out", [textFile("../a.txt", "x")], "invalid_input"],
  ["a path that begins at the top", [textFile("/etc/a.txt", "x")], "invalid_input"],
  ["a file below a file", [textFile("a", "x"), textFile("a/b", "y")], "invalid_input"],
  ["a path twice", [textFile("a", "x"), textFile("a", "y")], "invalid_input"],
  ["too many files", Array.from({ length: 11 }, (_, at) => textFile(`${at}`, "")), "too_large"],
  ["too many bytes", [textFile("a", "x".repeat(1_000_001))], "too_large"],
])("refuses %s before the job starts", async (_what, files, code) => {
  const before = seen.length;
  const done = await shouted("hello", files);
  expect(done).toMatchObject({ ok: false, error: { code, happened: "no" } });
  expect(seen).toHaveLength(before);
});

it("does not start if a file cannot be read", async () => {
  const before = seen.length;
  const gone: JobFile = { path: "a", size: 3, open: async () => failed("not_found", "It is gone.") };
  expect(await shouted("hello", [gone])).toMatchObject({
    ok: false,
    error: { code: "not_found", message: "It is gone.", happened: "no" },
  });
  expect(seen).toHaveLength(before);
});

it.each([
  ["its caller gives it up", (caller: AbortController) => caller.abort(), { code: "timeout" }],
  ["the sidecar is gone", () => server.closeAllConnections(), { code: "upstream_failed", retryAfterMs: 1_000 }],
])("certainly did not start if %s before all files arrived", async (_when, happen, failure) => {
  const before = seen.length;
  const caller = new AbortController();
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const endless: JobFile = {
    path: "a",
    size: 10,
    sha256: "0".repeat(64),
    open: async () => {
      ask();
      return ok(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(5)) }));
    },
  };
  const order = { word: "hello" };
  const done = runJob(connectSidecar(url, secret), { ...request, order, files: [endless], signal: caller.signal });
  await isAsked;
  // Repeat, since the request may not have reached the sidecar yet.
  const again = setInterval(() => happen(caller), 20);
  await done;
  clearInterval(again);
  expect(await done).toMatchObject({ ok: false, error: { ...failure, happened: "no" } });
  expect(seen).toHaveLength(before);
});

it("may have started if the connection breaks after the last byte", async () => {
  const before = seen.length;
  held = Promise.withResolvers();
  const done = shouted("held", [textFile("a", "x")]);
  await expect.poll(() => seen.length, LONG).toBe(before + 1);
  server.closeAllConnections();
  const lost = await done;
  held.resolve();
  expect(lost).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "unknown" } });
});

it("refuses a packet that was not signed, a used token, and a token for another purpose", async () => {
  const head = headBytes({ body: { word: "hello" }, files: [] });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", head));
  const [hash, filesSha256] = [Buffer.from(digest).toString("hex"), await sha256Hex("")];
  const order = { kind: "shout", tenant: "t1", head: hash, filesSha256, timeoutMs: 10_000 };
  const token = await signJobOrder(secret, order, Date.now());
  const send = async (path: string, body: Uint8Array, bearer = token) => {
    const packet = Buffer.concat((await restOf(streamPacket(body, [], () => [] as never))) as Uint8Array[]);
    const init = { method: "POST", headers: { authorization: `Bearer ${bearer}` }, body: packet };
    return (await fetch(url + path, init)).status;
  };
  const other = headBytes({ body: { word: "other" }, files: [] });
  expect(await send("/jobs/shout", other, await signJobOrder(secret, order, Date.now()))).toBe(422);
  expect(await send("/egress", head, await signJobOrder(secret, order, Date.now()))).toBe(401);
  expect(await send("/jobs/other", head, await signJobOrder(secret, order, Date.now()))).toBe(401);
  expect(await send("/jobs/shout", head)).toBe(200);
  expect(await send("/jobs/shout", head)).toBe(401);
});

it("refuses at once when full, and alternates between tenants", async () => {
  held = Promise.withResolvers();
  const order: string[] = [];
  const many = Array.from({ length: 20 }, () => shouted("held").then((result) => (order.push("t1"), result)));
  await expect.poll(() => order.length, LONG).toBeGreaterThan(0);
  await shouted("hello", [], "t2").then((done) => order.push(`t2 ${done.ok}`));
  held.resolve();
  const done = await Promise.all(many);
  const refused = done.filter((one) => !one.ok);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect(one).toMatchObject({ ok: false, error: { code: "rate_limited", happened: "no" } });
  // One of two slots is free for the next tenant.
  expect(order.filter((who) => who !== "t1")).toEqual(["t2 true"]);
  expect(order.indexOf("t2 true")).toBeLessThan(order.length - 4);
});

it("reports that nothing was started without a sidecar or its answer", async () => {
  const job = { ...request, order: { word: "hello" }, files: [] };
  expect(await runJob(null, job)).toMatchObject({ error: { code: "not_available", happened: "no" } });
  const away = connectSidecar("http://127.0.0.1:9", secret, 0);
  expect(await runJob(away, job)).toMatchObject({ error: { code: "upstream_failed", happened: "no" } });
});

it.each([
  [502, "<html>Bad Gateway</html>", undefined],
  [504, "", undefined],
  [500, "{}", undefined],
  [401, "<html>Unauthorized</html>", false],
  [401, '{"code":"wrong_secret","message":"The token was signed with a different secret."}', false],
  [503, '{"code":"rate_limited","message":"Full.","sent":false}', false],
])("reports that nothing was started only if that is certain: %i %s", async (status, text, sent) => {
  const between = {
    secret,
    fetch: async (path: string) => (path === "/health" ? new Response("{}") : new Response(text, { status })),
    isAsleep: async () => false,
    patienceMs: 0,
  };
  const done = await runJob(between, { ...request, order: { word: "hello" }, files: [] });
  expect(done.ok ? null : [done.error.retryAfterMs, isNotSent(done.error)]).toEqual([1_000, sent === false]);
});

it("reads a packet in any pieces, and refuses one that is too short or too long", async () => {
  const files = [
    { path: "a", size: 3 },
    { path: "b", size: 0 },
    { path: "c", size: 2 },
  ];
  const bytes: Record<string, string> = { a: "xyz", b: "", c: "uv" };
  const whole = Buffer.concat(
    (await restOf(
      streamPacket(headBytes({ body: [1], files }), files, ({ path }) => [Buffer.from(bytes[path] ?? "")] as never),
    )) as Uint8Array[],
  );
  const read = async (data: Buffer, piece: number) => {
    let at = 0;
    const pull = async () => (at >= data.length ? null : data.subarray(at, (at += piece)));
    const packet = await openPacket(pull, { files: 3, bytes: 5 });
    let text = "";
    for await (const { file, chunks } of packet.contents()) text += `${file.path}=${(await restOf(chunks)).join("")};`;
    return text;
  };
  for (const piece of [1, 2, 7, 1_000]) expect(await read(whole, piece)).toMatch(/^a=.*;b=;c=.*;$/);
  for (let length = 0; length < whole.length; length += 1)
    await expect(read(whole.subarray(0, length), 1_000)).rejects.toThrow(/packet|head/);
  await expect(read(Buffer.concat([whole, Buffer.from("!")]), 1_000)).rejects.toThrow("longer");
});
