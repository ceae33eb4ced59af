import { useState } from "react";
import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { ArgumentsView } from "./arguments-view.tsx";
import { CardFrame, CardProblem, type CardProps } from "./card-frame.tsx";
import { type UnknownDecision, useUnknownDecision } from "./decide.ts";

const CHOICES: readonly { readonly decision: UnknownDecision; readonly label: string; readonly means: string }[] = [
  { decision: "done", label: "Yes, it did", means: "The agent continues with that. The call is not repeated." },
  {
    decision: "retry",
    label: "Run it again",
    means: "Choose this if it did not happen, or if twice does no harm. The call runs once more.",
  },
  {
    decision: "skip",
    label: "Skip it",
    means: "The agent continues without the result. The call is not repeated.",
  },
];

const SAID: Readonly<Record<UnknownDecision, string>> = {
  done: "The agent continues.",
  retry: "The call runs once more.",
  skip: "The agent continues without it.",
};

interface UnknownCardProps extends CardProps {
  readonly entry: Extract<PendingEntry, { kind: "unknown" }>;
}

/** A call that was cut off: a person finds out its outcome and decides how to continue. */
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
          Did <code className="font-mono">{entry.tool}</code> go through?
        </>
      }
    >
      <p>
        Otto made this call and was cut off before an answer came. It may have happened, or not. Look where it would
        have left a trace, then decide.
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
        title="Run this call again?"
        action="Run it again"
        isBusy={sending === "retry"}
        onConfirm={() => decide("retry")}
        onClose={() => setConfirming(false)}
      >
        <p>If it did happen the first time, it happens twice: two mails, two payments, two records.</p>
      </Confirm>
    </CardFrame>
  );
}
