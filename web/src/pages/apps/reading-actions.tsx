/** Actions of an app without hints whose names say that they read, for an administrator to confirm with one click. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { MarketplaceApp, ReadingActions as Reading } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/field.tsx";
import { More } from "../../ui/more.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { overridesQuery, readingActionsQuery } from "./app-queries.ts";
import { formatCount } from "./app-words.ts";
import { useOverrides } from "./overrides.ts";

type ReadingAction = Reading["actions"][number];

/** Actions that are laid out at once. */
const AT_ONCE = 20;

export function ReadingActions({ app }: { readonly app: MarketplaceApp }) {
  const { data: named } = useQuery(readingActionsQuery(app.app_name));
  const { data: overrides } = useQuery(overridesQuery(app.app_name));
  if (named === undefined || overrides === undefined) return null;
  const isSet = new Set(overrides.flatMap(({ name, is_current: isCurrent }) => (isCurrent ? [name] : [])));
  const open = named.filter(({ name }) => !isSet.has(name));
  return open.length === 0 ? null : <Choice app={app} actions={open} />;
}

function Choice({ app, actions }: { readonly app: MarketplaceApp; readonly actions: readonly ReadingAction[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(AT_ONCE);
  const say = useToast();
  const chosen = actions.filter(({ name }) => !left.has(name));
  const confirming = useOverrides(app.app_name, () =>
    say(
      `${formatCount(chosen.length, "action")} confirmed. New tasks can read with ${chosen.length === 1 ? "it" : "them"}.`,
    ),
  );
  const confirm = () => {
    const reads = { effect: "none", security: "cautious" } as const;
    const set = chosen.map(({ name, schema_hash: hash }) => [name, { ...reads, schema_hash: hash }] as const);
    confirming.mutate(Object.fromEntries(set));
  };
  const toggle = ({ name }: ReadingAction, isChosen: boolean) => {
    const next = new Set(left);
    if (isChosen) next.delete(name);
    else next.add(name);
    setLeft(next);
  };
  return (
    <Notice
      title={`${formatCount(actions.length, "action")} whose ${actions.length === 1 ? "name says that it reads" : "names say that they read"}`}
      action={
        <Button size="small" isBusy={confirming.isPending} disabled={chosen.length === 0} onClick={confirm}>
          {`Confirm ${formatCount(chosen.length, "action")}`}
        </Button>
      }
    >
      <p>
        This provider does not say what its actions do, so each counts as a write. Confirm those that only read. A
        confirmation lasts until the names, parameters, results or hints of the action change.
      </p>
      <details className="mt-1">
        <summary className="font-medium">Review the actions</summary>
        <ul aria-label="Actions that may only read" className="mt-1 flex flex-col gap-1">
          {actions.slice(0, shown).map((one) => (
            <li key={one.name} className="[overflow-wrap:anywhere]">
              <CheckField
                label={honestProse(one.display_name)}
                hint={one.has_read_scopes ? `${one.name}. It asks only for permission to read.` : one.name}
                checked={!left.has(one.name)}
                onChange={({ target }) => toggle(one, target.checked)}
              />
            </li>
          ))}
        </ul>
        <More
          shown={Math.min(shown, actions.length)}
          hasMore={shown < actions.length}
          isBusy={false}
          onMore={() => setShown(shown + AT_ONCE)}
        />
      </details>
      {confirming.isError ? <ProblemNotice error={confirming.error} doing="Couldn't confirm" /> : null}
    </Notice>
  );
}
