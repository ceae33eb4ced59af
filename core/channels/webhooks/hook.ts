/** Hooks: how an outside program calls Otto, and what a call becomes. See `docs/decisions/0035-ways-in.md`. */
import { budgetSchema } from "../../agents/agent.ts";
import { countFields, MAX_PROMPT_CHARACTERS, MAX_PROMPT_FIELDS } from "./hook-prompt.ts";
import { MAX_OLD_SECRET_MS, type OldSecret } from "./old-secrets.ts";
import { type CallingPerson, projectSchema, taskRequestSchema } from "../../task/new-task.ts";
import { z } from "zod";

/** The types that a tenant can choose. `generic`: any program; `standard`: https://www.standardwebhooks.com. */
export const HOOK_TYPES = ["generic", "github", "stripe", "standard"] as const;
/** The format and signature of calls. `composio`: the provider of apps calls, for all triggers (core/triggers/). */
export type HookType = (typeof HOOK_TYPES)[number] | "composio";

/** Hooks of a tenant. */
export const MAX_HOOKS = 200;
/** The signature header of a generic hook, unless it is configured. */
export const DEFAULT_SIGNATURE_HEADER = "x-otto-signature";

/** The last part of `POST /webhook/{type}`: a hook's type or name. */
export const hookNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -");

/** The format of a standard webhook's secret: 24 to 64 bytes in base64. */
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const HEADER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Headers with another meaning. */
const TAKEN_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "host",
  "content-type",
  "content-length",
]);

export const hookConfigSchema = z.strictObject({
  name: hookNameSchema,
  type: z.enum(HOOK_TYPES).describe("The format and signature of the calls."),
  agent: z.string().min(1).max(200).optional().describe("Id or name; the built-in agent by default."),
  project: projectSchema.optional(),
  prompt: z
    .string()
    .min(1)
    .max(MAX_PROMPT_CHARACTERS)
    .refine((prompt) => countFields(prompt) <= MAX_PROMPT_FIELDS, `has more than ${MAX_PROMPT_FIELDS} fields`)
    .optional()
    .describe(
      "The task's instructions. `{{a.b}}` inserts a field of the payload, `{{payload}}` the whole payload, `{{headers.x}}` a header; inserted values are marked as data from outside.",
    ),
  events: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .optional()
    .describe(
      "Events (GitHub's names, the `type` of others) that create tasks; other events are received and ignored.",
    ),
  signature_header: z
    .string()
    .toLowerCase()
    .regex(HEADER_NAME, "is not a header name")
    .refine((name) => !TAKEN_HEADERS.has(name), "is a header with another meaning")
    .optional()
    .describe("For a generic hook: the header with `sha256=<hex>`, the HMAC of the body. X-Otto-Signature by default."),
  once_per_body: z
    .boolean()
    .optional()
    .describe(
      "For generic and GitHub hooks, whose signatures do not cover the delivery id. True: a body that arrived in the last 30 days (or among the last 100,000 calls) is the same delivery under any id, so a copied call creates no second task. False: only the id identifies a delivery, so the same body can arrive every night. Required for a new generic hook. A new GitHub hook has true, except for the events `workflow_dispatch` and `repository_dispatch`, whose bodies may be equal. Unchanged when a hook is replaced without it.",
    ),
  deliver: taskRequestSchema.shape.deliver,
  budget: budgetSchema.optional(),
  reindex: z
    .boolean()
    .optional()
    .describe(
      "For GitHub hooks. True: a push indexes the codebases of its repository and branch again, and no call becomes a task.",
    ),
  enabled: z.boolean().default(true),
});
export type HookConfig = z.infer<typeof hookConfigSchema>;

const oldSecretSchema = z
  .int()
  .min(0)
  .max(MAX_OLD_SECRET_MS / 1000)
  .describe(
    "With `secret`: seconds for which the replaced secret stays valid, so that the sender can be changed without losing a call; 86400 by default. 0 ends it and all earlier secrets at once, as for a leaked one.",
  );

const secretSchema = z
  .string()
  .regex(/^[!-~]{8,500}$/, "8 to 500 printable ASCII characters without spaces")
  .describe("The secret that signs calls; generated when omitted.");

const actsForSchema = z
  .literal("me")
  .nullable()
  .describe(
    "`me`: tasks act for the person of this key, from which they may use accounts that are allowed while the person is away. Null: for nobody. Unchanged when omitted, unless somebody else changes `agent`, `project`, `prompt`, `events`, `deliver` or the secret: that ends it.",
  );

