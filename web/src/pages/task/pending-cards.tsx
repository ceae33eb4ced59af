/** What the task, and the subtasks below it, wait for from a person. */
import { useState } from "react";
import type { Task } from "../../api/types.generated.ts";
import type { PendingEntry } from "../../api/types.ts";
import { PendingCard } from "../../pending/pending-card.tsx";
import { pendingKey } from "../../pending/pending-key.ts";
import { hasDraft } from "../../ui/draft.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

const PLACE = "waits-for-you";
/** Milliseconds after which the task was read again, and a card that was settled is gone. */
const CLOSED_MS = 500;

/** The cards. One that was settled elsewhere stays while something is written in it. */
export function PendingCards({ task }: { readonly task: Task }) {
  const { pending } = task;
  const [known, setKnown] = useState(pending);
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (entry: PendingEntry): boolean => pending.some((one) => pendingKey(one) === pendingKey(entry));
  const fresh = pending.filter((entry) => !known.some((one) => pendingKey(one) === pendingKey(entry)));
  if (fresh.length > 0) setKnown([...known, ...fresh]);
  const shown = known.filter((entry) => isOpen(entry) || (!done.has(pendingKey(entry)) && isTouched(entry)));
  if (shown.length === 0) return null;
  return (
    <section id={PLACE} tabIndex={-1} aria-labelledby={`${PLACE}-title`} className="flex scroll-mt-16 flex-col gap-3">
      <h2 id={`${PLACE}-title`} className="font-semibold">
        Waiting for you
      </h2>
      {shown.map((entry) => (
        <PendingCard
          key={pendingKey(entry)}
          taskId={task.id}
          entry={entry}
          isSettled={!isOpen(entry)}
          onDone={() => {
            setDone((all) => new Set([...all, pendingKey(entry)]));
            setTimeout(keepFocus, CLOSED_MS);
          }}
        />
      ))}
    </section>
  );
}

/** When a card disappears, moves the focus to the next one, or to the timeline. */
function keepFocus(): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  (document.getElementById(PLACE) ?? document.getElementById("timeline"))?.focus({ preventScroll: true });
}

/** Whether something was written in the card of this entry. */
function isTouched(entry: PendingEntry): boolean {
  const name = entry.kind === "question" ? "answer" : "approval";
  return entry.kind !== "unknown" && hasDraft(`${name} ${entry.id}`);
}

/** Says above the timeline that something waits at its end, and leads there. */
export function PendingNotice({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <Notice
      tone="warn"
      title={count === 1 ? "One thing waits for you" : `${count} things wait for you`}
      action={
        <Button size="small" onClick={goToPending}>
          Go there
        </Button>
      }
    >
      The task continues once this is settled.
    </Notice>
  );
}

/** Brings the cards into sight, with the focus on them. */
function goToPending(): void {
  const place = document.getElementById(PLACE);
  place?.scrollIntoView();
  place?.focus({ preventScroll: true });
}
