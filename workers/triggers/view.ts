/** Triggers in the API, without the provider's ids. */
import { z } from "zod";
import { iso } from "../../core/base/iso.ts";
import { ownerSchema } from "../connections/schemas.ts";
import { toOwnerView } from "../connections/view.ts";
import { type Trigger, TRIGGER_STATES, triggerRequestSchema } from "../../core/triggers/trigger.ts";

const time = z.iso.datetime();
const { acts_for: _actsFor, ...settings } = triggerRequestSchema.shape;

export const triggerSchema = z
  .strictObject({
    id: z.string(),
    version: z.int(),
    ...settings,
    config: z.record(z.string(), z.unknown()),
    owner: ownerSchema.describe("Of its connection."),
    state: z
      .enum(TRIGGER_STATES)
      .describe(
        "`pending`: being created at the provider. `active`: its events become tasks. `paused`: by a person. `stopped`: by Otto or the provider; `why` says what to do, and resume makes it active again.",
      ),
    why: z.string().nullable().describe("Why it is stopped, or not created yet."),
    acts_for: z
      .strictObject({ person_id: z.string(), name: z.string() })
      .nullable()
      .describe("The person for whom its tasks act; null: nobody, so its tasks use shared accounts only."),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Trigger" });

export const rotatedSchema = z
  .strictObject({ old_secret_until: time.describe("Until when events with the replaced secret are accepted.") })
  .meta({ id: "RotatedTriggerSecret" });

export function toTriggerView({ owner, ownerName, ...trigger }: Trigger) {
  const { id, version, config, state, why, actsFor, createdAt, updatedAt } = trigger;
  return {
    id,
    version,
    ...config,
    owner: toOwnerView(owner === null ? { kind: "shared" } : { kind: "person", id: owner, name: ownerName ?? owner }),
    state,
    why,
    acts_for: actsFor === null ? null : { person_id: actsFor.person, name: actsFor.name },
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}
