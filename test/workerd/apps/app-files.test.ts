/**
 * Files of calls on the demo apps: a file of the sandbox is uploaded before the call, and a file of a result is written into the
 * sandbox, while objects are killed around both and the storage refuses, lies or is private.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { EffectClass } from "../../../core/tool/tool.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { controlDemoApps } from "../../mock-servers/demo-apps.ts";
import { agentOf, factsOf, ledgerOf, start, taskOf, until, waitIdOf } from "../tasks/client.ts";
import { type AppOffice, openAppOffice, toName, useDemoApps } from "./app-office.ts";

const FILE = { type: "object", file_uploadable: true, properties: { s3key: { type: "string" } }, required: ["s3key"] };
const UPLOAD = {
  action: "GOOGLEDRIVE_UPLOAD_FILE",
  named: "folder_to_upload_to",
  input: { type: "object", properties: { file_to_upload: FILE, folder_to_upload_to: { type: "string" } } },
};
const DOWNLOAD = { action: "GOOGLEDRIVE_DOWNLOAD_FILE", named: "file_id" };
const UPLOADS: readonly EffectClass[] = ["keyed", "probe", "once"];
const DOWNLOADS: readonly EffectClass[] = ["none", "probe"];
/** A text of the signature of each link. */
const CANARY = "canary-signature";

const control = (orders = {}) => controlDemoApps(inject("servers").demoApps.url, orders);

afterEach(() => {
  vi.restoreAllMocks();
});

useDemoApps();
let office: AppOffice;
beforeAll(async () => {
  office = await openAppOffice([
    ...UPLOADS.map((effect) => ({ of: UPLOAD, effect })),
    ...DOWNLOADS.map((effect) => ({ of: DOWNLOAD, effect })),
  ]);
});

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const upload = (effect: EffectClass, marker: string, path: unknown = "reports/june.txt"): Call => ({
  name: toName(UPLOAD.action, effect),
  arguments: { file_to_upload: path, folder_to_upload_to: marker },
});
/** The file team.txt of each new account. */
const download = (effect: EffectClass): Call => ({
  name: toName(DOWNLOAD.action, effect),
  arguments: { file_id: "file_3" },
});

function taskOfCalls(calls: readonly Call[], config = {}): TaskFacts {
  const rules = { approval: { cautious: "allow" }, capability_gate: "off" } as const;
  const agent = agentOf({ tools: ["*"], permissions: ["network", "read", "write"], ...rules, ...config });
  const { tenant, person, sources } = office;
  return factsOf([{ calls }, { text: "Done." }], { tenant, actsFor: { person }, agent, sources });
}

const filesOf = ({ tenant, id }: TaskFacts) => filesFromEnv(env, { tenant, rootId: id, project: null });

async function put(facts: TaskFacts, path: string, content: string | Uint8Array, key = path): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  valueOf(await filesOf(facts).write(path, bytes, { key }));
}

async function read(facts: TaskFacts, path: string): Promise<string> {
  return new TextDecoder().decode(valueOf(await filesOf(facts).read(path, 1_000)).bytes);
}

/** Runs the calls, and returns the row of the last one. */
async function run(facts: TaskFacts) {
  await start(facts);
  await until(facts, ({ status }) => status === "completed", 45_000);
  const rows = await ledgerOf(facts);
  const row = rows.at(-1);
  if (row === undefined) throw new Error("there is no call");
  return row;
}

/** The effects of a marker, each with the key of its file. */
async function effectsOf(marker: string): Promise<readonly string[]> {
  const { effects } = await control();
  return effects
    .filter(({ arguments: given }) => given["folder_to_upload_to"] === marker)
    .map(({ arguments: given }) => JSON.stringify(given["file_to_upload"]));
}

/** Everything that a task stores and shows. */
async function allTexts(facts: TaskFacts): Promise<string> {
  const { events } = valueOf(await taskOf(facts).events(0, 500));
  return JSON.stringify([events, await ledgerOf(facts)]);
}

