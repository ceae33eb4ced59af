/** What was sent to a webhook, and what of it is sent again. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Delivery, Webhook } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, ProblemNotice } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { keyOf } from "../deliveries/delivery-search.ts";
import { isTest, KINDS, mayBeSentAgain, STATES } from "../deliveries/delivery-words.ts";
import { SendAgain } from "../deliveries/send-again.tsx";
import { DeliveryState } from "../deliveries/delivery-state.tsx";

const route = getRouteApi("/console/webhooks/$webhookId");
/** While something is on its way the list is read again so often, and otherwise: what was sent just now is listed a moment later. */
const UNDER_WAY_MS = 2_000;
const READ_AGAIN_MS = 5_000;

/** To a webhook that is off nothing is sent once more. */
const createColumns = (isOn: boolean): readonly Column<Delivery>[] => [
  {
    title: "What",
    cell: (delivery) => (
      <Link
        to="/deliveries/$deliveryId"
        params={{ deliveryId: delivery.id }}
        className="font-medium text-accent underline"
      >
        {isTest(delivery) ? "Test" : KINDS[delivery.kind]}
      </Link>
    ),
  },
  {
    title: "State",
    isMain: true,
    cell: (delivery) => (
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <DeliveryState delivery={delivery} />
        </div>
        {isOn && mayBeSentAgain(delivery.state) ? (
          <SendAgain delivery={delivery} rowName={KINDS[delivery.kind].toLowerCase()} />
        ) : null}
      </div>
    ),
  },
  { title: "Tries", isNumber: true, cell: ({ attempts }) => attempts },
  {
    title: "Task",
    cell: ({ task }) =>
      task === null ? (
        <span className="text-quiet">None</span>
      ) : (
        <Link to="/tasks/$taskId" params={{ taskId: task }} className="whitespace-nowrap text-accent underline">
          Open it
        </Link>
      ),
  },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

export function WebhookDeliveries({ webhook: { id, enabled } }: { readonly webhook: Webhook }) {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const list = usePaged<Delivery>(
    ["deliveries", "webhook", id, state],
    async (cursor) =>
      await answered(api.GET("/v1/webhooks/{id}/deliveries", { params: { path: { id }, query: { state, cursor } } })),
    readAgainMs,
  );
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <SelectField
          label="State"
          className="min-w-48"
          value={state ?? ""}
          onChange={({ target }) => {
            const next = keyOf(STATES, target.value);
            void navigate({ search: next === undefined ? {} : { state: next }, resetScroll: false });
          }}
        >
          <option value="">All</option>
          {Object.entries(STATES).map(([key, { word }]) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </SelectField>
        {enabled ? <SendFailed id={id} /> : null}
      </div>
      <Listing
        list={list}
        empty={
          state === undefined ? (
            <Empty title="No deliveries yet">It receives events from now on. Send a test to check your program.</Empty>
          ) : (
            <Empty
              title="No results"
              action={<Button onClick={() => void navigate({ search: {} })}>Show everything</Button>}
            />
          )
        }
      >
        <Table
          caption="Deliveries to this webhook"
          columns={createColumns(enabled)}
          rows={list.rows}
          rowKey={({ id: key }) => key}
        />
      </Listing>
    </>
  );
}

function readAgainMs(rows: readonly Delivery[]): number {
  return rows.some(isUnderWay) ? UNDER_WAY_MS : READ_AGAIN_MS;
}

function isUnderWay({ state, due_at }: Delivery): boolean {
  if (state === "sending") return true;
  return state === "waiting" && due_at !== null && Date.parse(due_at) - Date.now() < 30_000;
}

const HOUR_MS = 3_600_000;
const SINCE = [
  { hours: 1, label: "the last hour" },
  { hours: 24, label: "the last day" },
  { hours: 168, label: "the last week" },
  { hours: 0, label: "the last 30 days" },
];

function SendFailed({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<RotateCw aria-hidden className="size-4" />} onClick={() => setOpen(true)}>
        Resend failed deliveries
      </Button>
      <Dialog isOpen={isOpen} title="Resend failed deliveries" onClose={() => setOpen(false)}>
        <SendFailedForm id={id} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function SendFailedForm({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [hours, setHours] = useState(24);
  // One moment for every try, so that each is the same request.
  const [begun] = useState(Date.now);
  const { headersFor } = useRequestKey();
  const sending = useMutation({
    mutationFn: async () => {
      const body = hours === 0 ? {} : { since: new Date(begun - hours * HOUR_MS).toISOString() };
      return await answered(
        api.POST("/v1/webhooks/{id}/replay", { params: { path: { id } }, body, headers: headersFor(body) }),
      );
    },
    onSuccess: async ({ replayed, left }) => {
      onClose();
      say(outcome(replayed, left));
      await queries.invalidateQueries({ queryKey: ["deliveries"] });
    },
  });
  return (
    <Form onSubmit={() => !sending.isPending && sending.mutate()} className="flex flex-col gap-4">
      <p>
        What was given up, the earliest first, under the ids that it had; at most a hundred at once. Your program tells
        by the id what it has already.
      </p>
      <SelectField label="Of" value={hours} onChange={({ target }) => setHours(Number(target.value))}>
        {SINCE.map(({ hours: value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {sending.isError ? <ProblemNotice error={sending.error} doing="Couldn't send" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={sending.isPending}>
          Send again
        </Button>
      </div>
    </Form>
  );
}

function outcome(replayed: number, left: number): string {
  if (replayed === 0) return "No failed deliveries.";
  return left === 0 ? `${replayed} are on their way.` : `${replayed} are on their way, and ${left} are left.`;
}
