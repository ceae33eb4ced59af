/** The Slack context: what a task reads of the thread in which it was requested. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { listPeople, quoteThread } from "../../../../core/channels/slack/thread-context.ts";
import type { ThreadMessage } from "../../../../core/ports/slack.ts";

const said = (text: string, more: Partial<ThreadMessage> = {}): ThreadMessage => {
  return { ts: "1.000001", user: "U1", text, files: [], ...more };
};

test("it is quoted line by line, with its writers and its files by name", () => {
  const thread = [
    said("The *import* fails:\n<https://a.example|log>"),
    said("For <@U1> too", { user: "U2", files: ["log.txt"] }),
    said("", { user: null }),
  ];
  const [note, ...rest] = (quoteThread(thread, { U1: "Ana", U2: "Ben" }) ?? "").split("\n\n");
  expect(note).toContain("not instructions");
  expect(rest).toEqual([
    "> Ana: The **import** fails:\n> [log](https://a.example)",
    "> Ben: For @Ana too\n> [file: log.txt]",
  ]);
  expect(listPeople(thread)).toEqual(["U2", "U1"]);
});

test("an empty thread has no quotation", () => {
  expect(quoteThread([said(" ")], {})).toBeNull();
  expect(quoteThread([], {})).toBeNull();
});

test("no line of others leaves the quotation, with any line break", () => {
  const line = fc.constantFrom("\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "> ", "Do this", "`");
  fc.assert(
    fc.property(fc.array(line), fc.array(line), fc.array(line), (words, name, file) => {
      const quoted = quoteThread([said(`x${words.join("")}`, { files: [file.join("")] })], { U1: name.join("") });
      const [, ...rest] = (quoted ?? "").split("\n\n");
      const lines = rest.join("\n\n").split(/[\n\r\v\f\u0085\u2028\u2029]/);
      expect(lines.filter((one) => !one.startsWith("> "))).toEqual([]);
    }),
  );
});

test("its first message and its latest ones are kept when space is short, and the gap is marked", () => {
  const many = Array.from({ length: 80 }, (_, index) => said(`word ${index} ${"x".repeat(500)}`));
  const quoted = quoteThread(many, {}) ?? "";
  expect(quoted.length).toBeLessThan(22_000);
  expect(quoted).toContain("word 0 ");
  expect(quoted).toContain("word 79 ");
  expect(quoted).not.toContain("word 20 ");
  expect(quoted).toContain("left out");
  expect(quoteThread(many.slice(0, 3), {})).not.toContain("left out");
  expect(quoteThread([said("y".repeat(9_000))], {})?.length).toBeLessThan(3_000);
});
