/** The gateway's side of approvals: when a person is asked, what a decision stands for, and what a person's edit may be. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AgentConfig, ApprovalPolicy } from "../../../core/agents/agent.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import type { PerformDeps } from "../../../core/steps/perform.ts";
import { decidePolicy } from "../../../core/gateway/policy.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { reviseCall } from "../../../core/steps/revise.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { ok } from "../../../core/base/errors.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { control, defineTool } from "../../../tools/define-tool.ts";
import { outcomesOf } from "../steps/play-gateway.ts";
import { factsOf } from "../task/world.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import { freeWork } from "../../fakes/work-meter.ts";

const DAY_MS = 86_400_000;

/** A tool that pays; `made` holds the arguments that it was really called with. */
function payTool(made: unknown[] = []): Tool {
  return defineTool({
    name: "bank.pay",
    summary: "Pay an amount.",
    toolbox: "test",
    category: "communication",
    permissions: ["network"],
    security: ({ amount }) => (amount > 100 ? "critical" : "dangerous"),
    effect: ({ draft }) => (draft ? "none" : "once"),
    needs: [],
    aliases: { sum: "amount" },
    input: z.object({ to: z.string().max(20), amount: z.number().positive(), draft: z.boolean().default(false) }),
    output: z.object({ paid: z.boolean() }),
    async run(given) {
      made.push(given);
      return { paid: true };
    },
    show: () => "Paid.",
    examples: [{ note: "a small sum", given: { to: "Ana", amount: 1 } }],
  });
}

const sleepTool = defineTool({
  name: "nap",
  summary: "Sleep.",
  toolbox: "test",
  category: "control",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: [],
  steers: true,
  input: z.object({}),
  output: z.object({}),
  run: () => control({ kind: "sleep", seconds: 1 }),
  show: () => "",
  examples: [{ note: "a nap", given: {} }],
});

function agentFacts(approval?: ApprovalPolicy, change: Partial<AgentConfig> = {}): TaskFacts {
  const base: AgentConfig = { name: "a", instructions: "", tools: ["*"], permissions: ["network"], ...change };
  const config = approval === undefined ? base : { ...base, approval };
  return factsOf({ tools: [], agent: { id: "agent_x", version: 1, config } });
}

async function prepareOne(tool: Tool, given: unknown, facts: TaskFacts) {
  const toolset = await buildToolset([tool], facts);
  const requested = [{ name: tool.name.replaceAll(".", "_"), arguments: JSON.stringify(given) }];
  const [call] = await prepareCalls(requested, { facts, step: 1, toolset, repeat: null, context: BY_PRINCIPAL });
  if (call === undefined) throw new Error("nothing was prepared");
  return call;
}

async function revise(given: Record<string, unknown>, facts = agentFacts(), name = "bank.pay") {
  const toolset = await buildToolset([payTool()], facts);
  return await reviseCall({ facts, tool: name, arguments: given }, toolset, fakeFiles());
}

/** Makes one call with these arguments under that hash. */
async function performOne(tool: Tool, given: unknown, argumentsHash: string, attempt = 1) {
  const defects: unknown[] = [];
  const deps: PerformDeps = {
    toolset: { resolve: () => tool, names: [tool.name], skills: [], admits: () => ok(undefined) },
    ports: {} as ToolPorts,
    model: null,
    blobs: { put: async () => ok(undefined), get: async () => ok(new Uint8Array()) },
    limits: { mediumCharacters: 4000, largeCharacters: 12_000 },
    maxParallel: 5,
    scriptTimeoutMs: 120_000,
    retryDelaysMs: [],
    timer: globalThis,
    meterWork: () => freeWork,
    giveTurn: freeWork.giveWay,
    reportDefect: (_, thrown) => void defects.push(thrown),
    clock: { now: () => 0 },
  };
  const effect = "once" as const;
  const call = {
    callId: "call_1",
    mode: "run",
    attempt,
    tool: tool.name,
    arguments: given,
    argumentsHash,
    effect,
  } as const;
  const job = { facts: agentFacts(), step: 1, timeoutMs: 1000, calls: [{ ...call, key: "call_1" }] };
  const [outcome] = await outcomesOf(job, deps, new AbortController().signal);
  if (outcome === undefined) throw new Error("the call brought no outcome");
  return { outcome, defects };
}

