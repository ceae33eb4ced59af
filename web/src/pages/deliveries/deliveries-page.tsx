/** Everything that Otto sends to people and programs: what left, what waits, what was given up. */
import { getRouteApi, Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Delivery } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { type DeliverySearch, keyOf } from "./delivery-search.ts";
import { CHANNEL_LABELS } from "../../ui/channel-words.ts";
import { isTest, KINDS, STATES } from "./delivery-words.ts";
import { Place } from "./place.tsx";

const route = getRouteApi("/console/deliveries");

const COLUMNS: readonly Column<Delivery>[] = [
  {
    title: "What",
    cell: ({ id, kind, channel, task }) => (
      <Link to="/deliveries/$deliveryId" params={{ deliveryId: id }} className="font-medium text-accent underline">
        {isTest({ kind, channel, task }) ? "Test" : KINDS[kind]}
      </Link>
    ),
  },
  {
    title: "To",
    isMain: true,
    cell: ({ channel, to }) => (
      <>
        {CHANNEL_LABELS[channel]} <Place channel={channel} to={to} />
      </>
    ),
  },
  {
    title: "State",
    cell: (delivery) => <DeliveryState delivery={delivery} />,
  },
  { title: "Tries", isNumber: true, cell: ({ attempts }) => attempts },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function DeliveriesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePaged<Delivery>(
    ["deliveries", search],
    async (cursor) => await answered(api.GET("/v1/deliveries", { params: { query: { ...search, cursor } } })),
  );
  const narrow = (next: DeliverySearch): void => void navigate({ search: next });
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Page
      title="Deliveries"
      lead="Results, questions, approvals, notifications and events on their way to people and programs. Each leaves once, under one id over every try."
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <Filter
          label="State"
          table={STATES}
          value={search.state}
          word={(key) => STATES[key].word}
          onChange={(state) => narrow(without(search, "state", state))}
        />
        <Filter
          label="Channel"
          table={CHANNEL_LABELS}
          value={search.channel}
          word={(key) => CHANNEL_LABELS[key]}
          onChange={(channel) => narrow(without(search, "channel", channel))}
        />
        <Filter
          label="Kind"
          table={KINDS}
          value={search.kind}
          word={(key) => KINDS[key]}
          onChange={(kind) => narrow(without(search, "kind", kind))}
        />
      </div>
      <Listing
        list={list}
        empty={
          isNarrowed ? (
            <Empty title="No results" action={<Button onClick={() => narrow({})}>Show everything</Button>} />
          ) : (
            <Empty title="No deliveries yet">
              Give a task a destination, ask a person something, or create a webhook. Deliveries appear here.
            </Empty>
          )
        }
      >
        <Table caption="Deliveries" columns={COLUMNS} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
    </Page>
  );
}

function Filter<Key extends string>({
  label,
  table,
  value,
  word,
  onChange,
}: {
  readonly label: string;
  readonly table: Readonly<Record<Key, unknown>>;
  readonly value: Key | undefined;
  readonly word: (key: Key) => string;
  readonly onChange: (key: Key | undefined) => void;
}) {
  return (
    <SelectField label={label} value={value ?? ""} onChange={({ target }) => onChange(keyOf(table, target.value))}>
      <option value="">All</option>
      {(Object.keys(table) as Key[]).map((key) => (
        <option key={key} value={key}>
          {word(key)}
        </option>
      ))}
    </SelectField>
  );
}

/** The search with one field set, or without it. */
function without<Field extends keyof DeliverySearch>(
  search: DeliverySearch,
  field: Field,
  value: DeliverySearch[Field],
): DeliverySearch {
  const { [field]: _, ...rest } = search;
  return value === undefined ? rest : { ...rest, [field]: value };
}
