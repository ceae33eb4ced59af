import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  Clock,
  Hand,
  LoaderCircle,
  MessageCircleQuestion,
  Network,
} from "lucide-react";
import type { ReactNode } from "react";
import type { TaskStatus } from "../api/types.ts";
import { classes } from "./classes.ts";

const TONES = {
  plain: "bg-sunken text-quiet",
  accent: "bg-accent-soft text-accent",
  info: "bg-info-soft text-info",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  danger: "bg-danger-soft text-danger",
} as const;

export type Tone = keyof typeof TONES;

/** A short word on a coloured ground. The word says it; the colour only repeats it. */
export function Badge({
  tone = "plain",
  icon,
  children,
}: {
  readonly tone?: Tone;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={classes(
        "inline-flex max-w-full items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}

const STATUSES: Readonly<
  Record<TaskStatus, { readonly word: string; readonly tone: Tone; readonly Icon: typeof Clock }>
> = {
  queued: { word: "Queued", tone: "plain", Icon: CircleDashed },
  running: { word: "Running", tone: "info", Icon: LoaderCircle },
  waiting_input: { word: "Needs an answer", tone: "warn", Icon: MessageCircleQuestion },
  waiting_approval: { word: "Needs approval", tone: "warn", Icon: Hand },
  waiting_subagents: { word: "Waiting for subtasks", tone: "info", Icon: Network },
  sleeping: { word: "Sleeping", tone: "plain", Icon: CirclePause },
  completed: { word: "Completed", tone: "good", Icon: CircleCheck },
  failed: { word: "Failed", tone: "danger", Icon: CircleAlert },
  cancelled: { word: "Cancelled", tone: "plain", Icon: CircleSlash },
};

/** What a task's status is called in the console. */
export function statusWord(status: TaskStatus): string {
  return STATUSES[status].word;
}

export function StatusBadge({ status }: { readonly status: TaskStatus }) {
  const { word, tone, Icon } = STATUSES[status];
  return (
    <Badge
      tone={tone}
      icon={<Icon aria-hidden className={classes("size-3.5", status === "running" && "animate-spin")} />}
    >
      {word}
    </Badge>
  );
}