describe("a call that a person has to approve", () => {
  test("is prepared with its arguments and hash, and says why and for how long", async () => {
    const call = await prepareOne(payTool(), { to: "Ana", sum: 20 }, agentFacts());
    expect(call).toMatchObject({
      arguments: { to: "Ana", amount: 20, draft: false },
      argumentsHash: await hashArguments("bank.pay", { to: "Ana", amount: 20, draft: false }),
      effect: "once",
      outcome: null,
      approval: { expiresInMs: 7 * DAY_MS },
    });
    expect(call.approval?.reason).toBe(
      "This call of bank.pay is dangerous: dangerous calls that reach outside the sandbox need approval unless the agent's policy says otherwise.",
    );
  });

  test("expires when the agent's policy says", async () => {
    const call = await prepareOne(payTool(), { to: "Ana", amount: 1 }, agentFacts({ expires_s: 90 }));
    expect(call.approval?.expiresInMs).toBe(90_000);
  });

  test.each([
    [{ dangerous: "ask" }, 20, "the agent's policy requires approval of dangerous calls"],
    [{ dangerous: "allow" }, 200, "critical calls need approval unless the agent's policy says otherwise"],
    [
      { dangerous: "allow", rules: [{ tool: "bank.*", decision: "ask" }] },
      20,
      'requires approval of tools that fit "bank.*"',
    ],
    [
      { dangerous: "allow", rules: [{ tool: "bank_*", decision: "ask" }] },
      20,
      'requires approval of tools that fit "bank_*"',
    ],
  ] as const)("under %j, for %i, names the rule", async (policy, amount, words) => {
    const call = await prepareOne(payTool(), { to: "Ana", amount }, agentFacts(policy as unknown as ApprovalPolicy));
    expect(call.approval?.reason).toContain(words);
    expect(call.outcome).toBeNull();
  });

  test("can be one that steers the task", async () => {
    const call = await prepareOne(sleepTool, {}, agentFacts({ safe: "ask" }));
    expect(call.approval?.reason).toContain("nap is safe");
  });

  test.each([
    ["runs", { dangerous: "allow" }, { to: "Ana", amount: 1 }, null],
    ["is denied", { dangerous: "deny" }, { to: "Ana", amount: 1 }, "blocked_by_policy"],
    ["has arguments that do not fit", {}, { to: "Ana" }, "invalid_input"],
  ] as const)("is refused when it %s", async (_, policy, given, code) => {
    const call = await prepareOne(payTool(), given, agentFacts(policy));
    expect(call.approval).toBeNull();
    if (code === null) expect(call.outcome).toBeNull();
    else expect(call.outcome?.result).toMatchObject({ ok: false, error: { code } });
  });
});

describe("a decision", () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });

  test("covers exactly these arguments: any change of them changes the hash, and the call does not run", async () => {
    await fc.assert(
      fc.asyncProperty(json, json, fc.constantFrom("bank.pay", "bank.pays"), async (approved, sent, tool) => {
        const hash = await hashArguments("bank.pay", approved);
        const same = (await hashArguments(tool, sent)) === hash;
        // Through JSON, as the ledger stores both: -0 is 0 there.
        const [left, right] = [approved, sent].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        const isSame = tool === "bank.pay" && fc.stringify(sorted(left)) === fc.stringify(sorted(right));
        expect(same).toBe(isSame);
        const made: unknown[] = [];
        const { outcome, defects } = await performOne(payTool(made), sent, hash);
        const isMade = (await hashArguments("bank.pay", sent)) === hash;
        expect(made).toHaveLength(isMade ? 1 : 0);
        expect(defects).toHaveLength(isMade ? 0 : 1);
        if (!isMade) expect(outcome).toMatchObject({ state: "failed", result: { error: { code: "internal" } } });
      }),
    );
  });

  test("survives the ledger: stored arguments have the hash of the approved ones", async () => {
    await fc.assert(
      fc.asyncProperty(json, async (approved) => {
        const stored = JSON.parse(JSON.stringify(approved)) as unknown;
        expect(await hashArguments("t", stored)).toBe(await hashArguments("t", approved));
      }),
    );
  });

  test("with other arguments leaves a call unknown that an earlier attempt may have made", async () => {
    const hash = await hashArguments("bank.pay", { to: "Ana", amount: 1, draft: false });
    const { outcome } = await performOne(payTool(), { to: "Eve", amount: 1, draft: false }, hash, 2);
    expect(outcome.state).toBe("unknown");
  });
});

