/** The account of a call from its preparation to just before its effect, with the connections in memory. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { notSent, ok } from "../../../core/base/errors.ts";
import type { Account, AccountOwner, ToolApp } from "../../../core/connections/account.ts";
import { type Actors, addActor, startActors } from "../../../core/connections/actors.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { WebPort, WebRequest } from "../../../core/ports/web.ts";
import { mayPerformEarly } from "../../../core/steps/perform-early.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { reviseCall } from "../../../core/steps/revise.ts";
import type { ActLine } from "../../../core/steps/rpc.ts";
import { performCalls } from "../../../core/steps/perform.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { Control, EffectClass, Tool } from "../../../core/tool/tool.ts";
import { defineTool, failWith } from "../../../tools/define-tool.ts";
import { type FakeAccounts, fakeConnections } from "../../fakes/connections.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { factsOf } from "../task/world.ts";
import { agent, depsFor } from "./play-gateway.ts";

const ANA: AccountOwner = { kind: "person", id: "per_ana", name: "Ana" };
const CRM: ToolApp = { app: "crm", provider: "oauth", owner: "either", scopes: [] };
const BY_ANA = startActors("per_ana", "per_ana");
const FACTS = factsOf({ ...agent(), actsFor: { person: "per_ana" } });
const OTHER_ACCOUNT = { connection: "con_bo" } as Account;

interface Seen {
  readonly requests: WebRequest[];
  runs: number;
  probes: number;
}

/** A tool that sends one request, in which it names another account. */
function createTool(seen: Seen, { effect = "once", control, app = CRM }: Partial<ToolSetting> = {}): Tool {
  const tool = defineTool({
    name: "crm.send",
    summary: "Send a text through the CRM.",
    toolbox: "test",
    category: "communication",
    permissions: ["network"],
    security: "cautious",
    effect: effect === "keyed" ? "once" : effect,
    needs: ["web"],
    timeoutMs: 1000,
    input: z.object({ text: z.string() }),
    output: z.object({ sent: z.string() }),
    async run({ text }, { web, signal }) {
      seen.runs += 1;
      const rest = { headers: [], body: null, timeoutMs: 1, maxBytes: 1, followRedirects: false, allowedDomains: null };
      const sent = await web.request({ method: "GET", url: "https://x/", ...rest, account: OTHER_ACCOUNT, signal });
      return sent.ok ? { sent: text } : failWith(sent.error);
    },
    ...(effect === "probe"
      ? {
          async probe() {
            seen.probes += 1;
            return { kind: "not_happened" } as const;
          },
        }
      : {}),
    show: ({ sent }) => sent,
    examples: [{ note: "a greeting", given: { text: "hi" } }],
  });
  const steering = control === undefined ? {} : { run: async () => ({ kind: "control", control }) as const };
  return { ...tool, ...steering, ...(app === null ? {} : { app }) };
}

interface ToolSetting {
  readonly effect: EffectClass;
  readonly control: Control;
  readonly app: ToolApp | null;
  /** The connection that ended, by the failure of each request. */
  readonly ended: string;
}

function play(port: FakeAccounts, setting: Partial<ToolSetting> = {}) {
  const seen: Seen = { requests: [], runs: 0, probes: 0 };
  const tool = createTool(seen, setting);
  const { ended } = setting;
  const web: WebPort = {
    async request(request) {
      seen.requests.push(request);
      if (ended !== undefined)
        return notSent("permission_denied", "The account expired.", {
          cause: { kind: "connection_ended", connection: ended },
        });
      return ok({ status: 200, headers: [], body: new Uint8Array(), truncated: false, url: "", durationMs: 0 });
    },
    open: async () => await Promise.reject(new Error("unused")),
  };
  const prepare = async (facts: TaskFacts = FACTS, actors: Actors = BY_ANA): Promise<PreparedCall> => {
    const toolset = await buildToolset([tool], facts);
    const known = { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL, connections: port, actors };
    const [call] = await prepareCalls([{ name: tool.name, arguments: '{"text":"hi"}' }], known);
    if (call === undefined) throw new Error("a call is missing");
    return call;
  };
  const perform = async (call: RunnableCall, actors: Actors | null = BY_ANA, facts = FACTS): Promise<ActLine> => {
    const deps = { ...depsFor([tool]), connections: port, ports: { web } as ToolPorts };
    const steered = actors === null ? {} : { actors };
    const job = { facts, step: 1, calls: [call], ...steered, timeoutMs: 10_000 };
    const { value } = await performCalls(job, deps, new AbortController().signal).next(true);
    if (value === undefined) throw new Error("the call ended without a line");
    return value;
  };
  return { tool, seen, prepare, perform };
}

