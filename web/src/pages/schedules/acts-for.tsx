/** For whom the runs of a schedule act, and the apps that they may use. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { ScheduleDetails } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import type { Tagged } from "../../ui/edit.ts";
import { Name } from "../../ui/name.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { APP_STATES } from "./app-words.ts";
import { scheduleQuery } from "./schedule-queries.ts";

type App = NonNullable<ScheduleDetails["apps"]>[number];

/** A reminder uses nothing of anybody. */
export function ActsFor({ schedule }: { readonly schedule: Tagged<ScheduleDetails> }) {
  const { acts_for: person, acts_for_cleared: isCleared, apps, reminder } = schedule.body;
  if (reminder !== undefined) return null;
  return (
    <Section title="Accounts">
      <Card className="flex flex-col gap-3">
        {person === null ? (
          <Unconfirmed schedule={schedule} isCleared={isCleared} />
        ) : (
          <p>
            Acts for <Name>{person.name}</Name>. Its runs use shared accounts, and those that <Name>{person.name}</Name>{" "}
            allows while away.
          </p>
        )}
        {apps === null ? <p className="text-quiet">The apps cannot be read now.</p> : <Apps apps={apps} />}
      </Card>
    </Section>
  );
}

function Unconfirmed({
  schedule: { body, etag },
  isCleared,
}: {
  readonly schedule: Tagged<ScheduleDetails>;
  readonly isCleared: boolean;
}) {
  const { id, name, task } = body;
  const queries = useQueryClient();
  const say = useToast();
  const confirming = useMutation({
    mutationFn: async () => {
      const params = { path: { id }, header: etag === null ? {} : { "if-match": etag } };
      return await answered(api.POST("/v1/schedules/{id}/confirm", { params }));
    },
    onSuccess: () => say(`“${name}” acts for you.`),
    onSettled: async () => await queries.invalidateQueries({ queryKey: scheduleQuery(id).queryKey }),
  });
  const confirm = (
    <Button size="small" isBusy={confirming.isPending} onClick={() => confirming.mutate()}>
      Confirm
    </Button>
  );
  return (
    <>
      {isCleared ? (
        <Notice tone="warn" title="Somebody else changed the task" action={confirm}>
          <p>Its runs act for nobody until a person confirms it. Read the task first: confirmed, it acts for you.</p>
          <details className="mt-1">
            <summary>The whole task</summary>
            <CodeBlock text={JSON.stringify(task, null, 2)} label="the task" />
          </details>
        </Notice>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p>Acts for nobody: its runs use shared accounts only. Confirm it, and they act for you.</p>
          {confirm}
        </div>
      )}
      {confirming.isError ? <ProblemNotice error={confirming.error} doing="Couldn't confirm" /> : null}
    </>
  );
}

function Apps({ apps }: { readonly apps: readonly App[] }) {
  if (apps.length === 0) return null;
  return (
    <ul aria-label="Apps" className="flex flex-col divide-y divide-line border-t border-line">
      {apps.map(({ app, state, owner, why }) => (
        <li key={app} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
          <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{app}</span>
          <Badge tone={APP_STATES[state].tone}>{APP_STATES[state].word}</Badge>
          <span className="text-sm text-quiet">{owner === "shared" ? "Shared account" : "Own account"}</span>
          {why === null ? null : <span className="basis-full text-sm [overflow-wrap:anywhere] text-quiet">{why}</span>}
        </li>
      ))}
    </ul>
  );
}
