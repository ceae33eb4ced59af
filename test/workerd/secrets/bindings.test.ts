/** Secrets that are bound to agents and methods: the bindings in the API, and the calls that carry a value. */
import { describe, expect, inject, test } from "vitest";
import type { TaskView } from "../../../core/task/view.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { makeHook, signed, worked } from "../channels/webhooks/hooks-client.ts";
import { config } from "../tenant/client.ts";

const SETTING = { value: "canary-value", hosts: ["api.example.com"] };
const { recorderUrl } = inject("servers");
const host = new URL(recorderUrl).host;

async function makeAgent(caller: Caller, name: string): Promise<string> {
  const more = { permissions: ["read", "network"], allowed_domains: ["*"], approval: { dangerous: "allow" } };
  const made = await caller.send("POST", "/v1/agents", config(name, more));
  expect(made.status, made.text).toBe(201);
  return made.json.id;
}

async function setSecret(caller: Caller, name: string, more: object = {}): Promise<void> {
  const made = await caller.send("POST", "/v1/secrets", { name, value: `canary-${name}`, hosts: [host], ...more });
  expect(made.status, made.text).toBe(201);
}

/** The values that arrived at a place of the recorder, in the order in which they came. */
async function readArrived(urlPath: string): Promise<(string | undefined)[]> {
  const records = await (await fetch(`${recorderUrl}/records`)).json<{ path: string }[]>();
  return records.filter(({ path }) => path.startsWith(`/${urlPath}/`)).map(({ path }) => path.split("k=")[1]);
}

describe("secrets with bindings", () => {
  test("are bound to agents by id or name and to methods, and lose a binding when they are replaced without it", async () => {
    const [caller, other] = [await makeCaller(), await makeCaller()];
    const own = (await caller.send("POST", "/v1/agents", config("own"))).json.id;
    const bound = { agents: ["own", own, "agent_default"], methods: ["get", "POST", "GET"] };
    const made = await caller.send("POST", "/v1/secrets", { name: "KEY", ...SETTING, ...bound });
    expect(made.status, made.text).toBe(201);
    expect(made.json).toMatchObject({ agents: [own, "agent_default"], methods: ["GET", "POST"] });
    expect((await caller.send("GET", "/v1/secrets")).json.data).toEqual([made.json]);
    expectProblem(await other.send("POST", "/v1/secrets", { name: "KEY", ...SETTING, agents: [own] }), 422, "agents.0");
    const set = await caller.send("PUT", "/v1/secrets/KEY", SETTING);
    expect(set.json).toMatchObject({ agents: null, methods: null });
  });

  test("is filled in for the agents and the methods that it is bound to, and for no others", async () => {
    const caller = await makeCaller();
    const [mine, other] = [await makeAgent(caller, "mine"), await makeAgent(caller, "other")];
    await setSecret(caller, "KEY", { agents: [mine] });
    await setSecret(caller, "READ", { methods: ["GET"] });
    const urlPath = crypto.randomUUID();
    const call = async (agent: string | undefined, name: string, secret = "KEY") => {
      const body = name === "http.post" ? { body: {} } : {};
      const given = { url: `${recorderUrl}/${urlPath}/x?k={{secret.${secret}}}`, ...body };
      return (await caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, agent })).json;
    };
    const refused = (message: string) => ({
      ok: false,
      error: { code: "blocked_by_policy", message: expect.stringContaining(message) },
    });
    expect(await call(mine, "http.get")).toMatchObject({ ok: true });
    expect(await call(other, "http.get")).toMatchObject(refused("KEY is not bound to the agent other."));
    expect(await call(undefined, "http.get")).toMatchObject(refused("KEY is not bound to the agent default."));
    expect(await call(mine, "http.get", "READ")).toMatchObject({ ok: true });
    expect(await call(mine, "http.post", "READ")).toMatchObject(refused("READ is bound to GET"));
    expect(await readArrived(urlPath)).toEqual(["canary-KEY", "canary-READ"]);
  });

  test("is not filled in for the built-in agent in a hook's task, unless it is bound to that agent", async () => {
    const caller = await makeCaller();
    await setSecret(caller, "OPEN");
    await setSecret(caller, "NAMED", { agents: ["default"] });
    const urlPath = crypto.randomUUID();
    const calls = ["OPEN", "NAMED"].map((secret) => ({
      name: "http_get",
      arguments: { url: `${recorderUrl}/${urlPath}/x?k={{secret.${secret}}}` },
    }));
    // The template would take a reference for a field of the payload.
    const script = JSON.stringify({ replies: [{ calls }, { text: "done" }], about: "FIELD" }).replaceAll(
      "{{",
      "\\u007b{",
    );
    const hook = await makeHook(caller, { prompt: script.replace("FIELD", "{{action}}") });
    await signed(hook, JSON.stringify({ action: "opened" }));
    const [item] = await worked(caller, hook, 1);
    const id = item?.task_id ?? "";
    const waiting = await caller.until(id, ({ status }: TaskView) => status === "waiting_approval");
    const approvals = waiting.pending.flatMap((one) => (one.kind === "approval" ? [one] : []));
    const reasons = approvals.map(({ reason }) => reason);
    expect(reasons.some((reason) => reason.includes("the secret OPEN, which is not bound to this agent"))).toBe(true);
    expect(reasons.some((reason) => reason.includes("the secret NAMED"))).toBe(false);
    for (const { id: approval } of approvals)
      await caller.send("POST", `/v1/tasks/${id}/approvals/${approval}`, { decision: "approve" });
    await caller.until(id, ({ status }: TaskView) => status === "completed");
    expect(await readArrived(urlPath)).toEqual(["canary-NAMED"]);
  });
});