/** A prepared call as the object sends it. */
function toRunnable(call: PreparedCall, change: Partial<RunnableCall> = {}): RunnableCall {
  const { id, approval: _, outcome: __, connect: ___, ...rest } = call;
  return { ...rest, callId: id, key: id, mode: "run", attempt: 1, ...change };
}

function withAna(change = {}): FakeAccounts {
  const port = fakeConnections();
  port.set("con_ana", ANA, change);
  return port;
}

describe("preparing a call through an account", () => {
  test("binds its hash, its order and its ledger row to the account", async () => {
    const call = await play(withAna()).prepare();
    expect(call).toMatchObject({ account: { connection: "con_ana", consent: 1 }, approval: null, outcome: null });
    const bound = { connection: "con_ana", consent: 1 };
    expect(call.argumentsHash).toBe(await hashArguments("crm.send", { text: "hi" }, bound));
    expect(call.touches).toEqual([{ resource: "connection:con_ana", mode: "write" }]);
  });

  test("asks its owner alone once others steered the task, reads included", async () => {
    const steered = addActor(BY_ANA, { person: "per_bo", name: "Bo" });
    const call = await play(withAna({ delegates: true }), { effect: "none" }).prepare(FACTS, steered);
    expect(call.approval).toMatchObject({ owner: { person: "per_ana", name: "Ana", mayDelegate: false } });
  });

  test("waits without an approval for a missing account, which follows with it", async () => {
    const asking = factsOf({ ...agent({ approval: { cautious: "ask" } }), actsFor: { person: "per_ana" } });
    const call = await play(fakeConnections()).prepare(asking);
    expect(call).toMatchObject({ connect: { reason: "missing", person: "per_ana" }, approval: null, outcome: null });
    expect(call.askFirst).toContain("cautious");
    expect(call.argumentsHash).toBe(await hashArguments("crm.send", { text: "hi" }));
  });

  test("is refused by a policy that denies it, and nobody is asked to connect", async () => {
    const denying = factsOf({ ...agent({ approval: { cautious: "deny" } }), actsFor: { person: "per_ana" } });
    const call = await play(fakeConnections()).prepare(denying);
    expect(call.outcome).toMatchObject({ state: "refused", result: { error: { code: "blocked_by_policy" } } });
    expect(call.connect).toBeUndefined();
  });

  test.each(["schedule", "webhook"])(
    "of a task that a %s started needs its owner's leave for those",
    async (channel) => {
      const started = factsOf({ ...agent(), actsFor: { person: "per_ana" }, via: { channel, id: "x" } });
      expect(await play(withAna()).prepare(started)).toMatchObject({ connect: { reason: "unattended" } });
      expect((await play(withAna({ unattended: true })).prepare(started)).account?.connection).toBe("con_ana");
    },
  );

  test("is refused where no account is and nobody could connect one", async () => {
    const call = await play(withAna()).prepare(factsOf(agent()));
    expect(call.outcome).toMatchObject({ state: "refused", result: { error: { code: "permission_denied" } } });
  });

  test("refuses an account that the model names", async () => {
    const port = withAna();
    const { tool } = play(port);
    const toolset = await buildToolset([tool], FACTS);
    const known = { facts: FACTS, step: 1, toolset, repeat: null, context: BY_PRINCIPAL, connections: port };
    for (const forged of [{ account: "con_bo" }, { connection: "con_bo" }, { acts_for: "per_bo" }]) {
      const given = JSON.stringify({ text: "hi", ...forged });
      const [call] = await prepareCalls([{ name: tool.name, arguments: given }], { ...known, actors: BY_ANA });
      expect(call?.outcome ?? call?.arguments).not.toMatchObject(forged);
    }
  });

  test("reads no connection for a tool without an app, whose call has no field more", async () => {
    const port = withAna();
    const call = await play(port, { app: null }).prepare();
    expect(port.reads).toEqual([]);
    expect(Object.keys(call)).toEqual([
      "id",
      "tool",
      "arguments",
      "argumentsHash",
      "effect",
      "approval",
      "outcome",
      "touches",
    ]);
  });

  test("never runs in the model phase, also while it waits", async () => {
    const { tool, prepare } = play(withAna(), { effect: "none" });
    const toolset = { resolve: () => ({ ...tool, needs: [] }) };
    expect(mayPerformEarly([await prepare()], toolset)).toBe(false);
    expect(mayPerformEarly([await play(fakeConnections(), { effect: "none" }).prepare()], toolset)).toBe(false);
    expect(mayPerformEarly([await play(withAna(), { effect: "none", app: null }).prepare()], toolset)).toBe(true);
  });

  test("with a person's arguments keeps its account in the hash", async () => {
    const { tool } = play(withAna());
    const toolset = await buildToolset([tool], FACTS);
    const account = { connection: "con_ana", consent: 3 } as Account;
    const job = { facts: FACTS, tool: tool.name, arguments: { text: "ho" }, account };
    const revised = await reviseCall(job, toolset, fakeFiles());
    expect(revised).toMatchObject({
      value: {
        argumentsHash: await hashArguments("crm.send", { text: "ho" }, account),
        touches: [{ resource: "connection:con_ana" }],
      },
    });
  });
});

