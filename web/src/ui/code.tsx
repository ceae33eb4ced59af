/** Text as it is: code, JSON, output. Long ones scroll inside their box; what nobody would see in it is made visible. */
import { Check, Copy } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { count } from "./amounts.ts";
import { classes } from "./classes.ts";
import { visibleText } from "./visible-text.ts";

/** Characters that are shown at first. */
const SHOWN = 5_000;
/** Characters that are shown at most; the whole is what the copy button takes. A browser chokes on megabytes. */
const MOST_SHOWN = 500_000;
/** A browser lays out a line as one piece, in time that grows faster than its length. */
const LONG_LINE = /[^\n]{2000}/g;

export function CodeBlock({
  text,
  label,
  className,
}: {
  readonly text: string;
  readonly label: string;
  readonly className?: string;
}) {
  const [isWhole, setWhole] = useState(false);
  const limit = isWhole ? MOST_SHOWN : SHOWN;
  const shown = useMemo(() => brokenLines(visibleText(text.slice(0, limit))), [text, limit]);
  const left = text.length - limit;
  return (
    <div className={classes("group relative min-w-0 rounded-md border border-line bg-sunken", className)}>
      {/* A region that scrolls must be reachable by keyboard (axe: scrollable-region-focusable). */}
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        dir="ltr"
        className="max-h-96 overflow-auto p-3 pr-11 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap [unicode-bidi:isolate]"
      >
        {shown}
        {left > 0 && isWhole ? (
          <span className="text-quiet">{`\n… ${count(left)} characters more; copy takes them all`}</span>
        ) : null}
      </pre>
      {left > 0 && !isWhole ? (
        <div className="flex items-center gap-3 border-t border-line px-3 py-2 text-sm text-quiet">
          <Button size="small" onClick={() => setWhole(true)}>
            Show the whole
          </Button>
          {count(left)} characters more
        </div>
      ) : null}
      <div className="absolute top-1 right-1">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
    </div>
  );
}

/** `text` with lines that end; where one was broken, nothing is added that could be taken for its own. */
function brokenLines(text: string): string {
  return text.replace(LONG_LINE, (line) => `${line}\n`);
}

/** `value` as indented JSON. */
export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? "undefined"} label={label} />;
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <IconButton label={copied ? "Copied" : label} onClick={() => void copy()}>
      {copied ? <Check aria-hidden className="size-4" /> : <Copy aria-hidden className="size-4" />}
    </IconButton>
  );
}
