import { describe, expect, test } from "vitest";
import { isQuickMarkdown } from "../../../web/src/ui/markdown-cost.ts";

const ROW = "| wool | 12 | [the shop](https://example.com/wool) | `sku_1` |\n";

/** What models write. */
const ORDINARY: Readonly<Record<string, string>> = {
  prose: "Some *prose* with `code`, a_long_name and [links](https://example.com/z).\n\n".repeat(200),
  "a table of eighty rows": `| a | b | c | d |\n|---|---|---|---|\n${ROW.repeat(80)}`,
  "a list in a list in a quotation": `> - one\n>   - two\n>     1. three\n`.repeat(40),
  "a hundred links": "- [a page](https://example.com/page)\n".repeat(100),
  "code without a blank line": `\`\`\`ts\n${"  const [a_b, setA] = useState<string[]>([]); // i * 2\n".repeat(60)}\`\`\`\n`,
  "a code deep in its blocks": `\`\`\`js\n${" ".repeat(60)}a();\n\`\`\``,
  "a rule and a row of dots": `${"-".repeat(200)}\n\nChapter 1 ${".".repeat(120)} 7\n`,
};

const HOSTILE: Readonly<Record<string, (characters: number) => string>> = {
  "quotations in each other": (characters) => ">".repeat(characters),
  "lists in each other on one line": (characters) => "- ".repeat(characters / 2),
  "numbered lists in each other": (characters) => "1. ".repeat(characters / 3),
  "lists in each other, line by line": (characters) =>
    Array.from({ length: Math.sqrt(characters) }, (_, at) => `${"  ".repeat(at)}- a\n`).join(""),
  "lines below deep quotations": (characters) => `${">".repeat(200)}a\n${"a\n".repeat(characters / 2)}`,
  "many short lists": (characters) => "- a\n\n\n".repeat(characters / 6),
  brackets: (characters) => "[".repeat(characters),
  "links in each other": (characters) => `${"[".repeat(characters / 5)}a${"](b)".repeat(characters / 5)}`,
  "emphasis in each other": (characters) => `${"*".repeat(characters / 2)}a${"*".repeat(characters / 2)}`,
  "emphasis of two kinds": (characters) => "*a_ ".repeat(characters / 4),
  "brackets in many lines of a paragraph": (characters) => "*[a\n".repeat(characters / 4),
  "comments that do not end": (characters) => "a <?".repeat(characters / 4),
  "an address and what may end it": (characters) => `http://a.b${"?!".repeat(characters / 2)}a`,
  "a table as wide as long": (characters) =>
    `|${"a|".repeat(characters / 8)}\n|${"-|".repeat(characters / 8)}\n${"b\n".repeat(characters / 8)}`,
  "a long address that is meant a thousand times": (characters) =>
    `[a]: ${"x".repeat(characters / 2)}\n\n${"[a]\n\n".repeat(characters / 10)}`,
};

describe("what may be laid out as Markdown", () => {
  test.each(Object.entries(ORDINARY))("%s is", (_, text) => {
    expect(isQuickMarkdown(text)).toBe(true);
  });

  test.each(Object.entries(HOSTILE))("%s: not", (_, make) => {
    for (const characters of [8_000, 18_000]) expect(isQuickMarkdown(make(characters)), String(characters)).toBe(false);
  });

  test("a little of each is, and any text of more than twenty thousand characters is not", () => {
    for (const [name, make] of Object.entries(HOSTILE))
      expect(isQuickMarkdown(make(20)), name).toBe(!/lines below/.test(name));
    expect(isQuickMarkdown("word ".repeat(4_000))).toBe(true);
    expect(isQuickMarkdown(`${"word ".repeat(4_000)}.`)).toBe(false);
  });
});