describe("just before its effect, a call through an account", () => {
  test("runs with the account of its approval, and replaces one that the tool names", async () => {
    const { prepare, perform, seen } = play(withAna());
    const line = await perform(toRunnable(await prepare()));
    expect(line).toMatchObject({ type: "settled", outcome: { state: "confirmed" } });
    expect(seen.requests.map(({ account }) => account?.connection)).toEqual(["con_ana"]);
  });

  test("is refused once the account was disconnected", async () => {
    const port = withAna();
    const { prepare, perform, seen } = play(port);
    const call = toRunnable(await prepare());
    port.set("con_ana", ANA, { status: "revoked" });
    const error = { code: "permission_denied", message: "The account con_ana@acme.example was disconnected." };
    expect(await perform(call)).toMatchObject({ outcome: { state: "refused", result: { error } } });
    expect(seen.runs).toBe(0);
  });

  test("waits once the account expired", async () => {
    const port = withAna();
    const { prepare, perform, seen } = play(port);
    const call = toRunnable(await prepare());
    port.set("con_ana", ANA, { status: "expired" });
    const need = { app: "crm", reason: "expired", person: "per_ana" };
    expect(await perform(call)).toMatchObject({ type: "accounted", ruling: { kind: "needed", need } });
    expect(seen.runs).toBe(0);
  });

  test("waits in a schedule's task once its owner no longer allows tasks that nobody started", async () => {
    const port = withAna({ unattended: true });
    const { prepare, perform, seen } = play(port);
    const started = factsOf({ ...agent(), actsFor: { person: "per_ana" }, via: { channel: "schedule", id: "x" } });
    const call = toRunnable(await prepare(started));
    port.set("con_ana", ANA, { unattended: false });
    const need = { app: "crm", reason: "unattended", person: "per_ana" };
    expect(await perform(call, BY_ANA, started)).toMatchObject({ ruling: { kind: "needed", need } });
    expect(seen.runs).toBe(0);
    expect(await perform(call)).toMatchObject({ type: "settled" });
  });

  test("is bound to the new consent, and asks again what was asked before", async () => {
    const port = withAna();
    const { prepare, perform, seen } = play(port);
    const call = toRunnable(await prepare(), { askFirst: "Policy asks." });
    port.set("con_ana", ANA, { consent: 2 });
    const line = await perform(call);
    const argumentsHash = await hashArguments("crm.send", { text: "hi" }, { connection: "con_ana", consent: 2 });
    expect(line).toMatchObject({
      type: "accounted",
      ruling: { account: { consent: 2 }, argumentsHash, approval: { reason: "Policy asks." } },
    });
    expect(seen.runs).toBe(0);
  });

  test("asks its owner if others wrote to the task after it was prepared, unless the owner approved it", async () => {
    const steered = addActor(BY_ANA, { person: "per_bo", name: "Bo" });
    const { prepare, perform, seen } = play(withAna());
    const call = toRunnable(await prepare());
    expect(await perform(call, steered)).toMatchObject({ ruling: { approval: { owner: { person: "per_ana" } } } });
    expect(seen.runs).toBe(0);
    expect(await perform({ ...call, isApprovedByOwner: true }, steered)).toMatchObject({ type: "settled" });
    expect(await perform({ ...call, attempt: 2, isRetry: true }, steered)).toMatchObject({ type: "settled" });
    expect(seen.runs).toBe(2);
  });

  test("fails with the advice to try later while the account cannot be read", async () => {
    const port = withAna();
    const { prepare, perform, seen } = play(port);
    const call = toRunnable(await prepare());
    port.isAway = true;
    expect(await perform(call)).toMatchObject({ outcome: { result: { error: { retry: "later" } } } });
    expect(seen.runs).toBe(0);
  });

  test.each(["once", "probe"] as const)("of class %s is never repeated through another account", async (effect) => {
    const port = withAna();
    const { prepare, perform, seen } = play(port, { effect });
    const mode = effect === "probe" ? "probe" : "run";
    const call = toRunnable(await prepare(), { attempt: 2, mode, isRetry: true });
    port.set("con_ana", ANA, { consent: 2 });
    expect(await perform(call)).toMatchObject({ outcome: { state: "unknown" } });
    expect(seen).toMatchObject({ runs: 0, probes: 0 });
  });

  test("never runs without an account, nor through one of another app", async () => {
    const { prepare, perform, seen } = play(withAna());
    const { account, ...call } = toRunnable(await prepare());
    const argumentsHash = await hashArguments("crm.send", { text: "hi" });
    expect(await perform({ ...call, argumentsHash })).toMatchObject({ type: "accounted" });
    const lost = play(withAna(), { app: null });
    const kept = account === undefined ? {} : { account };
    expect(await lost.perform({ ...call, ...kept })).toMatchObject({ outcome: { state: "refused" } });
    expect([seen.runs, lost.seen.runs]).toEqual([0, 0]);
  });

  test("does not run with arguments that the hash does not cover, also while its account is chosen", async () => {
    const { prepare, perform, seen } = play(withAna());
    for (const mode of ["run", "account"] as const) {
      const call = toRunnable(await prepare(), { mode, arguments: { text: "other" } });
      expect(await perform(call)).toMatchObject({
        outcome: { state: "failed", result: { error: { code: "internal" } } },
      });
    }
    expect(seen.runs).toBe(0);
  });
});

