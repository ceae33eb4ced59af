/** The waterfall: a row for each bar, in the order in which they began, so that what ran side by side stands together. */
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { classes } from "../../../ui/classes.ts";
import { duration } from "../../../ui/relative-time.ts";
import { KIND_LOOKS } from "./bar-looks.ts";
import { BarNumbers, BarRow, WATERFALL_COLUMNS } from "./waterfall-row.tsx";
import { type Bar, type Scale, type Span, ticksOf } from "./waterfall.ts";

/** Pixels of a row where nothing was measured yet. */
const ROW_HEIGHT = 28;

interface WaterfallProps {
  readonly bars: readonly Bar[];
  readonly span: Span;
  readonly scale: Scale;
  /** Where bars that are not over end so far. */
  readonly end: number;
}

export function Waterfall({ bars, span, scale, end }: WaterfallProps) {
  const [pointed, setPointed] = useState<string | null>(null);
  const shown = bars.find(({ id }) => id === pointed) ?? null;
  return (
    <div className="flex flex-col">
      <Legend kinds={new Set(bars.map(({ kind }) => kind))} hasShortened={scale.shortened.length > 0} />
      <div className={classes(WATERFALL_COLUMNS, "border-b border-line")}>
        <span className="py-1 text-xs text-quiet max-sm:hidden">Call</span>
        <Ticks span={span} scale={scale} />
      </div>
      <Rows {...{ bars, scale, end }} begin={span.from} onPoint={setPointed} />
      <div className="sticky bottom-0 min-h-20 rounded-b-lg border-t border-line bg-surface px-3 py-2 text-sm sm:min-h-12">
        {shown === null ? (
          <p className="text-quiet">
            Point at a bar to read its numbers; by keyboard, the arrow keys lead from bar to bar. The table below has
            them all.
          </p>
        ) : (
          <BarNumbers bar={shown} begin={span.from} end={end} />
        )}
      </div>
    </div>
  );
}

function Ticks({ span, scale }: { readonly span: Span; readonly scale: Scale }) {
  return (
    <span aria-hidden className="relative h-6">
      {ticksOf(span, scale).map(({ ms, left }) => (
        <span
          key={ms}
          className="absolute top-1 border-l border-line pl-1 text-xs whitespace-nowrap text-quiet tabular-nums max-sm:nth-[even]:hidden"
          style={{ left: `${left * 100}%` }}
        >
          {ms === 0 ? "0" : duration(ms)}
        </span>
      ))}
    </span>
  );
}

interface RowsProps {
  readonly bars: readonly Bar[];
  readonly begin: number;
  readonly end: number;
  readonly scale: Scale;
  readonly onPoint: (id: string | null) => void;
}

/** Only the rows in sight are there, and the one that the Tab key leads to. */
function Rows({ bars, begin, end, scale, onPoint }: RowsProps) {
  const room = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(0);
  const stopIndex = Math.min(stop, bars.length - 1);
  // oxlint-disable-next-line react/incompatible-library -- no compiler memoizes here, and no child gets a function of it
  const rows = useVirtualizer({
    count: bars.length,
    getScrollElement: () => room.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    rangeExtractor: (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), stopIndex])].toSorted((a, b) => a - b),
  });
  const goTo = useFocusOnRow(room, (index) => {
    setStop(index);
    rows.scrollToIndex(index);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = rowFor(event.key, stopIndex, bars.length);
    if (to === null) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <div ref={room} className="max-h-[70dvh] overflow-y-auto py-1">
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        <Shortened scale={scale} />
        <ul aria-label="Calls and waits, the earliest first">
          {rows.getVirtualItems().map(({ index, start }) => {
            const bar = bars[index];
            return bar === undefined ? null : (
              <li
                key={bar.id}
                ref={rows.measureElement}
                data-index={index}
                aria-posinset={index + 1}
                aria-setsize={bars.length}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <BarRow
                  {...{ bar, begin, end, scale, onKeyDown, onPoint }}
                  isStop={index === stopIndex}
                  onFocus={() => setStop(index)}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

/** The row that a key leads to; null: the key means nothing here, or there is no such row. */
function rowFor(key: string, from: number, count: number): number | null {
  const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: count - 1 }[key];
  return to === undefined || to < 0 || to >= count ? null : to;
}

/** Gives a function that brings a row into sight and focuses it, as soon as it is there. */
function useFocusOnRow(
  room: { readonly current: HTMLDivElement | null },
  show: (index: number) => void,
): (index: number) => void {
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const bar = room.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] [data-bar]`);
    if (bar == null) return;
    wanted.current = null;
    bar.focus({ preventScroll: true });
  });
  return (index) => {
    wanted.current = index;
    show(index);
  };
}

/** Where the axis is shortened, over all rows. */
function Shortened({ scale }: { readonly scale: Scale }) {
  return (
    <div aria-hidden className={classes(WATERFALL_COLUMNS, "absolute inset-0")}>
      <span className="relative sm:col-start-2">
        {scale.shortened.map(({ from, left, right }) => (
          <span
            key={from}
            className="absolute inset-y-0 border-x border-dashed border-line bg-sunken"
            style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
          />
        ))}
      </span>
    </div>
  );
}

interface LegendProps {
  readonly kinds: ReadonlySet<Bar["kind"]>;
  readonly hasShortened: boolean;
}

function Legend({ kinds, hasShortened }: LegendProps) {
  const used = Object.entries(KIND_LOOKS).filter(([kind]) => [...kinds].some((one) => one === kind));
  const entries = [
    ...used.map(([, { word, look }]) => ({ word, look })),
    { word: "Failed, refused or unknown", look: "bg-danger" },
    ...(hasShortened ? [{ word: "Long wait, drawn short", look: "border-x border-dashed border-edge bg-sunken" }] : []),
  ];
  return (
    <ul
      aria-label="What the colours mean"
      className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line px-3 py-2 text-sm text-quiet"
    >
      {entries.map(({ word, look }) => (
        <li key={word} className="flex items-center gap-1.5">
          <span aria-hidden className={classes("size-3 rounded-sm", look)} />
          {word}
        </li>
      ))}
    </ul>
  );
}
