/** Limits on what may be spent, and the switch that stops everything. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Gauge, OctagonX, Play } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useAgentNames, useKeyNames } from "../../api/names.ts";
import type { Budget, KillSwitch } from "../../api/types.generated.ts";
import { dollars, shortCount } from "../../ui/amounts.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { LimitDialog } from "./limit-dialog.tsx";
import { RetentionSection } from "./retention-section.tsx";
import { Name } from "../../ui/name.tsx";

const PERIODS = { day: "a day", month: "a month", total: "total" } as const;

export function LimitsPage() {
  const [editing, setEditing] = useState<Budget | "new" | null>(null);
  return (
    <Page
      title="Limits"
      lead="No task spends more than every account that it counts against has room for: the tenant’s, its key’s or schedule’s, and its agent’s."
    >
      <StopSwitch />
      <Section
        title="Accounts"
        actions={
          <Button icon={<Gauge aria-hidden className="size-4" />} onClick={() => setEditing("new")}>
            Set a limit
          </Button>
        }
      >
        <Accounts onEdit={setEditing} />
      </Section>
      <RetentionSection />
      <LimitDialog budget={editing} onClose={() => setEditing(null)} />
    </Page>
  );
}

function Accounts({ onEdit }: { readonly onEdit: (budget: Budget) => void }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["budgets"],
    queryFn: async () => await answered(api.GET("/v1/budgets")),
  });
  const [agents, keys] = [useAgentNames(), useKeyNames()];
  if (isPending) return <Skeleton rows={2} height="h-28" />;
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data.data.length === 0)
    return (
      <Empty title="No limit is set, and nothing was used">
        Set one for the tenant first: it holds for everything.
      </Empty>
    );
  return (
    <ul className="grid gap-3 md:grid-cols-2">
      {data.data
        .toSorted((a, b) => Number(b.account === "tenant") - Number(a.account === "tenant"))
        .map((budget) => {
          const { account, limit, used, reserved } = budget;
          const name =
            account === "tenant" ? "The whole tenant" : (agents.get(account) ?? keys.get(account) ?? account);
          return (
            <li key={account}>
              <Card className="flex h-full flex-col gap-3">
                <div className="flex items-start justify-between gap-3">
                  <h3 className="font-medium">
                    <Name>{name}</Name>
                    <span className="block text-sm font-normal text-quiet">
                      {limit === null ? "No limit" : `Limit ${PERIODS[limit.period]}`}
                    </span>
                  </h3>
                  <Button size="small" onClick={() => onEdit(budget)} aria-label={`Change the limit of ${name}`}>
                    Change
                  </Button>
                </div>
                <Meter label="Tokens" used={used.tokens} limit={limit?.max_tokens ?? null} show={shortCount} />
                <Meter label="Money" used={used.cost_usd} limit={limit?.max_cost_usd ?? null} show={dollars} />
                {reserved.tokens > 0 ? (
                  <p className="text-sm text-quiet">{`${shortCount(reserved.tokens)} tokens are reserved by calls under way.`}</p>
                ) : null}
              </Card>
            </li>
          );
        })}
    </ul>
  );
}

function StopSwitch() {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["kill-switch"],
    queryFn: async () => await answered(api.GET("/v1/kill-switch")),
  });
  const onSuccess = (now: KillSwitch): void => {
    setAsking(false);
    queries.setQueryData(["kill-switch"], now);
  };
  const stopping = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/kill-switch/stop", { body: reason.trim() === "" ? {} : { reason: reason.trim() } })),
    onSuccess,
  });
  const releasing = useMutation({
    mutationFn: async () => await answered(api.POST("/v1/kill-switch/release", { body: {} })),
    onSuccess,
  });
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data?.stopped === true)
    return (
      <Notice
        tone="danger"
        title="Everything is stopped"
        action={
          data.by_operator ? undefined : (
            <Button
              isBusy={releasing.isPending}
              icon={<Play aria-hidden className="size-4" />}
              onClick={() => releasing.mutate()}
            >
              Resume everything
            </Button>
          )
        }
      >
        <p>
          {data.reason ?? "No reason was given."} {data.at === null ? null : <Time at={data.at} />}
          {data.by_operator ? " The operator of this Otto did it, and alone can let it go on." : ""}
        </p>
        {releasing.isError ? <ProblemNotice error={releasing.error} /> : null}
      </Notice>
    );
  return (
    <Card className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="font-semibold">Stop everything</h2>
        <p className="text-sm text-quiet">
          All tasks of this tenant are stopped: no step starts and no call is sent. Nothing is lost: they continue when
          you resume them.
        </p>
      </div>
      {/* Rendered before the state is known: tasks mostly run, and the layout does not move then. */}
      <Button
        look="danger"
        icon={<OctagonX aria-hidden className="size-4" />}
        disabled={isPending}
        onClick={() => setAsking(true)}
      >
        Stop
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Stop everything of this tenant?"
        action="Stop everything"
        isBusy={stopping.isPending}
        onConfirm={() => stopping.mutate()}
        onClose={() => setAsking(false)}
      >
        <TextField
          label="Reason"
          hint="Recorded in the audit log, and shown where tasks are stopped."
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        {stopping.isError ? <ProblemNotice error={stopping.error} /> : null}
      </Confirm>
    </Card>
  );
}
