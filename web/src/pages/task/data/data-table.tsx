/**
 * A table of a result: it scrolls inside its box, and its cells are plain text. A column is as wide as its text up to a
 * limit, so that only a word longer than the limit breaks.
 */
import { visibleText } from "../../../ui/visible-text.ts";
import { OutsideLink } from "./outside-link.tsx";
import { SavedFileLink } from "./saved-file-link.tsx";
import { type Cell, savedPathOf, webAddressOf } from "./tool-data.ts";

interface DataTableProps {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly label: string;
}

const CELL = "w-max max-w-64 [overflow-wrap:anywhere]";

export function DataTable({ columns, rows, label }: DataTableProps) {
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={label}
      className="max-h-[60dvh] overflow-auto rounded-md border border-line bg-surface"
    >
      <table className="w-full border-collapse text-left text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                key={at}
                scope="col"
                className="sticky top-0 border-b border-line bg-sunken px-3 py-1.5 align-top font-semibold"
              >
                <bdi className={`block ${CELL}`}>{visibleText(column)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at} className="border-b border-line last:border-b-0 hover:bg-hover">
              {row.map((cell, column) => (
                <td key={column} className="px-3 py-1.5 align-top">
                  <div className={CELL}>
                    <CellText cell={cell} />
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellText({ cell }: { readonly cell: Cell }) {
  if (cell === null) return <span className="text-quiet">–</span>;
  const text = String(cell);
  const url = webAddressOf(text);
  if (url !== null) return <OutsideLink url={url}>{text}</OutsideLink>;
  const path = savedPathOf(text);
  if (path !== null) return <SavedFileLink path={path}>{text}</SavedFileLink>;
  return (
    <bdi className={typeof cell === "number" ? "tabular-nums" : undefined} title={text.length > 120 ? text : undefined}>
      <span className="line-clamp-3">{visibleText(text)}</span>
    </bdi>
  );
}
