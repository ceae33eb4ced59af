import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { DEFAULT_AGENT, type PinnedAgent } from "../../../core/agents/agent.ts";
import type { TenantRpc } from "../../../core/tenant/rpc.ts";
import { cacheAgent, findCachedAgent } from "../../../workers/agents/agent-cache.ts";
import { type Answer, type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { config, tenantStub, watchDatabase } from "../tenant/client.ts";

const MINUTE = 60_000;

function agentOf(version: number): PinnedAgent {
  return { ...DEFAULT_AGENT, id: "agent_x", version };
}

async function makeAgent(caller: Caller, name: string): Promise<Answer> {
  const made = await caller.send("POST", "/v1/agents", config(name));
  expect(made.status, made.text).toBe(201);
  return made;
}

const change = (caller: Caller, { json, headers }: Answer, instructions: string) =>
  caller.send("PUT", `/v1/agents/${json.id}`, config(json.name, { instructions }), {
    "if-match": headers.get("etag") ?? "",
  });
const task = (caller: Caller, agent: string) => caller.send("POST", "/v1/tasks", { input: "hi", agent, hold: true });

/** The agent and version that a task is made with. */
async function versionFor(caller: Caller, agent: string): Promise<number> {
  const made = await task(caller, agent);
  expect(made.status, made.text).toBe(201);
  return made.json.agent.version;
}

describe("an agent that was read", () => {
  test("is valid for its tenant only, under its stamp, for a minute", () => {
    const [tenant, other] = [crypto.randomUUID(), crypto.randomUUID()];
    cacheAgent(tenant, "mine", "one", agentOf(1), 1000);
    expect(findCachedAgent(tenant, "mine", "one", 1000 + MINUTE / 2 - 1)).toEqual({
      agent: agentOf(1),
      isStale: false,
    });
    expect(findCachedAgent(tenant, "mine", "one", 1000 + MINUTE / 2)).toEqual({ agent: agentOf(1), isStale: true });
    expect(findCachedAgent(tenant, "mine", "one", 1000 + MINUTE - 1)?.agent).toEqual(agentOf(1));
    // A change that was cut off between its two stamps leaves the stamp as it was.
    expect(findCachedAgent(tenant, "mine", "one", 1000 + MINUTE)).toBeNull();
    expect(findCachedAgent(tenant, "mine", "two", 1000)).toBeNull();
    expect(findCachedAgent(tenant, "yours", "one", 1000)).toBeNull();
    expect(findCachedAgent(other, "mine", "one", 1000)).toBeNull();
    cacheAgent(tenant, "mine", "two", agentOf(2), 2000);
    // A read that began earlier ended later.
    cacheAgent(tenant, "mine", "one", agentOf(1), 1999);
    expect(findCachedAgent(tenant, "mine", "one", 2000)).toBeNull();
    expect(findCachedAgent(tenant, "mine", "two", 2000)?.agent).toEqual(agentOf(2));
  });

  test("makes room for others, the one that was read longest ago first, and fills no isolate that all tenants share", () => {
    const tenant = crypto.randomUUID();
    cacheAgent(tenant, "first", "one", agentOf(1), 0);
    cacheAgent(tenant, "second", "one", agentOf(2), 0);
    cacheAgent(tenant, "first", "one", agentOf(3), 0);
    const large = { ...agentOf(1), config: { ...agentOf(1).config, instructions: "x".repeat(99_500) } };
    for (let i = 0; i < 90; i += 1) cacheAgent(tenant, `agent ${i}`, "one", large, 0);
    expect(findCachedAgent(tenant, "second", "one", 0)).toBeNull();
    expect(findCachedAgent(tenant, "first", "one", 0)).toBeNull();
    expect(findCachedAgent(tenant, "agent 89", "one", 0)?.agent).toEqual(large);
    // An agent may be as large as a request's body.
    const config = { ...agentOf(1).config, tool_config: { read_file: { note: "x".repeat(1_000_000) } } };
    cacheAgent(tenant, "huge", "one", { ...agentOf(1), config }, 0);
    expect(findCachedAgent(tenant, "huge", "one", 0)).toBeNull();
  });
});

describe("a task", () => {
  test("that is made right after its agent changed has the new version, by name and by id", async () => {
    const caller = await makeCaller();
    let latest = await makeAgent(caller, "writer");
    for (let version = 1; version <= 4; version += 1) {
      for (const named of ["writer", latest.json.id, "writer"]) expect(await versionFor(caller, named)).toBe(version);
      latest = await change(caller, latest, `Work ${version}.`);
      expect(latest.status, latest.text).toBe(200);
    }
  });

  test("never has another tenant's agent of the same name", async () => {
    const [a, b] = [await makeCaller(), await makeCaller()];
    const [mine, theirs] = [await makeAgent(a, "writer"), await makeAgent(b, "writer")];
    for (const [caller, own] of [
      [a, mine],
      [b, theirs],
      [a, mine],
    ] as const)
      expect((await task(caller, "writer")).json.agent.id).toBe(own.json.id);
    expectProblem(await task(b, mine.json.id), 404, "agent");
    expectProblem(await task(await makeCaller(), "writer"), 404, "agent");
  });

  test("is made without the database when its agent was used before, and not when it never was", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    await makeAgent(caller, "used");
    await makeAgent(caller, "unused");
    expect(await versionFor(caller, "used")).toBe(1);
    const watch = watchDatabase();
    watch.isAway = true;
    expect(await versionFor(caller, "used")).toBe(1);
    const refused = await task(caller, "unused");
    expectProblem(refused, 503);
    expect(refused.json.code).toBe("upstream_failed");
    watch.isAway = false;
    expect(await versionFor(caller, "unused")).toBe(1);
  });

  test("has the version before for a minute at most, when the stamp after a change was lost", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const latest = await makeAgent(caller, "writer");
    const tenant = await runInDurableObject(
      tenantStub(caller.tenant),
      (object) => Object.getPrototypeOf(object) as TenantRpc,
    );
    const { stampAgents } = tenant;
    let stamps = 0;
    const spy = vi.spyOn(tenant, "stampAgents").mockImplementation(async function stampOnce(this: TenantRpc) {
      stamps += 1;
      if (stamps > 1) throw new Error("the tenant is away");
      await stampAgents.call(this);
      // Somebody reads the agent as it was before it has changed.
      expect(await versionFor(caller, "writer")).toBe(1);
    });
    expectProblem(await change(caller, latest, "Changed."), 500);
    expect(stamps).toBe(2);
    spy.mockRestore();
    expect(await versionFor(caller, "writer")).toBe(1);
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await versionFor(caller, "writer")).toBe(2);
    vi.useRealTimers();
  });
});
