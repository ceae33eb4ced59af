/** What a step holds beside its calls: messages, questions and decisions, subtasks, files, waits, the end. */
import { Link } from "@tanstack/react-router";
import {
  BookOpen,
  CircleAlert,
  CircleCheck,
  CircleSlash,
  Coins,
  File as FileIcon,
  MessageSquareText,
  Network,
  Pause,
  RotateCw,
  Sparkles,
} from "lucide-react";
import { memo } from "react";
import type { TaskStatus } from "../../../api/types.ts";
import { bytes, count, dollars, shortCount } from "../../../ui/amounts.ts";
import { StatusBadge, statusWord } from "../../../ui/badge.tsx";
import { JsonBlock } from "../../../ui/code.tsx";
import { FromOutside } from "../../../ui/from-outside.tsx";
import { Message } from "../../../ui/message.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { ClockTime, ExactTime } from "../../../ui/time.tsx";
import { oneLine } from "../../../ui/visible-text.ts";
import { Approval, Connection, Question } from "./ask-rows.tsx";
import { CallRow } from "./call-row.tsx";
import { Bubble, ICON, Line, named } from "./log-line.tsx";
import { reasonInWords } from "../reasons.ts";
import type { BudgetItem, EndItem, InputItem, Item, WaitItem } from "./timeline-items.ts";

interface ItemRowProps {
  readonly taskId: string;
  readonly item: Item;
  /** It is a call that waits for a person. */
  readonly isAsking: boolean;
}

/** A line of the log. */
export const ItemRow = memo(function ItemRow({ taskId, item, isAsking }: ItemRowProps) {
  switch (item.kind) {
    case "call":
      return <CallRow taskId={taskId} call={item} isAsking={isAsking} />;
    case "message":
      return item.text.trim() === "" ? null : <Message text={item.text} />;
    case "input":
      return <Input item={item} />;
    case "said":
      return (
        <Bubble
          title={<Titled text="Somebody told it" isFromOutside={item.isFromOutside} />}
          icon={<MessageSquareText aria-hidden className={ICON} />}
        >
          <Message isPlain text={item.text} />
        </Bubble>
      );
    case "question":
      return <Question item={item} />;
    case "approval":
      return <Approval item={item} />;
    case "connection":
      return <Connection item={item} />;
    case "subtask":
      return (
        <Line icon={<Network aria-hidden className={ICON} />}>
          <span className="flex flex-wrap items-center gap-2">
            <Link to="/tasks/$taskId" params={{ taskId: item.id }} className="text-accent underline">
              Subtask
            </Link>
            {item.status === null ? "was made and works" : <StatusBadge status={item.status} />}
          </span>
        </Line>
      );
    case "skill":
      return (
        <Line icon={<Sparkles aria-hidden className={ICON} />}>The skill {named(item.name)} came into force.</Line>
      );
    case "file":
      return (
        <Line icon={<FileIcon aria-hidden className={ICON} />}>
          Attached{" "}
          <Link
            to="/tasks/$taskId"
            params={{ taskId }}
            search={{ view: "files", file: item.path }}
            className="text-accent underline"
          >
            <bdi dir="ltr">{oneLine(item.path, 200)}</bdi>
          </Link>{" "}
          {item.size === null ? null : `(${bytes(item.size)})`}
        </Line>
      );
    case "budget":
      return <Budget item={item} />;
    case "wait":
      return <Wait item={item} />;
    case "retry":
      return (
        <Line icon={<RotateCw aria-hidden className={ICON} />}>
          The model is asked again: try {count(item.attempt)}
          {item.model === null || item.model === "" ? "" : `, ${oneLine(item.model, 80)}`}.
        </Line>
      );
    case "end":
      return <End taskId={taskId} item={item} />;
    case "other":
      return (
        <details className="text-sm">
          <summary className="text-quiet">
            <BookOpen aria-hidden className="mr-1.5 inline size-4 align-text-bottom" />
            {oneLine(item.type, 80)}
          </summary>
          <JsonBlock value={item.data} label={`Event ${oneLine(item.type, 80)}`} />
        </details>
      );
  }
});

const ROLES: Readonly<Record<string, string>> = {
  user: "Request",
  assistant: "Answered before",
  system: "Instructions",
};

