/**
 * Calls of actions on the demo apps while the objects are killed before the request, after the effect, on the reply and after
 * the result is stored, for each effect class.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import type { LedgerRow } from "../../../core/task/decision.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { EffectClass } from "../../../core/tool/tool.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { controlDemoApps } from "../../mock-servers/demo-apps.ts";
import { agentOf, factsOf, ledgerOf, start, taskOf, until } from "../tasks/client.ts";
import { type AppOffice, type NamedAction, openAppOffice, toName, useDemoApps } from "./app-office.ts";

const CLASSES: readonly EffectClass[] = ["none", "keyed", "probe", "once"];
const WRITES: readonly NamedAction[] = [
  { action: "GMAIL_SEND_EMAIL", named: "body", others: { recipient_email: "tom@acme.example" } },
  { action: "SLACK_SEND_MESSAGE", named: "text", others: { channel: "general" } },
  { action: "LINEAR_CREATE_LINEAR_ISSUE", named: "title" },
  { action: "GOOGLECALENDAR_CREATE_EVENT", named: "summary", others: { start_datetime: "2026-12-01T09:00:00Z" } },
  { action: "GOOGLEDRIVE_CREATE_FILE_FROM_TEXT", named: "text_content", others: { file_name: "a.txt" } },
];
const READS: readonly NamedAction[] = [
  { action: "GMAIL_FETCH_EMAILS", named: "query" },
  { action: "SLACK_SEARCH_MESSAGES", named: "query" },
  { action: "LINEAR_LIST_LINEAR_ISSUES", named: "query" },
  { action: "GOOGLECALENDAR_FIND_EVENT", named: "query" },
  { action: "GOOGLEDRIVE_FIND_FILE", named: "query" },
];
/** Longer than the requests of all calls of a step take to begin. */
const HELD_MS = 20_000;

const listActions = (effect: EffectClass) => (effect === "none" ? READS : WRITES);
const control = (orders = {}) => controlDemoApps(inject("servers").demoApps.url, orders);

useDemoApps();
let office: AppOffice;
beforeAll(async () => {
  office = await openAppOffice(CLASSES.flatMap((effect) => listActions(effect).map((of) => ({ of, effect }))));
});

/** A call, named by a text that nothing else has. */
function toCall(
  { action, named, others = {} }: NamedAction,
  effect: EffectClass,
  marker: string = crypto.randomUUID(),
) {
  return { marker, name: toName(action, effect), arguments: { ...others, [named]: marker } };
}

type Call = ReturnType<typeof toCall>;

/** A task of Ana's whose one step makes these calls. */
function tasksOf(calls: readonly Call[], config = {}): TaskFacts {
  const rules = { approval: { cautious: "allow" }, capability_gate: "off" } as const;
  const agent = agentOf({ tools: ["*"], permissions: ["network"], ...rules, ...config });
  const made = calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
  const { tenant, person, sources } = office;
  return factsOf([{ calls: made }, { text: "Done." }], { tenant, actsFor: { person }, agent, sources });
}

const runsOf = async (facts: TaskFacts): Promise<readonly LedgerRow[]> => {
  await start(facts);
  await until(facts, ({ status }) => status === "completed");
  return await ledgerOf(facts);
};

async function countEffects(): Promise<(marker: string) => number> {
  const { effects } = await control();
  const texts = effects.map(({ arguments: given }) => JSON.stringify(given));
  return (marker) => texts.filter((text) => text.includes(marker)).length;
}

const KILL_POINTS = ["before it is sent", "after the effect", "on the reply", "after the result is stored"] as const;
type KillPoint = (typeof KILL_POINTS)[number];

const LOST = new TypeError("the connection was lost");

/** The body of a request that calls an action; empty for another one. */
function readCall(input: RequestInfo | URL, init: RequestInit | undefined): string {
  const isCall = typeof input === "string" && input.includes("/tools/execute/");
  return isCall && typeof init?.body === "string" ? init.body : "";
}

/**
 * Holds the first request of each marker at the point of the kill. What `kill` resolves then is lost, because its process
 * died. `pointOf` may differ by marker.
 */
