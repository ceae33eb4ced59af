/** One delivery: what it says, every try of it, and the way to send it once more. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import type { DeliveryDetail } from "../../api/types.generated.ts";
import { JsonBlock } from "../../ui/code.tsx";
import { FactOfRow, FactRow } from "../../ui/facts.tsx";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { visibleText } from "../../ui/visible-text.ts";
import { CHANNEL_LABELS } from "../../ui/channel-words.ts";
import { isTest, KINDS, mayBeSentAgain, STATES } from "./delivery-words.ts";
import { Place } from "./place.tsx";
import { SendAgain } from "./send-again.tsx";

const route = getRouteApi("/console/deliveries/$deliveryId");
/** While it has not ended it is read again so often. */
const READ_AGAIN_MS = 3_000;

type Try = DeliveryDetail["tries"][number];

const OUTCOMES: Readonly<Record<NonNullable<Try["outcome"]>, string>> = {
  sent: "Taken",
  later: "Failed, will retry",
  dead: "Refused, not retried",
  unknown: "Not known",
  cut_off: "Cut off by a restart",
};

const TRIES: readonly Column<Try>[] = [
  { title: "Try", isNumber: true, cell: ({ number }) => number },
  { title: "Begun", cell: ({ at }) => <MomentOfTry at={at} /> },
  {
    title: "Outcome",
    cell: ({ outcome }) => (
      <span className="sm:whitespace-nowrap">{outcome === null ? "Under way" : OUTCOMES[outcome]}</span>
    ),
  },
  { title: "Why", isMain: true, cell: ({ why }) => (why === null ? "" : <bdi>{visibleText(why)}</bdi>) },
];

export function DeliveryPage() {
  const { deliveryId } = route.useParams();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["deliveries", "one", deliveryId],
    queryFn: async () => await answered(api.GET("/v1/deliveries/{id}", { params: { path: { id: deliveryId } } })),
    refetchInterval: ({ state }) =>
      state.data === undefined || ["waiting", "sending"].includes(state.data.state) ? READ_AGAIN_MS : false,
  });
  return (
    <Page
      title={
        data === undefined
          ? "Delivery"
          : `${isTest(data) ? "Test" : KINDS[data.kind]} · ${CHANNEL_LABELS[data.channel]}`
      }
      lead={<span className="font-mono text-sm">{deliveryId}</span>}
      actions={data === undefined || !mayBeSentAgain(data.state) ? undefined : <SendAgain delivery={data} />}
    >
      {isPending ? <Skeleton rows={4} /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : <Detail delivery={data} />}
    </Page>
  );
}

function Detail({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { channel, state, why, to, task, due_at, created_at, content, tries } = delivery;
  return (
    <>
      <Notice tone={state === "dead" ? "danger" : state === "unknown" ? "warn" : "info"} title={STATES[state].word}>
        {STATES[state].meaning}{" "}
        {why === null ? null : <bdi className="block [overflow-wrap:anywhere]">{visibleText(why)}</bdi>}
      </Notice>
      <FactRow>
        <FactOfRow name="To">
          <Place channel={channel} to={to} />
        </FactOfRow>
        <FactOfRow name="Created">
          <Time at={created_at} />
        </FactOfRow>
        <FactOfRow name="Next try">{due_at === null || state !== "waiting" ? "None" : <Time at={due_at} />}</FactOfRow>
        <FactOfRow name="Task">
          {task === null ? (
            "None"
          ) : (
            <Link to="/tasks/$taskId" params={{ taskId: task }} className="text-accent underline">
              Open it
            </Link>
          )}
        </FactOfRow>
      </FactRow>
      <Section title="Attempts">
        {tries.length === 0 ? (
          <p className="text-quiet">No attempts yet.</p>
        ) : (
          <Table caption="Every try" columns={TRIES} rows={tries} rowKey={({ number }) => String(number)} />
        )}
      </Section>
      <Section title="Content">
        <JsonBlock value={channel === "webhook" ? readBody(content) : content} label="the content" />
      </Section>
    </>
  );
}

function MomentOfTry({ at }: { readonly at: string }) {
  return (
    <span className="sm:whitespace-nowrap">
      <ExactTime at={at} />
    </span>
  );
}

/** What is posted to a webhook, which is kept as the very text that is signed; the content itself where it is no JSON. */
function readBody(content: DeliveryDetail["content"]): unknown {
  const { body } = content;
  if (typeof body !== "string") return content;
  try {
    return JSON.parse(body);
  } catch {
    return content;
  }
}
