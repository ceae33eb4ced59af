/** One bar of a waterfall, and the numbers of the one that is pointed at. */
import { Globe } from "lucide-react";
import type { KeyboardEvent } from "react";
import { dollars, shortCount } from "../../../ui/amounts.ts";
import { classes } from "../../../ui/classes.ts";
import { FromOutside } from "../../../ui/from-outside.tsx";
import { duration } from "../../../ui/relative-time.ts";
import { barWords, KIND_LOOKS, stateWord } from "./bar-looks.ts";
import { tookMs } from "./time-totals.ts";
import type { Bar, Scale } from "./waterfall.ts";
import { Name } from "../../../ui/name.tsx";

/** The label's column and the axis; on a phone the label stands above its bar. */
export const WATERFALL_COLUMNS = "grid gap-x-3 px-3 sm:grid-cols-[13rem_minmax(0,1fr)]";
/** A call of a millisecond is still seen. */
const THINNEST = "3px";

interface BarRowProps {
  readonly bar: Bar;
  readonly begin: number;
  readonly end: number;
  readonly scale: Scale;
  /** The one row that the Tab key leads to. */
  readonly isStop: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocus: () => void;
  /** Told of the bar that is pointed at or has the focus, and of none. */
  readonly onPoint: (id: string | null) => void;
}

export function BarRow({ bar, begin, end, scale, isStop, onKeyDown, onFocus, onPoint }: BarRowProps) {
  const left = scale.at(bar.from);
  const right = scale.at(bar.to ?? Math.max(end, bar.from));
  return (
    <button
      type="button"
      data-bar={bar.id}
      tabIndex={isStop ? 0 : -1}
      onKeyDown={onKeyDown}
      onFocus={() => {
        onFocus();
        onPoint(bar.id);
      }}
      onBlur={() => onPoint(null)}
      onMouseEnter={() => onPoint(bar.id)}
      onMouseLeave={() => onPoint(null)}
      onClick={() => onPoint(bar.id)}
      className={classes(
        WATERFALL_COLUMNS,
        "w-full py-0.5 text-left hover:bg-hover/60 focus-visible:-outline-offset-2 sm:items-center",
      )}
    >
      <span className="flex min-w-0 items-baseline gap-2 text-sm">
        <span className="w-6 shrink-0 text-right text-xs text-quiet tabular-nums">
          {bar.step === null ? null : (
            <>
              <span className="sr-only">Step </span>
              {bar.step}
            </>
          )}
        </span>
        <Name className="truncate">{bar.label}</Name>
        {bar.isFromOutside ? <Globe aria-hidden className="size-3.5 shrink-0 self-center text-quiet" /> : null}
      </span>
      <span className="sr-only">, {barWords(bar, begin, end)}</span>
      <span aria-hidden className="relative block h-6">
        <span
          className={classes("absolute inset-y-1 rounded-sm", chooseLook(bar), bar.to === null && "animate-pulse")}
          style={{
            left: `min(${left * 100}%, 100% - ${THINNEST})`,
            width: `${(right - left) * 100}%`,
            minWidth: THINNEST,
          }}
        />
      </span>
    </button>
  );
}

function chooseLook({ kind, state }: Bar): string {
  return state === "failed" || state === "refused" || state === "unknown" ? "bg-danger" : KIND_LOOKS[kind].look;
}

/** For the eye: screen readers have the same in the bar's own words. */
export function BarNumbers({ bar, begin, end }: { readonly bar: Bar; readonly begin: number; readonly end: number }) {
  const state = stateWord(bar);
  const facts = [
    ["Began after", duration(bar.from - begin)],
    [bar.to === null ? "Runs since" : "Took", duration(tookMs(bar, end))],
    ...(bar.workedMs !== null && bar.to !== null && bar.to - bar.from > bar.workedMs * 1.1 + 5
      ? [["With its waits", duration(bar.to - bar.from)]]
      : []),
    ...(bar.tokens === null
      ? []
      : [["Tokens of the step", `${shortCount(bar.tokens.input)} in, ${shortCount(bar.tokens.output)} out`]]),
    ...(bar.costUsd > 0 ? [["Cost", dollars(bar.costUsd)]] : []),
    ...(bar.attempts > 1 ? [["Attempts", String(bar.attempts)]] : []),
  ] as const;
  return (
    <div aria-hidden className="flex flex-wrap gap-x-5 gap-y-1">
      <p className="font-medium">
        {bar.step === null ? "" : `${KIND_LOOKS[bar.kind].word}: `}
        <Name>{bar.label}</Name>
      </p>
      {state === "" ? null : <p>{state}</p>}
      {bar.isFromOutside ? <FromOutside /> : null}
      {facts.map(([name, value]) => (
        <p key={name} className="whitespace-nowrap">
          <span className="text-quiet">{name}</span> <span className="tabular-nums">{value}</span>
        </p>
      ))}
    </div>
  );
}
