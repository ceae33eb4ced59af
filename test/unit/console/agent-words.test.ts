import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkEnvelope, matchesTool } from "../../../core/gateway/envelope.ts";
import { decidePolicy } from "../../../core/gateway/policy.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { fnmatch } from "../../../core/lib/fnmatch.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import type { AgentConfig } from "../../../web/src/pages/agents/agent-config.ts";
import { fieldChanges, wordChanges } from "../../../web/src/pages/agents/agent-difference.ts";
import { draftOf, readDraft } from "../../../web/src/pages/agents/agent-draft.ts";
import {
  decisionOn,
  permissionsInWords,
  reachOf,
  type WordedTool,
} from "../../../web/src/pages/agents/permissions-in-words.ts";
import { isMatchedBy, matchesName } from "../../../web/src/api/tool-patterns.ts";

const tools: readonly WordedTool[] = catalogue.map((tool) => ({
  name: tool.name,
  also_named: [...(tool.alsoNamed ?? [])],
  only_by_name: tool.onlyByName ?? false,
  toolbox: tool.toolbox,
  permissions: [...tool.permissions],
  security: typeof tool.security === "function" ? "by arguments" : tool.security,
  effect: typeof tool.effect === "function" ? "by arguments" : tool.effect,
}));

const agent = (more: Partial<AgentConfig> = {}): AgentConfig => ({
  name: "a",
  instructions: "",
  tools: ["*"],
  permissions: ["read"],
  ...more,
});

const said = (config: AgentConfig): string =>
  permissionsInWords(config, tools)
    .flatMap(({ statements }) => statements.map(({ text }) => text))
    .join("\n");

const pieces = fc.constantFrom("a", "b", "_", ".", "*", "?", "[", "]", "!", "-", "z", "0", "ß", "read", "file");
const pattern = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""));
const permissions = fc.subarray(["read", "write", "exec", "network"] as const).map((some) => [...some]);
const decision = fc.constantFrom("allow" as const, "ask" as const, "deny" as const);
const text = fc.stringMatching(/^[a-z*._-]{1,12}$/);
const texts = fc.array(text, { maxLength: 4 });
const config: fc.Arbitrary<AgentConfig> = fc.record(
  {
    name: fc.stringMatching(/^[a-z]{1,9}$/),
    instructions: fc.string(),
    tools: texts,
    permissions,
    model: text,
    fallbacks: texts,
    approval: fc.record({
      dangerous: decision,
      rules: fc.array(fc.record({ tool: text, decision }), { minLength: 1, maxLength: 3 }),
    }),
    budget: fc.record({
      max_steps: fc.integer({ min: 1, max: 100 }),
      max_cost_usd: fc.double({ min: 0.01, max: 9, noNaN: true }),
    }),
    sandbox: fc.record({ allowed_paths: texts, allow_write: fc.boolean() }),
    allowed_domains: texts,
    idempotent_hosts: fc.array(
      fc.oneof(text, fc.record({ host: text, keyed_for_s: fc.integer({ min: 60, max: 2_592_000 }) })),
      { minLength: 1, maxLength: 3 },
    ),
    on_unknown: fc.constantFrom("tell" as const, "ask" as const),
    capability_gate: fc.constantFrom("enforce" as const, "ask" as const, "off" as const),
    memory: fc.record({
      summaries: fc.boolean(),
      min_score: fc.double({ min: -1, max: 1, noNaN: true }).map((n) => n + 0),
    }),
    skills: fc.record({ match: fc.constantFrom("auto" as const, "explicit" as const), names: texts }),
    tool_config: fc.dictionary(text, fc.dictionary(text, fc.integer())),
  },
  { requiredKeys: ["name", "instructions", "tools", "permissions"] },
);

