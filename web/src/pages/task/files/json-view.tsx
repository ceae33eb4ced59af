/** JSON that folds: each object and list opens on its own, and only open ones are rendered. */
import { useMemo, useState } from "react";
import { count } from "../../../ui/amounts.ts";
import { CopyButton } from "../../../ui/code.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Card } from "../../../ui/page.tsx";
import { PlainText } from "./file-looks.tsx";
import { visibleText } from "../../../ui/visible-text.ts";

/** Entries of one object or list that are laid out at once. */
const ENTRIES = 100;
/** Lists and objects down to this depth are open at first. */
const OPEN_DEPTH = 2;

export function JsonView({ text, name }: { readonly text: string; readonly name: string }) {
  const read = useMemo(() => readJson(text), [text]);
  if (!read.ok)
    return (
      <>
        <Notice tone="warn" title="This is not valid JSON">
          {read.why}
        </Notice>
        <PlainText text={text} name={name} />
      </>
    );
  return (
    <Card className="relative max-h-[75dvh] overflow-auto pr-12 font-mono text-[0.8125rem] leading-6">
      <Value value={read.value} name={null} depth={0} />
      <div className="absolute top-1 right-1">
        <CopyButton text={text} label={`Copy the text of ${name}`} />
      </div>
    </Card>
  );
}

function readJson(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, why: thrown instanceof Error ? thrown.message.slice(0, 200) : "" };
  }
}

interface ValueProps {
  readonly value: unknown;
  /** The key that it stands under; null at the top and in a list. */
  readonly name: string | null;
  readonly depth: number;
}

function Value({ value, name, depth }: ValueProps) {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    return <Fold value={value} name={name} depth={depth} />;
  return (
    <p className="pl-4">
      <Name name={name} />
      <bdi className={typeof value === "string" ? "text-good" : "text-info"}>{visibleText(JSON.stringify(value))}</bdi>
    </p>
  );
}

function Fold({ value, name, depth }: ValueProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(ENTRIES);
  const isList = Array.isArray(value);
  const entries = Object.entries(value as Record<string, unknown>);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="hover:bg-hover">
        <Name name={name} />
        <span className="text-quiet">{isList ? `[${count(entries.length)}]` : `{${count(entries.length)}}`}</span>
      </summary>
      {isOpen ? (
        <div className="ml-1.5 border-l border-line pl-3">
          {entries.slice(0, shown).map(([key, inner]) => (
            <Value key={key} value={inner} name={isList ? null : key} depth={depth + 1} />
          ))}
          {shown < entries.length ? (
            <button
              type="button"
              className="min-h-6 pl-4 text-accent underline"
              onClick={() => setShown(shown + ENTRIES)}
            >
              {count(entries.length - shown)} more
            </button>
          ) : null}
        </div>
      ) : null}
    </details>
  );
}

function Name({ name }: { readonly name: string | null }) {
  return name === null ? null : (
    <>
      <bdi className="font-semibold">{visibleText(name)}</bdi>
      <span className="text-quiet">: </span>
    </>
  );
}
