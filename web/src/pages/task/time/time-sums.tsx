/** What the tools and the models of a task took and cost, each in one row. */
import { count, dollars } from "../../../ui/amounts.ts";
import { Section } from "../../../ui/page.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { type Column, Table } from "../../../ui/table.tsx";
import { type Total, totalsOf } from "./time-totals.ts";
import type { Bar } from "./waterfall.ts";
import { Name } from "../../../ui/name.tsx";

const SUMS: readonly Column<Total>[] = [
  { title: "Calls", isNumber: true, cell: ({ count: calls }) => count(calls) },
  { title: "Failed", isNumber: true, cell: ({ failed }) => count(failed) },
  { title: "Time", isNumber: true, cell: ({ ms }) => <span className="whitespace-nowrap">{duration(ms)}</span> },
  { title: "Cost", isNumber: true, cell: ({ costUsd }) => dollars(costUsd) },
];

export function TimeSums({ bars, now }: { readonly bars: readonly Bar[]; readonly now: number }) {
  const [tools, models] = [totalsOf(bars, "tool", now), totalsOf(bars, "model", now)];
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Section title="By model">
        <Sums title="Model" rows={models} columns={SUMS.filter(({ title }) => title !== "Failed")} />
      </Section>
      {tools.length === 0 ? null : (
        <Section title="By tool">
          <Sums title="Tool" rows={tools} columns={SUMS} />
        </Section>
      )}
    </div>
  );
}

interface SumsProps {
  readonly title: string;
  readonly rows: readonly Total[];
  readonly columns: readonly Column<Total>[];
}

function Sums({ title, rows, columns }: SumsProps) {
  const named: Column<Total> = { title, isMain: true, cell: ({ name }) => <Name>{name}</Name> };
  return (
    <Table
      caption={`Sums by ${title.toLowerCase()}`}
      columns={[named, ...columns]}
      rows={rows}
      rowKey={({ name }) => name}
    />
  );
}
