/** Calls of apps' actions through both halves of the gateway: every combination of the gate, the policy and the layers of access. */
import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { CAPABILITY_GATES, type CapabilityGate } from "../../../core/agents/agent.ts";
import type { AppAssignment } from "../../../core/apps/workspace/access.ts";
import type { StoredIntent } from "../../../core/apps/intent/task-apps.ts";
import { ok } from "../../../core/base/errors.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import type { PolicyDecision } from "../../../core/gateway/policy.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import type { AppRights, AppRightsPort } from "../../../core/ports/app-rights.ts";
import { performCalls } from "../../../core/steps/perform.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { reviseCall } from "../../../core/steps/revise.ts";
import type { ActLine } from "../../../core/steps/rpc.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { AppOrigin, OutsideTool } from "../../../core/tool/source.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { outsideToolOf } from "../../contracts/tool/tool-sources-suite.ts";
import { factsOf } from "../task/world.ts";
import { agent, depsFor } from "./play-gateway.ts";

/** Whether it only reads, writes, or destroys. */
const KINDS = {
  read: { action: "CRM_LIST_ISSUES", effect: "none", capabilities: ["issue.list"], isDestructive: false },
  write: { action: "CRM_CREATE_ISSUE", effect: "once", capabilities: ["issue.create"], isDestructive: false },
  destroy: { action: "CRM_DELETE_ISSUE", effect: "once", capabilities: ["issue.delete"], isDestructive: true },
} as const;
type Kind = keyof typeof KINDS;

const INTENTS = {
  nothing: { capabilities: [], actions: [], dates: [] },
  byCapability: { capabilities: ["issue.list", "issue.create", "issue.delete"], actions: [], dates: [] },
  byName: { capabilities: [], actions: Object.values(KINDS).map(({ action }) => action), dates: [] },
} as const satisfies Record<string, StoredIntent>;

const assigned = (change: Partial<AppAssignment>): AppAssignment[] => [
  { app: "crm", isActive: true, level: "full", actions: [], ...change },
];
/** The layers of access: what is set, and which actions it lets through. */
const LAYERS: readonly { readonly rights: Partial<AppRights>; readonly lets: (kind: Kind) => boolean }[] = [
  { rights: {}, lets: () => true },
  { rights: { assignments: assigned({}) }, lets: () => true },
  { rights: { assignments: assigned({ isActive: false }) }, lets: () => false },
  { rights: { assignments: assigned({ app: "other" }) }, lets: () => false },
  { rights: { assignments: assigned({ level: "read_only" }) }, lets: (kind) => kind === "read" },
  {
    rights: { assignments: assigned({ level: "list", actions: [KINDS.write.action] }) },
    lets: (kind) => kind === "write",
  },
  { rights: { added: new Map() }, lets: () => false },
  { rights: { added: new Map([["crm", new Set([KINDS.read.action])]]) }, lets: (kind) => kind === "read" },
  { rights: { permissions: new Map([[KINDS.destroy.action, false]]) }, lets: (kind) => kind !== "destroy" },
  {
    rights: { assignments: assigned({}), permissions: new Map([[KINDS.write.action, false]]), added: new Map() },
    lets: () => false,
  },
];

const EVERYTHING: AppRights = {
  assignments: [],
  permissions: new Map(),
  added: new Map([["crm", new Set(Object.values(KINDS).map(({ action }) => action))]]),
  overrides: new Map(),
};
const rightsOf = (change: Partial<AppRights>): AppRightsPort => ({
  read: async () => ok({ ...EVERYTHING, ...change }),
});

function toolOf(kind: Kind, judged?: AppOrigin["judged"]): Tool {
  const { action, effect, capabilities, isDestructive } = KINDS[kind];
  const named = { kind: "app", provider: "composio", app: "crm", action, version: "1" };
  const origin = { ...named, capabilities, isDestructive, ...(judged === undefined ? {} : { judged }) };
  const tool = { ...outsideToolOf(`composio_${action}`, { effect, security: "cautious" }), input: { type: "object" } };
  const [made] = createOutsideTools([{ source: "app:crm", tool: { ...tool, origin } as OutsideTool }], [], {
    callers: {},
    patterns: linearPatterns,
  });
  if (made === undefined) throw new Error("no tool");
  return made;
}

interface Case {
  readonly kind: Kind;
  readonly gate: CapabilityGate | undefined;
  readonly policy: PolicyDecision;
  readonly intent: keyof typeof INTENTS;
  readonly layer: (typeof LAYERS)[number];
  readonly inEnvelope: boolean;
}

