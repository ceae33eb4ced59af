/**
 * Codebases of a started system with a git server: pushes index what they changed, a burst of them is one index, and a part that is
 * killed in the middle of an index leaves the index before it or the new one, whole.
 */
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kill, type Part, until } from "../drill/started-system.ts";
import { type GitMockServer, startGitServer } from "../mock-servers/git-server.ts";
import { type Caller, startTestSystem, type TestSystem } from "../setup/start-system.ts";

const FILES = 1_000;
const CHANGED = 10;
const SECRET = "whsec_canary-of-a-test";
const SOON = 60_000;
/** The part that is killed, and after how many milliseconds of an index. */
const KILLS: readonly (readonly [Part, number])[] = [
  ["runtime", 100],
  ["sidecar", 300],
  ["database", 600],
  ["runtime", 900],
];

let git: GitMockServer;
let otto: TestSystem;
let caller: Caller;
/** Held: requests to the git server wait. */
let gate: Promise<void> = Promise.resolve();

beforeAll(async () => {
  git = await startGitServer({ before: () => gate });
  otto = await startTestSystem({ OTTO_EGRESS_ALLOW: `127.0.0.1:${git.port}` });
  caller = await otto.makeTenant("code");
});

afterAll(async () => {
  await otto?.stop();
  await git?.close();
});

interface View {
  readonly id: string;
  readonly status: string;
  readonly commit: string | null;
  readonly files: number;
  readonly embedder: string | null;
}

async function add(name: string): Promise<string> {
  const source = { git: `${git.origin}/${name}/.git` };
  const made = await caller.send("POST", "/v1/codebases", { name, source, agents: ["default"] });
  expect(made.status, made.text).toBe(202);
  return made.json.id;
}

/** Waits until the codebase is ready at this commit. */
async function untilAt(id: string, commit: string): Promise<View> {
  let view: View | null = null;
  await until(
    async () => {
      const { json } = await caller.send("GET", `/v1/codebases/${id}`).catch(() => ({ json: null }));
      view = json ?? view;
      return view?.status === "ready" && view.commit === commit;
    },
    SOON,
    () => `${commit} is not indexed: ${JSON.stringify(view)}\n${otto.system.output()}`,
  );
  if (view === null) throw new Error("never");
  return view;
}

function fetches(name: string): number {
  return git.requests.filter(({ url }) => url.startsWith(`/${name}/.git/info/refs`)).length;
}

async function makeHook(): Promise<string> {
  const made = await caller.send("POST", "/v1/incoming-webhooks", {
    name: "pushes",
    type: "github",
    secret: SECRET,
    reindex: true,
  });
  expect(made.status, made.text).toBe(201);
  return made.json.url.slice(made.json.url.indexOf("/webhook/"));
}

async function push(path: string, name: string, more: object = {}, secret = SECRET) {
  const repository = { clone_url: `${git.origin}/${name}/.git`, default_branch: "main" };
  const body = JSON.stringify({ ref: "refs/heads/main", repository, ...more });
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
  return await otto.anonymous.send("POST", path, body, headers);
}

test("pushes index a codebase again, and a burst of them once", {
  timeout: 120_000,
}, async () => {
  const files = Array.from({ length: FILES }, (_, file) => [`src/f${file}.js`, `function begin${file}() {}\n`]);
  const first = git.commit("shop", Object.fromEntries(files));
  const id = await add("shop");
  expect(await untilAt(id, first)).toMatchObject({ files: FILES, embedder: "hashing" });
  const path = await makeHook();

  expect((await push(path, "shop", {}, "another-secret")).status).toBe(401);
  expect(await push(path, "unknown")).toMatchObject({ status: 200, json: { status: "received" } });
  expect(await push(path, "shop", { ref: "refs/heads/other" })).toMatchObject({ status: 200 });
  expect(fetches("shop")).toBe(1);

  const changed = files.slice(0, CHANGED).map(([name, text]) => [name, `${text}function changed() {}\n`]);
  const second = git.commit("shop", Object.fromEntries(changed));
  let open = (): void => undefined;
  gate = new Promise((resolve) => (open = resolve));
  expect((await push(path, "shop", { after: second })).status).toBe(200);
  await until(() => fetches("shop") === 2, SOON, otto.system.output);
  for (let count = 0; count < 8; count += 1) await push(path, "shop", { after: second, count });
  const hook = path.slice(path.indexOf("=") + 1);
  await until(
    async () => {
      const { json } = await caller.send("GET", `/v1/incoming-webhooks/${hook}/received`);
      return json.data.every(({ state }: { state: string }) => state !== "waiting");
    },
    SOON,
    otto.system.output,
  );
  open();
  await untilAt(id, second);
  await until(() => fetches("shop") === 3, SOON, otto.system.output);
  await sleep(1_000);
  // The first index, the one of the first push, and one for the eight that came while it ran.
  expect(fetches("shop")).toBe(3);
  expect(await untilAt(id, second)).toMatchObject({ files: FILES, symbols: FILES + CHANGED, embedder: "hashing" });
  const { json } = await caller.send("GET", `/v1/incoming-webhooks/${hook}/received`);
  expect(json.data.map(({ note }: { note: string }) => note).toSorted()).toEqual([
    ...Array.from({ length: 9 }, () => `Indexes ${id} again.`),
    "No codebase is read from refs/heads/main of this repository.",
    "No codebase is read from refs/heads/other of this repository.",
  ]);
});

test("a kill in the middle of an index leaves one whole index", { timeout: 240_000 }, async () => {
  const commit = (generation: number): string => {
    const files = Array.from({ length: 200 }, (_, file) => {
      return [`f${file}.js`, `function marker${file}() { return "generation${generation}"; }\n`];
    });
    return git.commit("killed", Object.fromEntries(files));
  };
  const id = await add("killed");
  await untilAt(id, commit(0));
  for (const [index, [part, afterMs]] of KILLS.entries()) {
    const wanted = commit(index + 1);
    expect((await caller.send("POST", `/v1/codebases/${id}/reindex`, {})).status).toBe(202);
    await sleep(afterMs);
    const pid = otto.system.pidOf(part);
    if (pid !== null) kill(pid);
    await otto.system.up();
    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      const given = { arguments: { query: "marker generation", limit: 20 } };
      const sent = caller.send("POST", "/v1/tools/search_codebase/call", given);
      // A part that is down finds nothing.
      const json = await sent.then(
        (answer) => answer.json,
        () => null,
      );
      if (json?.ok !== true) return;
      const codes: string[] = json.result.results.map(({ code }: { code: string }) => code);
      const found = new Set(codes.flatMap((code) => /generation\d+/.exec(code)?.[0] ?? []));
      expect(found.size, codes.join("\n")).toBeLessThanOrEqual(1);
      for (const one of found) seen.add(one);
    };
    await look();
    expect(await untilAt(id, wanted)).toMatchObject({ files: 200, embedder: "hashing" });
    await until(
      async () => {
        await look();
        return seen.has(`generation${index + 1}`);
      },
      SOON,
      () => `found ${[...seen].join(", ")}\n${otto.system.output()}`,
    );
    for (const one of seen) expect([`generation${index}`, `generation${index + 1}`]).toContain(one);
  }
});