describe("a file for an action", () => {
  test("is uploaded before the call, and sent in the provider's form", async () => {
    const marker = crypto.randomUUID();
    const facts = taskOfCalls([upload("probe", marker, "./reports//june.txt")]);
    await put(facts, "reports/june.txt", "June was good.");
    const before = (await control()).requests.length;
    const row = await run(facts);
    expect(row).toMatchObject({ state: "confirmed", attempts: 1, arguments: { file_to_upload: "reports/june.txt" } });
    const sent = (await control()).requests.slice(before);
    expect(sent.filter((line) => /upload|storage|execute/.test(line))).toEqual([
      "POST /files/upload/request",
      "PUT /storage",
      `POST /tools/execute/${UPLOAD.action}`,
    ]);
    expect(await effectsOf(marker)).toEqual([
      expect.stringMatching(
        /^\{"name":"june.txt","mimetype":"text\/plain; charset=utf-8","s3key":"demo\/googledrive\//,
      ),
    ]);
    expect(await allTexts(facts)).not.toContain(CANARY);
  });

  test.each([
    ["another sandbox", "../other/a.txt", "sandbox_denied"],
    ["a file that is not there", "none.txt", "not_found"],
    ["a directory", "reports", "not_found"],
    ["no path", { s3key: "demo/of/another/tenant" }, "invalid_input"],
    ["a denied file", ".env", "sandbox_denied"],
  ])("is not %s", async (_name, path, code) => {
    const marker = crypto.randomUUID();
    const facts = taskOfCalls([upload("probe", marker, path)]);
    await put(facts, "reports/june.txt", "x");
    const before = (await control()).requests.length;
    const row = await run(facts);
    expect(row.result).toMatchObject({ ok: false, error: { code } });
    expect((await control()).requests.slice(before).filter((line) => /upload|storage|execute/.test(line))).toEqual([]);
  });

  test("is read only by an agent that may read files", async () => {
    const marker = crypto.randomUUID();
    const facts = taskOfCalls([upload("probe", marker)], { permissions: ["network"] });
    await put(facts, "reports/june.txt", "x");
    expect((await run(facts)).result).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(await effectsOf(marker)).toEqual([]);
  });

  test.each([
    ["upload_refused", "Composio replied with HTTP 500"],
    ["upload_limited", "accepts no more requests"],
    ["upload_private", "Otto may not reach its address"],
    ["put_forbidden", "HTTP 403"],
    ["put_digest", "HTTP 400"],
  ] as const)("that meets %s fails the call, which is not sent", async (fault, reason) => {
    const marker = crypto.randomUUID();
    const facts = taskOfCalls([upload("probe", marker)]);
    await put(facts, "reports/june.txt", "x");
    await control({ files: { fault, times: 1 } });
    const row = await run(facts);
    await control({ files: null });
    expect(row).toMatchObject({
      state: "failed",
      attempts: 0,
      result: { error: { message: expect.stringContaining(reason) } },
    });
    expect(await effectsOf(marker)).toEqual([]);
    expect(await allTexts(facts)).not.toContain(CANARY);
  });

  test("is the one that a person approved: after a change the call is asked about again", async () => {
    const marker = crypto.randomUUID();
    const facts = taskOfCalls([upload("probe", marker)], { approval: { cautious: "ask" } });
    await put(facts, "reports/june.txt", "first");
    await start(facts);
    const asked = await until(facts, ({ pending }) => pending.length > 0);
    expect(asked.pending).toMatchObject([{ kind: "approval", files: [{ path: "reports/june.txt", size: 5 }] }]);
    await put(facts, "reports/june.txt", "second!", "changed");
    const approve = async (id: string) =>
      valueOf(
        await taskOf(facts).decideApproval(
          id,
          { decision: "approve", arguments: null, reason: null, by: "Ana", person: office.person },
          null,
        ),
      );
    const first = waitIdOf(asked);
    await approve(first);
    const again = await until(facts, (view) => view.pending.length > 0 && waitIdOf(view) !== first);
    expect(again.pending).toMatchObject([
      { reason: expect.stringContaining("changed after it was approved"), files: [{ size: 7 }] },
    ]);
    expect(await effectsOf(marker)).toEqual([]);
    await approve(waitIdOf(again));
    await until(facts, ({ status }) => status === "completed");
    expect(await effectsOf(marker)).toHaveLength(1);
  });
});

describe("a file of a result", () => {
  test("is written into the sandbox, and the model reads its path", async () => {
    const facts = taskOfCalls([download("none")]);
    const row = await run(facts);
    const saved = { name: "team.txt", mimetype: "text/plain", saved_as: "apps/googledrive/team.txt", size: 16 };
    expect(row).toMatchObject({ state: "confirmed", result: { ok: true, result: { downloaded_file_content: saved } } });
    expect(row.content).toContain("apps/googledrive/team.txt");
    expect(await read(facts, "apps/googledrive/team.txt")).toBe("Ana, Tom, Priya\n");
    expect(valueOf(await filesOf(facts).stat("apps/googledrive/team.txt")).label).toMatchObject({});
    expect(await allTexts(facts)).not.toContain(CANARY);
  });

  test("gets another name for a second call, and no call overwrites a file", async () => {
    const facts = taskOfCalls([download("none"), { ...download("none") }]);
    await put(facts, "apps/googledrive/team.txt", "mine");
    await run(facts);
    expect(await read(facts, "apps/googledrive/team.txt")).toBe("mine");
    const names = valueOf(await filesOf(facts).list("apps/googledrive")).map(({ name }) => name);
    expect(names).toEqual(["team-2.txt", "team-3.txt", "team.txt"]);
  });

  test.each([
    ["get_private", "Otto may not reach its address"],
    ["get_redirect", "Otto may not reach its address"],
    ["get_expired", "HTTP 403"],
    ["get_oversize", "more than 52428800 bytes"],
  ] as const)("that meets %s leaves the call a success, with the reason", async (fault, reason) => {
    const facts = taskOfCalls([download("probe")]);
    await control({ files: { fault, times: 1 } });
    const row = await run(facts);
    await control({ files: null });
    expect(row).toMatchObject({
      state: "confirmed",
      result: { ok: true, result: { downloaded_file_content: { not_saved: expect.stringContaining(reason) } } },
    });
    expect(await allTexts(facts)).not.toContain(CANARY);
    expect(valueOf(await filesOf(facts).list(""))).toEqual([]);
  });
});

// Last: what a killed object had reserved of the isolate's memory is free after a minute, and a large file waits for that.
/** Which request to hold until the kill, and whether its server has it by then. */
const KILL_POINTS = [
  ["before the upload is requested", "/files/upload/request", false],
  ["after the upload is requested", "/files/upload/request", true],
  ["before the bytes are put", "/egress", false],
  ["after the bytes are put", "/egress", true],
] as const;

const HELD_MS = 10_000;

/** Holds the first request whose address contains `part`, kills the objects, and loses the request. */
async function killAt(part: string, isSent: boolean, begin: () => Promise<unknown>): Promise<void> {
  const real = globalThis.fetch.bind(globalThis);
  const killed = Promise.withResolvers<void>();
  let isSeen = false;
  let isHeld = false;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (isSeen || !url.includes(part)) return await real(input, init);
    isSeen = true;
    if (isSent) await (await real(input, { ...init, signal: null })).body?.cancel();
    isHeld = true;
    await killed.promise;
    throw new TypeError("the connection was lost");
  });
  await begin();
  // A promise that another request resolves does not always resume this one.
  await vi.waitFor(() => expect(isHeld).toBe(true), { timeout: HELD_MS, interval: 5 });
  await abortAllDurableObjects();
  killed.resolve();
}

