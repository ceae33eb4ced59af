/** Calls of a server's tool, on a port in memory: results, questions on the way, and servers that do not come to an end. */
import { describe, expect, it } from "vitest";
import { createMcpCaller } from "../../../core/mcp/call.ts";
import type { McpCall, McpReply, McpQuestion } from "../../../core/ports/mcp.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import { MAX_STATE_CHARACTERS, type Resumed, type ToolOutcome } from "../../../core/tool/tool.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeMcp } from "../../fakes/mcp.ts";
import { fakeTimer } from "../../fakes/timer.ts";
import { contextFacts, OPEN_RULES } from "../run-tool.ts";

const target = {
  name: "notes_order",
  summary: "Orders.",
  toolbox: "mcp:notes",
  category: "api",
  permissions: ["network"],
  security: "dangerous",
  effect: "once",
  timeoutMs: 1_000,
  input: { type: "object" },
  output: null,
  origin: { kind: "mcp", server: "notes", tool: "order" },
} as const satisfies OutsideTool;

const done = (change: Partial<Extract<McpReply, { kind: "result" }>> = {}): McpReply => ({
  kind: "result",
  content: [],
  structured: undefined,
  isError: false,
  listChanged: false,
  ...change,
});

const question: McpQuestion = {
  mode: "form",
  message: "How many?",
  schema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  url: null,
};

interface Made {
  readonly outcome: ToolOutcome<unknown>;
  readonly calls: readonly McpCall[];
  readonly pauses: readonly number[];
}

async function call(
  answer: (call: McpCall, before: number) => McpReply,
  more: {
    resumed?: Resumed | null;
    output?: OutsideTool["output"];
    facts?: object;
    pauses?: ReturnType<typeof fakeTimer>;
  } = {},
): Promise<Made> {
  const calls: McpCall[] = [];
  const { pauses = fakeTimer() } = more;
  const tools = [{ name: "order", inputSchema: { type: "object" } }];
  const mcp = fakeMcp({ notes: { tools, answer: (made) => answer(made, calls.push(made) - 1) } });
  const context = {
    ...contextFacts(),
    ...more.facts,
    sandbox: OPEN_RULES,
    resumed: more.resumed ?? null,
    mcp,
    files: fakeFiles(() => 0),
  };
  const outcome = await createMcpCaller(pauses.timer).call(
    { ...target, output: more.output ?? null },
    { text: "fish" },
    context,
  );
  return { outcome, calls, pauses: pauses.set };
}

function readQuestion({ outcome }: Made): { query: string; resumed: (answer: string | null) => Resumed } {
  if (outcome.kind !== "control" || outcome.control.kind !== "ask") throw new Error(JSON.stringify(outcome));
  const { query, state = {} } = outcome.control;
  return { query, resumed: (answer) => ({ state: JSON.parse(JSON.stringify(state)), answer, questions: 1 }) };
}

describe("a result", () => {
  it("of text alone is that text", async () => {
    const { outcome } = await call(() =>
      done({
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      }),
    );
    expect(outcome).toEqual({ kind: "result", result: "a\nb" });
  });

  it("of a promised form is the structured part, and empty without one", async () => {
    const output = { type: "object" };
    expect((await call(() => done({ structured: { a: 1 } }), { output })).outcome).toEqual({
      kind: "result",
      result: { a: 1 },
    });
    expect((await call(() => done(), { output })).outcome).toEqual({ kind: "result", result: null });
  });

  it("that says of itself that it is an error is a failure that was answered", async () => {
    const { outcome } = await call(() => done({ isError: true, content: [{ type: "text", text: "no fish\u202e" }] }));
    expect(outcome).toMatchObject({
      kind: "failure",
      failure: {
        code: "upstream_failed",
        message: expect.stringMatching(/order failed: no fish$/),
        cause: { kind: "answered" },
        retry: "never",
        details: { service: "notes" },
      },
    });
  });

  it.each([
    ["access denied", "never"],
    ["Unknown column 'x'", "never"],
    ["Rate limit exceeded", "later"],
    ["503 Service Unavailable", "later"],
    ["The database timed out, try again", "later"],
  ])("whose error is %j can be repeated: %s", async (text, retry) => {
    const { outcome } = await call(() => done({ isError: true, content: [{ type: "text", text }] }));
    expect(outcome).toMatchObject({ kind: "failure", failure: { retry } });
  });

  it("with files stores them if the agent may write, and says why it does not otherwise", async () => {
    const content = [
      { type: "media", mimeType: "image/png", data: btoa("pixels"), uri: null },
      { type: "media", mimeType: "image/png", data: "%%%", uri: null },
      { type: "media", mimeType: "../../etc", data: btoa("x"), uri: null },
    ] as const;
    const { outcome } = await call(() => done({ content }));
    expect(outcome).toMatchObject({
      kind: "result",
      result: {
        files: [
          { path: expect.stringMatching(/^mcp\/notes\/call_1_1_\d+-1\.png$/), content_type: "image/png", size: 6 },
          {
            path: expect.stringMatching(/^mcp\/notes\/call_1_1_\d+-2\.bin$/),
            content_type: "application/octet-stream",
          },
        ],
        content: expect.stringMatching(/saved as mcp\/notes[^]*no base64/),
      },
    });
    const reading = await call(() => done({ content: [content[0]] }), { facts: { permissions: ["read", "network"] } });
    expect(reading.outcome).toEqual({ kind: "result", result: expect.stringMatching(/writes no files/) });
  });
});

