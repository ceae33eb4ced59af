/** A PDF, one page at a time: drawn, and as text for screen readers and for copying. */
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { count } from "../../../ui/amounts.ts";
import { IconButton } from "../../../ui/button.tsx";
import { PlainText } from "./file-looks.tsx";
import { Notice, Skeleton } from "../../../ui/notice.tsx";
import { drawPage, openPdf, textOfPage, whyNotOpened } from "./pdf-document.ts";

interface PdfViewProps {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
}

export function PdfView({ bytes, name }: PdfViewProps) {
  const [document, setDocument] = useState<PDFDocumentProxy | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [number, setNumber] = useState(1);
  useEffect(() => {
    const opened = openPdf(bytes);
    let isLeft = false;
    opened.document.then(
      (found) => {
        if (!isLeft) setDocument(found);
      },
      (thrown: unknown) => {
        if (!isLeft) setProblem(whyNotOpened(thrown));
      },
    );
    return () => {
      isLeft = true;
      opened.close();
    };
  }, [bytes]);
  if (problem !== null)
    return (
      <Notice tone="warn" title="This PDF is not shown">
        {problem}
      </Notice>
    );
  if (document === null) return <Skeleton rows={1} height="h-96" label="Loading the PDF" />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Pages number={number} total={document.numPages} onGo={setNumber} />
      <PdfPage key={number} {...{ document, number, name }} onProblem={setProblem} />
    </div>
  );
}

interface PagesProps {
  readonly number: number;
  readonly total: number;
  readonly onGo: (page: number) => void;
}

function Pages({ number, total, onGo }: PagesProps) {
  return (
    <div role="group" aria-label="Pages" className="flex items-center gap-2">
      <IconButton
        label="Previous page"
        disabled={number === 1}
        className="disabled:opacity-40"
        onClick={() => onGo(number - 1)}
      >
        <ChevronLeft aria-hidden className="size-5" />
      </IconButton>
      <label className="flex items-center gap-2">
        Page
        <input
          type="number"
          inputMode="numeric"
          min={1}
          max={total}
          value={number}
          onChange={({ target }) => {
            const wanted = Math.trunc(target.valueAsNumber);
            if (wanted >= 1 && wanted <= total) onGo(wanted);
          }}
          // A typed number that is not a page is replaced by that of the shown page.
          onBlur={({ target }) => {
            target.value = String(number);
          }}
          className="min-h-9 w-20 rounded-md border border-edge bg-surface px-2 text-right tabular-nums"
        />
        <span className="text-quiet">of {count(total)}</span>
      </label>
      <IconButton
        label="Next page"
        disabled={number === total}
        className="disabled:opacity-40"
        onClick={() => onGo(number + 1)}
      >
        <ChevronRight aria-hidden className="size-5" />
      </IconButton>
    </div>
  );
}

interface PdfPageProps {
  readonly document: PDFDocumentProxy;
  readonly number: number;
  readonly name: string;
  readonly onProblem: (problem: string) => void;
}

function PdfPage({ document, number, name, onProblem }: PdfPageProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isLeft = false;
    let stop: (() => void) | null = null;
    const show = async (): Promise<void> => {
      const page: PDFPageProxy = await document.getPage(number);
      if (isLeft || canvas.current === null || frame.current === null) return;
      const drawing = drawPage(page, canvas.current, frame.current.clientWidth);
      stop = drawing.stop;
      await drawing.done;
      const found = await textOfPage(page);
      if (!isLeft) setText(found);
    };
    show().catch((thrown: unknown) => {
      if (!isLeft) onProblem(whyNotOpened(thrown));
    });
    return () => {
      isLeft = true;
      stop?.();
    };
  }, [document, number, onProblem]);
  return (
    <>
      <div ref={frame} className="min-h-96 overflow-hidden rounded-lg border border-line bg-sunken">
        <canvas ref={canvas} role="img" aria-label={`Page ${number} of ${name}`} className="block w-full" />
      </div>
      {text === null ? (
        <Skeleton rows={1} height="h-10" label="Loading the text of the page" />
      ) : text.trim() === "" ? (
        <p className="text-sm text-quiet">This page holds no text, only pictures.</p>
      ) : (
        <details className="rounded-lg border border-line bg-surface">
          <summary className="min-h-10 px-3 py-2">Text of page {number}</summary>
          <div className="p-3 pt-0">
            <PlainText text={text} name={`page ${number} of ${name}`} />
          </div>
        </details>
      )}
    </>
  );
}
