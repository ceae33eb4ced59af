/** A hook in the API, without its secret. */
import { z } from "zod";
import { DEFAULT_SIGNATURE_HEADER, type Hook, hookConfigSchema } from "../../../core/channels/webhooks/hook.ts";
import { getOldSecretEnd } from "../../../core/channels/webhooks/old-secrets.ts";

const time = z.iso.datetime();

const shape = z.strictObject({
  id: z.string(),
  version: z.int(),
  ...hookConfigSchema.shape,
  enabled: z.boolean(),
  old_secret_until: time.nullable().describe("Until when a replaced secret stays valid; null without one."),
  acts_for: z
    .strictObject({ person_id: z.string(), name: z.string() })
    .nullable()
    .describe("The person for whom its tasks act; null: nobody, so its tasks use shared accounts only."),
  url: z.string().describe("The address to call."),
  created_at: time,
  updated_at: time,
});

export const hookSchema = shape.meta({ id: "IncomingWebhook" });
export const changedHookSchema = shape
  .extend({
    acts_for_cleared: z
      .boolean()
      .describe("True if this change ended that its tasks act for a person, because another key made it."),
  })
  .meta({ id: "ChangedIncomingWebhook" });
export const newHookSchema = shape
  .extend({
    secret: z
      .string()
      .nullable()
      .describe("The secret that signs calls, returned only once; null if the request gave it."),
  })
  .meta({ id: "NewIncomingWebhook" });

/** `origin` is the public address of the Worker. */
export function toHookView(origin: string, { id, version, config, old, actsFor, createdAt, updatedAt }: Hook) {
  const until = getOldSecretEnd(old, Date.now());
  return {
    id,
    version,
    ...config,
    ...(config.type === "generic" ? { signature_header: config.signature_header ?? DEFAULT_SIGNATURE_HEADER } : {}),
    old_secret_until: until === null ? null : new Date(until).toISOString(),
    acts_for: actsFor === null ? null : { person_id: actsFor.person, name: actsFor.name },
    url: `${origin}/webhook/${config.type}?hook=${id}`,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
