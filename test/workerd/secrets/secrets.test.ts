/** Secrets of a tenant: what the API shows of them, and where a value may and may not be found after it was used. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, test, vi } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { config, watchDatabase } from "../tenant/client.ts";

const SETTING = { value: "canary-value", hosts: ["api.example.com"] };
const completed = ({ status }: TaskView) => status === "completed";

async function setSecret(
  caller: Caller,
  name: string,
  value: string,
  hosts: readonly string[],
  more: object = {},
): Promise<void> {
  const made = await caller.send("POST", "/v1/secrets", { name, value, hosts, ...more });
  expect(made.status, made.text).toBe(201);
}

describe("secrets over the API", () => {
  test("are created, listed, replaced and deleted, with audit rows, and never revealed", async () => {
    const caller = await makeCaller();
    const texts: string[] = [];
    const send = async (...of: Parameters<Caller["send"]>) => {
      const answer = await caller.send(...of);
      texts.push(answer.text, JSON.stringify([...answer.headers]));
      return answer;
    };
    const made = await send("POST", "/v1/secrets", {
      name: "API_KEY",
      ...SETTING,
      hosts: ["API.example.com.", "*.bücher.example:8443"],
    });
    expect([made.status, made.headers.get("location")]).toEqual([201, "/v1/secrets/API_KEY"]);
    const open = { agents: null, methods: null };
    const shape = { id: expect.stringMatching(/^sec_/), name: "API_KEY", ...open, created_at: expect.any(String) };
    expect(made.json).toEqual({
      ...shape,
      hosts: ["api.example.com", "*.xn--bcher-kva.example:8443"],
      updated_at: made.json.created_at,
    });
    expect((await send("GET", "/v1/secrets/API_KEY")).json).toEqual(made.json);
    expect((await send("GET", "/v1/secrets")).json).toEqual({ data: [made.json], next_cursor: null });
    const set = await send("PUT", "/v1/secrets/API_KEY", { value: "canary-other", hosts: ["example.org"] });
    expect([set.status, set.json]).toEqual([200, { ...shape, hosts: ["example.org"], updated_at: expect.any(String) }]);
    expect((await send("DELETE", "/v1/secrets/API_KEY")).json).toEqual(set.json);
    expectProblem(await send("GET", "/v1/secrets/API_KEY"), 404);
    expectProblem(await send("PUT", "/v1/secrets/API_KEY", SETTING), 404);
    expectProblem(await send("DELETE", "/v1/secrets/API_KEY"), 404);
    const { data } = (await send("GET", "/v1/audit")).json;
    const acts = data.map(({ action, target }: { action: string; target: string }) => [action, target]);
    expect(acts).toEqual(["secret.delete", "secret.update", "secret.create"].map((action) => [action, made.json.id]));
    expect(texts.join("\n")).not.toContain("canary");
  });

  test.each<[object, string]>([
    [{ ...SETTING }, "name"],
    [{ ...SETTING, name: "api_key" }, "name"],
    [{ ...SETTING, name: "1KEY" }, "name"],
    [{ ...SETTING, name: "K".repeat(65) }, "name"],
    [{ name: "KEY", hosts: ["a.example"] }, "value"],
    [{ ...SETTING, name: "KEY", value: "abc" }, "value"],
    [{ ...SETTING, name: "KEY", value: "canary".repeat(700) }, "value"],
    [{ ...SETTING, name: "KEY", value: ["canary"] }, "value"],
    [{ name: "KEY", value: "canary" }, "hosts"],
    [{ ...SETTING, name: "KEY", hosts: [] }, "hosts"],
    ...[
      "*",
      "*.com",
      "",
      "https://a.example",
      "a.example/x",
      "u@a.example",
      "a b.example",
      "a.example:99999",
      "a.*.b",
    ].map((host) => [{ ...SETTING, name: "KEY", hosts: [host] }, "hosts.0"] as [object, string]),
    [{ ...SETTING, name: "KEY", expires_at: null }, "expires_at"],
    [{ ...SETTING, name: "KEY", agents: [] }, "agents"],
    [{ ...SETTING, name: "KEY", agents: ["default", "nobody"] }, "agents.1"],
    [{ ...SETTING, name: "KEY", methods: [] }, "methods"],
    [{ ...SETTING, name: "KEY", methods: ["GET", "TRACE"] }, "methods.1"],
  ])("are refused, by the field, and without a word of the value: %j", async (body, field) => {
    const caller = await makeCaller();
    const answer = await caller.send("POST", "/v1/secrets", body);
    expectProblem(answer, 422, field);
    expect(answer.text).not.toContain("canary");
  });

  test("have each name once, and a repeat of a request under its key makes no second", async () => {
    const caller = await makeCaller();
    const body = { name: "KEY", ...SETTING };
    const first = await caller.send("POST", "/v1/secrets", body, { "idempotency-key": "one" });
    const again = await caller.send("POST", "/v1/secrets", body, { "idempotency-key": "one" });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expectProblem(await caller.send("POST", "/v1/secrets", body), 409, "name");
  });

  test("are the business of keys with the scope admin", async () => {
    const caller = await makeCaller(["tasks:read", "tasks:write", "tools:call"]);
    for (const [method, path, body] of [
      ["GET", "/v1/secrets"],
      ["POST", "/v1/secrets", { name: "KEY", ...SETTING }],
      ["GET", "/v1/secrets/KEY"],
      ["PUT", "/v1/secrets/KEY", SETTING],
      ["DELETE", "/v1/secrets/KEY"],
    ] as const) {
      expectProblem(await caller.send(method, path, body), 403);
    }
  });
});

describe("a value that was used", () => {
  const { recorderUrl } = inject("servers");
  const host = new URL(recorderUrl).host;

  /** Calls that carry the secret in every place, with each end that a request can have. */
  function calls(urlPath: string) {
    const bearer = { authorization: "Bearer {{secret.KEY}}", "x-key": "{{secret.KEY}}" };
    const url = (end: string) => `${recorderUrl}/${urlPath}/${end}?k={{secret.KEY}}`;
    return ["echo", "moved", "away", "reset", "plain"].flatMap((end) => [
      { name: "http_request", arguments: { url: url(end), headers: bearer } },
      {
        name: "http_request",
        arguments: { url: url(end), method: "POST", headers: bearer, body: { k: "{{secret.KEY}}" } },
      },
      { name: "http.get", arguments: { url: url(end), headers: bearer } },
      { name: "http.post", arguments: { url: url(end), headers: bearer, body: { k: "{{secret.KEY}}" } } },
      {
        name: "http.post",
        arguments: { url: url(end), body: { k: "{{secret.KEY}}" }, content_type: "application/x-www-form-urlencoded" },
      },
      { name: "http.post", arguments: { url: url(end), body: "{{secret.OTHER}}" } },
    ]);
  }

  async function makeAgent(caller: Caller): Promise<string> {
    const more = { permissions: ["read", "network"], allowed_domains: ["*"], approval: { dangerous: "allow" } };
    const made = await caller.send("POST", "/v1/agents", config("sender", { ...more, budget: { max_steps: 20 } }));
    expect(made.status, made.text).toBe(201);
    return made.json.id;
  }

  /** Everything that the tenant's objects and files hold, as text. */
  async function stored(caller: Caller, tasks: readonly string[]): Promise<string> {
    const dump = async (stub: DurableObjectStub) =>
      await runInDurableObject(stub, (_, state) => {
        const tables = state.storage.sql
          .exec<{ name: string }>(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
          )
          .toArray();
        return JSON.stringify(
          tables.map(({ name }) => state.storage.sql.exec(`SELECT * FROM "${name}"`).toArray().map(readable)),
        );
      });
    const texts = [await dump(env.TENANTS.get(env.TENANTS.idFromName(caller.tenant)))];
    for (const id of tasks) texts.push(await dump(env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${id}`))));
    for (const { key } of (await env.FILES.list({ prefix: `${caller.tenant}/` })).objects)
      texts.push((await (await env.FILES.get(key))?.text()) ?? "");
    return texts.join("\n");
  }

  /** Bytes of a row as text too. */
  function readable(row: Record<string, SqlStorageValue>) {
    return Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value,
    ]);
  }

  async function tasksOf(caller: Caller): Promise<string[]> {
    return await runInDurableObject(env.TENANTS.get(env.TENANTS.idFromName(caller.tenant)), (_, state) =>
      state.storage.sql
        .exec<{ task: string }>("SELECT task FROM tasks")
        .toArray()
        .map(({ task }) => task),
    );
  }

  async function readArrived(urlPath: string): Promise<string> {
    const records = await (await fetch(`${recorderUrl}/records`)).json<{ path: string }[]>();
    return JSON.stringify(records.filter(({ path }) => path.startsWith(`/${urlPath}/`)));
  }

  test("arrives outside and appears nowhere else: events, ledger, trace, prompts, storage, problems, logs", async () => {
    const caller = await makeCaller();
    const canary = `canary-${crypto.randomUUID()}`;
    const logged: unknown[] = [];
    for (const level of ["error", "warn", "log", "info", "debug"] as const)
      vi.spyOn(console, level).mockImplementation((...of: unknown[]) => void logged.push(of));
    const agent = await makeAgent(caller);
    // Bound to the agent, so that its calls need no approval after it has read a reply.
    await setSecret(caller, "KEY", canary, [host], { agents: [agent] });
    await setSecret(caller, "OTHER", `${canary}-too`, ["other.example"], { agents: [agent] });
    const visible: string[] = [];

    const byTool = crypto.randomUUID();
    for (const { name, arguments: given } of calls(byTool)) {
      const answer = await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, agent });
      expect(answer.status, answer.text).toBe(200);
      visible.push(answer.text);
    }
    expect(visible.filter((text) => text.includes('"ok":true')).length).toBeGreaterThan(10);
    expect(visible.filter((text) => text.includes("OTHER is not bound to")).length).toBeGreaterThan(0);
    expect(await readArrived(byTool)).toContain(`Bearer ${canary}`);

    const byModel = crypto.randomUUID();
    const replies = calls(byModel).reduce<{ calls: unknown[] }[]>((steps, one, at) => {
      if (at % 5 === 0) steps.push({ calls: [] });
      steps.at(-1)?.calls.push(one);
      return steps;
    }, []);
    const task = await caller.makeTask([...replies, { text: "done" }], { agent });
    await caller.until(task.id, completed);
    expect(await readArrived(byModel)).toContain(`Bearer ${canary}`);

    for (const path of ["", "/ledger?limit=100", "/trace", "/subtasks"]) {
      const answer = await caller.send("GET", `/v1/tasks/${task.id}${path}`);
      expect(answer.status, answer.text).toBe(200);
      visible.push(answer.text);
    }
    const events = await caller.send("GET", `/v1/tasks/${task.id}/log`);
    expect(events.json.data.length).toBeGreaterThan(10);
    visible.push(
      events.text,
      (await caller.send("GET", "/v1/audit")).text,
      (await caller.send("GET", "/v1/secrets")).text,
    );
    const wrong = await caller.send("POST", "/v1/secrets", { name: "KEY", value: canary, hosts: ["*"] });
    visible.push(
      wrong.text,
      (await caller.send("POST", "/v1/secrets", { name: "KEY", value: canary, hosts: [host] })).text,
    );

    const tasks = await tasksOf(caller);
    expect(tasks.length).toBeGreaterThan(calls("").length);
    const rows = await stored(caller, tasks);
    expect(rows).toContain("{{secret.KEY}}");
    const prompts = await (await fetch(`${recorderUrl}/prompts?${canary}`)).text();
    expect(Number(await (await fetch(`${recorderUrl}/prompts?${byModel}`)).text())).toBeGreaterThan(0);
    expect(prompts).toBe("0");
    for (const form of [canary, btoa(canary), btoa(`KEY:${canary}`).slice(8, 40)]) {
      expect(visible.join("\n")).not.toContain(form);
      expect(rows).not.toContain(form);
      expect(JSON.stringify(logged)).not.toContain(form);
    }
  }, 60_000);

  test("is not sent after its deletion, and has its new value after a replacement", async () => {
    const caller = await makeCaller();
    await setSecret(caller, "KEY", "canary-first", [host]);
    const urlPath = crypto.randomUUID();
    const call = async () => {
      const url = `${recorderUrl}/${urlPath}/x?k={{secret.KEY}}`;
      return (await caller.send("POST", "/v1/tools/http.get/call", { arguments: { url } })).json;
    };
    expect(await call()).toMatchObject({ ok: true });
    await caller.send("PUT", "/v1/secrets/KEY", { value: "canary-second", hosts: [host] });
    expect(await call()).toMatchObject({ ok: true });
    await caller.send("DELETE", "/v1/secrets/KEY");
    expect(await call()).toMatchObject({
      ok: false,
      error: { code: "not_found", message: expect.stringContaining("KEY") },
    });
    const records = JSON.parse(await readArrived(urlPath)) as { path: string }[];
    expect(records.map(({ path }) => path.split("k=")[1])).toEqual(["canary-first", "canary-second"]);
  });

  test("is another tenant's own", async () => {
    const [owner, other] = [await makeCaller(), await makeCaller()];
    await setSecret(owner, "KEY", "canary-own", [host]);
    const given = { url: `${recorderUrl}/${crypto.randomUUID()}?k={{secret.KEY}}` };
    const answer = await other.send("POST", "/v1/tools/http.get/call", { arguments: given });
    expect(answer.json).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("is still sent while the database is unavailable, and delays nothing else", async () => {
    const caller = await makeCaller();
    await setSecret(caller, "KEY", "canary-away", [host]);
    const urlPath = crypto.randomUUID();
    const url = `${recorderUrl}/${urlPath}/x`;
    const call = async (given: object) =>
      (await caller.send("POST", "/v1/tools/http.get/call", { arguments: given })).json;
    expect(await call({ url: `${url}?k={{secret.KEY}}` })).toMatchObject({ ok: true });
    const watch = watchDatabase();
    watch.isAway = true;
    expect(await call({ url: `${url}?k={{secret.KEY}}` })).toMatchObject({ ok: true });
    const newcomer = await makeCallerAway(caller);
    expect(newcomer).toMatchObject({ ok: true });
  });

  /** A call without a secret. */
  async function makeCallerAway(caller: Caller) {
    const url = `${recorderUrl}/${crypto.randomUUID()}`;
    return (await caller.send("POST", "/v1/tools/http.get/call", { arguments: { url } })).json;
  }
});

describe("the web tools over the API", () => {
  test("web_search says that no engine is set up, by a caller and by a model", async () => {
    const caller = await makeCaller();
    const row = { title: "Package not installed", url: "", snippet: expect.stringContaining("SEARCH_PROVIDER") };
    const answer = await caller.send("POST", "/v1/tools/web_search/call", { arguments: { query: "otters" } });
    expect(answer.json).toEqual({ ok: true, result: { results: [row], query: "otters" } });
    const { id } = await caller.makeTask([{ calls: [{ name: "web_search", arguments: { query: "otters" } }] }]);
    await caller.until(id, completed);
    const [settled] = (await caller.send("GET", `/v1/tasks/${id}/ledger`)).json.data;
    expect(settled).toMatchObject({ tool: "web_search", state: "confirmed", result: { ok: true } });
  });

  test("http.get reads and http.post asks first, by the names that a model sees", async () => {
    const caller = await makeCaller();
    const url = `${inject("servers").recorderUrl}/${crypto.randomUUID()}`;
    const read = await caller.makeTask([{ calls: [{ name: "http_get", arguments: { url } }] }]);
    await caller.until(read.id, completed);
    const [row] = (await caller.send("GET", `/v1/tasks/${read.id}/ledger`)).json.data;
    expect(row).toMatchObject({
      tool: "http.get",
      effect: "none",
      state: "confirmed",
      result: { result: { status: 200 } },
    });
    const rejected = await caller.send("POST", "/v1/tools/http.post/call", { arguments: { url, body: { a: 1 } } });
    expect(rejected.json).toMatchObject({ ok: false, error: { code: "needs_approval" } });
  });

  test("an agent reaches the hosts of its domain list; without a list, only addresses that the operator opened", async () => {
    const caller = await makeCaller();
    const url = `${inject("servers").recorderUrl}/${crypto.randomUUID()}`;
    const call = async (agent: string | null) => {
      const body = { arguments: { url }, ...(agent === null ? {} : { agent }) };
      return (await caller.send("POST", "/v1/tools/http.get/call", body)).json;
    };
    for (const [name, more, ok] of [
      ["none", {}, true],
      ["empty", { allowed_domains: [] }, false],
      ["other", { allowed_domains: ["example.com"] }, false],
      ["star", { allowed_domains: ["*"] }, true],
      ["named", { allowed_domains: [new URL(url).host] }, true],
    ] as const) {
      const made = await caller.send("POST", "/v1/agents", config(name, { permissions: ["network"], ...more }));
      expect((await call(made.json.id)).ok, name).toBe(ok);
    }
    expect((await call(null)).ok).toBe(true);
    expect((await caller.send("GET", "/v1/agents/agent_default")).json.allowed_domains).toEqual(["*"]);
  });
});
