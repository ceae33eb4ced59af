/** Markdown in Slack: what each form becomes, and what no model's text can do. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toInlineAtoms } from "../../../../core/channels/slack/inline.ts";
import {
  toFallback,
  MAX_MESSAGE_CHARACTERS,
  MAX_SECTION_CHARACTERS,
  toMessages,
  toSections,
} from "../../../../core/channels/slack/pack.ts";

describe("the inside of a paragraph", () => {
  it.each([
    ["a **bold** word", "a *bold* word"],
    ["a __bold__ word", "a *bold* word"],
    ["an *emphasized* word", "an _emphasized_ word"],
    ["an _emphasized_ word", "an _emphasized_ word"],
    ["***both***", "*_both_*"],
    ["~~gone~~", "~gone~"],
    ["un**believ**able", "unbelievable"],
    ["snake_case_name", "snake_case_name"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["`code & <more>`", "`code &amp; &lt;more&gt;`"],
    ["``a`b``", "a`b"],
    ["`never closed", "`never closed"],
    ["\\*not emphasized\\*", "*not emphasized*"],
    ["one<br>two", "one\ntwo"],
    ["5 < 6 && 7 > 6", "5 &lt; 6 &amp;&amp; 7 &gt; 6"],
  ])("%s", (given, formatted) => {
    expect(toInlineAtoms(given).join("")).toBe(formatted);
  });

  it.each([
    ["[the docs](https://example.com/a?b=1&c=2)", "<https://example.com/a?b=1&amp;c=2|the docs>"],
    ['[the docs](https://example.com "a title")', "<https://example.com/|the docs>"],
    ["[a **bold** one](https://example.com)", "<https://example.com/|a bold one>"],
    ["![a chart](https://example.com/c.png)", "<https://example.com/c.png|a chart>"],
    ["<https://example.com/x>", "<https://example.com/x>"],
    ["see https://example.com/x.", "see <https://example.com/x>."],
    ["(https://example.com/a_(b))", "(<https://example.com/a_(b)>)"],
    ["[mail](mailto:ana@example.com)", "<mailto:ana@example.com|mail>"],
    ["[pipe | here](https://example.com/a|b)", "<https://example.com/a%7Cb|pipe | here>"],
  ])("links: %s", (given, formatted) => {
    expect(toInlineAtoms(given).join("")).toBe(formatted);
  });

  it.each([
    ["[https://bank.example](https://evil.example/x)", "https://bank.example (<https://evil.example/x>)"],
    ["[bank.example](https://evil.example)", "bank.example (<https://evil.example/>)"],
    ["[b\u200bank.example](https://evil.example)", "b\u200bank.example (<https://evil.example/>)"],
    ["[ana@bank.example](mailto:eve@evil.example)", "ana@bank.example (<mailto:eve@evil.example>)"],
    ["[www.bank.example](https://bank.example/in)", "<https://bank.example/in|www.bank.example>"],
    ["[click](javascript:alert(1))", "click (javascript:alert(1))"],
    ["[click](data:text/html,hi)", "click (data:text/html,hi)"],
    ["[bank](https://bank.example@evil.example/)", "bank (https://bank.example@evil.example/)"],
  ])("shows the target of a link whose text names another: %s", (given, formatted) => {
    expect(toInlineAtoms(given).join("")).toBe(formatted);
  });

  it.each([
    "<!channel>",
    "<!here|here>",
    "<@U012AB3CD>",
    "<#C024BE91L|general>",
    "<!subteam^SAZ94GDB8>",
    "[x](<!channel>)",
  ])("makes no mention of %s", (given) => {
    expect(toInlineAtoms(given).join("")).not.toContain("<");
  });
});

describe("a text", () => {
  it("renders headings, lists, quotes, rules and paragraphs", () => {
    const markdown =
      "# The **plan**\n\nFirst line\nsecond line\n\n- one\n- two\n  - deeper\n1. first\n- [x] done\n- [ ] open\n\n> said\n\n---\nend";
    expect(toSections(markdown)).toEqual([
      "*The plan*\n\nFirst line\nsecond line\n\n• one\n• two\n    ◦ deeper\n1. first\n• ☑ done\n• ☐ open\n\n> said\n\n———\n\nend",
    ]);
  });

  it("keeps code literal, and renders tables as monospaced text", () => {
    const markdown =
      "```ts\nif (a < b && c) {}\n```\n\n| name | **n** |\n| --- | ---: |\n| apples | 12 |\n| figs | 3 |";
    expect(toSections(markdown)).toEqual([
      "```\nif (a &lt; b &amp;&amp; c) {}\n```\n\n```\nname    n\n------  --\napples  12\nfigs    3\n```",
    ]);
  });

  it("does not let code end its own fence", () => {
    const [formatted = ""] = toSections("````\n```\n<!channel>\n````");
    expect(formatted.split("```")).toHaveLength(3);
    expect(formatted).toContain("&lt;!channel&gt;");
  });

  it("closes code at the end of a block and reopens it in the next", () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index} & more`);
    const sections = toSections(`before\n\n\`\`\`\n${lines.join("\n")}\n\`\`\``);
    expect(sections.length).toBeGreaterThan(2);
    const code = sections.slice(1).map((section) => {
      expect(section.split("```")).toHaveLength(3);
      return section.split("```")[1]?.trim();
    });
    expect(code.join("\n")).toBe(lines.map((line) => line.replace("&", "&amp;")).join("\n"));
  });

  it("says that more would follow when a text exceeds its messages", () => {
    const long = Array.from({ length: 900 }, (_, index) => `Paragraph ${index} ${"word ".repeat(20)}`).join("\n\n");
    const { messages, isWhole } = toMessages(long, 3);
    expect([messages.length, isWhole]).toEqual([3, false]);
    expect(toMessages("short", 3)).toMatchObject({ isWhole: true, messages: [{ text: "short" }] });
  });

  it("shows link texts in notifications, without cut markup", () => {
    expect(toFallback("see <https://example.com/|the docs> and <https://example.com/>")).toBe(
      "see the docs and https://example.com/",
    );
    expect(toFallback("&amp;".repeat(2_000))).toMatch(/^(&amp;)+…$/);
  });
});

const MARKS = [
  "*",
  "**",
  "_",
  "__",
  "~~",
  "`",
  "```",
  "\n",
  "\n\n",
  "\n- ",
  "\n# ",
  "\n> ",
  " | ",
  "\n|-|-|\n",
  "[",
  "](",
  ")",
];
const HOSTILE = [
  "<!channel>",
  "<@U1>",
  "&",
  "<",
  ">",
  "https://example.com/",
  "javascript:",
  "\\",
  "&amp;",
  "😀",
  "\u202e",
];
const soup = fc
  .array(fc.oneof(fc.constantFrom(...MARKS, ...HOSTILE), fc.stringMatching(/^[a-z]{1,9} $/), fc.string()), {
    maxLength: 400,
  })
  .map((parts) => parts.join(""));

describe("any model's text", () => {
  it("is escaped: only permitted links become markup", () => {
    fc.assert(
      fc.property(soup, (markdown) => {
        for (const section of toSections(markdown)) {
          const plain = section.replace(/<(?:https?:\/\/|mailto:|tel:)[^<>|\s]*(?:\|[^<>\n]*)?>/g, "");
          expect(plain).not.toContain("<");
          expect(plain.replace(/^>(?: |$)/gm, "")).not.toContain(">");
          expect(section.replace(/&(?:amp|lt|gt);/g, "")).not.toContain("&");
        }
      }),
    );
  });

  it("stays within Slack's limits, with every fence closed", () => {
    const long = fc.array(soup, { maxLength: 12 }).map((parts) => parts.join("x".repeat(900)));
    fc.assert(
      fc.property(long, (markdown) => {
        for (const { text, blocks } of toMessages(markdown, 100).messages) {
          const texts = blocks.map((block) => (block["text"] as { text: string }).text);
          expect(blocks.length).toBeLessThanOrEqual(50);
          expect(text.length).toBeLessThanOrEqual(40_000);
          expect(texts.join("").length).toBeLessThanOrEqual(MAX_MESSAGE_CHARACTERS);
          for (const one of texts) {
            expect(one.length).toBeLessThanOrEqual(MAX_SECTION_CHARACTERS);
            expect(one.trim()).not.toBe("");
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it("keeps every word in order", () => {
    const words = fc.array(
      fc.tuple(
        fc.stringMatching(/^[a-z]{1,12}$/),
        fc.constantFrom(" ", "\n", "\n\n", "\n- ", " **", " _", "\n> ", "\n## ", " & ", " < "),
      ),
      {
        maxLength: 900,
      },
    );
    fc.assert(
      fc.property(words, (given) => {
        const markdown = given.flat().join("");
        const formatted = toSections(markdown)
          .join("\n")
          .replace(/&(?:amp|lt|gt);/g, " ");
        expect(formatted.match(/[a-z]+/g) ?? []).toEqual(given.map(([word]) => word));
      }),
      { numRuns: 50 },
    );
  });

  it("takes linear time, however many marks stay open", () => {
    for (const mark of ["*", "**", "_", "[", "[a](", "`", "<", "![", "|", "&", "https://"]) {
      expect(toSections(`words ${mark.repeat(20_000)}`).join("")).toContain("words");
    }
  });
});