describe("a question", () => {
  const asks: McpReply = { kind: "input_required", questions: { n: question }, state: "the state" };

  it("is put to a person, and the call is made again with the answer and the state", async () => {
    const first = readQuestion(await call(() => asks));
    expect(first.query).toMatch(/How many\?/);
    const { outcome, calls } = await call(() => done({ content: [{ type: "text", text: "ok" }] }), {
      resumed: first.resumed("3"),
    });
    expect(outcome).toEqual({ kind: "result", result: "ok" });
    expect(calls).toMatchObject([
      { answers: { n: { action: "accept", content: { count: 3 } } }, state: "the state", arguments: { text: "fish" } },
    ]);
  });

  it("with an invalid answer is put again, and the server does not get the answer", async () => {
    const first = readQuestion(await call(() => asks));
    const again = await call(() => done(), { resumed: first.resumed("many") });
    expect(again.calls).toEqual([]);
    expect(readQuestion(again).query).toMatch(/answer is not valid: “count” has to be a number/);
    const { calls } = await call(() => done(), { resumed: readQuestion(again).resumed("Decline") });
    expect(calls).toMatchObject([{ answers: { n: { action: "decline" } } }]);
  });

  it("together with others is put after them, and all are answered together", async () => {
    const two: McpReply = { kind: "input_required", questions: { a: question, b: question }, state: null };
    const second = await call(() => done(), { resumed: readQuestion(await call(() => two)).resumed("1") });
    expect(second.calls).toEqual([]);
    const { calls } = await call(() => done(), { resumed: readQuestion(second).resumed("2") });
    expect(calls).toMatchObject([
      { answers: { a: { content: { count: 1 } }, b: { content: { count: 2 } } }, state: null },
    ]);
  });

  it("cannot be passed on when it is no simple form, when it wants too much back, and when there are too many", async () => {
    const strange: McpReply = {
      ...asks,
      questions: { n: { ...question, schema: { properties: { a: { type: "object" } } } } },
    };
    const heavy: McpReply = { ...asks, state: "x".repeat(MAX_STATE_CHARACTERS) };
    const many = { resumed: { ...readQuestion(await call(() => asks)).resumed("3"), questions: 20 } };
    for (const { outcome } of [await call(() => strange), await call(() => heavy), await call(() => asks, many)]) {
      expect(outcome).toMatchObject({
        kind: "failure",
        failure: { code: "upstream_failed", cause: { kind: "answered" } },
      });
    }
  });
});

describe("a server that wants only its state back", () => {
  const states = (most: number) => (_call: McpCall, before: number) =>
    before < most ? ({ kind: "input_required", questions: {}, state: `state ${before}` } as const) : done();

  it("gets it, after a while, until it gives up", async () => {
    const made = await call(states(3));
    expect(made.outcome.kind).toBe("result");
    expect(made.calls.map(({ state }) => state)).toEqual([null, "state 0", "state 1", "state 2"]);
    expect(made.pauses).toEqual([1_000, 1_000, 1_000]);
    const endless = await call(states(100));
    expect(endless.outcome).toMatchObject({ kind: "failure", failure: { code: "upstream_failed" } });
    expect(endless.calls).toHaveLength(6);
  });

  it("is not waited for once the call is cut off", async () => {
    const cut = new AbortController();
    const ended = call(states(100), { facts: { signal: cut.signal }, pauses: fakeTimer(true) });
    cut.abort();
    expect(await ended).toMatchObject({ outcome: { kind: "failure" }, pauses: [1_000] });
  });
});
