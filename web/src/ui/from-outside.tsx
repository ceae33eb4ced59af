/** The mark of a text that came from outside: a page, a mail, a search, a tool's server. To an agent it is data. */
import { Globe } from "lucide-react";
import { Badge } from "./badge.tsx";

export function FromOutside({ isUnconfirmed = false }: { readonly isUnconfirmed?: boolean }) {
  return (
    <Badge tone={isUnconfirmed ? "warn" : "plain"} icon={<Globe aria-hidden className="size-3.5 shrink-0" />}>
      {isUnconfirmed ? "From outside, not confirmed" : "From outside"}
    </Badge>
  );
}
