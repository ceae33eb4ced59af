/** What a task did and does, as its log grows. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowDown, LoaderCircle, WifiOff } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Task } from "../../../api/types.generated.ts";
import { isFinal } from "../../../api/types.ts";
import { Button } from "../../../ui/button.tsx";
import { Message } from "../../../ui/message.tsx";
import { ProblemNotice, Skeleton } from "../../../ui/notice.tsx";
import { visibleText } from "../../../ui/visible-text.ts";
import { type OpenCalls, OpenCallsContext } from "./open-calls.ts";
import { PendingCards } from "../pending-cards.tsx";
import { SteerBox } from "../steer-box.tsx";
import { FoldedSteps, StepSection } from "./step-section.tsx";
import { groupSteps, hasCall } from "./timeline-groups.ts";
import type { Draft, Timeline } from "./timeline-items.ts";
import { lastStep } from "./timeline-steps.ts";
import { usePinnedScroll } from "./use-pinned-scroll.ts";
import { useTimeline } from "./use-timeline.ts";
import { newsOf } from "./timeline-news.ts";

/** Milliseconds between two looks for the call that the address names, and how many there are: the log comes in parts. */
const LOOK_MS = 100;
const MOST_LOOKS = 100;

export function TimelineView({ task }: { readonly task: Task }) {
  const { timeline, state, error } = useTimeline(task.id);
  const isLive = !isFinal(task.status);
  // A task that was over when the page opened is read from its beginning.
  const [follows] = useState(isLive);
  const scroll = usePinnedScroll(follows && !timeline.isOver);
  const calls = useOpenCallsInAddress(scroll.release);
  const news = useNews(timeline);
  if (timeline.last === 0) {
    return error === null ? (
      <Skeleton rows={5} height="h-20" label="Loading the timeline" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the timeline" />
    );
  }
  return (
    <OpenCallsContext value={calls}>
      <h2 className="sr-only">Timeline</h2>
      <div className="flex min-w-0 flex-col gap-5">
        <div id="timeline" tabIndex={-1} data-last={timeline.last} className="flex min-w-0 flex-col gap-5 outline-none">
          <Steps taskId={task.id} timeline={timeline} mayFold={!follows || scroll.isPinned} />
        </div>
        {state === "lost" ? <Lost /> : null}
        <PendingCards task={task} />
        {state === "over" && error !== null ? <ProblemNotice error={error} doing="The timeline ended early" /> : null}
        {isLive && !timeline.isOver ? <SteerBox taskId={task.id} /> : null}
      </div>
      <p aria-live="polite" className="sr-only">
        {news}
      </p>
      {follows && !scroll.isPinned && !timeline.isOver ? <NewBelow timeline={timeline} onPress={scroll.toEnd} /> : null}
    </OpenCallsContext>
  );
}

function Steps({
  taskId,
  timeline: { steps, draft, isOver },
  mayFold,
}: {
  readonly taskId: string;
  readonly timeline: Timeline;
  /** Not while the reader looks at something further up: what they have before their eyes stays. */
  readonly mayFold: boolean;
}) {
  const { call } = useSearch({ from: "/console/tasks/$taskId" });
  const seen = useStepsToFold(steps.length, mayFold);
  const blocks = useMemo(() => groupSteps(steps, seen), [steps, seen]);
  const [toggled, setToggled] = useState<ReadonlyMap<number, boolean>>(new Map());
  const toggle = (from: number, isOpen: boolean): void => setToggled((all) => new Map(all).set(from, isOpen));
  return blocks.map((block, at) => {
    if (block.kind === "group") {
      const isOpen = toggled.get(block.from) ?? hasCall(block, call);
      return (
        <FoldedSteps
          key={`group ${block.from}`}
          {...{ taskId, isOpen }}
          group={block}
          onToggle={() => toggle(block.from, !isOpen)}
        />
      );
    }
    const isLast = at === blocks.length - 1;
    return (
      <StepSection key={block.step.step} taskId={taskId} step={block.step}>
        {isLast && draft !== null ? <Written draft={draft} /> : null}
        {isLast && draft === null && !isOver && isThinking(block.step) ? <Thinking /> : null}
      </StepSection>
    );
  });
}

