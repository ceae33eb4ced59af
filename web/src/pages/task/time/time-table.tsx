/** The numbers of the waterfall as a table, to be read aloud and to be sorted. */
import { useState } from "react";
import { count, dollars } from "../../../ui/amounts.ts";
import { SelectField } from "../../../ui/field.tsx";
import { FromOutside } from "../../../ui/from-outside.tsx";
import { More } from "../../../ui/more.tsx";
import { Section } from "../../../ui/page.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { type Column, Table } from "../../../ui/table.tsx";
import { KIND_LOOKS, stateWord } from "./bar-looks.ts";
import { BAR_ORDERS, type BarOrder, sortedBars, tookMs } from "./time-totals.ts";
import type { Bar } from "./waterfall.ts";
import { Name } from "../../../ui/name.tsx";

/** Rows that come at once. */
const ROWS = 25;

const ORDER_WORDS: Readonly<Record<BarOrder, string>> = {
  start: "Earliest first",
  duration: "Longest first",
  cost: "Most expensive first",
};

interface TimeTableProps {
  readonly bars: readonly Bar[];
  readonly begin: number;
  readonly now: number;
}

export function TimeTable({ bars, begin, now }: TimeTableProps) {
  const [order, setOrder] = useState<BarOrder>("start");
  const [shown, setShown] = useState(ROWS);
  const rows = sortedBars(bars, order, now);
  return (
    <Section
      title="All calls"
      actions={
        <SelectField
          label="Order of the calls"
          hidesLabel
          value={order}
          onChange={({ target }) => setOrder(BAR_ORDERS.find((one) => one === target.value) ?? "start")}
        >
          {BAR_ORDERS.map((one) => (
            <option key={one} value={one}>
              {ORDER_WORDS[one]}
            </option>
          ))}
        </SelectField>
      }
    >
      <Table
        caption="Calls and waits with their numbers"
        columns={createColumns(begin, now)}
        rows={rows.slice(0, shown)}
        rowKey={({ id }) => id}
      />
      <More
        hasMore={shown < rows.length}
        isBusy={false}
        shown={Math.min(shown, rows.length)}
        onMore={() => setShown(shown + ROWS * 8)}
      />
    </Section>
  );
}

function createColumns(begin: number, now: number): Column<Bar>[] {
  return [
    { title: "Step", isNumber: true, cell: ({ step }) => step ?? "–" },
    { title: "Kind", cell: ({ kind }) => <Whole text={KIND_LOOKS[kind].word} /> },
    { title: "Name", isMain: true, cell: (bar) => <NameAndOrigin bar={bar} /> },
    { title: "State", cell: (bar) => <Whole text={stateWord(bar) || "–"} /> },
    { title: "Began after", isNumber: true, cell: ({ from }) => <Whole text={duration(from - begin)} /> },
    { title: "Took", isNumber: true, cell: (bar) => <Whole text={duration(tookMs(bar, now))} /> },
    {
      title: "Tokens",
      isNumber: true,
      cell: ({ tokens }) => (tokens === null ? "–" : count(tokens.input + tokens.output)),
    },
    { title: "Cost", isNumber: true, cell: ({ costUsd }) => (costUsd === 0 ? "–" : dollars(costUsd)) },
  ];
}

function NameAndOrigin({ bar: { label, isFromOutside } }: { readonly bar: Bar }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Name>{label}</Name>
      {isFromOutside ? <FromOutside /> : null}
    </span>
  );
}

/** A few words that stay on one line. */
function Whole({ text }: { readonly text: string }) {
  return <span className="whitespace-nowrap">{text}</span>;
}
