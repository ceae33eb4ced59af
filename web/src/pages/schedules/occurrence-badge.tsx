import type { Occurrence } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { STATES } from "./occurrence-words.ts";

export function OccurrenceBadge({ occurrence: { state, is_late } }: { readonly occurrence: Occurrence }) {
  const { word, tone } = STATES[state];
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={tone}>{word}</Badge>
      {is_late ? <Badge tone="warn">Took too long</Badge> : null}
    </span>
  );
}