/** Whether the model was asked and has written nothing yet. */
function isThinking({ step, items, completedAt }: Timeline["steps"][number]): boolean {
  const last = items.at(-1)?.kind;
  return step > 0 && completedAt === null && (last === undefined || last === "retry" || last === "said");
}

function Thinking() {
  return (
    <p className="flex items-center gap-2 text-sm text-quiet">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      Thinking…
    </p>
  );
}

function Written({ draft: { text, hasGap } }: { readonly draft: Draft }) {
  return (
    <div aria-busy="true" className="flex min-w-0 flex-col gap-2">
      <Message text={text} />
      <p className="flex items-center gap-2 text-sm text-quiet">
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
        {hasGap ? "Writing… A part was missed; the complete text follows." : "Writing…"}
      </p>
    </div>
  );
}

function Lost() {
  return (
    <p className="flex items-center gap-2 text-sm text-warn">
      <WifiOff aria-hidden className="size-4" />
      Connection lost. Reconnecting; no entry of the log is missed.
    </p>
  );
}

function NewBelow({ timeline, onPress }: { readonly timeline: Timeline; readonly onPress: () => void }) {
  const [before] = useState(timeline);
  const isNew = timeline.last > before.last || (timeline.draft?.text ?? "") !== (before.draft?.text ?? "");
  return (
    <div className="pointer-events-none sticky bottom-4 z-10 flex justify-center">
      <Button
        look={isNew ? "primary" : "plain"}
        size="small"
        className="pointer-events-auto shadow-lg"
        icon={<ArrowDown aria-hidden className="size-4" />}
        onClick={onPress}
      >
        {isNew ? "New below" : "To the end"}
      </Button>
    </div>
  );
}

/** How many steps there were when it was last fitting to fold them. */
function useStepsToFold(count: number, mayFold: boolean): number {
  const [seen, setSeen] = useState(count);
  if (mayFold && seen !== count) setSeen(count);
  return mayFold ? count : seen;
}

/** The calls that are open; the last one that was opened is part of the address, so that it can be shared. */
function useOpenCallsInAddress(onToggle: () => void): OpenCalls {
  const { call } = useSearch({ from: "/console/tasks/$taskId" });
  const navigate = useNavigate({ from: "/tasks/$taskId" });
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(call === undefined ? [] : [call]));
  useShownCall(call);
  const toggle = useCallback(
    (callId: string) => {
      onToggle();
      const isOpening = !open.has(callId);
      setOpen((all) => (isOpening ? new Set([...all, callId]) : new Set([...all].filter((one) => one !== callId))));
      const left = call === callId ? undefined : call;
      const next = isOpening ? callId : left;
      void navigate({
        search: ({ call: _, ...rest }) => (next === undefined ? rest : { ...rest, call: next }),
        replace: true,
        resetScroll: false,
      });
    },
    [call, navigate, onToggle, open],
  );
  return useMemo(() => ({ open, toggle }), [open, toggle]);
}

/** Brings the call that the address names into sight, once it is there. */
function useShownCall(call: string | undefined): void {
  const wanted = useRef(call ?? null);
  useEffect(() => {
    if (wanted.current === null) return undefined;
    let tries = 0;
    const look = setInterval(() => {
      tries += 1;
      if (tries === MOST_LOOKS) clearInterval(look);
      const element = wanted.current === null ? null : document.getElementById(wanted.current);
      if (element === null) return;
      wanted.current = null;
      element.scrollIntoView();
      element.querySelector("button")?.focus({ preventScroll: true });
      clearInterval(look);
    }, LOOK_MS);
    return () => clearInterval(look);
  }, []);
}

/** Announces new messages and questions to screen readers, never earlier ones. */
function useNews(timeline: Timeline): string {
  const [news, setNews] = useState("");
  const heard = useRef<number | null>(null);
  useEffect(() => {
    const since = heard.current;
    heard.current = timeline.last;
    if (since === null || since === 0) return;
    const text = newsOf(lastStep(timeline), since);
    if (text !== null) setNews(visibleText(text));
  }, [timeline]);
  return news;
}
