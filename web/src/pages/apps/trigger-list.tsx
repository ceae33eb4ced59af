/** The events of an app that can begin a task, and the triggers that somebody made of them. */
import { useQuery } from "@tanstack/react-query";
import { Zap } from "lucide-react";
import { useState } from "react";
import { sessionQuery } from "../../api/session.ts";
import type { AppTrigger, MarketplaceApp } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { accountsQuery, integrationsQuery, triggersQuery } from "./app-queries.ts";
import { CreatedTriggers } from "./created-triggers.tsx";
import { NewTrigger } from "./trigger-form.tsx";
import { findTriggerAccounts } from "./trigger-words.ts";

export function TriggerList({ app }: { readonly app: MarketplaceApp }) {
  const [making, setMaking] = useState<AppTrigger | null>(null);
  const { data: session } = useQuery(sessionQuery);
  const { data: integrations } = useQuery(integrationsQuery);
  const person = session?.person?.id ?? null;
  const { data: connections = [] } = useQuery(accountsQuery(app, person === null));
  const { data, error, refetch } = useQuery(triggersQuery(app.app_name));
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={3} label="Loading the triggers" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the triggers" onRetry={() => void refetch()} />
    );
  if (data.length === 0) return <Empty title="No triggers">This app reports no events.</Empty>;
  const isAdmin = session?.scopes.includes("admin") === true;
  const reader = { person, isAdmin };
  const accounts = findTriggerAccounts(connections, reader);
  const isOwnKey = integrations?.served_by === "own";
  const mayMake =
    session?.scopes.includes("tasks:write") === true &&
    integrations !== undefined &&
    integrations.status !== "integrations_unavailable" &&
    !isOwnKey;
  const canMake = mayMake && accounts.length > 0;
  return (
    <>
      <CreatedTriggers app={app.app_name} events={data} accounts={connections} reader={reader} canMake={canMake} />
      <Section title="Events">
        {isOwnKey ? (
          <p className="text-quiet">
            Triggers need the operator's Composio key. This workspace uses its own key, which receives no events.
          </p>
        ) : null}
        {mayMake && !canMake ? <p className="text-quiet">Connect an account of this app to create triggers.</p> : null}
        <ul aria-label="Events" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {data.map((event) => (
            <li key={event.name} className="flex flex-col gap-1 px-4 py-3">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
                <span className="font-semibold">
                  <Name>{event.display_name}</Name>
                </span>
                <code className="font-mono text-sm [overflow-wrap:anywhere] text-quiet">{event.name}</code>
              </div>
              <p dir="auto" className="text-quiet">
                <Name>{event.description}</Name>
              </p>
              {canMake ? (
                <Button
                  size="small"
                  className="self-start"
                  icon={<Zap aria-hidden className="size-4" />}
                  aria-label={honestProse(`Create trigger: ${event.display_name}`)}
                  onClick={() => setMaking(event)}
                >
                  Create trigger
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      </Section>
      <NewTrigger event={making} accounts={accounts} hasPerson={person !== null} onClose={() => setMaking(null)} />
    </>
  );
}
