/** What the values of a column are. `time`: a date, or a date with a time; `text`: everything else. */
export const COLUMN_KINDS = ["number", "time", "boolean", "text"] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];
