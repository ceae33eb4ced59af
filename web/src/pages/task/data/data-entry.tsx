/** One entry of a list: a mail, a document, a file, an event or a piece of code. */
import type { ReactNode } from "react";
import { bytes } from "../../../ui/amounts.ts";
import { CodeBlock } from "../../../ui/code.tsx";
import { ExactTime } from "../../../ui/time.tsx";
import { honestProse, visibleText } from "../../../ui/visible-text.ts";
import { OutsideLink } from "./outside-link.tsx";
import { SavedFileLink } from "./saved-file-link.tsx";
import { type DataType, type Entry, savedPathOf, webAddressOf } from "./tool-data.ts";

/** Characters of a text that is not folded. */
const SHORT_TEXT = 240;

interface EntryProps {
  readonly entry: Entry;
  readonly label: string;
}

export function DataEntry({ type, entry, label }: EntryProps & { readonly type: DataType }) {
  return (
    <li className="flex min-w-0 flex-col gap-1 px-3 py-2 text-sm">
      <EntryBody type={type} entry={entry} label={label} />
    </li>
  );
}

function EntryBody({ type, entry, label }: EntryProps & { readonly type: DataType }) {
  switch (type) {
    case "emails":
      return (
        <>
          <Line>
            <Plain text={entry["from"]} className="font-medium" />
            <Moment at={entry["date"]} />
          </Line>
          <Plain text={entry["subject"] ?? "No subject"} />
          <Folded text={entry["text"]} />
        </>
      );
    case "files":
      return (
        <Line>
          <FileTitle entry={entry} />
          <span className="flex flex-wrap gap-x-3 text-quiet">
            <Plain text={entry["content_type"]} />
            {entry["size"] == null ? null : <span>{bytes(Number(entry["size"]))}</span>}
            <Moment at={entry["modified"]} />
          </span>
        </Line>
      );
    case "events":
      return (
        <>
          <Title text={entry["title"] ?? "No title"} url={entry["url"]} />
          <Line>
            <span className="flex flex-wrap gap-x-1.5">
              <Moment at={entry["start"]} />
              {entry["end"] == null ? null : <span className="text-quiet">to</span>}
              <Moment at={entry["end"]} />
            </span>
            <Plain text={entry["location"]} className="text-quiet" />
          </Line>
          <Plain text={entry["people"]} className="text-quiet" />
        </>
      );
    case "code_snippets":
      return (
        <>
          <Title text={entry["path"]} url={entry["url"]} />
          <CodeBlock text={entry["code"] ?? ""} label={`Code of ${label}`} />
        </>
      );
    default:
      return (
        <>
          <Line>
            <Title text={entry["title"] ?? entry["author"]} url={entry["url"]} />
            <Moment at={entry["date"]} />
          </Line>
          {entry["title"] == null ? null : <Plain text={entry["author"]} className="text-quiet" />}
          <Folded text={entry["text"]} />
        </>
      );
  }
}

function Line({ children }: { readonly children: ReactNode }) {
  return <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5">{children}</div>;
}

type OptionalText = string | null | undefined;

function Plain({ text, className }: { readonly text: OptionalText; readonly className?: string }) {
  if (text == null || text === "") return null;
  return <bdi className={`min-w-0 [overflow-wrap:anywhere] ${className ?? ""}`}>{visibleText(text)}</bdi>;
}

function Title({ text, url }: { readonly text: OptionalText; readonly url: OptionalText }) {
  const address = webAddressOf(url);
  if (address === null) return <Plain text={text} className="font-medium" />;
  return (
    <span className="min-w-0 font-medium">
      <OutsideLink url={address}>{text ?? address}</OutsideLink>
    </span>
  );
}

/** A file that was saved in the sandbox leads there, and not to where it came from. */
function FileTitle({ entry }: Pick<EntryProps, "entry">) {
  const path = savedPathOf(entry["path"]);
  if (path === null) return <Title text={entry["name"]} url={entry["url"]} />;
  return (
    <span className="min-w-0 font-medium">
      <SavedFileLink path={path}>{path}</SavedFileLink>
    </span>
  );
}

/** A moment of the calendar as the reader's clock has it; any other text as it came. */
function Moment({ at }: { readonly at: OptionalText }) {
  if (at == null) return null;
  const isMoment = /^\d{4}-\d\d-\d\dT/.test(at) && !Number.isNaN(Date.parse(at));
  if (!isMoment) return <Plain text={at} className="text-quiet" />;
  return (
    <span className="shrink-0 text-quiet">
      <ExactTime at={at} />
    </span>
  );
}

function Folded({ text }: { readonly text: OptionalText }) {
  if (text == null) return null;
  const prose = honestProse(text);
  if (prose.length <= SHORT_TEXT) return <p className="[overflow-wrap:anywhere] text-quiet">{prose}</p>;
  return (
    <details className="min-w-0 text-quiet">
      <summary className="cursor-pointer">
        <span className="[overflow-wrap:anywhere]">{prose.slice(0, SHORT_TEXT)}…</span>
      </summary>
      <p className="mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{prose}</p>
    </details>
  );
}
