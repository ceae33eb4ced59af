import { useMutation, useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { answered, api } from "../api/client.ts";
import { peopleQuery } from "../api/people.ts";
import { toApiError } from "../api/problem.ts";
import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Name } from "../ui/name.tsx";
import { Notice } from "../ui/notice.tsx";
import { type NewWindow, openWindow } from "../ui/new-window.ts";
import { REASONS } from "./account-words.ts";
import { CardFrame, CardProblem, type CardProps } from "./card-frame.tsx";
import { readAgain, useSkippedConnection } from "./decide.ts";

type ConnectionEntry = Extract<PendingEntry, { kind: "connection" }>;

interface ConnectionCardProps extends CardProps {
  readonly entry: ConnectionEntry;
}

/** A call that waits for an account of an app. Its owner connects it, in another window; others see whom it waits for. */
export function ConnectionCard({ taskId, entry, isSettled, onDone, onClose }: ConnectionCardProps) {
  const { app, reason, tool } = entry;
  const { action, rest, why } = REASONS[reason];
  const skipping = useSkippedConnection(taskId, entry, () => onDone(`The agent continues without ${app}.`));
  const connecting = useConnecting(taskId, entry);
  const isMine = entry.connect_url !== null;
  const isEnded = isSettled || connecting.data === "ended";
  const error = skipping.error ?? (connecting.isError ? toApiError(connecting.error) : null);
  const name = <Name className="font-mono">{app}</Name>;
  return (
    <CardFrame
      taskId={taskId}
      entry={entry}
      title={
        isMine ? (
          <>
            {action} {name}
            {rest}
          </>
        ) : (
          <Owner entry={entry} app={name} />
        )
      }
    >
      <p>
        The call of <Name className="font-mono">{tool}</Name> waits for an account of {name}. {why}
      </p>
      {connecting.data === "blocked" && !isEnded ? (
        <Notice tone="warn" title="Your browser opened no window">
          Allow windows of this site, and press the button again.
        </Notice>
      ) : null}
      {connecting.data === "opened" && !isEnded ? (
        <Notice title="Continue in the other window">The task resumes once the account is connected.</Notice>
      ) : null}
      <CardProblem error={error} isSettled={isEnded} onClose={onClose} />
      <div className="flex flex-wrap gap-2">
        {isMine ? (
          <Button
            look="primary"
            data-action="first"
            disabled={isEnded}
            isBusy={connecting.isPending}
            icon={<ExternalLink aria-hidden className="size-4" />}
            onClick={() => connecting.mutate(openWindow())}
          >
            {action} {name}
            {rest}
          </Button>
        ) : null}
        <Button disabled={isEnded} isBusy={skipping.sending !== null} onClick={() => skipping.send("skip")}>
          Continue without it
        </Button>
      </div>
    </CardFrame>
  );
}

/** Whom it waits for: everyone but them reads this. */
function Owner({ entry, app }: { readonly entry: ConnectionEntry; readonly app: ReactNode }) {
  const { data: people } = useQuery({ ...peopleQuery, enabled: entry.person_id !== null });
  const name = people?.find(({ id }) => id === entry.person_id)?.name;
  const owner = entry.person_id === null ? "an administrator" : (name ?? "its owner");
  return (
    <>
      Waiting for {name === undefined ? owner : <Name>{owner}</Name>}
      {entry.reason === "unattended" ? " to allow " : " to connect "}
      {app}
    </>
  );
}

/** Goes to a new link: each works once, for some minutes. */
function useConnecting(taskId: string, entry: ConnectionEntry) {
  return useMutation({
    mutationFn: async (opened: NewWindow): Promise<"opened" | "blocked" | "ended"> => {
      const address = await opened.closeIfFailed(readConnectUrl(taskId, entry.id));
      if (address !== null) return opened.go(address) ? "opened" : "blocked";
      opened.close();
      readAgain();
      return "ended";
    },
  });
}

/** Null once the wait has ended. */
async function readConnectUrl(taskId: string, wait: string): Promise<string | null> {
  const task = await answered(api.GET("/v1/tasks/{id}", { params: { path: { id: taskId } } }));
  const pending: readonly PendingEntry[] = task.pending;
  const open = pending.find((one) => one.kind === "connection" && one.id === wait);
  return open?.kind === "connection" ? open.connect_url : null;
}