describe("choosing the account of a call again", () => {
  test("sends nothing, and asks the owner if others steered the task meanwhile", async () => {
    const port = fakeConnections();
    const { prepare, perform, seen } = play(port);
    const call = toRunnable(await prepare(), { mode: "account" });
    expect(await perform(call)).toMatchObject({ ruling: { kind: "needed", need: { reason: "missing" } } });
    port.set("con_ana", ANA);
    expect(await perform(call)).toMatchObject({ ruling: { kind: "account", approval: null } });
    const line = await perform(call, addActor(BY_ANA, null));
    expect(line).toMatchObject({ ruling: { approval: { owner: { person: "per_ana" } } } });
    expect(seen.runs).toBe(0);
  });

  test("treats the actors of an object of an earlier release as unknown", async () => {
    const { prepare, perform } = play(withAna());
    const line = await perform(toRunnable(await prepare(), { mode: "account" }), null);
    expect(line).toMatchObject({ type: "accounted", ruling: { approval: { owner: { person: "per_ana" } } } });
  });
});

describe("an account that the app refuses", () => {
  test("makes the call wait, because nothing was done; only if it is the call's own", async () => {
    for (const [ended, control] of [
      ["con_ana", { kind: "connect", app: "crm", reason: "expired" }],
      ["con_bo", null],
    ] as const) {
      const { prepare, perform } = play(withAna(), { ended });
      expect(await perform(toRunnable(await prepare()))).toMatchObject({ outcome: { control } });
    }
  });

  test("leaves the outcome unknown if an earlier attempt may have happened", async () => {
    const { prepare, perform } = play(withAna(), { ended: "con_ana" });
    const line = await perform(toRunnable(await prepare(), { attempt: 2, isRetry: true }));
    expect(line).toMatchObject({ outcome: { state: "unknown", control: null } });
  });
});

describe("a request to connect", () => {
  const connect = (app: string): Control => ({ kind: "connect", app, reason: "expired" });

  test("counts only from a tool with this app", async () => {
    for (const [app, control, kind] of [
      [CRM, connect("crm"), "confirmed"],
      [CRM, connect("mail"), "failed"],
      [null, connect("crm"), "failed"],
    ] as const) {
      const { prepare, perform } = play(withAna(), { control, app, effect: "none" });
      const line = await perform(toRunnable(await prepare()));
      expect(line).toMatchObject({ outcome: { state: kind, control: kind === "confirmed" ? control : null } });
    }
  });
});
