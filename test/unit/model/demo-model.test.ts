/** The demo model on the real tools' schemas: what it does with a request, and that it always comes to an end. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { demoModel } from "../../../adapters/model/demo/demo.ts";
import { toQuestion } from "../../../adapters/model/demo/plan.ts";
import { replyTo } from "../../../adapters/model/demo/reply.ts";
import type { Message } from "../../../core/model/messages.ts";
import { chunksOf, modelRequest } from "../../contracts/model/suite.ts";
import { play, renamed, spec, TOOLS } from "./play-demo-model.ts";

const FIRST_TASK = "Ask me which city I live in, then write a short note about it to notes/city.md and attach it.";

describe("the first task", () => {
  test("asks and looks up the date at once, writes the answer into a file, attaches it and answers", () => {
    const { steps, answer } = play(FIRST_TASK, TOOLS);
    expect(steps.map((calls) => calls.map((call) => call.name).sort())).toEqual([
      ["ask_human", "get_current_datetime"],
      ["write_file"],
      ["attach_file"],
    ]);
    expect(steps[0]!.find((call) => call.name === "ask_human")!.given["query"]).toMatch(/^Which city do you live in\?/);
    const written = steps[1]![0]!.given;
    expect(written["path"]).toBe("notes/city.md");
    expect(written["content"]).toContain("Berlin");
    expect(written["content"]).toContain("2026-11-21");
    expect(steps[2]![0]!.given).toEqual({ path: "notes/city.md" });
    expect(answer).toContain("Berlin");
    expect(answer).toContain("notes/city.md");
  });

  test("works with every tool and argument renamed", () => {
    const tools = [
      renamed(spec("ask_human"), "consult_a_person", {
        query: "question",
        human_name: "person_name",
        wait_for_answer: "wait_for_reply",
      }),
      renamed(spec("write_file"), "put_text", { path: "target_path", content: "text" }),
      renamed(spec("attach_file"), "hand_over", { path: "file" }),
      renamed(spec("get_current_datetime"), "clock", { timezone: "tz" }),
    ];
    const { steps } = play(FIRST_TASK, tools, ({ given }) => ("question" in given ? "Lisbon" : "done"));
    expect(steps.flat().map((call) => call.name)).toEqual(["clock", "consult_a_person", "put_text", "hand_over"]);
    expect(steps[1]![0]!.given).toMatchObject({
      target_path: "notes/city.md",
      text: expect.stringContaining("Lisbon"),
    });
  });

  test("another question in other words works as well", () => {
    const { calls } = play(
      'Please ask Ana "Who signs the contract?" and save the answer as who.txt. Then read who.txt',
      TOOLS,
      ({ given }) => ("query" in given ? "Bo signs" : "ok"),
    );
    expect(calls.map((call) => call.name)).toEqual(["ask_human", "write_file", "read_file"]);
    expect(calls[0]!.given).toMatchObject({
      human_name: "Ana",
      wait_for_answer: true,
      query: expect.stringContaining("Who signs the contract?"),
    });
    expect(calls[1]!.given).toEqual({ path: "who.txt", content: expect.stringContaining("Bo signs") });
  });
});

test.each([
  ["What time is it in Tokyo?", [["get_current_datetime", { timezone: "Asia/Tokyo" }]]],
  ["tell me the date", [["get_current_datetime", {}]]],
  ["Wait for five seconds", [["wait", { seconds: 5 }]]],
  ["sleep 2 minutes", [["wait", { seconds: 120 }]]],
  ["wait 10 hours", [["wait", { seconds: 300 }]]],
  ["List the files in notes", [["list_directory", { path: "notes" }]]],
  ["please list all files", [["list_directory", {}]]],
  ["read notes/plan.md", [["read_file", { path: "notes/plan.md" }]]],
  ["Fetch https://example.com/a?b=1.", [["http_request", { url: "https://example.com/a?b=1" }]]],
  [
    'POST "x=1" to https://example.com/x',
    [["http_request", { url: "https://example.com/x", method: "POST", body: "x=1" }]],
  ],
  ['Write "one, then two. Read it" to a.txt', [["write_file", { path: "a.txt", content: "one, then two. Read it" }]]],
  ["create a file todo.md with the text: buy milk", [["write_file", { path: "todo.md", content: "buy milk" }]]],
  ["attach report.md", [["attach_file", { path: "report.md" }]]],
] as const)("%s", (request, expected) => {
  const { calls } = play(request, TOOLS);
  expect(calls.map((call) => [call.name, call.given])).toEqual(expected);
});

test.each([
  ["which city I live in", "Which city do you live in?"],
  ["where I am", "Where are you?"],
  ["what my name is", "What is your name?"],
  ["for my birthday", "What is your birthday?"],
  ["if I like tea", "Do you like tea?"],
  ["whether I can come", "Can you come?"],
  ["what is your name?", "What is your name?"],
  ["how I spell my name", "How do you spell your name?"],
])("“ask me %s” becomes “%s”", (wanted, question) => {
  expect(toQuestion(wanted)).toBe(question);
});

test("the answer to a question can be a city, whose time it looks up, or a URL to fetch", () => {
  const there = play(
    "Ask me which city I live in and tell me the time there",
    TOOLS,
    () => "I live in New York, mostly.",
  );
  expect(there.calls.at(-1)).toEqual({ name: "get_current_datetime", given: { timezone: "America/New_York" } });
  const page = play("Ask me for the address of a page, then fetch it", TOOLS, () => "https://example.com/page.");
  expect(page.calls.at(-1)).toEqual({ name: "http_request", given: { url: "https://example.com/page" } });
});

test("independent actions are called in one step, and a pause stays in order", () => {
  const { steps } = play(
    "Fetch https://example.com/1 and fetch https://example.com/2, then wait 3 seconds and list the files",
    TOOLS,
  );
  expect(steps.map((calls) => calls.map((call) => call.name))).toEqual([
    ["http_request", "http_request"],
    ["wait"],
    ["list_directory"],
  ]);
});

test("a message that comes in the middle of the work is worked on as well", () => {
  const before = play('Write "one" to a.txt', TOOLS);
  const messages = before.messages.slice(1);
  const { calls } = play([...messages, { role: "user", content: "Also attach it." }], TOOLS);
  expect(calls).toEqual([{ name: "attach_file", given: { path: "a.txt" } }]);
});

test("an answered conversation starts over with the next message", () => {
  const { calls } = play(
    [
      { role: "user", content: "read a.txt" },
      { role: "assistant", content: "It says hello." },
      { role: "user", content: "read b.txt" },
    ],
    TOOLS,
  );
  expect(calls).toEqual([{ name: "read_file", given: { path: "b.txt" } }]);
});

test("a tool that fails stops the work, and the answer says so", () => {
  const { calls, answer } = play(FIRST_TASK, TOOLS, ({ name }) =>
    name === "write_file" ? "Error (sandbox_denied in path): Write access is disabled (allow_write=False)." : "Berlin",
  );
  expect(calls.map((call) => call.name)).not.toContain("attach_file");
  expect(answer).toContain("Write access is disabled");
  expect(answer).toContain("I stopped there.");
});

test("a tool that is not there is named as missing, and the rest is done", () => {
  const { calls, answer } = play("Read a.txt, then fetch https://example.com/", [spec("http_request")]);
  expect(calls.map((call) => call.name)).toEqual(["http_request"]);
  expect(answer).toContain("I cannot read a.txt: I was given no tool for that.");
});

test("without tools it answers with what it has", () => {
  const { messages } = play(FIRST_TASK, TOOLS);
  const cut = messages.slice(0, 5);
  const reply = replyTo([...cut, { role: "user", content: "You have no steps left and no tools. Answer now." }], []);
  expect(reply.calls).toEqual([]);
  expect(reply.text).toContain("Berlin");
  expect(reply.text).toContain("no step left");
});

test("a request that it does not understand gets to know what it can do", () => {
  for (const request of ["Sing a song about spring", "", "???", "what are you"]) {
    const { calls, answer } = play(request, TOOLS);
    expect(calls).toEqual([]);
    expect(answer).toContain("I understand requests such as");
  }
});

test("it says that it is no language model wherever it speaks", () => {
  const { messages, answer, calls } = play(FIRST_TASK, TOOLS);
  expect(answer).toMatch(/^[^.]*not a language model\./);
  for (const message of messages)
    if (message.role === "assistant") expect(message.content).toMatch(/no language model/);
  expect(calls.find((call) => call.name === "ask_human")!.given["query"]).toMatch(/not a language model/);
  expect(calls.find((call) => call.name === "write_file")!.given["content"]).toMatch(/not a language model/);
});

describe("for any input", () => {
  const word = fc.constantFrom(
    "ask",
    "me",
    "write",
    "read",
    "it",
    "to",
    "a.txt",
    "notes/b.md",
    "then",
    "and",
    ",",
    ".",
    "wait",
    "5",
    "seconds",
    "fetch",
    "https://example.com/",
    "the",
    "answer",
    "attach",
    "have",
    "three subagents",
    "for each of",
    "one to",
    "Lisbon",
    ":",
    "\n-",
    "list",
    "files",
    "time",
    "there",
    '"',
    "'",
    "“",
    "”",
    "\n",
    "what",
    "I",
    "?",
  );
  const request = fc.oneof(
    fc.array(word, { maxLength: 60 }).map((words) => words.join(" ")),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
  const result = fc.constantFrom(
    "Berlin",
    "",
    "https://example.com/x",
    "Error (not_found): no",
    '{"ok":false}',
    "null",
  );

  test("it comes to an answer in a bounded number of steps", () => {
    fc.assert(
      fc.property(request, result, fc.subarray([...TOOLS]), (text, content, tools) => {
        const { answer } = play(text, tools, () => content, 30);
        expect(answer).toMatch(/not a language model/);
      }),
      { numRuns: 500 },
    );
  });

  test("it throws at no conversation", async () => {
    const anyCall = fc.record({ id: fc.string(), name: fc.string(), arguments: fc.oneof(fc.string(), fc.json()) });
    const anyMessage: fc.Arbitrary<Message> = fc.oneof(
      fc.record({ role: fc.constant("user" as const), content: request }),
      fc.record({ role: fc.constant("system" as const), content: fc.string() }),
      fc.record({
        role: fc.constant("assistant" as const),
        content: fc.string(),
        calls: fc.array(anyCall, { maxLength: 3 }),
      }),
      fc.record({ role: fc.constant("tool" as const), callId: fc.string(), name: fc.string(), content: fc.string() }),
    );
    const anyTool = fc.record({
      name: fc.string(),
      description: fc.string(),
      parameters: fc.dictionary(fc.constantFrom("properties", "required", "type"), fc.jsonValue()) as fc.Arbitrary<
        Record<string, unknown>
      >,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyMessage, { maxLength: 8 }),
        fc.array(fc.oneof(anyTool, fc.constantFrom(...TOOLS)), { maxLength: 6 }),
        async (messages, tools) => {
          const chunks = await chunksOf(demoModel({ paceMs: 0 }), modelRequest({ messages, tools }));
          expect(chunks.at(-1)!.type).toBe("done");
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a long message takes no long time", () => {
    for (const piece of ["ask me ", "write a ", '"', "'a ", "then ", "a.b.c/", "https://", "and read ", " "]) {
      expect(play(piece.repeat(200_000 / piece.length), TOOLS).answer).toBeTypeOf("string");
    }
  });
});

describe("as a port", () => {
  test("it streams its text word by word and marks its usage as estimated", async () => {
    const chunks = await chunksOf(
      demoModel({ paceMs: 0 }),
      modelRequest({ messages: [{ role: "user", content: "What time is it?" }], tools: TOOLS }),
    );
    const text = chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []));
    expect(text.length).toBeGreaterThan(3);
    expect(chunks.at(-1)).toMatchObject({
      type: "done",
      text: text.join(""),
      calls: [{ name: "get_current_datetime", arguments: "{}" }],
      finish: "calls",
      usage: { estimated: true },
    });
  });

  test("a cancelled call ends with a failure", async () => {
    const controller = new AbortController();
    const stream = demoModel({ paceMs: 50 }).stream(
      modelRequest({ messages: [{ role: "user", content: "hi" }], signal: controller.signal }),
    );
    const chunks: string[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk.type);
      controller.abort();
    }
    expect(chunks).toEqual(["text", "failed"]);
  });
});
