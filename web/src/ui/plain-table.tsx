/** A table of texts that a document contains. */
import { count } from "./amounts.ts";
import { honestProse } from "./visible-text.ts";

interface PlainTableProps {
  readonly caption: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Rows of the whole table. */
  readonly total: number;
}

export function PlainTable({ caption, columns, rows, total }: PlainTableProps) {
  return (
    // A region that scrolls must be reachable by keyboard (axe: scrollable-region-focusable).
    <div tabIndex={0} role="region" aria-label={honestProse(caption ?? "Table")} className="max-h-96 overflow-auto">
      <table className="border-collapse text-left text-sm">
        {caption === null ? null : <caption className="pb-1 text-left text-quiet">{honestProse(caption)}</caption>}
        <thead className="border-b border-line">
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" className="px-2 py-1 font-medium">
                {honestProse(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at} className="px-2 py-1 align-top">
                  {honestProse(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {total > rows.length ? (
        <p className="pt-1 text-sm text-quiet">{`${count(rows.length)} of ${count(total)} rows`}</p>
      ) : null}
    </div>
  );
}
