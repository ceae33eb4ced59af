/** Questions in Slack: cards and modals within its limits, and clicks that read back what was rendered. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ask } from "../../../../core/channels/outbox/message.ts";
import {
  toActionId,
  toActionValue,
  readAction,
  readWindow,
  SLACK_VERBS,
  findVerb,
} from "../../../../core/channels/slack/actions.ts";
import {
  renderAskCard,
  renderProgressCard,
  renderSettledCard,
  renderWhichCard,
} from "../../../../core/channels/slack/cards.ts";
import {
  createAnswerView,
  formatEditableArguments,
  createEditView,
  createInputProblem,
  readWrittenText,
} from "../../../../core/channels/slack/views.ts";
import { MAX_MESSAGE_CHARACTERS } from "../../../../core/channels/slack/pack.ts";
import { TOO_LONG_TO_SHOW, formatArguments } from "../../../../core/people/format-call.ts";
import { deriveCallId, deriveWaitId, makeId } from "../../../../core/base/ids.ts";

const TASK = makeId("task", Date.UTC(2026, 10, 21), new Uint8Array(10).fill(255));
const QUESTION: Ask = {
  kind: "question",
  id: deriveWaitId("question", deriveCallId(TASK, 100, 49), 99),
  task: TASK,
  person: null,
  choices: null,
  call: null,
  reason: null,
  expiresAt: null,
};
const APPROVAL: Ask = {
  ...QUESTION,
  kind: "approval",
  id: deriveWaitId("approval", deriveCallId(TASK, 100, 49)),
  call: { tool: "send_email", arguments: { to: "ana@example.com", body: "<!channel>" }, argumentsHash: "00" },
  reason: "It reaches outside.",
};

const THROUGH = {
  connection: "con_1",
  app: "mail",
  provider: "oauth",
  owner: { kind: "person", id: "per_ana", name: "<Ana>" },
  label: "ana@acme.example",
} as const;

describe("an approval of a call through an account", () => {
  const textOf = (ask: Ask) => JSON.stringify(renderAskCard({ text: "May I?", ask }).blocks);

  it("names the account", () => {
    expect(textOf({ ...APPROVAL, account: THROUGH })).toContain("Through ana@acme.example (&lt;Ana&gt;)");
    const shared = { ...THROUGH, owner: { kind: "shared" }, label: null } as const;
    expect(textOf({ ...APPROVAL, account: shared })).toContain("Through the account of mail (shared)");
    expect(textOf(APPROVAL)).not.toContain("Through");
  });
});

/** A button, a select, or an option of one. */
interface Element {
  readonly type: string;
  readonly action_id: string;
  readonly text?: { readonly text: string };
  readonly value?: string;
  readonly options?: readonly { readonly text: { readonly text: string }; readonly value: string }[];
}

function elementsOf(blocks: readonly Readonly<Record<string, unknown>>[]): Element[] {
  return blocks.filter(({ type }) => type === "actions").flatMap(({ elements }) => elements as Element[]);
}

function sectionsOf(blocks: readonly Readonly<Record<string, unknown>>[]): string[] {
  return blocks.filter(({ type }) => type === "section").map(({ text }) => (text as { text: string }).text);
}

