/** The events of an app that can begin a task. */
import { useQuery } from "@tanstack/react-query";
import type { MarketplaceApp } from "../../api/types.generated.ts";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { triggersQuery } from "./app-queries.ts";

export function TriggerList({ app }: { readonly app: MarketplaceApp }) {
  const { data, error, refetch } = useQuery(triggersQuery(app.app_name));
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={3} label="Loading the triggers" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the triggers" onRetry={() => void refetch()} />
    );
  if (data.length === 0) return <Empty title="No triggers">This app reports no events.</Empty>;
  return (
    <ul aria-label="Triggers" className="divide-y divide-line rounded-lg border border-line bg-surface">
      {data.map(({ name, display_name: title, description }) => (
        <li key={name} className="flex flex-col gap-1 px-4 py-3">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <span className="font-semibold">
              <Name>{title}</Name>
            </span>
            <code className="font-mono text-sm [overflow-wrap:anywhere] text-quiet">{name}</code>
          </div>
          <p dir="auto" className="text-quiet">
            <Name>{description}</Name>
          </p>
        </li>
      ))}
    </ul>
  );
}
