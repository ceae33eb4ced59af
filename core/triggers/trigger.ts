/** Triggers: events of a connected app that begin tasks. See `docs/decisions/0162-triggers.md`. */
import { z } from "zod";
import { hookConfigSchema } from "../channels/webhooks/hook.ts";
import type { CallingPerson } from "../task/new-task.ts";

/** Triggers of a tenant. */
export const MAX_TRIGGERS = 500;
/** UTF-16 units of a configuration as JSON. */
const MAX_CONFIG_CHARACTERS = 20_000;

/**
 * `pending`: being created at the provider. `active`: its events become tasks. `paused`: by a person. `stopped`: by Otto or
 * the provider, for the reason in `why`; a person resumes it.
 */
export const TRIGGER_STATES = ["pending", "active", "paused", "stopped"] as const;
export type TriggerState = (typeof TRIGGER_STATES)[number];

/** The template of a trigger without one. */
export const DEFAULT_TRIGGER_PROMPT =
  "An event of a connected app came in. Look at what it says, and do what is useful.\n\n{{payload}}";

const { shape: hook } = hookConfigSchema;

/** The body that creates a trigger. Its task is made by the rules of a hook's. */
export const triggerRequestSchema = z.strictObject({
  app: z.string().min(1).max(100).describe("The app's name in the catalogue, such as `gmail`."),
  trigger: z
    .string()
    .min(1)
    .max(200)
    .describe("The event, as `GET /api/tools/{app}/triggers` names it, such as `GMAIL_NEW_GMAIL_MESSAGE`."),
  config: z
    .record(z.string(), z.unknown())
    .refine((config) => JSON.stringify(config).length <= MAX_CONFIG_CHARACTERS, "is too large")
    .default({})
    .describe("The settings of the event, by its `config` schema."),
  connection: z
    .string()
    .min(1)
    .max(100)
    .describe("The account whose events begin tasks, `con_…`: one of the key's person, or a shared one."),
  agent: hook.agent,
  project: hook.project,
  prompt: hook.prompt.describe(
    "The task's instructions. `{{data.subject}}` inserts a field of the event, `{{payload}}` all of it; inserted values are marked as data from outside.",
  ),
  deliver: hook.deliver,
  budget: hook.budget,
  acts_for: z
    .literal("me")
    .nullable()
    .default(null)
    .describe(
      "`me`: tasks act for the person of this key, from which they may use accounts that are allowed while the person is away. Null: for nobody, so that they use shared accounts only.",
    ),
});
export type TriggerRequest = z.infer<typeof triggerRequestSchema>;

/** What a trigger was created with. `agent` is an id. */
export type TriggerConfig = Omit<TriggerRequest, "acts_for">;

/** A trigger of a tenant. Times are milliseconds since the epoch. */
export interface Trigger {
  /** `trg_…` */
  readonly id: string;
  readonly version: number;
  readonly config: TriggerConfig;
  /** The owner of its connection; null: shared. */
  readonly owner: string | null;
  /** The name of that person; null without one. */
  readonly ownerName: string | null;
  readonly state: TriggerState;
  /** Why it is stopped, or not created yet. */
  readonly why: string | null;
  /** The person for whom its tasks act; null: nobody, or a person whose record was deleted. */
  readonly actsFor: CallingPerson | null;
  /** What the provider calls it; null: it is not there. */
  readonly providerId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Who may see and change a trigger: the owner of its connection and administrators; one of a shared connection, everybody
 * with the scope. What it does with a person's account is that person's own.
 */
export function mayUseTrigger(
  { owner }: Pick<Trigger, "owner">,
  caller: { readonly person: string | null; readonly isAdmin: boolean },
): boolean {
  return owner === null || caller.isAdmin || owner === caller.person;
}
