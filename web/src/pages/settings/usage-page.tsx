/** What tasks cost: by day, agent, project and key. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useAgentNames, useKeyNames } from "../../api/names.ts";
import { count, dollars, shortCount } from "../../ui/amounts.ts";
import { SelectField } from "../../ui/field.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { DayChart } from "./day-chart.tsx";
import { daysOfUse, largestFirst, type Measure, type Part, rangeOf, type UsageRow } from "./usage-rows.ts";
import { Name } from "../../ui/name.tsx";

const route = getRouteApi("/console/usage");

const MEASURES: readonly {
  readonly measure: Measure;
  readonly label: string;
  readonly show: (value: number) => string;
}[] = [
  { measure: "cost_usd", label: "Cost", show: dollars },
  { measure: "tokens", label: "Tokens", show: shortCount },
  { measure: "tasks", label: "Tasks", show: count },
  { measure: "tool_calls", label: "Tool calls", show: count },
];
const PARTS: readonly { readonly part: Part; readonly label: string }[] = [
  { part: "agent", label: "Agent" },
  { part: "project", label: "Project" },
  { part: "key", label: "Key" },
];
const SPANS = [7, 30, 90, 365];

export function UsagePage() {
  const { days, measure, by } = route.useSearch();
  const navigate = route.useNavigate();
  const [now] = useState(Date.now);
  const range = rangeOf(days, now);
  const byDay = useQuery(usageQuery({ ...range, by: "day" }));
  const { label, show } = MEASURES.find((one) => one.measure === measure) ?? { label: "Cost", show: dollars };
  const { data: usage, error } = byDay;
  return (
    <Page
      title="Usage"
      lead="What tasks used, by the day on which they were made (UTC). Subtasks count by themselves; erased tasks go on counting."
    >
      <div className="flex flex-wrap gap-3">
        <SelectField
          label="Span"
          value={days}
          onChange={({ target }) => void navigate({ search: (old) => ({ ...old, days: Number(target.value) }) })}
        >
          {SPANS.map((span) => (
            <option key={span} value={span}>{`Last ${span} days`}</option>
          ))}
        </SelectField>
        <SelectField
          label="Measure"
          value={measure}
          onChange={({ target }) =>
            void navigate({
              search: (old) => ({
                ...old,
                measure: MEASURES.find((one) => one.measure === target.value)?.measure ?? "cost_usd",
              }),
            })
          }
        >
          {MEASURES.map((one) => (
            <option key={one.measure} value={one.measure}>
              {one.label}
            </option>
          ))}
        </SelectField>
      </div>
      {error ? <ProblemNotice error={error} onRetry={() => void byDay.refetch()} /> : null}
      {byDay.isPending ? <Skeleton rows={3} height="h-28" /> : null}
      {usage === undefined ? null : usage.total.tasks === 0 && usage.total.tool_calls === 0 ? (
        <Empty title="Nothing was used in this span">As soon as a task runs, its tokens and its cost stand here.</Empty>
      ) : (
        <>
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            {MEASURES.map((one) => (
              <Card key={one.measure}>
                <dt className="text-sm text-quiet">{one.label}</dt>
                <dd className="text-xl font-semibold tabular-nums">{one.show(usage.total[one.measure])}</dd>
              </Card>
            ))}
          </dl>
          <Section title={`${label} by day`}>
            <Card>
              {usage.total[measure] === 0 ? (
                <p className="text-quiet">
                  {measure === "cost_usd"
                    ? "Nothing that is known: models whose price is not set count by their tokens alone."
                    : "None in this span."}
                </p>
              ) : (
                <DayChart days={daysOfUse(usage, measure)} label={label} show={show} />
              )}
            </Card>
          </Section>
          <UseByPart
            range={range}
            measure={measure}
            by={by}
            label={label}
            onPart={(part) => void navigate({ search: (old) => ({ ...old, by: part }) })}
          />
        </>
      )}
    </Page>
  );
}

function UseByPart({
  range,
  measure,
  by,
  label,
  onPart,
}: {
  readonly range: { readonly from: string; readonly to: string };
  readonly measure: Measure;
  readonly by: Part;
  readonly label: string;
  readonly onPart: (part: Part) => void;
}) {
  const { data, error, isPending, refetch } = useQuery(usageQuery({ ...range, by }));
  const [agents, keys] = [useAgentNames(), useKeyNames()];
  const nameOf = (row: UsageRow): string => {
    if (by === "project") return row.project ?? "No project";
    if (by === "key") return row.key == null ? "Not known" : (keys.get(row.key) ?? row.key);
    return row.agent === undefined ? "" : (agents.get(row.agent) ?? row.agent);
  };
  const most = Math.max(1e-9, ...(data?.data ?? []).map((row) => row[measure]));
  const columns: readonly Column<UsageRow>[] = [
    {
      title: PARTS.find(({ part }) => part === by)?.label ?? "",
      isMain: true,
      cell: (row) => (
        <div className="flex min-w-32 flex-col gap-1">
          <Name>{nameOf(row)}</Name>
          <div aria-hidden className="h-1.5 rounded-full bg-sunken">
            <div className="h-full rounded-full bg-accent" style={{ width: `${(100 * row[measure]) / most}%` }} />
          </div>
        </div>
      ),
    },
    ...MEASURES.map((one) => ({
      title: one.label,
      isNumber: true,
      cell: (row: UsageRow) => one.show(row[one.measure]),
    })),
  ];
  return (
    <Section
      title={`${label} by`}
      actions={
        <SelectField
          hidesLabel
          label="Group by"
          value={by}
          onChange={({ target }) => onPart(PARTS.find(({ part }) => part === target.value)?.part ?? "agent")}
        >
          {PARTS.map(({ part, label: name }) => (
            <option key={part} value={part}>
              {name}
            </option>
          ))}
        </SelectField>
      }
    >
      {isPending ? <Skeleton rows={3} /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : (
        <Table
          caption={`Use by ${by}`}
          columns={columns}
          rows={largestFirst(data.data, measure)}
          rowKey={(row) => row[by] ?? ""}
        />
      )}
    </Section>
  );
}

function usageQuery(query: { readonly from: string; readonly to: string; readonly by: string }) {
  return {
    queryKey: ["usage", query],
    queryFn: async () => await answered(api.GET("/v1/usage", { params: { query } })),
  };
}