/** What a hook that indexes codebases does not have. */
const FIELDS_OF_TASKS = ["agent", "project", "prompt", "events", "deliver", "budget", "acts_for"] as const;

/** The body that creates a hook, or (with `old_secret_seconds`) replaces one. */
export const hookRequestSchema = hookConfigSchema
  .extend({
    secret: secretSchema.optional(),
    old_secret_seconds: oldSecretSchema.optional(),
    acts_for: actsForSchema.optional(),
  })
  .superRefine((request, context) => {
    const { type, secret, old_secret_seconds, events, signature_header, once_per_body, reindex } = request;
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (type === "standard" && secret !== undefined && !isStandardSecret(secret))
      refuse("secret", "a standard webhook's secret is whsec_ and 24 to 64 bytes in base64");
    if (old_secret_seconds !== undefined && secret === undefined)
      refuse("old_secret_seconds", "no secret is replaced: give the new one as secret");
    if (type === "generic" && events !== undefined) refuse("events", "a generic hook has no events");
    if (type !== "generic" && signature_header !== undefined)
      refuse("signature_header", `the signature header of a ${type} hook is fixed`);
    if (once_per_body !== undefined && !isReplayable(type))
      refuse("once_per_body", `the signature of a ${type} hook covers the delivery's id`);
    if (reindex !== true) return;
    if (type !== "github") refuse("reindex", `a ${type} hook receives no pushes`);
    for (const field of FIELDS_OF_TASKS)
      if (request[field] !== undefined && request[field] !== null) refuse(field, "a hook with reindex makes no tasks");
  });

/** The body that creates a hook. */
export const newHookRequestSchema = hookRequestSchema.superRefine(({ type, once_per_body }, context) => {
  if (type !== "generic" || once_per_body !== undefined) return;
  const message =
    "is required: with true, a body creates one task in 30 days, so a copied call cannot be sent again; with false, the same body creates a task each time it arrives under another id or none, as a nightly call does";
  context.addIssue({ code: "custom", path: ["once_per_body"], message });
});

/**
 * True for a type whose signature covers the body alone, so that a copied call can be sent again under another delivery
 * id. Stripe's id is in the body; Standard Webhooks signs its id with the time.
 */
function isReplayable(type: HookType): boolean {
  return type === "generic" || type === "github";
}

/** Sets `once_per_body`: a new hook gets its type's default, a replaced one keeps its value. */
export function setOncePerBody(rule: HookConfig, before: HookConfig | null): HookConfig {
  if (!isReplayable(rule.type) || rule.once_per_body !== undefined) return rule;
  return { ...rule, once_per_body: before === null ? true : (before.once_per_body ?? false) };
}

/** Base64 never has a length of one more than a multiple of four. */
function isStandardSecret(secret: string): boolean {
  const written = STANDARD_SECRET.exec(secret)?.[1]?.replaceAll("=", "");
  return written !== undefined && written.length % 4 !== 1;
}

/** A hook of a tenant. `sealed` is its secret in base64, sealed for the tenant and the id. */
export interface Hook {
  readonly id: string;
  readonly version: number;
  readonly config: HookConfig;
  readonly sealed: string;
  /** Replaced secrets, the latest first. */
  readonly old: readonly OldSecret[];
  /** The person for whom its tasks act; null: nobody, or a person whose record was deleted. */
  readonly actsFor: CallingPerson | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a hook's auth needs while Postgres is away: the facts of its inbox's record. */
export interface HookAuth {
  readonly tenant: string;
  readonly hook: string;
  readonly name: string;
  readonly type: HookType;
  readonly sealed: string;
  /** Absent in a record of an earlier release. */
  readonly old?: readonly OldSecret[];
  readonly signatureHeader: string;
  readonly isOncePerBody: boolean;
  readonly isEnabled: boolean;
}

export function toHookAuth(tenant: string, { id, config, sealed, old }: Hook): HookAuth {
  const { name, type, enabled: isEnabled } = config;
  const { signature_header: signatureHeader = DEFAULT_SIGNATURE_HEADER, once_per_body: isOncePerBody = false } = config;
  return { tenant, hook: id, name, type, sealed, old, signatureHeader, isOncePerBody, isEnabled };
}

/** The name of a hook's inbox, or of the tenant's inbox for calls that name no hook. */
export function getHookInboxName(owner: string): string {
  return `webhook/${owner}`;
}

/** A new secret. The one before stays valid until `oldUntil`; null ends all earlier secrets. */
export interface ReplacedSecret {
  readonly sealed: string;
  readonly oldUntil: number | null;
}
