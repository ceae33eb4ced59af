import { expect, test } from "vitest";
import { normalizeSearchText, getSearchText, getTitle } from "../../../core/task/line.ts";

test.each([
  ["Say hello\nand more", "Say hello"],
  ["\n\n  Write\tthe   report  \nnow", "Write the report"],
  ["", ""],
  [" \n ", ""],
  ["x".repeat(500), "x".repeat(120)],
  [`${"x".repeat(119)}😀`, "x".repeat(119)],
])("the title of %j is its first line", (input, title) => {
  expect(getTitle(input)).toBe(title);
});

test("the title of messages is that of the last one", () => {
  const messages = [
    { role: "user", content: "First" },
    { role: "assistant", content: "Hm." },
    { role: "user", content: "Second\nline" },
  ] as const;
  expect(getTitle(messages)).toBe("Second");
  expect(getTitle([])).toBe("");
});

test("the start of a text is searched, in lower case and across line breaks", () => {
  expect(getSearchText("Write THE\n  Report")).toBe("write the report");
  expect(getSearchText("x".repeat(10_000))).toHaveLength(500);
  expect(normalizeSearchText("  The\tReport ")).toBe("the report");
});