/** The title of what was sent to the task. */
function Titled({ text, isFromOutside }: { readonly text: string; readonly isFromOutside: boolean }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      {text}
      {isFromOutside ? <FromOutside /> : null}
    </span>
  );
}

function Input({ item: { messages, skills, isFromOutside } }: { readonly item: InputItem }) {
  return (
    <div className="flex flex-col gap-2">
      {messages.map(({ role, text }, at) => (
        // The messages of an input never change places.
        <Bubble
          key={at}
          title={<Titled text={ROLES[role] ?? oneLine(role, 40)} isFromOutside={isFromOutside} />}
          icon={<MessageSquareText aria-hidden className={ICON} />}
        >
          <Message isPlain text={text} />
        </Bubble>
      ))}
      {skills.length === 0 ? null : (
        <Line icon={<Sparkles aria-hidden className={ICON} />}>
          With the {skills.length === 1 ? "skill" : "skills"} {named(skills.join(", "))}
        </Line>
      )}
    </div>
  );
}

function Budget({ item: { account, of, used, limit } }: { readonly item: BudgetItem }) {
  const show = of === "cost" ? dollars : of === "duration" ? (seconds: number) => duration(seconds * 1000) : shortCount;
  return (
    <Line icon={<Coins aria-hidden className={ICON} />} tone="text-warn">
      The budget of {account === "task" ? "the task" : oneLine(account, 80)} is nearly used
      {used === null || limit === null ? "" : `: ${show(used)} of ${show(limit)}${of === "tokens" ? " tokens" : ""}`}.
    </Line>
  );
}

/** Names of waits that have ended. */
const WAITED: Readonly<Partial<Record<TaskStatus, string>>> = {
  waiting_input: "Waited for an answer",
  waiting_approval: "Waited for a decision",
  waiting_subagents: "Waited for subtasks",
  sleeping: "Slept",
};

function Wait({ item: { status, why, until, at, resumedAt } }: { readonly item: WaitItem }) {
  // The question or approval has its own entry.
  if (resumedAt === null && (status === "waiting_input" || status === "waiting_approval")) return null;
  const waited = at === null || resumedAt === null ? null : Date.parse(resumedAt) - Date.parse(at);
  return (
    <Line icon={<Pause aria-hidden className={ICON} />}>
      {waited === null
        ? status === null
          ? "Waits"
          : statusWord(status)
        : `${status === null ? "Waited" : (WAITED[status] ?? "Waited")}, ${duration(Math.max(0, waited))}`}
      {until === null || waited !== null ? null : (
        <>
          {" "}
          until <ExactTime at={until} />
        </>
      )}
      {why === null ? null : (
        <>
          {": "}
          <bdi>{oneLine(why, 500)}</bdi>
        </>
      )}
    </Line>
  );
}

const ENDS = {
  completed: { Icon: CircleCheck, tone: "text-good" },
  failed: { Icon: CircleAlert, tone: "text-danger" },
  cancelled: { Icon: CircleSlash, tone: "text-quiet" },
} as const;

function End({
  taskId,
  item: { status, reason, error, files, at },
}: {
  readonly taskId: string;
  readonly item: EndItem;
}) {
  const { Icon, tone } = status === "completed" || status === "failed" ? ENDS[status] : ENDS.cancelled;
  const why = reasonInWords(reason);
  return (
    <div className="flex flex-col gap-1.5 border-t border-line pt-3">
      <Line icon={<Icon aria-hidden className={ICON} />} tone={tone}>
        <span className="font-medium">{statusWord(status)}</span>
        {at === null ? null : (
          <>
            {" "}
            at <ClockTime at={at} />
          </>
        )}
        {why === null ? "" : `. ${why}`}
      </Line>
      {error === null ? null : (
        <p dir="auto" className="pl-7 text-sm [unicode-bidi:isolate]">
          {oneLine(error, 1000)}
        </p>
      )}
      {files.length === 0 ? null : (
        <ul aria-label="Files of the result" className="flex flex-col gap-1 pl-7 text-sm">
          {files.map((path) => (
            <li key={path}>
              <Link
                to="/tasks/$taskId"
                params={{ taskId }}
                search={{ view: "files", file: path }}
                className="text-accent underline"
              >
                <bdi dir="ltr">{oneLine(path, 200)}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
