/** A hook as the API shows it: never its secret. */
import { z } from "zod";
import { DEFAULT_SIGNATURE_HEADER, type Hook, hookConfigSchema } from "../../../core/channels/webhooks/hook.ts";
import { getOldSecretEnd } from "../../../core/channels/webhooks/old-secrets.ts";

const time = z.iso.datetime();

const shape = z.strictObject({
  id: z.string(),
  version: z.int(),
  ...hookConfigSchema.shape,
  enabled: z.boolean(),
  old_secret_until: time.nullable().describe("Until when a secret that was replaced counts too; null: none does."),
  url: z.string().describe("Where calls of it are sent."),
  created_at: time,
  updated_at: time,
});

export const hookSchema = shape.meta({ id: "IncomingWebhook" });
export const newHookSchema = shape
  .extend({
    secret: z.string().nullable().describe("What calls are signed with, shown this once; null: it was given."),
  })
  .meta({ id: "NewIncomingWebhook" });

/** `origin` is where the Worker is reached from outside. */
export function shownHook(origin: string, { id, version, config, old, createdAt, updatedAt }: Hook) {
  const until = getOldSecretEnd(old, Date.now());
  return {
    id,
    version,
    ...config,
    ...(config.type === "generic" ? { signature_header: config.signature_header ?? DEFAULT_SIGNATURE_HEADER } : {}),
    old_secret_until: until === null ? null : new Date(until).toISOString(),
    url: `${origin}/webhook/${config.type}?hook=${id}`,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}
