/** Two texts, one below the other: what went is marked with a minus, what came with a plus. */
import { Notice } from "./notice.tsx";
import { classes } from "./classes.ts";
import { ExactText } from "./exact-text.tsx";
import { countChanges, type DifferenceLine, lineDifference } from "./line-difference.ts";

/** Lines that are shown: a browser lays out tens of thousands slowly. */
const SHOWN_LINES = 2_000;

const LOOKS = {
  same: { mark: " ", word: null, look: "" },
  removed: { mark: "−", word: "removed: ", look: "bg-danger-soft" },
  added: { mark: "+", word: "added: ", look: "bg-good-soft" },
} as const;

export function TextDifference({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  /** What is compared, for screen readers. */
  readonly label: string;
}) {
  const lines = lineDifference(before, after);
  if (lines === null)
    return <Notice title="They differ too much to be shown line by line">Open each of the two.</Notice>;
  if (lines.length === 0) return <p className="text-quiet">There is no difference.</p>;
  const { added, removed } = countChanges(lines);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-quiet">
        {linesWord(added)} added, {linesWord(removed)} removed
      </p>
      <div
        tabIndex={0}
        role="group"
        aria-label={label}
        dir="ltr"
        className="max-h-[70dvh] overflow-auto rounded-md border border-line bg-surface py-2 font-mono text-[0.8125rem] leading-5"
      >
        {lines.slice(0, SHOWN_LINES).map((line, at) => (
          <Line key={at} line={line} />
        ))}
        {lines.length > SHOWN_LINES ? (
          <p className="px-3 text-quiet">… {lines.length - SHOWN_LINES} lines more</p>
        ) : null}
      </div>
    </div>
  );
}

function Line({ line }: { readonly line: DifferenceLine }) {
  if (line.kind === "left_out")
    return <p className="my-1 bg-sunken px-3 text-quiet">{linesWord(line.count)} the same</p>;
  const { mark, word, look } = LOOKS[line.kind];
  return (
    <div className={classes("flex gap-2 px-3", look)}>
      <span aria-hidden className="w-9 shrink-0 text-right text-quiet tabular-nums select-none">
        {line.kind === "removed" ? line.before : line.after}
      </span>
      <span aria-hidden className="shrink-0 select-none">
        {mark}
      </span>
      <span className="min-w-0 flex-1">
        {word === null ? null : <span className="sr-only">{word}</span>}
        <ExactText text={line.text} />
      </span>
    </div>
  );
}

function linesWord(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
