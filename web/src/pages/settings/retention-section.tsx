/** How long tasks are stored, and how much there is. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { Retention } from "../../api/types.generated.ts";
import { bytes, count } from "../../ui/amounts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { readNumber } from "../../ui/typed-number.ts";
import { RETENTION_PARTS, retentionInWords, type RetentionPart } from "./retention-words.ts";

const KEY = ["retention"];

export function RetentionSection() {
  const [isEditing, setEditing] = useState(false);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async () => await answered(api.GET("/v1/retention")),
  });
  return (
    <Section
      title="Retention"
      actions={
        <Button disabled={data === undefined} onClick={() => setEditing(true)}>
          Change retention
        </Button>
      }
    >
      {isPending ? <Skeleton rows={1} height="h-28" /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : <Summary retention={data} />}
      <Dialog isOpen={isEditing && data !== undefined} title="Retention" onClose={() => setEditing(false)}>
        {data === undefined ? null : <RetentionForm retention={data} onClose={() => setEditing(false)} />}
      </Dialog>
    </Section>
  );
}

function Summary({ retention }: { readonly retention: Retention }) {
  const { stored, removed } = retention;
  return (
    <Card className="flex flex-col gap-2">
      <p>
        {`${count(stored.tasks)} ${stored.tasks === 1 ? "task is" : "tasks are"} stored, ${count(stored.ended_tasks)} of them ended, with ${bytes(stored.file_bytes)} of files.`}
        {stored.earliest_end === null ? null : (
          <>
            {" "}
            The first of them ended <Time at={stored.earliest_end} />.
          </>
        )}
      </p>
      <ul className="list-disc pl-5 text-sm text-quiet">
        {retentionInWords(retention).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {removed.total > 0 ? (
        <p className="text-sm text-quiet">{`Removed so far: ${count(removed.total)}, ${count(removed.today)} of them on ${removed.day ?? "the last day"}.`}</p>
      ) : null}
    </Card>
  );
}

function RetentionForm({ retention, onClose }: { readonly retention: Retention; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [typed, setTyped] = useState<Readonly<Record<RetentionPart, string>>>({
    tasks_days: retention.tasks_days?.toString() ?? "",
    logs_days: retention.logs_days?.toString() ?? "",
    results_days: retention.results_days?.toString() ?? "",
  });
  const setting = useMutation({
    mutationFn: async () =>
      await answered(
        api.PUT("/v1/retention", {
          body: {
            tasks_days: parseDays(typed.tasks_days),
            logs_days: parseDays(typed.logs_days),
            results_days: parseDays(typed.results_days),
          },
        }),
      ),
    onSuccess: async () => {
      onClose();
      say("Retention changed.");
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  const faults = setting.isError ? toApiError(setting.error).fields : {};
  const faultOf = (part: RetentionPart): string | undefined => {
    const read = readNumber(typed[part], { isWhole: false });
    return read.kind === "fault" ? read.fault : faults[part];
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isReadable = RETENTION_PARTS.every(
      ({ part }) => readNumber(typed[part], { isWhole: false }).kind !== "fault",
    );
    if (isReadable && !setting.isPending) setting.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {RETENTION_PARTS.map(({ part, label, hint }) => (
        <TextField
          key={part}
          label={label}
          hint={hint}
          inputMode="decimal"
          placeholder="Keep"
          value={typed[part]}
          onChange={({ target }) => setTyped({ ...typed, [part]: target.value })}
          error={faultOf(part)}
        />
      ))}
      <p className="text-sm text-quiet">
        Days count from the end of a task and all its subtasks. Running, waiting and draft tasks are never removed. What
        is removed cannot be restored.
      </p>
      {setting.isError ? <ProblemNotice error={setting.error} /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={setting.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

function parseDays(typed: string): number | null {
  const read = readNumber(typed, { isWhole: false });
  return read.kind === "number" ? read.value : null;
}