function factsFor({ gate, policy, intent, inEnvelope }: Omit<Case, "kind" | "layer">): TaskFacts {
  const config = {
    ...(gate === undefined ? {} : { capability_gate: gate }),
    approval: { cautious: policy },
    tools: [inEnvelope ? "*" : "read_file"],
  };
  return factsOf({ ...agent(config), apps: { intent: INTENTS[intent], shown: [], hints: "" } });
}

async function prepare(tool: Tool, facts: TaskFacts, appRights?: AppRightsPort): Promise<PreparedCall> {
  const toolset = await buildToolset([tool], facts);
  const known = { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL };
  const rights = appRights === undefined ? {} : { appRights };
  const [call] = await prepareCalls([{ name: tool.name, arguments: "{}" }], { ...known, ...rights });
  if (call === undefined) throw new Error("no call");
  return call;
}

async function perform(
  tool: Tool,
  facts: TaskFacts,
  call: PreparedCall,
  appRights: AppRightsPort,
  attempt = 1,
): Promise<ActLine[]> {
  const { argumentsHash, effect, security = "cautious" } = call;
  const runnable = { callId: "c", tool: tool.name, arguments: {}, argumentsHash, effect, security, key: "k" };
  const calls = [{ ...runnable, mode: "run" as const, attempt }];
  const job = { facts, step: 1, calls, timeoutMs: 5_000 };
  const lines: ActLine[] = [];
  const { signal } = new AbortController();
  const ended = performCalls(job, { ...depsFor([tool]), appRights }, signal);
  for (let next = await ended.next(); next.done !== true; next = await ended.next(true)) lines.push(next.value);
  return lines;
}

/** The oracle, in words of the design: what becomes of the call. */
function expectedOf({ kind, gate = "ask", policy, intent, layer, inEnvelope }: Case): string {
  if (!inEnvelope || !layer.lets(kind)) return "permission_denied";
  if (policy === "deny") return "policy";
  const isInside = intent !== "nothing";
  if (!isInside && (gate === "enforce" || (gate === "ask" && kind === "destroy"))) return "gate";
  const gateAsks = kind === "destroy" || (gate === "ask" && !isInside && kind === "write");
  return policy === "ask" || gateAsks ? "asks" : "runs";
}

function outcomeOf({ outcome, approval }: PreparedCall): string {
  if (outcome === null) return approval === null ? "runs" : "asks";
  if (outcome.result.ok) return "answered";
  const { code, details, message } = outcome.result.error;
  if (code !== "blocked_by_policy") return code;
  const isGate = details?.["error_type"] === "validation_blocked";
  expect(message.startsWith("Action not allowed for this intent: CRM_")).toBe(isGate);
  return isGate ? "gate" : "policy";
}

const CASES: Case[] = Object.keys(KINDS).flatMap((kind) =>
  [...CAPABILITY_GATES, undefined].flatMap((gate) =>
    (["allow", "ask", "deny"] as const).flatMap((policy) =>
      (Object.keys(INTENTS) as (keyof typeof INTENTS)[]).flatMap((intent) =>
        LAYERS.flatMap((layer) =>
          [true, false].map((inEnvelope) => ({ kind: kind as Kind, gate, policy, intent, layer, inEnvelope })),
        ),
      ),
    ),
  ),
);

describe("a call of an app's action", () => {
  test("is refused, asked about or run as every layer together says", async () => {
    const differing: string[] = [];
    for (const one of CASES) {
      const call = await prepare(toolOf(one.kind), factsFor(one), rightsOf(one.layer.rights));
      const [found, expected] = [outcomeOf(call), expectedOf(one)];
      if (found !== expected) differing.push(`${JSON.stringify(one)}: ${found} instead of ${expected}`);
    }
    expect(CASES).toHaveLength(2_160);
    expect(differing).toEqual([]);
  });

  test("is checked again before its effect, by the rights of that moment", async () => {
    const open = { gate: "off", policy: "allow", intent: "byName", inEnvelope: true } as const;
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const [tool, facts] = [toolOf(kind), factsFor(open)];
      const call = await prepare(tool, facts, rightsOf({}));
      for (const layer of LAYERS) {
        const [line] = await perform(tool, facts, call, rightsOf(layer.rights));
        const outcome = line?.type === "settled" ? line.outcome : null;
        const code = outcome?.result.ok === false ? outcome.result.error.code : null;
        // The tool of the test has no caller, so a call that is let through fails.
        expect([outcome?.state, code]).toEqual(
          layer.lets(kind)
            ? [expect.stringMatching(/failed|unknown/), expect.anything()]
            : ["refused", "permission_denied"],
        );
      }
    }
  });

  test("is denied while rights cannot be read, and without any", async () => {
    const facts = factsFor({ gate: "off", policy: "allow", intent: "byName", inEnvelope: true });
    const away: AppRightsPort = {
      read: async () => ({ ok: false, error: { code: "upstream_failed", message: "The database is away." } }),
    };
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const tool = toolOf(kind);
      expect(outcomeOf(await prepare(tool, facts, away))).toBe("upstream_failed");
      expect(outcomeOf(await prepare(tool, facts))).toBe("upstream_failed");
      const call = await prepare(tool, facts, rightsOf({}));
      expect(await perform(tool, facts, call, away)).toMatchObject([{ outcome: { state: "refused" } }]);
    }
  });

  test("of a task that does not know what was asked for counts as not asked for", async () => {
    const { apps: _, ...facts } = factsFor({ gate: "enforce", policy: "allow", intent: "byName", inEnvelope: true });
    for (const kind of Object.keys(KINDS) as Kind[])
      expect(outcomeOf(await prepare(toolOf(kind), facts as TaskFacts, rightsOf({})))).toBe("gate");
  });

  test("that a person edits is asked for by that person", async () => {
    const facts = factsFor({ gate: "enforce", policy: "ask", intent: "nothing", inEnvelope: true });
    const tool = toolOf("write");
    const toolset = await buildToolset([tool], facts);
    const revised = await reviseCall({ facts, tool: tool.name, arguments: {} }, toolset, fakeFiles(), rightsOf({}));
    expect(revised.ok).toBe(true);
  });
});

