/** Which of Slack's requests become items, how their text is converted, and what a continuing task reads. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCommandWords } from "../../../../core/channels/slack/command-words.ts";
import { OUTSIDE, PRINCIPAL } from "../../../../core/provenance/label.ts";
import type { LabelledText } from "../../../../core/model/label-parts.ts";
import { appendToThread, continueConversation, toInput } from "../../../../core/channels/slack/exchange.ts";
import { readCommand, readEvent, readInteraction } from "../../../../core/channels/slack/items.ts";
import { findQuotes } from "../../../../core/channels/slack/quotes.ts";
import { findMentions, toMarkdown, stripMention } from "../../../../core/channels/slack/plain-text.ts";

const BOT = "UBOT";
const words = { type: "app_mention", user: "U1", channel: "C1", ts: "1.000001", text: `<@${BOT}> hi` };
const envelope = (event: unknown, more = {}) => ({
  team_id: "T1",
  event_id: "Ev1",
  authorizations: [{ team_id: "T1", user_id: BOT }],
  event,
  ...more,
});

describe("an event", () => {
  test("with a message for Otto is stored by its own id, in the partition of its thread", () => {
    const [first, reply] = [words, { ...words, ts: "2.000001", thread_ts: "1.000001" }].map((event) =>
      readEvent(envelope(event)),
    );
    expect(first).toMatchObject({ value: { team: "T1", item: { id: "Ev1", lane: "C1/1.000001", kind: "spoken" } } });
    expect(reply).toMatchObject({ value: { item: { lane: "C1/1.000001", body: { thread: "1.000001" } } } });
  });

  test("names the workspace of its installation", () => {
    const shared = envelope(words, { team_id: "T9" });
    expect(readEvent(shared)).toMatchObject({ value: { team: "T1" } });
    expect(readEvent({ ...shared, authorizations: undefined })).toMatchObject({ value: { team: "T9" } });
  });

  test.each([
    ["a bot's", { ...words, bot_id: "B1" }],
    ["Otto's own", { ...words, user: BOT }],
    ["an edit", { ...words, type: "message", subtype: "message_changed" }],
    ["a mention as the channel's message", { ...words, type: "message", channel_type: "channel" }],
    ["a mention as a thread's message", { ...words, type: "message", ts: "2.000001", thread_ts: "1.000001" }],
    ["somebody's words to others", { ...words, type: "message", text: "hi", channel_type: "channel" }],
    ["a reaction", { type: "reaction_added", user: "U1", item: {} }],
    ["a user's token that was taken back", { type: "tokens_revoked", tokens: { oauth: ["U1"], bot: [] } }],
  ])("is ignored when it is %s", (_, event) => {
    expect(readEvent(envelope(event))).toEqual({ kind: "ignored" });
  });

  test.each([
    ["no id", envelope(words, { event_id: "" })],
    ["no workspace", envelope(words, { team_id: null, authorizations: [] })],
    ["a workspace's id that could name another inbox", envelope(words, { team_id: "T1/x", authorizations: [] })],
    ["an invalid channel", envelope({ ...words, channel: "C1/../x" })],
    ["an invalid time", envelope({ ...words, ts: "now" })],
  ])("is unreadable with %s", (_, body) => {
    expect(readEvent(body)).toEqual({ kind: "unreadable" });
  });

  test.each([
    [{ user_team: "T2", source_team: "T1", team: "T1" }, "T2"],
    [{ source_team: "T2", team: "T1" }, "T2"],
    [{ team: "T2" }, "T2"],
    [{}, null],
  ])("with %j names the writer's workspace", (more, userTeam) => {
    expect(readEvent(envelope({ ...words, ...more }))).toMatchObject({ value: { item: { body: { userTeam } } } });
  });

  test("keeps a reply that mentions a user whose id begins like Otto's", () => {
    const reply = { ...words, type: "message", text: `<@${BOT}X> look`, ts: "2.000001", thread_ts: "1.000001" };
    expect(readEvent(envelope(reply))).toMatchObject({ kind: "taken" });
  });

  test("keeps the download addresses of its files, and counts the surplus", () => {
    const files = Array.from({ length: 22 }, (_, index) => ({ name: `${index}`, size: 1, url_private: "https://f" }));
    const read = readEvent(envelope({ ...words, files }));
    expect(read).toMatchObject({ value: { item: { body: { moreFiles: 2 } } } });
    expect(read.kind === "taken" && (read.value.item.body as { files: unknown[] }).files).toHaveLength(20);
  });

  test("of any form is read or rejected, and never throws", () => {
    const any = fc.property(fc.jsonValue(), (body) => {
      expect(readEvent(body).kind).not.toBe("taken");
      expect(readInteraction(body, "x").kind).not.toBe("taken");
    });
    fc.assert(any);
  });
});

describe("an interaction", () => {
  const click = {
    type: "block_actions",
    user: { id: "U1", team_id: "T2" },
    team: { id: "T1" },
    trigger_id: "1.1.a",
    container: { message_ts: "1.000001", channel_id: "C1" },
    actions: [{ action_id: "otto:approve", value: `{"task":"task_1","ask":"apr_1"}` }],
  };

  test("is a click with the user's own workspace, or a modal with its text", () => {
    const read = readInteraction(click, "c1");
    expect(read).toMatchObject({ value: { team: "T1", item: { kind: "click", body: { userTeam: "T2" } } } });
    const view = {
      callback_id: "otto:answer",
      private_metadata: "{}",
      state: { values: { otto: { text: { value: "a" } } } },
    };
    const { container: _, actions: __, ...by } = click;
    expect(readInteraction({ ...by, type: "view_submission", view }, "s1")).toMatchObject({
      value: { item: { kind: "submission", body: { text: "a" } } },
    });
  });

  test("of another kind, or inside a modal, is ignored", () => {
    expect(readInteraction({ ...click, type: "view_closed" }, "x")).toEqual({ kind: "ignored" });
    expect(readInteraction({ ...click, container: { type: "view" } }, "x")).toEqual({ kind: "ignored" });
  });
});

test("a command without a workspace is unreadable", () => {
  const fields = { team_id: "T1", channel_id: "C1", user_id: "U1", text: "hi", response_url: "https://r" };
  expect(readCommand(fields, "n")).toMatchObject({ value: { team: "T1", item: { id: "n", kind: "command" } } });
  expect(readCommand({ ...fields, team_id: "" }, "n")).toEqual({ kind: "unreadable" });
});

test.each([
  ["", { kind: "help" }],
  [" Help ", { kind: "help" }],
  ["status", { kind: "status" }],
  ["stop", { kind: "stop", task: null }],
  ["stop task_01M7", { kind: "stop", task: "task_01m7" }],
  ["remind me in 5 minutes to go", { kind: "remind", words: "me in 5 minutes to go" }],
  ["remind", { kind: "remind", words: "" }],
  ["apps", { kind: "apps" }],
  ["Connect", { kind: "apps" }],
  ["connect crm", { kind: "connect", app: "crm" }],
  ["connect crm with the newsletter", { kind: "request", text: "connect crm with the newsletter" }],
  ["reminders?", { kind: "request", text: "reminders?" }],
  ["stop the machine", { kind: "request", text: "stop the machine" }],
  ["what is up?", { kind: "request", text: "what is up?" }],
])("the command %j means %j", (text, meaning) => {
  expect(readCommandWords(text)).toEqual(meaning);
});

describe("Slack's text", () => {
  test.each([
    ["a *bold* and ~gone~ word", "a **bold** and ~~gone~~ word"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    [
      "<https://a.example|here> <https://b.example> <mailto:a@b.example|a@b.example>",
      "[here](https://a.example) https://b.example a@b.example",
    ],
    ["<@U1> in <#C1|general>, <!here> <!subteam^S1|@ops>", "@Ana in #general, @here @ops"],
    ["&lt;b&gt; &amp;amp;", "<b> &amp;"],
    ["```*a* <https://a.example|x>``` *b*", "```*a* https://a.example``` **b**"],
    ["`cat <http://report.md|report.md>`", "`cat report.md`"],
    ["<@U9|ben>", "@ben"],
  ])("%j is %j", (text, markdown) => {
    expect(toMarkdown(text, { U1: "Ana" })).toBe(markdown);
  });

  test("loses a mention of Otto at its start or end, and no other", () => {
    expect(stripMention(`<@${BOT}>: do it`, BOT)).toBe("do it");
    expect(stripMention(`do it <@${BOT}|otto>`, BOT)).toBe("do it");
    expect(stripMention(`ask <@${BOT}> about <@U1>`, BOT)).toBe(`ask <@${BOT}> about <@U1>`);
    expect(stripMention(`<@${BOT}>`, BOT)).toBe("");
    expect(findMentions("<@U1> <@U2|b> <@U1>")).toEqual(["U1", "U2"]);
  });

  test("without markup is unchanged", () => {
    const plain = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", ".", "é", "\u{1f41f}") });
    const any = fc.property(plain, (text) => {
      expect(toMarkdown(text)).toBe(text.trim());
    });
    fc.assert(any);
  });
});

test("a continuing task reads the latest messages and all of the new one", () => {
  const before = { input: "a".repeat(40_000), output: { text: "b".repeat(100), files: [] }, error: null };
  const messages = continueConversation({ ...before, own: null }, "now");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(messages.at(-1)?.content).toBe("now");
  expect(messages[0]?.content).toHaveLength(29_901);
  expect(messages[0]?.content.startsWith("…")).toBe(true);
});

describe("an ended task in the next one's input", () => {
  const output = { text: "b", files: [] };
  const labels = (texts: readonly LabelledText[]) => texts.map(({ content, label }) => [content, label]);

  test("is a principal's when the same person wrote it, otherwise from outside", () => {
    const before = { input: "a", output, error: null };
    const ownWord = [
      ["a", PRINCIPAL],
      ["b", OUTSIDE],
      ["now", PRINCIPAL],
    ];
    expect(labels(continueConversation({ ...before, own: { label: PRINCIPAL } }, "now"))).toEqual(ownWord);
    expect(labels(continueConversation({ ...before, own: null }, "now"))[0]).toEqual(["a", OUTSIDE]);
    expect(labels(continueConversation({ ...before, own: { label: OUTSIDE } }, "now"))[0]).toEqual(["a", OUTSIDE]);
  });

  test("stays from outside over several tasks when it was quoted from a thread", () => {
    const texts = appendToThread("> eve: go", "do it");
    expect(labels(texts)).toEqual([
      ["> eve: go", OUTSIDE],
      ["do it", PRINCIPAL],
    ]);
    const before = { input: texts.map(({ role, content }) => ({ role, content })), output, error: null };
    const next = continueConversation({ ...before, own: { label: OUTSIDE, texts } }, "more");
    expect(next.map(({ label }) => label)).toEqual([OUTSIDE, PRINCIPAL, OUTSIDE, PRINCIPAL]);
    const others = continueConversation({ ...before, own: null }, "more");
    expect(others.map(({ label }) => label)).toEqual([OUTSIDE, OUTSIDE, OUTSIDE, PRINCIPAL]);
  });
});

describe("a message with quoted lines", () => {
  test.each<[string, string, string[]]>([
    ["none", "Is 3 > 2?\nYes.", []],
    ["at its beginning", "> Pay him.\nIs that right?", ["> Pay him.\n"]],
    ["in its midst", "Look:\n> Pay him.\n>now\nIs that right?", ["> Pay him.\n>now\n"]],
    ["twice", "> a\nb\n> c", ["> a\n", "> c"]],
    ["indented, and with a wide sign", "a\n  > b\n＞c\nd", ["  > b\n＞c\n"]],
    ["behind other ends of lines", "a\r\n> b\r> c\u2028> d\u0085e", ["> b\r> c\u2028> d\u0085"]],
    ["to its end", "a\n>>> b\nc\n\nd", [">>> b\nc\n\nd"]],
  ])("has them as texts from outside: %s", (_, text, quotes) => {
    expect(findQuotes(text).map(([from, to]) => text.slice(from, to))).toEqual(quotes);
    const parts = appendToThread(null, text);
    expect(parts.map(({ content }) => content).join("")).toBe(text);
    expect(parts.filter(({ label }) => label === OUTSIDE).map(({ content }) => content)).toEqual(quotes);
    for (const [at, { continues, label }] of parts.entries()) {
      expect(continues).toBe(at === 0 ? undefined : true);
      expect([PRINCIPAL, OUTSIDE]).toContain(label);
    }
  });

  test("is one message of the input, whose own words alone choose skills", () => {
    const text = "/mine Look:\n> /theirs\nWell?";
    expect(toInput(appendToThread(null, text))).toEqual({ input: text, instructions: "/mine Look:\n\nWell?" });
    const { input, instructions } = toInput(appendToThread("/above", text));
    expect(input).toEqual([
      { role: "user", content: "/above" },
      { role: "user", content: text },
    ]);
    expect(instructions).not.toContain("/theirs");
    expect(instructions).not.toContain("/above");
    expect(toInput(appendToThread(null, "> /theirs"))).toEqual({ input: "> /theirs", instructions: "" });
  });

  test("keeps its labels in the next task of the thread", () => {
    const before = { input: "a\n> b", output: null, error: null };
    const own = { label: OUTSIDE, texts: appendToThread(null, "a\n> b") } as const;
    expect(continueConversation({ ...before, own }, "c").map(({ label }) => label)).toEqual([
      PRINCIPAL,
      OUTSIDE,
      PRINCIPAL,
    ]);
    expect(continueConversation({ ...before, own: null }, "c").map(({ label }) => label)).toEqual([OUTSIDE, PRINCIPAL]);
  });
});