describe("a question", () => {
  it("has a button for each of few choices, and one to answer in words", () => {
    const elements = elementsOf(
      renderAskCard({ text: "Which?", ask: { ...QUESTION, choices: ["North", "South"] } }).blocks,
    );
    expect(elements.map(({ text }) => text?.text)).toEqual(["North", "South", "Answer…"]);
    expect(elements.map(({ action_id: id, value = "" }) => readAction(id, value))).toEqual([
      { verb: "choose", task: TASK, ask: QUESTION.id, choice: 0 },
      { verb: "choose", task: TASK, ask: QUESTION.id, choice: 1 },
      { verb: "answer", task: TASK, ask: QUESTION.id, choice: null },
    ]);
  });

  it("says how it is answered, where it is; an approval does not", () => {
    const said = (ask: Ask, isDirect: boolean) => JSON.stringify(renderAskCard({ text: "?", ask }, isDirect).blocks);
    expect(said(QUESTION, true)).toContain("write a message here");
    expect(said(QUESTION, false)).toContain("reply in this thread");
    expect(said(APPROVAL, true)).not.toContain("To answer");
  });

  it("among several has a button that answers it with the message, or a window for a long one", () => {
    const open = [
      { kind: "question", id: QUESTION.id, query: "Which <city>?", choices: null, person: null, expires_at: null },
    ] as const;
    const actionOf = (text: string) => {
      const [button] = elementsOf(renderWhichCard(text, open, false).blocks);
      return readAction(button?.action_id ?? "", button?.value ?? "");
    };
    expect(actionOf("Lisbon")).toEqual({ verb: "reply", task: TASK, ask: QUESTION.id, choice: null, text: "Lisbon" });
    expect(actionOf("x".repeat(2_000))).toEqual({ verb: "answer", task: TASK, ask: QUESTION.id, choice: null });
    expect(sectionsOf(renderWhichCard("", open, true).blocks)).toEqual([
      expect.stringContaining("Send its files again"),
      "Which &lt;city&gt;?",
    ]);
    expect(
      renderWhichCard(
        "x",
        Array.from({ length: 50 }, () => open[0]),
        false,
      ).blocks.length,
    ).toBeLessThanOrEqual(50);
  });

  it("has a select for many choices", () => {
    const choices = Array.from({ length: 20 }, (_, index) => `Choice ${index}`);
    const [select, answer] = elementsOf(renderAskCard({ text: "Which?", ask: { ...QUESTION, choices } }).blocks);
    expect([select?.type, answer?.text?.text]).toEqual(["static_select", "Answer…"]);
    const chosen = select?.options?.[19];
    expect(readAction(select?.action_id ?? "", chosen?.value ?? "")).toMatchObject({ verb: "choose", choice: 19 });
  });

  it("lists choices in full that a button would cut", () => {
    const long = `${"word ".repeat(30)}end <!here>`;
    const { blocks } = renderAskCard({ text: "Which?", ask: { ...QUESTION, choices: ["short", long] } });
    expect(sectionsOf(blocks)).toEqual(["Which?", `1. short\n2. ${"word ".repeat(30)}end &lt;!here&gt;`]);
  });

  it("shows the expiry in the reader's time zone", () => {
    const { blocks } = renderAskCard({ text: "Which?", ask: { ...QUESTION, expiresAt: "2026-11-21T12:00:00.000Z" } });
    expect(JSON.stringify(blocks.at(-1))).toContain(
      "<!date^1795262400^{date_short_pretty} {time}|2026-11-21T12:00:00.000Z>",
    );
  });
});

describe("an approval", () => {
  it("shows the tool and its arguments, and can be approved, refused or edited", () => {
    const { blocks } = renderAskCard({ text: "May I call `send_email`?", ask: APPROVAL });
    expect(sectionsOf(blocks)).toEqual([
      "May I call `send_email`?",
      "It reaches outside.",
      '```\n{\n  "to": "ana@example.com",\n  "body": "&lt;!channel&gt;"\n}\n```',
    ]);
    const verbs = elementsOf(blocks).map(({ action_id: id, value = "" }) => readAction(id, value)?.verb);
    expect(verbs).toEqual(["approve", "refuse", "edit"]);
  });

  it("shows long arguments to their end, and offers no edit when the modal is too small", () => {
    const call = { tool: "write_file", arguments: { content: `${"x".repeat(7_900)}end` }, argumentsHash: "00" };
    expect(formatArguments(call.arguments)).not.toBeNull();
    const { blocks } = renderAskCard({ text: "", ask: { ...APPROVAL, call } });
    expect(sectionsOf(blocks).join("").match(/x/g)?.length).toBeGreaterThanOrEqual(7_900);
    expect(sectionsOf(blocks).at(-1)).toContain('end"');
    expect(elementsOf(blocks).map(({ text }) => text?.text)).toEqual(["Approve", "Refuse"]);
    expect(formatEditableArguments(call)).toBeNull();
  });

  it("can only be refused when its arguments are too long to show", () => {
    const call = { tool: "write_file", arguments: null, argumentsHash: "00" };
    const { blocks } = renderAskCard({ text: "", ask: { ...APPROVAL, call } });
    expect(sectionsOf(blocks).at(-1)).toBe(`_${TOO_LONG_TO_SHOW}_`);
    expect(elementsOf(blocks).map(({ text }) => text?.text)).toEqual(["Refuse"]);
  });

  it("fits a message even when every character of its arguments is escaped", () => {
    const given = fc.string({
      maxLength: 9_000,
      size: "max",
      unit: fc.constantFrom("&", "<", ">", "`", "x", "\n", "\u{1f600}"),
    });
    fc.assert(
      fc.property(given, (content) => {
        const formatted = formatArguments({ content });
        fc.pre(formatted !== null);
        const call = { tool: "write_file", arguments: { content }, argumentsHash: "00" };
        const said = sectionsOf(renderAskCard({ text: "", ask: { ...APPROVAL, call } }).blocks);
        expect(said.join("").length).toBeLessThan(MAX_MESSAGE_CHARACTERS);
      }),
      { numRuns: 50 },
    );
  });
});