describe("a call with a file", () => {
  test.each(KILL_POINTS)(
    "of class once that is killed %s is made once",
    { timeout: 60_000 },
    async (_at, part, isSent) => {
      const marker = crypto.randomUUID();
      const facts = taskOfCalls([upload("once", marker)]);
      await put(facts, "reports/june.txt", "June was good.");
      await killAt(part, isSent, () => start(facts));
      await until(facts, ({ status }) => status === "completed", 45_000);
      const [row] = await ledgerOf(facts);
      expect([row?.state, (await effectsOf(marker)).length]).toEqual(["confirmed", 1]);
    },
  );

  test.each(["keyed", "probe"] as const)(
    "of class %s uses one upload for each of its attempts",
    { timeout: 60_000 },
    async (effect) => {
      const marker = crypto.randomUUID();
      const facts = taskOfCalls([upload(effect, marker)]);
      await put(facts, "reports/june.txt", "June was good.");
      const before = (await control()).requests.length;
      await killAt("/tools/execute/", true, () => start(facts));
      await until(facts, ({ status }) => status === "completed", 45_000);
      const sent = (await control()).requests.slice(before);
      expect(sent.filter((line) => line === "PUT /storage")).toHaveLength(1);
      const effects = await effectsOf(marker);
      expect(new Set(effects).size).toBe(1);
      if (effect === "probe") expect(effects).toHaveLength(1);
    },
  );
});

describe("a file that is fetched", () => {
  test.each(DOWNLOADS)(
    "is written once by a call of class %s that is killed while it is fetched",
    { timeout: 60_000 },
    async (effect) => {
      const facts = taskOfCalls([download(effect)]);
      await killAt("/egress", true, () => start(facts));
      await until(facts, ({ status }) => status === "completed", 45_000);
      const [row] = await ledgerOf(facts);
      expect(row).toMatchObject({ state: "confirmed", result: { ok: true } });
      const names = valueOf(await filesOf(facts).list("apps/googledrive")).map(({ name }) => name);
      expect(names).toEqual(["team.txt"]);
    },
  );
});
