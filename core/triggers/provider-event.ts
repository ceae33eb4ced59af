/**
 * Reads an event of the provider of apps (https://docs.composio.dev/reference/api-reference/webhook-events, form V3). Its
 * signature says that the provider sent it. What it contains was written by others: nothing of it decides but the ids, which
 * are looked up.
 */
import { z } from "zod";
import { getField } from "../base/json-fields.ts";

const MESSAGE = "composio.trigger.message";
const DISABLED = "composio.trigger.disabled";
const EXPIRED = "composio.connected_account.expired";

/** The events to which Otto subscribes. */
export const PROVIDER_EVENTS = [MESSAGE, DISABLED, EXPIRED] as const;

/** A text of an id: longer ones are not ids. */
const idSchema = z.string().regex(/^[!-~]{1,200}$/);
const metadataSchema = z.object({ trigger_id: idSchema });
const disabledSchema = z.object({ id: idSchema });
const expiredSchema = z.object({
  user_id: idSchema,
  toolkit: z.object({ slug: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/) }),
});

/** `data` is what the app reported, as the app wrote it. */
export type ProviderEvent =
  | { readonly kind: "message"; readonly triggerId: string; readonly at: string | null; readonly data: unknown }
  | { readonly kind: "disabled"; readonly triggerId: string }
  /** `entity`: the owner of the account, as the provider knows it. */
  | { readonly kind: "account_expired"; readonly entity: string; readonly app: string }
  | { readonly kind: "unknown" };

/** Null for a body that is not an event. Ids of a disabled trigger and of an account are in `data`. */
export function readProviderEvent(body: unknown): ProviderEvent | null {
  const [type, data] = [getField(body, "type"), getField(body, "data")];
  if (typeof type !== "string") return null;
  switch (type) {
    case MESSAGE: {
      const read = metadataSchema.safeParse(getField(body, "metadata"));
      const at = getField(body, "timestamp");
      if (!read.success) return null;
      return { kind: "message", triggerId: read.data.trigger_id, at: typeof at === "string" ? at : null, data };
    }
    case DISABLED: {
      const read = disabledSchema.safeParse(data);
      return read.success ? { kind: "disabled", triggerId: read.data.id } : null;
    }
    case EXPIRED: {
      const read = expiredSchema.safeParse(data);
      if (!read.success) return null;
      return { kind: "account_expired", entity: read.data.user_id, app: read.data.toolkit.slug.toLowerCase() };
    }
    default:
      return { kind: "unknown" };
  }
}

/** What the template of a trigger is filled with. The provider's ids are left out. */
export function toTriggerPayload(
  trigger: string,
  { at, data }: ProviderEvent & { readonly kind: "message" },
): Readonly<Record<string, unknown>> {
  return { type: trigger, timestamp: at, data: data ?? null };
}
