import { useState } from "react";
import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { ArgumentsView } from "./arguments-view.tsx";
import { CardFrame, CardProblem, type CardProps } from "./card-frame.tsx";
import { type UnknownDecision, useUnknownDecision } from "./decide.ts";

const CHOICES: readonly { readonly decision: UnknownDecision; readonly label: string; readonly means: string }[] = [
  { decision: "done", label: "It was done", means: "The agent is told so and goes on. The call is not made again." },
  {
    decision: "retry",
    label: "Make it again",
    means: "Right when it did not happen, or when twice does no harm. The call is made once more.",
  },
  {
    decision: "skip",
    label: "Leave it",
    means: "The agent is told that nobody knows, and goes on without it. The call is not made again.",
  },
];

const SAID: Readonly<Record<UnknownDecision, string>> = {
  done: "The agent is told that it was done.",
  retry: "The call is made once more.",
  skip: "The agent goes on without it.",
};

interface UnknownCardProps extends CardProps {
  readonly entry: Extract<PendingEntry, { kind: "unknown" }>;
}

/** A call that was cut off: a person finds out what became of it and says how to go on. */
export function UnknownCard({ taskId, entry, isSettled, onDone, onClose }: UnknownCardProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [said, setSaid] = useState<UnknownDecision>("done");
  const { send, sending, error } = useUnknownDecision(taskId, entry, () => onDone(SAID[said]));
  const decide = (decision: UnknownDecision): void => {
    setSaid(decision);
    setConfirming(false);
    send(decision);
  };
  return (
    <CardFrame
      taskId={taskId}
      entry={entry}
      title={
        <>
          Did <code className="font-mono">{entry.tool}</code> happen?
        </>
      }
    >
      <p>
        Otto made this call and was cut off before an answer came. It may have happened, or not. Look where it would
        have left a trace, then say how to go on.
      </p>
      <ArgumentsView value={entry.arguments} />
      <CardProblem error={error} isSettled={isSettled} onClose={onClose} />
      <ul className="grid gap-3 md:grid-cols-3">
        {CHOICES.map(({ decision, label, means }) => (
          <li key={decision} className="flex flex-col gap-1.5">
            <Button
              data-action={decision === "done" ? "first" : undefined}
              disabled={isSettled}
              isBusy={sending === decision}
              aria-describedby={`${entry.call_id}-${decision}`}
              onClick={() => (decision === "retry" ? setConfirming(true) : decide(decision))}
            >
              {label}
            </Button>
            <p id={`${entry.call_id}-${decision}`} className="text-sm text-quiet">
              {means}
            </p>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={isConfirming}
        title="Make this call again?"
        action="Make it again"
        isBusy={sending === "retry"}
        onConfirm={() => decide("retry")}
        onClose={() => setConfirming(false)}
      >
        <p>If it did happen the first time, it happens twice: two mails, two payments, two records.</p>
      </Confirm>
    </CardFrame>
  );
}
