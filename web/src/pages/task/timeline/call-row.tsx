/** A call as one line that opens to what went in, what came out, and what the ledger says of it. */
import { ChevronRight, Eye, KeyRound, SearchCheck, Zap } from "lucide-react";
import { memo, useId } from "react";
import { AccountName } from "../../../pending/account-line.tsx";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { classes } from "../../../ui/classes.ts";
import { FromOutside } from "../../../ui/from-outside.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { CallDetail } from "./call-detail.tsx";
import { EFFECT_WORDS, shortArguments, STATE_WORDS, tookMs, toolName } from "./call-words.ts";
import type { CallItem, CallState, Effect } from "./timeline-items.ts";
import { useOpenCalls } from "./open-calls.ts";

const ICONS: Readonly<Record<Effect, typeof Eye>> = { none: Eye, keyed: KeyRound, probe: SearchCheck, once: Zap };

const TONES: Readonly<Record<CallState, Tone>> = {
  intended: "info",
  confirmed: "good",
  failed: "danger",
  unknown: "warn",
  refused: "warn",
};

interface CallRowProps {
  readonly taskId: string;
  readonly call: CallItem;
  /** It waits for a person. */
  readonly isAsking: boolean;
}

export const CallRow = memo(function CallRow({ taskId, call, isAsking }: CallRowProps) {
  const { isOpen, toggle } = useOpenCalls(call.callId);
  const detailId = useId();
  const { effect, state, isFromOutside, account } = call;
  const Icon = effect === null ? Eye : ICONS[effect];
  const took = tookMs(call);
  return (
    <div id={call.callId} className="scroll-mt-20 overflow-hidden rounded-md border border-line bg-surface">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailId : undefined}
        onClick={toggle}
        className="flex min-h-9 w-full min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 px-2.5 py-1.5 text-left text-sm -outline-offset-2 hover:bg-hover sm:flex-nowrap"
      >
        <ChevronRight
          aria-hidden
          className={classes("size-4 shrink-0 text-quiet transition-transform", isOpen && "rotate-90")}
        />
        <span title={effect === null ? undefined : EFFECT_WORDS[effect].name} className="shrink-0">
          <Icon aria-hidden className="size-4 text-quiet" />
          <span className="sr-only">{effect === null ? "Call" : EFFECT_WORDS[effect].name}:</span>
        </span>
        <bdi dir="ltr" className="max-w-[60%] truncate font-mono font-medium sm:max-w-[40%] sm:shrink-0">
          {toolName(call.tool)}
        </bdi>
        <bdi
          dir="ltr"
          className="order-last w-full min-w-0 truncate pl-6 font-mono text-xs text-quiet sm:order-none sm:w-auto sm:flex-1 sm:pl-0"
        >
          {shortArguments(call.arguments)}
        </bdi>
        <span className="ml-auto flex shrink-0 items-center gap-2">
          {account === null ? null : (
            <span className="hidden max-w-48 truncate text-xs text-quiet md:inline">
              <AccountName words={account} />
            </span>
          )}
          {took === null ? null : <span className="text-xs text-quiet tabular-nums">{duration(took)}</span>}
          {isFromOutside ? <FromOutside /> : null}
          {isAsking && (state === "intended" || state === "unknown") ? (
            <Badge tone="warn">Waiting for a person</Badge>
          ) : (
            <Badge tone={TONES[state]}>{STATE_WORDS[state]}</Badge>
          )}
        </span>
      </button>
      {isOpen ? (
        <div id={detailId} className="border-t border-line p-3">
          <CallDetail taskId={taskId} call={call} />
        </div>
      ) : null}
    </div>
  );
});