function holdRequests(markers: readonly string[], pointOf: (marker: string) => KillPoint) {
  const real = globalThis.fetch.bind(globalThis);
  const killed = Promise.withResolvers<void>();
  const seen = new Set<string>();
  const held = new Set<string>();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const body = readCall(input, init);
    const marker = markers.find((one) => !seen.has(one) && body.includes(one));
    if (marker === undefined) return await real(input, init);
    seen.add(marker);
    const point = pointOf(marker);
    if (point === "before it is sent") {
      held.add(marker);
      await killed.promise;
      throw LOST;
    }
    // The provider receives it even if its sender is killed.
    const response = await real(input, { ...init, signal: null });
    held.add(marker);
    if (point !== "after the effect") return response;
    await response.body?.cancel();
    await killed.promise;
    throw LOST;
  });
  return {
    /** Kills the objects once all first requests are held, or no more come. */
    async kill() {
      await vi.waitFor(() => expect(held.size).toBe(markers.length), { timeout: HELD_MS, interval: 5 });
      await abortAllDurableObjects();
      killed.resolve();
    },
  };
}

/** Waits until every call has a result. */
async function untilStored(tasks: readonly TaskFacts[]): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const facts of tasks) {
        const states = (await ledgerOf(facts)).map(({ state }) => state);
        expect(states).toEqual(WRITES.map(() => "confirmed"));
      }
    },
    { timeout: HELD_MS, interval: 10 },
  );
}

describe("20 calls of actions in four tasks", () => {
  test.each(KILL_POINTS)("that are killed %s", { timeout: 90_000 }, async (point) => {
    const tasks = CLASSES.map((effect) => {
      const calls = listActions(effect).map((action) => toCall(action, effect));
      return { effect, calls, facts: tasksOf(calls) };
    });
    const holder = holdRequests(
      tasks.flatMap(({ calls }) => calls.map(({ marker }) => marker)),
      () => point,
    );
    for (const { facts } of tasks) await start(facts);
    if (point === "after the result is stored") await untilStored(tasks.map(({ facts }) => facts));
    await holder.kill();
    for (const { facts } of tasks) await until(facts, ({ status }) => status === "completed", 45_000);
    const effectsOf = await countEffects();
    for (const { effect, calls, facts } of tasks) {
      const rows = await ledgerOf(facts);
      const found = rows.map(({ state }, at) => ({ state, effects: effectsOf(calls[at]?.marker ?? "") }));
      const shown = `${effect} ${point}: ${JSON.stringify(found)}`;
      expect(rows, shown).toHaveLength(calls.length);
      for (const { state, effects } of found) {
        if (effect === "none" || effect === "keyed") expect(state, shown).toBe("confirmed");
        else expect(effects, shown).toBe(point === "before it is sent" ? 0 : 1);
        if (effect === "probe") expect(state, shown).toBe(point === "before it is sent" ? "unknown" : "confirmed");
        if (effect === "once" && state !== "confirmed") expect(state, shown).toBe("unknown");
        if (point === "after the result is stored") expect([state, effects], shown).toEqual(["confirmed", 1]);
      }
    }
  });
});

describe("two equal calls at the same time", () => {
  const [mail] = WRITES;
  const playTwo = async (log: "whole" | "without_request_ids") => {
    if (mail === undefined) throw new Error("there is no action");
    const marker = crypto.randomUUID();
    const [first, second] = [toCall(mail, "probe", marker), toCall(mail, "probe", marker)];
    const tasks = [tasksOf([first]), tasksOf([second])];
    // The first request never arrives, and the reply to the second is lost.
    let requests = 0;
    const real = globalThis.fetch.bind(globalThis);
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (!readCall(input, init).includes(marker)) return await real(input, init);
      requests += 1;
      if (requests === 1) throw LOST;
      await (await real(input, init)).body?.cancel();
      throw LOST;
    });
    await control({ log });
    for (const facts of tasks) await start(facts);
    for (const facts of tasks) await until(facts, ({ status }) => status === "completed");
    await control({ log: "whole" });
    const states = await Promise.all(tasks.map(async (facts) => (await ledgerOf(facts)).map(({ state }) => state)));
    return { states: states.flat().toSorted(), requests, effects: (await countEffects())(marker) };
  };

  test("are told apart: the one that arrived is confirmed, and the other is not", async () => {
    expect(await playTwo("whole")).toEqual({ states: ["confirmed", "unknown"], requests: 2, effects: 1 });
  });

  test("are both unknown if the log has no request ids", async () => {
    expect(await playTwo("without_request_ids")).toEqual({ states: ["unknown", "unknown"], requests: 2, effects: 1 });
  });
});

