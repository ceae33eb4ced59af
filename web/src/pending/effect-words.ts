/** What a repeat of a call would do, for the person who decides it. */
import type { PendingApproval } from "../api/types.generated.ts";

type Effect = NonNullable<PendingApproval["effect"]>;

const EFFECTS: Readonly<Record<Effect, string>> = {
  none: "It only reads.",
  keyed: "It changes something. A repeat changes nothing more.",
  probe: "It changes something. If its reply is lost, Otto looks up whether it happened.",
  once: "It changes something. If its reply is lost, a person may have to find out whether it happened.",
};

export function describeEffect(effect: Effect): string {
  return EFFECTS[effect];
}
