/** Reads a table that Markdown has as HTML, because its cells span columns or have several lines. */
import { Parser } from "htmlparser2";
import type { TableContent } from "../../../core/knowledge/table-text.ts";

const MAX_SPAN = 100;

/** Null for other HTML. A cell that spans columns is repeated in each. */
export function readHtmlTable(html: string): TableContent | null {
  if (!/^\s*<table[\s>]/i.test(html)) return null;
  const rows: string[][] = [];
  let caption = "";
  let text = "";
  let span = 1;
  let inside: "caption" | "cell" | null = null;
  let headRows = 0;
  let isHead = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "tr") {
        rows.push([]);
        if (isHead) headRows = rows.length;
      } else if (name === "thead") isHead = true;
      else if (name === "td" || name === "th") {
        span = Math.min(MAX_SPAN, Math.max(1, Number.parseInt(attributes["colspan"] ?? "1", 10) || 1));
        [inside, text] = ["cell", ""];
      } else if (name === "caption") [inside, text] = ["caption", ""];
      else if (name === "br" || name === "p" || name === "li") text += " ";
    },
    ontext(data) {
      if (inside !== null) text += data;
    },
    onclosetag(name) {
      const written = text.replaceAll(/\s+/g, " ").trim();
      if (name === "thead") isHead = false;
      else if (name === "caption") [caption, inside] = [written, null];
      else if ((name === "td" || name === "th") && inside === "cell") {
        for (let column = 0; column < span; column += 1) rows.at(-1)?.push(written);
        inside = null;
      }
    },
  });
  parser.end(html);
  const filled = rows.filter((row) => row.length > 0);
  const [columns = [], ...body] = filled;
  if (columns.length === 0) return null;
  // Of several rows of headings, a column has all.
  const heads = filled.slice(0, Math.max(1, Math.min(headRows, filled.length)));
  const joined = columns.map((_, index) => [...new Set(heads.map((row) => row[index] ?? ""))].join(" ").trim());
  const isTitled = caption !== "";
  return { caption: isTitled ? caption : null, columns: joined, rows: body.slice(heads.length - 1) };
}
