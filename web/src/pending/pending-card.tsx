/** One thing that waits for a person, with what is needed to decide it: the same in a task and in the inbox. */
import type { PendingEntry } from "../api/types.ts";
import { useToast } from "../ui/toast.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { UnknownCard } from "./unknown-card.tsx";

interface PendingCardProps {
  /** The task at which it is decided: the one that asks, or any above it. */
  readonly taskId: string;
  readonly entry: PendingEntry;
  /** Called when it is settled: decided here, or closed after it was settled elsewhere. */
  readonly onDone?: (() => void) | undefined;
  /** It waits no longer: what was typed can still be read and copied. */
  readonly isSettled?: boolean | undefined;
}

/** Give it `key={pendingKey(entry)}`: each entry has its own drafts. */
export function PendingCard({ taskId, entry, onDone, isSettled = false }: PendingCardProps) {
  const say = useToast();
  const frame = {
    taskId,
    isSettled,
    onClose: () => onDone?.(),
    onDone: (done: string) => {
      say(done);
      onDone?.();
    },
  };
  switch (entry.kind) {
    case "question":
      return <QuestionCard {...frame} entry={entry} />;
    case "approval":
      return <ApprovalCard {...frame} entry={entry} />;
    case "connection":
      return <ConnectionCard {...frame} entry={entry} />;
    case "unknown":
      return <UnknownCard {...frame} entry={entry} />;
  }
}
