import type { Delivery } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { oneLine } from "../../ui/visible-text.ts";
import { STATES } from "./delivery-words.ts";

/** Characters of the reason: the whole of it stands on the delivery's own page. */
const MAX_WHY = 160;

/** How a delivery stands, and why its last try did not succeed. */
export function DeliveryState({ delivery: { state, why } }: { readonly delivery: Pick<Delivery, "state" | "why"> }) {
  const { tone, word } = STATES[state];
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {why === null || state === "sent" ? null : (
        <span dir="auto" className="block text-sm [overflow-wrap:anywhere] text-quiet sm:min-w-56">
          {oneLine(why, MAX_WHY)}
        </span>
      )}
    </>
  );
}
