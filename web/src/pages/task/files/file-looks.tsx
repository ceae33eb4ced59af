/** Text, a CSV table, an image: how the bytes of a file are shown. */
import { useEffect, useMemo, useRef, useState } from "react";
import { count } from "../../../ui/amounts.ts";
import { CopyButton } from "../../../ui/code.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { csvRows } from "./csv-rows.ts";
import { honestProse, visibleText } from "../../../ui/visible-text.ts";

/** Rows and columns of a table that are shown. */
const MAX_ROWS = 500;
const MAX_COLUMNS = 50;
/** A browser lays a line of a megabyte out for seconds. */
const MAX_LINE = 5_000;

interface TextProps {
  readonly text: string;
  readonly name: string;
}

export function PlainText({ text, name }: TextProps) {
  const shown = useMemo(() => honestProse(text.replace(LONG_LINE, (line) => `${line.slice(0, MAX_LINE)} … `)), [text]);
  return (
    <div className="relative min-w-0 rounded-md border border-line bg-sunken">
      <pre
        tabIndex={0}
        role="region"
        aria-label={`Text of ${name}`}
        dir="ltr"
        className="max-h-[75dvh] overflow-auto p-3 pr-12 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap [unicode-bidi:plaintext]"
      >
        {shown}
      </pre>
      <div className="absolute top-1 right-3">
        <CopyButton text={text} label={`Copy the text of ${name}`} />
      </div>
    </div>
  );
}

const LONG_LINE = new RegExp(`[^\\n]{${MAX_LINE},}`, "g");

export function CsvTable({ text, name }: TextProps) {
  const { rows, isCut } = useMemo(() => csvRows(text, MAX_ROWS), [text]);
  const [head = [], ...body] = rows;
  const widest = Math.max(0, ...rows.map((row) => row.length));
  const columns = Array.from({ length: Math.min(widest, MAX_COLUMNS) }, (_, index) => index);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {isCut || widest > MAX_COLUMNS ? (
        <Notice
          title={`The first ${count(rows.length)} rows${widest > MAX_COLUMNS ? ` and ${MAX_COLUMNS} columns` : ""}`}
        />
      ) : null}
      <div
        tabIndex={0}
        role="region"
        aria-label={`Table of ${name}`}
        className="max-h-[75dvh] overflow-auto rounded-lg border border-line bg-surface"
      >
        <table className="border-collapse text-left text-sm">
          <caption className="sr-only">{name}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className="sticky top-0 border-r border-b border-line bg-sunken px-3 py-1.5 font-semibold whitespace-nowrap"
                >
                  <bdi>{visibleText(head[column] || `Column ${column + 1}`)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              <tr key={index} className="hover:bg-hover">
                {columns.map((column) => (
                  <td key={column} className="max-w-md border-r border-b border-line px-3 py-1 align-top">
                    <bdi>{visibleText(row[column] ?? "")}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface ImageProps {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly type: string;
}

/** An image is drawn as an image only: a script inside it does not run, and its address ends once it is drawn. */
export function ImageView({ bytes, name, type }: ImageProps) {
  const image = useRef<HTMLImageElement>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([bytes], { type }));
    if (image.current !== null) image.current.src = address;
    return () => URL.revokeObjectURL(address);
  }, [bytes, type]);
  if (isBroken)
    return (
      <Notice tone="warn" title="This image cannot be shown">
        Its bytes are not what its name says. The download has them as they are.
      </Notice>
    );
  return (
    <div className="flex min-h-48 items-center justify-center rounded-lg border border-line bg-sunken p-3">
      <img
        ref={image}
        alt={`Content of ${name}`}
        className="max-h-[75dvh] max-w-full"
        onLoad={({ currentTarget }) => URL.revokeObjectURL(currentTarget.src)}
        onError={() => setBroken(true)}
      />
    </div>
  );
}
