/** Draws rows by a rule from the kinds of their columns, as a Vega-Lite specification. No model takes part. Pure. */
import type { DatabaseRows } from "../ports/databases.ts";
import type { ColumnKind } from "./column-kinds.ts";

const VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json";
const MAX_ROWS = 500;
/** More bars, or more colours, cannot be told apart. */
const MAX_BARS = 60;
const MAX_SERIES = 12;

type Value = DatabaseRows["rows"][number][number];

interface Channel {
  readonly field: "x" | "y" | "series";
  readonly type: "temporal" | "quantitative" | "ordinal" | "nominal";
  readonly title: string;
  /** Null: in the order of the rows. */
  readonly sort?: null;
}

/** A specification: https://vega.github.io/vega-lite/docs/spec.html. The fields of the data have fixed names. */
export interface Chart {
  readonly $schema: string;
  readonly mark: "line" | "bar" | "point";
  readonly data: { readonly values: readonly ChartValue[] };
  readonly encoding: { readonly x: Channel; readonly y: Channel; readonly color?: Channel };
}

/** One row of the data. */
export interface ChartValue {
  readonly x: Value;
  readonly y: Value;
  readonly series?: Value;
}

interface Column {
  readonly at: number;
  readonly name: string;
  readonly role: "time" | "period" | "category" | "measure" | "key";
}

/**
 * A line over time or periods, bars by category, or points of two measures. The first column of each role is drawn. Null if the rows have
 * no measure to draw, or would have too many bars.
 */
export function drawRows({ columns, kinds, rows }: Pick<DatabaseRows, "columns" | "kinds" | "rows">): Chart | null {
  if (rows.length < 2) return null;
  const all = columns.map((name, at): Column => ({ at, name, role: findRole(name, kinds[at] ?? "text") }));
  const [measure, otherMeasure] = all.filter(({ role }) => role === "measure");
  const time = all.find(({ role }) => role === "time") ?? all.find(({ role }) => role === "period");
  const categories = all.filter(({ role }) => role === "category");
  const [category, otherCategory] = categories;
  if (measure === undefined) return null;
  if (time !== undefined) return draw("line", time, measure, pickSeries(category, rows), rows);
  if (category !== undefined)
    return countValues(category, rows) > MAX_BARS
      ? null
      : draw("bar", category, measure, pickSeries(otherCategory, rows), rows);
  return otherMeasure === undefined ? null : draw("point", measure, otherMeasure, undefined, rows);
}

const KEY = /(?:^|_)id$|[a-z]Id$/;
const PERIOD = /(?:^|_)(?:year|quarter|month|week|day|weekday|hour)$/i;

function findRole(name: string, kind: ColumnKind): Column["role"] {
  if (kind === "time") return "time";
  if (kind !== "number") return "category";
  if (KEY.test(name)) return "key";
  return PERIOD.test(name) ? "period" : "measure";
}

function draw(
  mark: Chart["mark"],
  x: Column,
  y: Column,
  series: Column | undefined,
  rows: DatabaseRows["rows"],
): Chart {
  return {
    $schema: VEGA_LITE,
    mark,
    data: {
      values: rows.slice(0, MAX_ROWS).map((row) => ({
        x: readValue(row, x),
        y: readValue(row, y),
        ...(series === undefined ? {} : { series: readValue(row, series) }),
      })),
    },
    encoding: {
      x: toChannel("x", x),
      y: toChannel("y", y),
      ...(series === undefined ? {} : { color: toChannel("series", series) }),
    },
  };
}

function toChannel(field: Channel["field"], { name, role }: Column): Channel {
  switch (role) {
    case "time":
      return { field, type: "temporal", title: name };
    case "measure":
      return { field, type: "quantitative", title: name };
    case "period":
      return { field, type: "ordinal", title: name };
    case "category":
    case "key":
      return { field, type: "nominal", title: name, sort: null };
  }
}

/** An exact number that JSON cannot hold is text: a picture does not need the last digits. */
function readValue(row: readonly Value[], { at, role }: Column): Value {
  const value = row[at] ?? null;
  if (role !== "measure" || typeof value !== "string") return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function pickSeries(column: Column | undefined, rows: DatabaseRows["rows"]): Column | undefined {
  return column === undefined || countValues(column, rows) > MAX_SERIES ? undefined : column;
}

function countValues({ at }: Column, rows: DatabaseRows["rows"]): number {
  return new Set(rows.slice(0, MAX_ROWS).map((row) => row[at])).size;
}
