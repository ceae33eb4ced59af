/** Hooks: how a program outside calls Otto, and what a call becomes. The rule of each is a tenant's; `docs/decisions/0035-ways-in.md`. */
import { budgetSchema } from "../../agents/agent.ts";
import { countFields, MAX_PROMPT_CHARACTERS, MAX_PROMPT_FIELDS } from "./hook-prompt.ts";
import { MAX_OLD_SECRET_MS, type OldSecret } from "./old-secrets.ts";
import { projectSchema, taskRequestSchema } from "../../task/new-task.ts";
import { z } from "zod";

/** Whose form and signature a call has. `generic`: any program's; `standard`: https://www.standardwebhooks.com. */
export const HOOK_TYPES = ["generic", "github", "stripe", "standard"] as const;
export type HookType = (typeof HOOK_TYPES)[number];

/** Hooks that a tenant may have. */
export const MAX_HOOKS = 200;
/** Where a generic hook's callers sign, unless the hook says otherwise. */
export const DEFAULT_SIGNATURE_HEADER = "x-otto-signature";

/** What stands in the path of `POST /webhook/{type}`: a hook's type or name. */
export const hookNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -");

/** How a standard webhook's secret is written: 24 to 64 bytes in base64. */
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const HEADER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Headers that mean something else already. */
const TAKEN_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "host",
  "content-type",
  "content-length",
]);

export const hookConfigSchema = z.strictObject({
  name: hookNameSchema,
  type: z.enum(HOOK_TYPES).describe("Whose form and signature the calls have."),
  agent: z.string().min(1).max(200).optional().describe("By id or name; the built-in one unless it says otherwise."),
  project: projectSchema.optional(),
  prompt: z
    .string()
    .min(1)
    .max(MAX_PROMPT_CHARACTERS)
    .refine((prompt) => countFields(prompt) <= MAX_PROMPT_FIELDS, `has more than ${MAX_PROMPT_FIELDS} fields`)
    .optional()
    .describe(
      "What the task is asked. `{{a.b}}` stands for a field of the payload, `{{payload}}` for all of it, `{{headers.x}}` for a header; what is filled in is marked as data from outside.",
    ),
  events: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .optional()
    .describe("Events (GitHub's names, the `type` of others) that become tasks; the others are received and left."),
  signature_header: z
    .string()
    .toLowerCase()
    .regex(HEADER_NAME, "is a header's name")
    .refine((name) => !TAKEN_HEADERS.has(name), "is a header that means something else")
    .optional()
    .describe("Of a generic hook: where `sha256=<hex>` stands, the HMAC of the body. X-Otto-Signature by default."),
  once_per_body: z
    .boolean()
    .optional()
    .describe(
      "For generic and GitHub hooks, whose signatures do not cover the delivery id. True: a body that arrived in the last 30 days (or among the last 100,000 calls) is the same delivery under any id, so a copied call creates no second task. False: only the id identifies a delivery, so the same body can arrive every night. Required for a new generic hook. A new GitHub hook has true, except for the events `workflow_dispatch` and `repository_dispatch`, whose bodies may be equal. Unchanged when a hook is replaced without it.",
    ),
  deliver: taskRequestSchema.shape.deliver,
  budget: budgetSchema.optional(),
  enabled: z.boolean().default(true),
});
export type HookConfig = z.infer<typeof hookConfigSchema>;

const oldSecretSchema = z
  .int()
  .min(0)
  .max(MAX_OLD_SECRET_MS / 1000)
  .describe(
    "With `secret`: for how many seconds the one that it replaces counts too, so that the sender can be changed without losing a call; 86400 unless it is given. 0, for one that is known to others: it and those before it end at once.",
  );

const secretSchema = z
  .string()
  .regex(/^[!-~]{8,500}$/, "8 to 500 printable ASCII characters without spaces")
  .describe("What calls are signed with. One is made unless it is given.");