describe("any question", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.string({ minLength: 9_000, maxLength: 20_000, unit: "binary" }),
  );
  const choices = fc.option(
    fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 20 }),
  );
  const ask = fc.oneof(
    choices.map((list): Ask => ({ ...QUESTION, choices: list })),
    fc.tuple(fc.string({ maxLength: 64 }), fc.jsonValue(), fc.option(text)).map(
      ([tool, given, reason]): Ask => ({
        ...APPROVAL,
        reason,
        call: { tool, arguments: given, argumentsHash: "00" },
      }),
    ),
  );

  it("fits Slack's limits", () => {
    fc.assert(
      fc.property(text, ask, (words, asked) => {
        const { text: fallback, blocks } = renderAskCard({ text: words, ask: asked });
        expect(blocks.length).toBeLessThanOrEqual(50);
        expect(fallback.length).toBeLessThanOrEqual(40_000);
        for (const section of sectionsOf(blocks)) {
          expect(section.length).toBeLessThanOrEqual(3_000);
          expect(section.replace(/<(?:https?:|mailto:|tel:)[^<>]*>/g, "")).not.toContain("<");
        }
        const elements = elementsOf(blocks);
        expect(elements.length).toBeLessThanOrEqual(25);
        expect(new Set(elements.map(({ action_id: id }) => id)).size).toBe(elements.length);
        for (const { text: label, value = "", options = [] } of elements) {
          expect(label?.text.length ?? 1).toBeLessThanOrEqual(75);
          expect(value.length).toBeLessThanOrEqual(2_000);
          for (const option of options) {
            expect([option.text.text.length <= 75, option.text.text !== "", option.value.length <= 150]).not.toContain(
              false,
            );
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("an ended card", () => {
  it("names who decided, without a mention", () => {
    const { text, blocks } = renderSettledCard({ text: "Which?", outcome: { text: "Approved", by: "<@U1> *Ana*" } });
    expect(text).toBe("Which?\n*Approved* — &lt;@U1&gt; *Ana*");
    expect(elementsOf(blocks)).toEqual([]);
  });

  it("has no Stop button", () => {
    expect(elementsOf(renderProgressCard({ text: "Done", isOver: true }, TASK).blocks)).toEqual([]);
    const [stop] = elementsOf(renderProgressCard({ text: "Working", isOver: false }, TASK).blocks);
    expect(readAction(stop?.action_id ?? "", stop?.value ?? "")).toEqual({
      verb: "stop",
      task: TASK,
      ask: null,
      choice: null,
    });
  });
});

describe("a click", () => {
  it("reads back the action that was rendered", () => {
    for (const verb of SLACK_VERBS) {
      const text = verb === "reply" ? { text: "Lisbon" } : {};
      const action = { verb, task: TASK, ask: QUESTION.id, choice: verb === "choose" ? 3 : null, ...text };
      expect(readAction(toActionId(action), toActionValue(action))).toEqual(action);
    }
  });

  it.each([
    ["otto:approve", "{}"],
    ["otto:approve", `{"task":"${TASK}"}`],
    ["otto:choose:1", `{"task":"${TASK}","ask":"qst_1"}`],
    ["otto:delete", `{"task":"${TASK}","ask":"qst_1"}`],
    ["other:approve", `{"task":"${TASK}","ask":"apr_1"}`],
    ["otto:approve", "not JSON"],
    ["otto:choose", `{"task":"${TASK}","ask":"qst_1","choice":-1}`],
  ])("is foreign: %s %s", (id, value) => {
    expect(readAction(id, value)).toBeNull();
  });
});

describe("a modal", () => {
  const from = { task: TASK, ask: QUESTION.id, channel: "C1", ts: "1.000001" };

  it("stores the card that opened it, and returns the written text", () => {
    const view = createAnswerView(from, "Which <first>?");
    expect(readWindow(String(view["private_metadata"]))).toEqual(from);
    expect(findVerb(String(view["callback_id"]))).toBe("answer");
    expect(readWindow("{}")).toBeNull();
    const input = (view["blocks"] as { block_id?: string; element?: { action_id: string } }[]).at(-1);
    const values = { [input?.block_id ?? ""]: { [input?.element?.action_id ?? ""]: { type: "x", value: "North" } } };
    expect(readWrittenText(values)).toBe("North");
    expect([readWrittenText({}), readWrittenText({ otto: { text: { value: "  " } } })]).toEqual([null, null]);
    expect(createInputProblem("That is no JSON.")).toEqual({
      response_action: "errors",
      errors: { otto: "That is no JSON." },
    });
  });

  it("shows the arguments to edit", () => {
    const text = formatEditableArguments({ arguments: { a: 1 } }) ?? "";
    const blocks = createEditView(from, "send_email", text)["blocks"] as { element?: { initial_value?: string } }[];
    expect(blocks.at(-1)?.element?.initial_value).toBe('{\n  "a": 1\n}');
  });
});
