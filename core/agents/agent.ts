/**
 * An agent: a versioned configuration. The API's format is the stored format (snake_case JSON), so a version is stored
 * byte for byte as agreed. Limits: names of 1–64 of `[a-zA-Z0-9_-]`, instructions up to 100,000 characters, 200
 * patterns, 100 steps, 20 skills.
 */
import { isId } from "../base/ids.ts";
import { OWNER_RULES } from "../connections/account.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import { MAX_IN_FORCE } from "../skills/skill.ts";
import { PERMISSIONS } from "../tool/tool.ts";
import { idempotentHostSchema } from "../web/idempotent-hosts.ts";
import { z } from "zod";

/** The maximum and the default number of steps. */
export const MAX_STEPS_CEILING = 100;
export const DEFAULT_MAX_STEPS = 10;

/** The most tools and toolboxes that an agent configures. */
const MAX_CONFIGURED = 200;

const decision = z.enum(["allow", "ask", "deny"]);
const patterns = z.array(z.string().min(1).max(200)).max(200);
const hosts = z.array(z.string().min(1).max(260)).max(200);

/** Limits of a task. Money is in US dollars. Time is in seconds, without waits for a person. */
export const budgetSchema = z.strictObject({
  max_steps: z.int().min(1).max(MAX_STEPS_CEILING).optional(),
  max_tokens: z.int().min(1).max(1_000_000_000).optional(),
  max_cost_usd: z.number().positive().max(1_000_000).optional(),
  max_duration_s: z.number().positive().max(2_592_000).optional(),
});
export type BudgetLimits = z.infer<typeof budgetSchema>;

const DENIED_PATTERN_HINT = "name files, such as **/*.key, or write / for every file";

/** The maximum and the default time to decide an approval. */
const MAX_APPROVAL_SECONDS = 2_592_000;
const DEFAULT_APPROVAL_SECONDS = 604_800;

/**
 * Decisions by security level, then by tool pattern (the last matching rule wins). An approval that is not decided
 * within `expires_s` (default: a week) is refused.
 */
export const approvalSchema = z.strictObject({
  safe: decision.optional(),
  cautious: decision.optional(),
  dangerous: decision.optional(),
  critical: decision.optional(),
  rules: z
    .array(z.strictObject({ tool: z.string().min(1).max(200), decision }))
    .max(200)
    .optional(),
  expires_s: z.int().min(1).max(MAX_APPROVAL_SECONDS).optional(),
});
export type ApprovalPolicy = z.infer<typeof approvalSchema>;

/** A pattern of `denied_patterns`. */
export const deniedPatternSchema = z
  .string()
  .min(1, DENIED_PATTERN_HINT)
  .max(200)
  .refine((pattern) => pattern !== ".", DENIED_PATTERN_HINT);

/** The capability gate (`core/apps/intent/gate.ts`). `enforce` blocks what is outside the request; `ask` asks; `off` only orders lists. */
export const CAPABILITY_GATES = ["enforce", "ask", "off"] as const;
export type CapabilityGate = (typeof CAPABILITY_GATES)[number];

