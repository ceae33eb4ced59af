import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { CardFrame, CardProblem, type CardProps } from "./card-frame.tsx";
import { useSkippedConnection } from "./decide.ts";

const REASONS: Readonly<Record<ConnectionEntry["reason"], string>> = {
  missing: "No account of it is connected.",
  expired: "Its account stopped working and has to be connected again.",
  revoked: "Its account was disconnected.",
  scopes: "Its account may not do what this call needs.",
  unattended: "Its owner has to allow that tasks use it which nobody started.",
};

type ConnectionEntry = Extract<PendingEntry, { kind: "connection" }>;

interface ConnectionCardProps extends CardProps {
  readonly entry: ConnectionEntry;
}

/** A call that waits for an account of an app. */
export function ConnectionCard({ taskId, entry, isSettled, onDone, onClose }: ConnectionCardProps) {
  const { send, sending, error } = useSkippedConnection(taskId, entry, () =>
    onDone(`The agent continues without ${entry.app}.`),
  );
  return (
    <CardFrame
      taskId={taskId}
      entry={entry}
      title={
        <>
          An account of <code className="font-mono">{entry.app}</code> is needed
        </>
      }
    >
      <p>
        The call of <code className="font-mono">{entry.tool}</code> waits. {REASONS[entry.reason]}
      </p>
      <CardProblem error={error} isSettled={isSettled} onClose={onClose} />
      <div>
        <Button disabled={isSettled} isBusy={sending !== null} onClick={() => send("skip")}>
          Continue without it
        </Button>
      </div>
    </CardFrame>
  );
}