describe("an action that an override loosened", () => {
  const JUDGED = { effect: "once", security: "dangerous" } as const;
  const LOOSENED = new Map([[KINDS.read.action, { effect: "none", security: "cautious" } as const]]);
  const tool = toolOf("read", JUDGED);
  const facts = factsOf({
    ...agent({ capability_gate: "off", approval: { cautious: "allow", dangerous: "ask" }, tools: ["*"] }),
    apps: { intent: INTENTS.byName, shown: [], hints: "" },
  });

  test("counts as the task pinned it while the override is set", async () => {
    const call = await prepare(tool, facts, rightsOf({ overrides: LOOSENED }));
    expect(call).toMatchObject({ effect: "none", security: "cautious", approval: null, outcome: null });
    const [line] = await perform(tool, facts, call, rightsOf({ overrides: LOOSENED }));
    expect(line).not.toMatchObject({ outcome: { state: "refused" } });
  });

  test("counts as the catalogue says in the next call of a running task, once the override is removed", async () => {
    const call = await prepare(tool, facts, rightsOf({}));
    expect(call).toMatchObject({ effect: "once", security: "dangerous", outcome: null });
    expect(call.approval?.reason).toContain("is dangerous");
    // Prepared, and approved, under the strict class, it runs.
    const [line] = await perform(tool, facts, call, rightsOf({}));
    expect(line).not.toMatchObject({ outcome: { state: "refused" } });
  });

  test("is not sent as a read that was prepared before the override was removed", async () => {
    const call = await prepare(tool, facts, rightsOf({ overrides: LOOSENED }));
    const [line] = await perform(tool, facts, call, rightsOf({}));
    expect(line).toMatchObject({
      outcome: { state: "refused", result: { error: { code: "blocked_by_policy" } } },
    });
    // An earlier attempt of what counted as a read may have happened.
    expect(await perform(tool, facts, call, rightsOf({}), 2)).toMatchObject([{ outcome: { state: "unknown" } }]);
  });

  test("is refused to an agent that may only read, and asks in an edited call", async () => {
    const readOnly = { assignments: assigned({ level: "read_only" }) };
    expect(outcomeOf(await prepare(tool, facts, rightsOf({ ...readOnly, overrides: LOOSENED })))).toBe("runs");
    expect(outcomeOf(await prepare(tool, facts, rightsOf(readOnly)))).toBe("permission_denied");
    const toolset = await buildToolset([tool], facts);
    const job = { facts, tool: tool.name, arguments: {} };
    expect(await reviseCall(job, toolset, fakeFiles(), rightsOf({}))).toMatchObject({
      value: { effect: "once", security: "dangerous" },
    });
  });

  test("follows an override that is tightened meanwhile, and none that loosens further", async () => {
    const tightened = new Map([[KINDS.read.action, { security: "critical" } as const]]);
    expect(await prepare(tool, facts, rightsOf({ overrides: tightened }))).toMatchObject({
      effect: "once",
      security: "critical",
    });
    const plain = toolOf("write");
    const loosened = new Map([[KINDS.write.action, { effect: "none", security: "safe" } as const]]);
    expect(await prepare(plain, facts, rightsOf({ overrides: loosened }))).toMatchObject({
      effect: "once",
      security: "cautious",
    });
  });
});