describe("a call of an action", () => {
  const [mail, chat] = WRITES as [NamedAction, NamedAction];

  test.each([
    ["rate_limited", "confirmed", 1],
    ["app_limited", "confirmed", 1],
    ["refused", "failed", 0],
    ["error", "unknown", 0],
    ["unsuccessful", "unknown", 1],
    ["cut", "confirmed", 1],
    ["hang", "confirmed", 1],
  ] as const)("with the fault %s ends as %s, with %i effects", { timeout: 45_000 }, async (fault, state, effects) => {
    const call = toCall(chat, "probe");
    await control({ calls: { fault, times: 1, action: chat.action } });
    const [row] = await runsOf(tasksOf([call]));
    expect(row?.state).toBe(state);
    expect((await countEffects())(call.marker)).toBe(effects);
  });

  test("of class once waits for a person if the agent says so", async () => {
    const call = toCall(chat, "once");
    await control({ calls: { fault: "cut", times: 1, action: chat.action } });
    const facts = tasksOf([call], { on_unknown: "ask" });
    await start(facts);
    const { pending } = await until(facts, (view) => view.pending.length > 0);
    expect(pending).toMatchObject([{ kind: "unknown", tool: call.name }]);
    expect((await countEffects())(call.marker)).toBe(1);
  });

  test("by composio_execute is the same call, and its result is data from outside for the page", async () => {
    const marker = crypto.randomUUID();
    const params = { channel: "general", text: marker };
    const facts = tasksOf([{ marker, name: "composio_execute", arguments: { action: chat.action, params } } as never]);
    const [row] = await runsOf(facts);
    expect(row).toMatchObject({ state: "confirmed", arguments: params, account: { app: "slack" } });
    expect(row?.tool).toContain(chat.action);
    expect((await countEffects())(marker)).toBe(1);
    const page = valueOf(await taskOf(facts).events(0, 500));
    expect(page.events.find(({ type }) => type === "tool-data")?.data).toMatchObject({ call_id: row?.callId });
    expect(page.events.find(({ type }) => type === "call.completed")?.data).toMatchObject({ label: "outside" });
  });

  test("by composio_execute over the API runs as the key's person", async () => {
    const call = async (name: string, given: object) =>
      (await office.ana.send("POST", `/v1/tools/${name}/call`, { arguments: given })).json;
    const execute = { action: "SLACK_SEARCH_MESSAGES", params: { query: "demo" } };
    const found = { ok: true, result: { ok: true, matches: [{ text: expect.stringContaining("demo") }] } };
    expect(await call("composio_execute", execute)).toMatchObject(found);
    expect(await call("call_tool", { name: "composio_execute", arguments: execute })).toMatchObject(found);
    expect(await call("composio_execute", { ...execute, action: "read_file" })).toMatchObject({ code: "not_found" });
  });

  test("asks for the account again once the provider says that it ended, and the connection expires", async () => {
    const other = await openAppOffice([{ of: mail, effect: "probe" }]);
    await control({ expire: other.accounts.get("gmail") ?? "" });
    const call = toCall(mail, "probe");
    const { tenant, person, sources } = other;
    const facts = { ...tasksOf([call]), tenant, actsFor: { person }, sources };
    await start(facts);
    const { pending } = await until(facts, (view) => view.pending.length > 0);
    expect(pending).toMatchObject([{ kind: "connection", app: "gmail", reason: "expired", person_id: person }]);
    const [connection] = valueOf(await connectionTableFromEnv(env, tenant).list({ person, app: "gmail", limit: 5 }));
    expect(connection?.status).toBe("expired");
    expect((await countEffects())(call.marker)).toBe(0);
  });
});
