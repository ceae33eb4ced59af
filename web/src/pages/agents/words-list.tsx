/** What an agent may do, in words, part by part. */
import { Check, CircleAlert, Minus } from "lucide-react";
import { classes } from "../../ui/classes.ts";
import type { Statement, WordsPart } from "./permissions-in-words.ts";
import { Name } from "../../ui/name.tsx";

const TONES = {
  may: { Icon: Check, ink: "text-good", word: "" },
  may_not: { Icon: Minus, ink: "text-quiet", word: "" },
  danger: { Icon: CircleAlert, ink: "text-warn", word: "Look at this: " },
} as const;

export function WordsList({
  parts,
  isWide = false,
}: {
  readonly parts: readonly WordsPart[];
  /** In two columns where there is room. */
  readonly isWide?: boolean;
}) {
  return (
    <div className={isWide ? "columns-1 gap-x-10 space-y-5 lg:columns-2" : "flex flex-col gap-5"}>
      {parts.map(({ title, statements }) => (
        <section key={title} aria-label={`In words: ${title}`} className="break-inside-avoid">
          <h3 className="mb-1 font-semibold">{title}</h3>
          <ul className="flex flex-col gap-1">
            {statements.map((statement, index) => (
              <StatementLine key={index} statement={statement} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function StatementLine({ statement: { tone, text } }: { readonly statement: Statement }) {
  const { Icon, ink, word } = TONES[tone];
  return (
    <li className="flex gap-2">
      <Icon aria-hidden className={classes("mt-1 size-4 shrink-0", ink)} />
      <span className="min-w-0">
        {word === "" ? null : <span className="sr-only">{word}</span>}
        <Name>{text}</Name>
      </span>
    </li>
  );
}
