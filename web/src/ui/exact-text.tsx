/** A text exactly as it is: what a reader would not see is named, and no character of it turns what stands around it. */
import { useMemo, useState } from "react";
import { Button } from "./button.tsx";
import { count } from "./amounts.ts";
import { revealHidden, withoutPiles } from "./visible-text.ts";

/** Characters that are shown at first: laying out megabytes takes a browser seconds. */
const SHOWN = 10_000;

export function ExactText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN);
  const pieces = useMemo(() => revealHidden(withoutPiles(shown)), [shown]);
  const rest = text.length - shown.length;
  return (
    <>
      <span dir="auto" className="block whitespace-pre-wrap [unicode-bidi:isolate]">
        {pieces.map((piece, index) =>
          piece.hidden === null ? piece.text : <HiddenCharacter key={index} name={piece.hidden} />,
        )}
      </span>
      {rest === 0 ? null : (
        <Button size="small" className="mt-2" onClick={() => setWhole(true)}>
          Show the other {count(rest)} characters
        </Button>
      )}
    </>
  );
}

function HiddenCharacter({ name }: { readonly name: string }) {
  return (
    <mark className="mx-px rounded bg-warn-soft px-1 text-xs text-warn [unicode-bidi:isolate]" dir="ltr">
      <span className="sr-only">hidden character </span>
      {name}
    </mark>
  );
}