describe("patterns of tool names", () => {
  test("match what the gateway's match", () => {
    fc.assert(
      fc.property(pattern, pattern, (name, given) => {
        expect(matchesName(name, given)).toBe(fnmatch(name, given));
        expect(matchesName(name, name.replaceAll(/[[\]*?!]/g, "?"))).toBe(
          fnmatch(name, name.replaceAll(/[[\]*?!]/g, "?")),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  test("take bounded time, however many stars they have", () => {
    expect(matchesName("a".repeat(200), `${"*a".repeat(90)}b`)).toBe(false);
  });
});

describe("what an agent may do", () => {
  test("is counted as the gateway lets it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(pattern, fc.constantFrom(...tools.map(({ name }) => name), "*", "http*"))),
        permissions,
        (patterns, had) => {
          const facts = { agent: { config: { name: "a", tools: patterns, permissions: had } }, tools: [], apps: {} };
          const inside = catalogue.filter((tool) => checkEnvelope(tool, facts as unknown as TaskFacts).ok);
          const { usable } = reachOf({ tools: patterns, permissions: had }, tools);
          expect(usable.map(({ name }) => name)).toEqual(inside.map(({ name }) => name));
        },
      ),
    );
  });

  test("is decided by its policy as the gateway decides", () => {
    const policy = fc.record(
      {
        safe: decision,
        dangerous: decision,
        critical: decision,
        rules: fc.array(fc.record({ tool: pattern, decision })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(policy, (approval) => {
        for (const tool of catalogue.filter(({ security }) => typeof security === "string")) {
          const worded = tools.find(({ name }) => name === tool.name)!;
          expect(decisionOn(worded, approval)).toBe(decidePolicy(tool, tool.security as "safe", approval).decision);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("is said of an agent that only reads", () => {
    const words = said(agent({ tools: ["read_file", "http_request", "nothing.*"] }));
    expect(words).toContain("It may read its files");
    expect(words).toContain("It may not run commands");
    expect(words).toContain("It has 1 of");
    expect(words).toContain("Named, but it lacks a permission for http_request.");
    expect(words).toContain("“nothing.*” fits no tool");
    expect(words).toContain("It reaches no host");
    expect(words).toContain("at most 10 steps");
  });

  test("names what it asks about, what it never does, and what it does without asking", () => {
    const words = said(
      agent({
        tools: ["http.post", "send_email", "run_command"],
        permissions: ["read", "exec", "network"],
        approval: {
          dangerous: "allow",
          critical: "deny",
          rules: [{ tool: "send_*", decision: "ask" }],
          expires_s: 3600,
        },
        allowed_domains: ["*"],
        on_unknown: "ask",
        budget: { max_cost_usd: 2 },
      }),
    );
    expect(words).toContain("It does dangerous things without asking.");
    expect(words).toContain("It never does anything critical.");
    expect(words).toContain("It asks before it uses every tool that fits “send_*”.");
    expect(words).toContain("Asks a person before it uses send_email.");
    expect(words).toMatch(/although dangerous: .*run_command/);
    expect(words).toContain("1 hour to decide");
    expect(words).toContain("every public host");
    expect(words).toContain("$2.00 on a task");
    expect(words).toContain("waits for a person's decision");
  });

  test("is said of the built-in agent without its critical and dangerous tools running unasked", () => {
    const parts = permissionsInWords(DEFAULT_AGENT.config, tools);
    expect(said(DEFAULT_AGENT.config)).toContain("It asks before anything critical");
    expect(parts.every(({ statements }) => statements.length > 0)).toBe(true);
    expect(said(DEFAULT_AGENT.config)).not.toContain("although dangerous");
  });

  test("can be said of every agent", () => {
    fc.assert(
      fc.property(config, (one) => {
        expect(said(one).length).toBeGreaterThan(100);
      }),
    );
  });
});

describe("an agent while it is edited", () => {
  test("is the same agent when nothing was typed", () => {
    fc.assert(
      fc.property(config, (one) => {
        expect(readDraft(draftOf(one))).toEqual({ ok: true, config: one });
      }),
    );
  });

  test("retains an invalid number or JSON text, and names the field", () => {
    const draft = { ...draftOf(agent()), max_steps: "ten", tool_config: "{" };
    expect(readDraft(draft)).toMatchObject({
      ok: false,
      faults: { "budget.max_steps": "This is not a number.", tool_config: expect.stringContaining("not JSON") },
    });
  });

  test("reads its limits as the console prints them", () => {
    const draft = { ...draftOf(agent()), max_tokens: "100,000", max_cost_usd: "0,5", max_duration_s: "1,000" };
    expect(readDraft({ ...draft, max_duration_s: "" })).toMatchObject({
      config: { budget: { max_tokens: 100_000, max_cost_usd: 0.5 } },
    });
    expect(readDraft(draft)).toMatchObject({
      faults: { "budget.max_duration_s": expect.stringContaining("write 1000 or 1.000") as string },
    });
  });

  test("distinguishes an empty list from an absent one", () => {
    const empty = agent({ allowed_domains: [] });
    expect(readDraft(draftOf(empty))).toEqual({ ok: true, config: empty });
  });
});

describe("the difference of two versions", () => {
  test("names each field that changed, with what came to a list and what went", () => {
    const before = agent({ tools: ["read_file", "grep"], instructions: "One\nTwo" });
    const after = agent({ tools: ["read_file", "http.get"], instructions: "One\nThree", on_unknown: "ask" });
    expect(fieldChanges(before, after)).toEqual([
      { field: "instructions", title: "Instructions", lists: null, before: "One\nTwo", after: "One\nThree" },
      expect.objectContaining({ field: "tools", lists: { added: ["http.get"], removed: ["grep"] } }),
      expect.objectContaining({ field: "on_unknown", before: "", after: "ask" }),
    ]);
    expect(fieldChanges(after, after)).toEqual([]);
  });

  test("says in words what it may do now and could not before", () => {
    const { came, went } = wordChanges(agent(), agent({ permissions: ["read", "network"] }), tools);
    expect(came).toContain("It may reach outside Otto: the web, mail, Slack, servers.");
    expect(went).toContain("It may not reach outside Otto: the web, mail, Slack, servers.");
  });

  test("of equal agents is nothing, and of others something", () => {
    fc.assert(
      fc.property(config, config, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        if (isSame) expect(fieldChanges(one, other)).toEqual([]);
        else if (one.instructions !== other.instructions) expect(fieldChanges(one, other).length).toBeGreaterThan(0);
        expect(fieldChanges(one, one)).toEqual([]);
      }),
    );
  });
});

test("a rule of a policy matches the tools that the gateway's would", () => {
  fc.assert(
    fc.property(pattern, (given) => {
      for (const [index, tool] of catalogue.entries())
        expect(isMatchedBy(tools[index]!, given)).toBe(matchesTool(tool, given));
    }),
    { numRuns: 100 },
  );
});
