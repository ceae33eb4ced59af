import { describe, expect, it } from "vitest";
import { drawRows } from "../../../core/databases/chart.ts";
import type { ColumnKind } from "../../../core/databases/column-kinds.ts";

type Rows = Parameters<typeof drawRows>[0]["rows"];

const draw = (columns: readonly (readonly [string, ColumnKind])[], rows: Rows) =>
  drawRows({ columns: columns.map(([name]) => name), kinds: columns.map(([, kind]) => kind), rows });

const CITY = ["city", "text"] as const;
const COUNT = ["count", "number"] as const;

describe("a chart", () => {
  it("has a bar for each category, in the order of the rows", () => {
    expect(
      draw(
        [CITY, COUNT],
        [
          ["Berlin", 3],
          ["Paris", "1.50"],
        ],
      ),
    ).toEqual({
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      mark: "bar",
      data: {
        values: [
          { x: "Berlin", y: 3 },
          { x: "Paris", y: 1.5 },
        ],
      },
      encoding: {
        x: { field: "x", type: "nominal", title: "city", sort: null },
        y: { field: "y", type: "quantitative", title: "count" },
      },
    });
  });

  it.each([
    [[["day", "time"], COUNT], "line", "temporal", false],
    [[["order_year", "number"], COUNT], "line", "ordinal", false],
    [[COUNT, ["placed_at", "time"], CITY], "line", "temporal", true],
    [[CITY, ["is_open", "boolean"], COUNT], "bar", "nominal", true],
    [[["id", "number"], CITY, COUNT], "bar", "nominal", false],
    [
      [
        ["height", "number"],
        ["weight", "number"],
      ],
      "point",
      "quantitative",
      false,
    ],
  ] as const)("of %j is a %s", (columns, mark, type, hasSeries) => {
    const value = (kind: ColumnKind, at: number) => (kind === "number" ? at : kind === "boolean" ? at > 1 : `${at}`);
    const drawn = draw(
      columns,
      [1, 2].map((at) => columns.map(([, kind]) => value(kind, at))),
    );
    expect(drawn?.mark).toBe(mark);
    expect(drawn?.encoding.x.type).toBe(type);
    expect(drawn?.encoding.color !== undefined).toBe(hasSeries);
  });

  it.each([
    ["one row", [CITY, COUNT], [["Berlin", 3]]],
    [
      "no number",
      [CITY, ["name", "text"]],
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "keys alone",
      [CITY, ["customer_id", "number"]],
      [
        ["a", 1],
        ["c", 2],
      ],
    ],
    ["a single column", [COUNT], [[1], [2]]],
    ["too many bars", [CITY, COUNT], Array.from({ length: 61 }, (_, at) => [`c${at}`, at])],
  ] as const)("of %s does not exist", (_name, columns, rows) => {
    expect(draw(columns, rows)).toBeNull();
  });

  it("has at most 500 rows, twelve colours, and no value that is no number", () => {
    const rows = Array.from({ length: 700 }, (_, at) => [`2026-01-01`, at, `c${at % 13}`] as const);
    const drawn = draw([["day", "time"], COUNT, CITY], rows);
    expect(drawn?.data.values).toHaveLength(500);
    expect(drawn?.encoding.color).toBeUndefined();
    expect(
      draw(
        [CITY, COUNT],
        [
          ["a", "NaN"],
          ["b", null],
        ],
      )?.data.values.map(({ y }) => y),
    ).toEqual([null, null]);
  });

  it("uses no name of a column as a key", () => {
    const drawn = draw(
      [["__proto__", "text"], COUNT],
      [
        ["a", 1],
        ["b", 2],
      ],
    );
    expect(drawn?.encoding.x).toMatchObject({ field: "x", title: "__proto__" });
  });
});
