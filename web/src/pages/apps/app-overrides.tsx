/** The actions of an app whose effect or risk an administrator set, and what was computed for each. For administrators. */
import { useQuery } from "@tanstack/react-query";
import { toApiError } from "../../api/problem.ts";
import type { MarketplaceApp } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { Section } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { getEffectWording, getLevelWording } from "../tools/tool-words.ts";
import { overridesQuery } from "./app-queries.ts";
import { ComputedClass } from "./computed-class.tsx";
import { type Override, useOverrides } from "./overrides.ts";

/** Overrides that are listed; the rest is a number. */
const LISTED = 50;

export function AppOverrides({ app }: { readonly app: MarketplaceApp }) {
  const { data = [] } = useQuery(overridesQuery(app.app_name));
  if (data.length === 0) return null;
  return (
    <Section title="Overrides">
      <ul
        aria-label="Actions with an override"
        className="divide-y divide-line rounded-lg border border-line bg-surface"
      >
        {data.slice(0, LISTED).map((one) => (
          <OverrideItem key={one.name} app={app} override={one} />
        ))}
      </ul>
      {data.length > LISTED ? <p className="text-quiet">{`and ${data.length - LISTED} more`}</p> : null}
    </Section>
  );
}

function OverrideItem({ app, override }: { readonly app: MarketplaceApp; readonly override: Override }) {
  const { name, display_name: title, effect, security, computed, is_current: isCurrent } = override;
  const say = useToast();
  const removing = useOverrides(app.app_name, () =>
    say(`The override is removed. ${title} has its computed effect and risk.`),
  );
  const remove = () =>
    removing.mutate({ [name]: null }, { onError: (error) => say(`Couldn't remove: ${toApiError(error).message}`) });
  const [level, does] = [
    security === null ? null : getLevelWording(security),
    effect === null ? null : getEffectWording(effect),
  ];
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1.5 [overflow-wrap:anywhere]">
        <Name className="font-medium">{title}</Name>
        <span className="flex flex-wrap gap-1.5">
          {level === null ? null : <Badge tone={level.tone}>{level.word}</Badge>}
          {does === null ? null : <Badge tone={does.tone}>{does.word}</Badge>}
          {isCurrent ? null : <Badge tone="warn">Does not apply</Badge>}
        </span>
        <p className="text-sm text-quiet">
          {isCurrent ? "" : "It was set for an earlier version of the action. "}
          {computed === null ? "The provider no longer offers this action." : <ComputedClass computed={computed} />}
        </p>
      </div>
      <Button
        size="small"
        aria-label={honestProse(`Remove the override of ${title}`)}
        isBusy={removing.isPending}
        onClick={remove}
      >
        Remove
      </Button>
    </li>
  );
}
