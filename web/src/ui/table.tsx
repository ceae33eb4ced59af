/** Rows of like things: a table where there is room, cards below 640 pixels, where each cell names its column. */
import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export interface Column<Row> {
  readonly title: string;
  /** Null: nothing, and a card leaves the column out. */
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** Fills the room that the others leave. */
  readonly isMain?: boolean;
}

/** Lines of one cell: at the left in a table, and at the right in a card, as what a cell has in one line. */
export const CELL_LINES = "flex flex-col items-end gap-1 text-right sm:items-start sm:text-left";

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <div
      className="overflow-x-auto rounded-lg border border-line bg-surface"
      tabIndex={0}
      role="region"
      aria-label={caption}
    >
      <table className="block w-full border-collapse text-left sm:table sm:[overflow-wrap:break-word]">
        <caption className="sr-only">{caption}</caption>
        <thead className="hidden border-b border-line text-sm text-quiet sm:table-header-group">
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th
                key={title}
                scope="col"
                className={classes("px-3 py-2 font-medium whitespace-nowrap", isNumber && "text-right")}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block sm:table-row-group">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className="block border-b border-line px-3 py-2 last:border-b-0 hover:bg-hover sm:table-row sm:p-0"
            >
              {columns.map((column) => (
                <Cell key={column.title} column={column} content={column.cell(row)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({
  column: { title, isNumber, isMain },
  content,
}: {
  readonly column: Column<Row>;
  readonly content: ReactNode;
}) {
  return (
    <td
      className={classes(
        content === null ? "hidden" : "flex",
        "justify-between gap-4 py-0.5 align-top sm:table-cell sm:px-3 sm:py-2.5",
        isMain && "sm:w-full sm:min-w-48 sm:[overflow-wrap:anywhere]",
        isNumber && "tabular-nums sm:text-right",
      )}
    >
      <span className="shrink-0 text-sm text-quiet sm:hidden">{title}</span>
      <div className="min-w-0">{content}</div>
    </td>
  );
}