/** The body that makes a hook, or (with `old_secret_seconds`) sets one. */
export const hookRequestSchema = hookConfigSchema
  .extend({ secret: secretSchema.optional(), old_secret_seconds: oldSecretSchema.optional() })
  .superRefine(({ type, secret, old_secret_seconds, events, signature_header, once_per_body }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (type === "standard" && secret !== undefined && !isStandardSecret(secret))
      refuse("secret", "a standard webhook's secret is whsec_ and 24 to 64 bytes in base64");
    if (old_secret_seconds !== undefined && secret === undefined)
      refuse("old_secret_seconds", "no secret is replaced: give the new one as secret");
    if (type === "generic" && events !== undefined) refuse("events", "a generic hook knows no events");
    if (type !== "generic" && signature_header !== undefined)
      refuse("signature_header", `where a ${type} hook's signature stands is not to be chosen`);
    if (once_per_body !== undefined && !isReplayable(type))
      refuse("once_per_body", `the signature of a ${type} hook holds the delivery's id`);
  });

/** The body that makes a hook. */
export const newHookRequestSchema = hookRequestSchema.superRefine(({ type, once_per_body }, context) => {
  if (type !== "generic" || once_per_body !== undefined) return;
  const message =
    "is required: with true, a body creates one task in 30 days, so a copied call cannot be sent again; with false, the same body creates a task each time it arrives under another id or none, as a nightly call does";
  context.addIssue({ code: "custom", path: ["once_per_body"], message });
});

/**
 * True for a type whose signature covers the body alone, so that a copied call can be sent again under another delivery id.
 * Stripe's id is in the body, Standard Webhooks signs its own with the moment.
 */
function isReplayable(type: HookType): boolean {
  return type === "generic" || type === "github";
}

/** Completes the rule of a hook: a new one gets the default of its type, a replaced one keeps its value. */
export function withOncePerBody(rule: HookConfig, before: HookConfig | null): HookConfig {
  if (!isReplayable(rule.type) || rule.once_per_body !== undefined) return rule;
  return { ...rule, once_per_body: before === null ? true : (before.once_per_body ?? false) };
}

/** A length of one more than a multiple of four is no base64. */
function isStandardSecret(secret: string): boolean {
  const written = STANDARD_SECRET.exec(secret)?.[1]?.replaceAll("=", "");
  return written !== undefined && written.length % 4 !== 1;
}

/** A hook of a tenant. `sealed` is its secret, in base64, sealed for the tenant and the id. */
export interface Hook {
  readonly id: string;
  readonly version: number;
  readonly config: HookConfig;
  readonly sealed: string;
  /** Secrets that were replaced, the latest first. */
  readonly old: readonly OldSecret[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What the door has to know of a hook to judge a call while Postgres is away: the facts of its inbox's record. */
export interface HookDoor {
  readonly tenant: string;
  readonly hook: string;
  readonly name: string;
  readonly type: HookType;
  readonly sealed: string;
  /** Absent in what an earlier release kept. */
  readonly old?: readonly OldSecret[];
  readonly signatureHeader: string;
  readonly isOncePerBody: boolean;
  readonly isEnabled: boolean;
}

export function doorOf(tenant: string, { id, config, sealed, old }: Hook): HookDoor {
  const { name, type, enabled: isEnabled } = config;
  const { signature_header: signatureHeader = DEFAULT_SIGNATURE_HEADER, once_per_body: isOncePerBody = false } = config;
  return { tenant, hook: id, name, type, sealed, old, signatureHeader, isOncePerBody, isEnabled };
}

/** The inbox of a hook, or of what a tenant's keys send that names none. */
export function hookInbox(owner: string): string {
  return `webhook/${owner}`;
}

/** A secret in the place of the one before. `oldUntil`: until when that counts too; null: no replaced one counts any more. */
export interface ReplacedSecret {
  readonly sealed: string;
  readonly oldUntil: number | null;
}