describe("arguments that a person edited", () => {
  test("are checked, completed and hashed as a model's own, and the effect is theirs", async () => {
    expect(await revise({ to: "Bo", sum: 3, draft: true })).toEqual({
      ok: true,
      value: {
        arguments: { to: "Bo", amount: 3, draft: true },
        argumentsHash: await hashArguments("bank.pay", { to: "Bo", amount: 3, draft: true }),
        effect: "none",
        touches: [],
        files: [],
      },
    });
  });

  test("need no further approval where the policy asks, also at a higher level", async () => {
    expect(await revise({ to: "Bo", amount: 5000 })).toMatchObject({ ok: true });
  });

  test.each([
    [{ to: "Bo", amount: -1 }, "arguments.amount", ["arguments.amount"]],
    [{ to: 1, amount: -1 }, "arguments.to", ["arguments.to", "arguments.amount"]],
    [{ to: "Bo", amount: 1, memo: "x" }, "arguments.memo", ["arguments.memo"]],
    [{ to: "Bo", amount: 1, sum: 2 }, "arguments.sum", ["arguments.sum"]],
  ])("that do not fit name each field: %j", async (given, field, fields) => {
    const revised = await revise(given);
    expect(revised).toMatchObject({ ok: false, error: { code: "invalid_input", field } });
    expect(!revised.ok && revised.error.fields?.map((one) => one.field)).toEqual(fields);
  });

  test.each([
    ["what the policy denies", agentFacts({ critical: "deny" }), "bank.pay", "blocked_by_policy"],
    ["a tool outside the envelope", agentFacts(undefined, { tools: ["read_*"] }), "bank.pay", "permission_denied"],
    ["a tool that a dispatch took away", { ...agentFacts(), tools: [["*"], ["nap"]] }, "bank.pay", "permission_denied"],
    ["a tool that is gone", agentFacts(), "bank.take", "not_found"],
  ])("cannot bring about %s", async (_, facts, tool, code) => {
    expect(await revise({ to: "Bo", amount: 500 }, facts, tool)).toMatchObject({ ok: false, error: { code } });
  });
});

describe("the approval policy", () => {
  const network = { name: "http.post", permissions: ["network"] as const };
  const inside = { name: "delete_file", permissions: ["write"] as const };

  test.each([
    [inside, "dangerous", undefined, "allow"],
    [network, "dangerous", undefined, "ask"],
    [network, "cautious", undefined, "allow"],
    [inside, "critical", undefined, "ask"],
    [network, "dangerous", { dangerous: "allow" }, "allow"],
    [network, "safe", { safe: "ask" }, "ask"],
    [network, "safe", { rules: [{ tool: "http_*", decision: "deny" }] }, "deny"],
    [
      network,
      "dangerous",
      {
        rules: [
          { tool: "*", decision: "deny" },
          { tool: "http.*", decision: "allow" },
        ],
      },
      "allow",
    ],
  ] as const)("%o at %s with %o: %s", (tool, level, policy, decision) => {
    expect(decidePolicy(tool, level, policy as never).decision).toBe(decision);
  });
});

/** Object members in the order of their names, all the way down. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}
