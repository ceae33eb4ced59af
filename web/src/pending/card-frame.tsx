/** What every card of the inbox has around its form: what it is, whose it is, until when, and what went wrong. */
import { Link } from "@tanstack/react-router";
import { CircleHelp, Hand, MessageCircleQuestion, Plug } from "lucide-react";
import type { ReactNode } from "react";
import type { ApiError } from "../api/problem.ts";
import type { PendingEntry } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { isOver } from "./decide.ts";
import { Deadline } from "./deadline.tsx";
import { Name } from "../ui/name.tsx";

/** What a card is given beside its entry. */
export interface CardProps {
  readonly taskId: string;
  readonly isSettled: boolean;
  /** Called with what was done, in words for a toast. */
  readonly onDone: (done: string) => void;
  /** The reader puts away a card that was settled elsewhere. */
  readonly onClose: () => void;
}

const KINDS = {
  question: { Icon: MessageCircleQuestion, word: "Question" },
  approval: { Icon: Hand, word: "Approval" },
  connection: { Icon: Plug, word: "Account needed" },
  unknown: { Icon: CircleHelp, word: "Unknown outcome" },
} as const;

interface CardFrameProps {
  readonly taskId: string;
  readonly entry: PendingEntry;
  readonly title: ReactNode;
  readonly children: ReactNode;
}

export function CardFrame({ taskId, entry, title, children }: CardFrameProps) {
  const { Icon, word } = KINDS[entry.kind];
  const isBelow = entry.task_id !== undefined && entry.task_id !== taskId;
  return (
    <div className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-quiet">
          <span className="inline-flex items-center gap-1.5 font-medium text-warn">
            <Icon aria-hidden className="size-4" />
            {word}
          </span>
          {entry.kind === "question" ? (
            <span>
              {entry.person === null ? (
                "anyone can answer"
              ) : (
                <>
                  for <Name>{entry.person}</Name>
                </>
              )}
            </span>
          ) : null}
          {isBelow && entry.task_id !== undefined ? (
            <span>
              of{" "}
              <Link to="/tasks/$taskId" params={{ taskId: entry.task_id }} className="text-accent underline">
                a subtask
              </Link>
            </span>
          ) : null}
          {entry.kind === "unknown" ? null : <Deadline at={entry.expires_at} />}
        </p>
        <h3 className="font-semibold">{title}</h3>
      </div>
      {children}
    </div>
  );
}

/** Why the decision was not taken. What was typed stays where it is. */
export function CardProblem({
  error,
  isSettled,
  fieldsShown = false,
  onClose,
}: {
  readonly error: ApiError | null;
  readonly isSettled: boolean;
  /** The faults of fields stand at the fields. */
  readonly fieldsShown?: boolean;
  readonly onClose: () => void;
}) {
  if (isOver(error) || isSettled)
    return (
      <Notice
        tone="warn"
        title={error?.status === 410 ? "Too late" : "This was settled before"}
        action={
          <Button size="small" onClick={onClose}>
            Put it away
          </Button>
        }
      >
        {isOver(error) ? `${error?.message ?? ""} ` : ""}
        Nothing was sent. Your text is still here to copy.
      </Notice>
    );
  if (error === null) return null;
  if (fieldsShown && error.status === 422)
    return <Notice tone="danger" title="Couldn't send: correct the marked fields. It is still waiting for you." />;
  return <ProblemNotice error={error} doing="Couldn't send" />;
}
