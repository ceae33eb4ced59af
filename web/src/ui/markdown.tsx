/**
 * Markdown that a model or a person wrote, shown harmlessly: elements are built one by one, so HTML in it stays text;
 * addresses are http, https or mailto and nothing is fetched; a text of another direction cannot turn what stands around it.
 */
import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentProps, type ReactNode, useContext } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { classes } from "./classes.ts";
import { honestNodes } from "./honest-nodes.ts";
import { isQuickMarkdown } from "./markdown-cost.ts";
import { SourceContext } from "./source-context.ts";
import { sourceNodes } from "./source-nodes.ts";
import { honestProse, visibleText } from "./visible-text.ts";

const LINKS = /^(https?:|mailto:)/i;

/** A name of a source opens it where it is known. */
function SourceName({ children }: { readonly children?: ReactNode }) {
  const sources = useContext(SourceContext);
  const words = typeof children === "string" ? children : "";
  const n = Number(/\d+/.exec(words)?.[0]);
  if (sources?.has(n) !== true) return <>{children}</>;
  return (
    <button
      type="button"
      aria-label={words === String(n) ? `Source ${n}` : undefined}
      className="text-accent underline"
      onClick={() => sources.open(n)}
    >
      {words}
    </button>
  );
}

const components: Components = {
  cite: SourceName,
  a: ({ href, children }) =>
    href === undefined || !LINKS.test(href) ? (
      <span className="underline decoration-dotted">{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
        {children}
      </a>
    ),
  // An image would be fetched from wherever its writer says, which tells that place who reads this.
  img: ({ alt, src }) => (
    <span className="text-quiet">
      {honestProse(`[image: ${alt ?? ""} ${typeof src === "string" ? src.slice(0, 200) : ""}]`)}
    </span>
  ),
  table: ({ children }) => (
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="border-collapse">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border border-line bg-sunken px-2 py-1 text-left font-semibold">{children}</th>,
  td: ({ children }) => <td className="border border-line px-2 py-1 align-top">{children}</td>,
  pre: ({ children }) => (
    <pre
      tabIndex={0}
      role="group"
      aria-label="Code"
      dir="ltr"
      className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-[0.8125rem] leading-5 [&_code]:bg-transparent [&_code]:p-0"
    >
      {children}
    </pre>
  ),
  code: ({ children }) => (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.875em]">
      {typeof children === "string" ? visibleText(children) : children}
    </code>
  ),
  input: ({ checked }: ComponentProps<"input">) => <span>{checked === true ? "☑ " : "☐ "}</span>,
  // Headings of a message stand below those of the page.
  h1: ({ children }) => <p className="text-lg font-semibold">{children}</p>,
  h2: ({ children }) => <p className="text-base font-semibold">{children}</p>,
  h3: ({ children }) => <p className="font-semibold">{children}</p>,
  h4: ({ children }) => <p className="font-semibold">{children}</p>,
  h5: ({ children }) => <p className="font-semibold">{children}</p>,
  h6: ({ children }) => <p className="font-semibold">{children}</p>,
};

export default function Markdown({ text, className }: { readonly text: string; readonly className?: string }) {
  const style = classes(
    "flex min-w-0 flex-col gap-3 [unicode-bidi:isolate] [&_ol]:list-decimal [&_ol]:pl-6 [&_ul]:list-disc [&_ul]:pl-6 [&_blockquote]:border-l-4 [&_blockquote]:border-line [&_blockquote]:pl-3 [&_hr]:border-line",
    className,
  );
  // A name that stands for a hidden character is longer than it: what is laid out is what is judged.
  const shown = honestProse(text);
  const plain = (
    <div dir="auto" className={classes(style, "whitespace-pre-wrap")}>
      {shown}
    </div>
  );
  if (!isQuickMarkdown(shown)) return plain;
  return (
    // The parser goes down into what is nested: ten thousand quotes in one another are more than its stack holds.
    <CatchBoundary getResetKey={() => text} errorComponent={() => plain}>
      <div dir="auto" className={style}>
        <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[honestNodes, sourceNodes]} components={components}>
          {shown}
        </ReactMarkdown>
      </div>
    </CatchBoundary>
  );
}
