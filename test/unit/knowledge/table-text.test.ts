import { expect, it } from "vitest";
import { formatTableText } from "../../../core/knowledge/table-text.ts";

it("bounds the text of a long table", () => {
  const rows = Array.from({ length: 1_000 }, (_, row) => [String(row), "some text"]);
  const text = formatTableText({ caption: "Long", columns: ["n", "t"], rows });
  expect(text.length).toBeLessThanOrEqual(4_000);
  expect(text.startsWith("Long\nn | t\nn: 0; t: some text\n")).toBe(true);
});
