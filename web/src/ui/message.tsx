/** A text that a model or a person wrote, laid out as Markdown; a very long one is cut until somebody wants the whole. */
import { lazy, memo, Suspense, useMemo, useState } from "react";
import { count } from "./amounts.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { piecesOf } from "./markdown-pieces.ts";
import { honestProse } from "./visible-text.ts";

// Asked for as soon as a page with messages is, so that a message seldom stands there as plain text first.
const module = import("./markdown.tsx").catch(() => null);
/** Where the code does not come, because the server is away or is another by now, the text stands as it was written. */
const Markdown = lazy(async () => (await module) ?? { default: Plain });

/** Characters that are shown at first. */
const SHOWN = 20_000;
/** The same of plain text, such as what a task was given to read. */
const SHOWN_PLAIN = 1_200;
/** A longer text is not laid out as Markdown: that takes a browser seconds. */
const LAID_OUT = 200_000;
/** Pieces from which on a text is a long one. */
const MANY = 10;
/** In so long a line the parser looks for addresses in time that grows faster than the line. */
const LONG_LINE = /[^\n]{5000}/;

/** `isPlain`: as it was written, line by line, because nobody said that it is Markdown. */
export function Message({ text, isPlain = false }: { readonly text: string; readonly isPlain?: boolean }) {
  const limit = isPlain ? SHOWN_PLAIN : SHOWN;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, limit);
  const pieces = useMemo(() => piecesOf(shown), [shown]);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {pieces.map((piece, at) => (
        // The pieces of a text never change places; of many, the browser skips those that nobody sees.
        <div
          key={at}
          className={classes(
            "min-w-0",
            pieces.length > MANY && "[contain-intrinsic-size:auto_30rem] [content-visibility:auto]",
          )}
        >
          <Piece text={piece} isPlain={isPlain || shown.length > LAID_OUT} />
        </div>
      ))}
      {isWhole || text.length <= limit ? null : (
        <div className="flex items-center gap-3 text-sm text-quiet">
          <Button size="small" onClick={() => setWhole(true)}>
            Show the whole
          </Button>
          {count(text.length - limit)} characters more
        </div>
      )}
    </div>
  );
}

function Plain({ text }: { readonly text: string }) {
  return (
    <div dir="auto" className="whitespace-pre-wrap [unicode-bidi:isolate]">
      {honestProse(text)}
    </div>
  );
}

const Piece = memo(function Piece({ text, isPlain }: { readonly text: string; readonly isPlain: boolean }) {
  return isPlain || LONG_LINE.test(text) ? (
    <Plain text={text} />
  ) : (
    <Suspense fallback={<Plain text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
});
