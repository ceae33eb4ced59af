/** A token passes once: also after a restart, on a full disk, and with a different body. */
import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { headBytes, streamPacket, joinHashes } from "../../../adapters/sidecar/packet.ts";
import { signEgressOrder, signJobOrder } from "../../../adapters/sidecar/token.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { defineJob } from "../../../sidecar/jobs/job.ts";
import { openUsedTokens } from "../../../sidecar/used-tokens.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

const SECRET = randomBytes(32).toString("hex");
const NOW = 1_000_000;
const FILE = { path: "a", size: 3 };
let folder: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "otto-used-"));
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function listening(server: Server): Promise<number> {
  closing.push(() => closeServer(server));
  return await listenOnLoopback(server, 0);
}

describe("the ids of used tokens", () => {
  const id = () => randomUUID();

  it("are known to the next process until their tokens expire, and their files are deleted after that", () => {
    const [first, second] = [id(), id()];
    const before = openUsedTokens(folder, NOW);
    expect([before.use(first, NOW + 30, NOW), before.use(second, NOW + 59, NOW)]).toEqual(["stored", "stored"]);
    const after = openUsedTokens(folder, NOW + 1);
    expect([after.use(first, NOW + 30, NOW + 1), after.use(second, NOW + 59, NOW + 1)]).toEqual(["used", "used"]);
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    const late = openUsedTokens(folder, NOW + 200);
    expect(readdirSync(folder)).toEqual([]);
    expect(late.use(id(), NOW + 230, NOW + 200)).toBe("stored");
  });

  it("are known despite a truncated record", () => {
    const [first, second] = [id(), id()];
    openUsedTokens(folder, NOW).use(first, NOW + 30, NOW);
    const [file = ""] = readdirSync(folder);
    appendFileSync(join(folder, file), `\n${id().slice(0, 9)}`);
    expect(openUsedTokens(folder, NOW).use(second, NOW + 30, NOW)).toBe("stored");
    const last = openUsedTokens(folder, NOW);
    expect([last.use(first, NOW + 30, NOW), last.use(second, NOW + 30, NOW)]).toEqual(["used", "used"]);
  });

  it("are refused if they cannot be stored or earlier ones cannot be read", () => {
    writeFileSync(join(folder, "file"), "");
    expect(openUsedTokens(join(folder, "file", "tokens"), NOW).use(id(), NOW + 30, NOW)).toBe("not_stored");
    mkdirSync(join(folder, `used-${NOW}`));
    const blind = openUsedTokens(folder, NOW);
    expect(blind.use(id(), NOW + 30, NOW)).toBe("not_stored");
    expect(blind.use(id(), NOW + 110, NOW + 80)).toBe("stored");
  });
});

/** A sidecar with one kind of job, which returns its file. Each one acts as a restarted process. */
async function startSidecar(allow = ""): Promise<string> {
  const echo = defineJob({
    name: "echo",
    maxConcurrent: 2,
    maxBytes: 1_000,
    maxFiles: 2,
    order: z.strictObject({}),
    run: async ({ files, folder: own }) => ({
      ok: true,
      body: {},
      files: files.map(({ path }) => ({ path, from: join(own, "in", path) })),
    }),
  });
  const isolation = async () => ({ level: "none", reason: "Nothing runs here." }) as const;
  const usedTokens = openUsedTokens(join(folder, "tokens"), Date.now() / 1_000);
  const jobs = { kinds: [echo], folder: join(folder, "jobs"), isolation, usedTokens };
  return `http://127.0.0.1:${await listening(makeSidecar(SECRET, makeSystemEgress(parseEgressAllow(allow)), jobs))}`;
}

async function post(url: string, token: string, body: Uint8Array<ArrayBuffer> | null) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

async function packet(head: Uint8Array, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const bytes = (async function* only() {
    yield await Promise.resolve(Buffer.from(text));
  })();
  for await (const chunk of streamPacket(head, [FILE], () => bytes)) chunks.push(chunk);
  return Uint8Array.from(Buffer.concat(chunks));
}

/** The packet of one file with this text. */
async function signedJob(text: string) {
  const head = headBytes({ body: {}, files: [FILE] });
  const filesSha256 = await sha256Hex(joinHashes([await sha256Hex(text)]));
  const order = { kind: "echo", tenant: "t1", head: await sha256Hex(head), filesSha256, timeoutMs: 10_000 };
  return { head, token: await signJobOrder(SECRET, order, Date.now()) };
}

describe("a token", () => {
  it("that was used does not pass after a restart", async () => {
    const { head, token } = await signedJob("one");
    const body = await packet(head, "one");
    expect((await post(`${await startSidecar()}/jobs/echo`, token, body)).status).toBe(200);
    const again = await post(`${await startSidecar()}/jobs/echo`, token, body);
    expect([again.status, JSON.parse(again.text)]).toMatchObject([401, { code: "unauthenticated", sent: true }]);
  });

  it("covers the files of a job: other bytes of the same size are refused", async () => {
    const { head, token } = await signedJob("one");
    const refused = await post(`${await startSidecar()}/jobs/echo`, token, await packet(head, "two"));
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([422, { code: "invalid_input", sent: false }]);
  });

  it("covers the body of an egress request: another one is not sent", async () => {
    const received: string[] = [];
    const outside = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => received.push(chunk.toString()));
      request.on("end", () => response.end("done"));
    });
    const host = `127.0.0.1:${await listening(outside)}`;
    const url = `${await startSidecar(host)}/egress`;
    const order = {
      tenant: "t1",
      method: "POST",
      url: `http://${host}/`,
      headers: [],
      timeoutMs: 10_000,
      maxBytes: 100,
      portIsListed: false,
      bodySha256: await sha256Hex("one"),
    };
    const token = () => signEgressOrder(SECRET, order, Date.now());
    const refused = await post(url, await token(), Uint8Array.from(Buffer.from("two")));
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([422, { code: "invalid_input", sent: false }]);
    expect((await post(url, await token(), null)).status).toBe(422);
    expect(received).toEqual([]);
    expect((await post(url, await token(), Uint8Array.from(Buffer.from("one")))).status).toBe(200);
    expect(received).toEqual(["one"]);
  });

  it("of a Worker of the previous release has no hash of its body, and passes", async () => {
    const head = headBytes({ body: {}, files: [FILE] });
    const order = {
      purpose: "job",
      exp: Math.floor(Date.now() / 1_000) + 30,
      jti: randomUUID(),
      kind: "echo",
      tenant: "t1",
      head: createHash("sha256").update(head).digest("hex"),
      timeout_ms: 10_000,
    };
    const payload = Buffer.from(JSON.stringify(order)).toString("base64url");
    const token = `${payload}.${createHmac("sha256", SECRET).update(payload).digest("base64url")}`;
    const body = await packet(head, "one");
    expect((await post(`${await startSidecar()}/jobs/echo`, token, body)).status).toBe(200);
  });
});