/** The body of `POST /v1/agents` and `PUT /v1/agents/{id}`. */
export const agentConfigSchema = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -"),
  model: z.string().min(1).max(200).optional(),
  fallbacks: z
    .array(z.string().min(1).max(200))
    .max(5)
    .optional()
    .describe("Models to ask when `model` does not answer"),
  instructions: z.string().max(100_000),
  tools: patterns,
  permissions: z.array(z.enum(PERMISSIONS)).max(PERMISSIONS.length),
  approval: approvalSchema.optional(),
  budget: budgetSchema.optional(),
  sandbox: z
    .strictObject({
      allowed_paths: z.array(z.string().max(1024)).max(100).optional(),
      denied_patterns: z.array(deniedPatternSchema).max(100).optional(),
      extensions: z.array(z.string().max(20)).max(100).optional(),
      allow_write: z.boolean().optional(),
    })
    .optional(),
  allowed_domains: hosts
    .optional()
    .describe("Hosts that its tools may reach. `*` is any public host; without a list, none"),
  idempotent_hosts: z
    .array(idempotentHostSchema)
    .max(200)
    .optional()
    .describe(
      "Hosts that honour `Idempotency-Key`, each with the seconds that it remembers a key (1800 unless stated; a day for Stripe and for the host of OTTO_PUBLIC_URL)",
    ),
  on_unknown: z.enum(["tell", "ask"]).optional(),
  capability_gate: z
    .enum(CAPABILITY_GATES)
    .optional()
    .describe(
      "For actions of apps that the request does not ask for. `enforce` blocks them, `ask` (the default) asks before a write and blocks what destroys, `off` only orders them; what destroys always asks",
    ),
  memory: z
    .strictObject({
      summaries: z.boolean().optional().describe("False: completed tasks leave no summary in memory"),
      tag_boost: z.number().min(0).max(1).optional().describe("What each tag of the query's words adds to a score"),
      min_score: z.number().min(-1).max(1).optional().describe("What scores less is not found"),
    })
    .optional(),
  skills: z
    .strictObject({
      match: z
        .enum(["auto", "explicit"])
        .optional()
        .describe("`explicit`: a skill that nobody named is not brought in because its description fits the task"),
      names: z
        .array(z.string().min(1).max(64))
        .max(MAX_IN_FORCE)
        .optional()
        .describe("Skills that every task works under"),
    })
    .optional(),
  tool_config: z
    .record(z.string().max(200), z.record(z.string().max(200), z.json()))
    .refine((config) => Object.keys(config).length <= MAX_CONFIGURED, {
      error: `has more than ${MAX_CONFIGURED} tools`,
    })
    .optional(),
  app_config: z
    .record(
      z.string().min(1).max(200),
      z.strictObject({
        connection: z
          .string()
          .refine((id) => isId("connection", id), "the id of a connection, `con_…`")
          .optional()
          .describe("The account to use: a shared one, or one of the person for whom the task acts"),
        owner: z.enum(OWNER_RULES).optional().describe("Whose accounts its calls may use"),
      }),
    )
    .refine((config) => Object.keys(config).length <= MAX_CONFIGURED, { error: `has more than ${MAX_CONFIGURED} apps` })
    .optional(),
});
export type AgentConfig = z.infer<typeof agentConfigSchema>;

/** An agent at one version, as a task pins it. */
export interface PinnedAgent {
  readonly id: string;
  readonly version: number;
  readonly config: AgentConfig;
}

const DENIED_TO_PROGRAMS = [".env*", "**/.env*", "**/*.secret", "**/*.key", "**/*.pem", "**/secrets.*"] as const;

/** Files that every sandbox hides unless an agent lists its own patterns. Programs get repositories. */
export const DEFAULT_DENIED_PATTERNS = [...DENIED_TO_PROGRAMS, "**/.git/**"] as const;

/** Returns the sandbox rules of a configuration, with defaults. */
export function getSandboxRules(config: AgentConfig): SandboxRules {
  return {
    allowedPaths: config.sandbox?.allowed_paths ?? null,
    deniedPatterns: config.sandbox?.denied_patterns ?? DEFAULT_DENIED_PATTERNS,
    deniedToPrograms: config.sandbox?.denied_patterns ?? DENIED_TO_PROGRAMS,
    extensions: config.sandbox?.extensions ?? null,
    allowWrite: config.sandbox?.allow_write ?? true,
  };
}

/** Returns how long a person has to decide an approval, in milliseconds. */
export function getApprovalExpiryMs(policy: ApprovalPolicy | undefined): number {
  return (policy?.expires_s ?? DEFAULT_APPROVAL_SECONDS) * 1000;
}

/** The default agent. It has every tool that does not need `exec`. */
export const DEFAULT_AGENT: PinnedAgent = {
  id: "agent_default",
  version: 1,
  config: {
    name: "default",
    instructions:
      "You are Otto, an agent that works on one task until it is done. Use the tools you are given. Ask a person only when you cannot go on without an answer. When you are done, answer in plain text.",
    tools: ["*"],
    permissions: ["read", "write", "network"],
    allowed_domains: ["*"],
  },
};

/**
 * Returns the hosts that an agent's tools may reach; null for an agent that lists none and reaches only what the
 * operator opened for all (OTTO_EGRESS_ALLOW, for development). An old task may have pinned the built-in agent without
 * a list; it was open then.
 */
export function getAllowedDomains({ id, config }: PinnedAgent): readonly string[] | null {
  return config.allowed_domains ?? (id === DEFAULT_AGENT.id ? ["*"] : null);
}
