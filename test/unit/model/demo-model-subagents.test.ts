/** The demo model and subagents: what it hands out, what it does as one, and what it makes of what they found. */
import { describe, expect, test } from "vitest";
import { replyTo } from "../../../adapters/model/demo/reply.ts";
import type { Message } from "../../../core/model/messages.ts";
import { formatRevisionNote } from "../../../core/task/answers.ts";
import { happy, play, renamed, type Result, spec, TOOLS } from "./play-demo-model.ts";

const FAN_OUT =
  "Dispatch three subagents: one to find the time in Lisbon, one to find the time in Tokyo, one to find the time in New York. Then write what they found to notes/times.md and attach it.";

/** What the first step hands out. */
function handedOut(request: string): unknown[] {
  const reply = replyTo([{ role: "user", content: request }], TOOLS);
  return reply.calls
    .filter(({ name }) => name === "dispatch_subagent")
    .map((call) => call.arguments["task_description"]);
}

/** Subagents that are the demo model themselves; a clock that tells its zone. */
const withSubagents: Result = (call) => {
  const { name, given } = call;
  if (name === "get_current_datetime") return `2026-11-21T10:00:00Z (${JSON.stringify(given["timezone"])})`;
  if (name === "dispatch_subagent") return play(String(given["task_description"]), TOOLS, withSubagents).answer;
  return happy(call);
};

describe("a fan-out", () => {
  test("goes out in one step, and what all of them found is written and attached", () => {
    const { steps, answer } = play(FAN_OUT, TOOLS, withSubagents);
    expect(steps.map((calls) => calls.map(({ name }) => name))).toEqual([
      ["dispatch_subagent", "dispatch_subagent", "dispatch_subagent"],
      ["write_file"],
      ["attach_file"],
    ]);
    expect(steps[0]!.map(({ given }) => given)).toEqual([
      { task_description: "Find the time in Lisbon." },
      { task_description: "Find the time in Tokyo." },
      { task_description: "Find the time in New York." },
    ]);
    expect(steps[1]![0]!.given).toEqual({
      path: "notes/times.md",
      content: [
        '- Find the time in Lisbon: The clock says 2026-11-21T10:00:00Z ("Europe/Lisbon").',
        '- Find the time in Tokyo: The clock says 2026-11-21T10:00:00Z ("Asia/Tokyo").',
        '- Find the time in New York: The clock says 2026-11-21T10:00:00Z ("America/New_York").',
        "",
        "By Otto's demo model, which is not a language model.",
        "",
      ].join("\n"),
    });
    expect(answer).toContain("Asia/Tokyo");
    expect(answer).toContain("I wrote notes/times.md. I attached notes/times.md.");
    expect(answer.match(/I am Otto's demo model/g)).toHaveLength(1);
  });

  test.each([
    ["Ask three subagents in parallel to find the time in Lisbon, Tokyo and New York", "Find the time in"],
    ["Have one subagent for each of Lisbon, Tokyo and New York look up the time", "Look up the time in"],
    ["Have a subagent for each of Lisbon, Tokyo, and New York, look up the time there", "Look up the time in"],
    ["Use 3 parallel subagents to tell the time in Lisbon, Tokyo and New York. Thanks.", "Tell the time in"],
    ["In parallel, let three new subagents find the date in Lisbon, Tokyo and New York", "Find the date in"],
    ["Please dispatch subagents to find the time in Lisbon, Tokyo and New York. Report back", "Find the time in"],
    ["With three subagents, find the time in Lisbon, Tokyo and New York", "Find the time in"],
    [
      "Dispatch three subagents:\n- find the date in Lisbon\n- find the date in Tokyo;\n- find the date in New York.\n",
      "Find the date in",
    ],
    [
      "Dispatch 3 sub-agents:\n\n1. Find the time in Lisbon\n2. Find the time in Tokyo\n3. Find the time in New York",
      "Find the time in",
    ],
  ])("“%s” is one subagent a place", (request, task) => {
    expect(handedOut(request).map((text) => String(text).toLowerCase())).toEqual(
      ["Lisbon", "Tokyo", "New York"].map((place) => expect.stringMatching(new RegExp(`^${task} ${place}\\.?$`, "i"))),
    );
  });

  test.each([
    [
      'Dispatch two subagents: "Wait 2 seconds, then read a.txt" and "List the files"',
      ["Wait 2 seconds, then read a.txt", "List the files"],
    ],
    ["Have a subagent read a.txt", ["Read a.txt."]],
    ["Delegate to a subagent: fetch https://example.com/a.", ["Fetch https://example.com/a."]],
    ["Have a subagent for each of a.txt and b.txt read it", ["Read a.txt.", "Read b.txt."]],
    [
      "Send one subagent for each of https://a.example/ and https://b.example/ to fetch it",
      ["Fetch https://a.example/.", "Fetch https://b.example/."],
    ],
    ["Ask two subagents to find the time", ["Find the time.", "Find the time."]],
    [
      "Dispatch two subagents: one to read a.txt and write it to b.txt, and one to ask me which city I live in. Then attach b.txt",
      ["Read a.txt and write it to b.txt.", "Ask me which city I live in."],
    ],
    [
      "Dispatch two subagents:\n- Write “one, two” to a.txt and attach it\n- List the files",
      ["Write “one, two” to a.txt and attach it", "List the files"],
    ],
    [
      "Ask a subagent to dispatch two subagents: one to read a.txt, one to read b.txt",
      ["Dispatch two subagents: one to read a.txt, one to read b.txt."],
    ],
  ])("“%s” hands out each task in words of its own", (request, tasks) => {
    expect(handedOut(request)).toEqual(tasks);
  });

  test.each([
    "Ask me whether the subagents are done",
    "Tell me what the subagents found",
    "Dispatch three subagents",
    "Ask Ana which agent she wants",
    "Write “dispatch two subagents: one to a, one to b” to a.txt",
  ])("“%s” hands out nothing", (request) => {
    expect(handedOut(request)).toEqual([]);
  });

  test("takes more than five at once, and at most twenty", () => {
    expect(handedOut("Ask nine subagents to find the time")).toHaveLength(9);
    const { steps, answer } = play("Ask 99 subagents to find the time", TOOLS, withSubagents);
    expect(steps.map((calls) => calls.length)).toEqual([20]);
    expect(answer.match(/I did not understand/g)).toHaveLength(1);
  });

  test("goes out with a question and a look at the clock, and after what is written for it", () => {
    const together = play("Ask me which city I live in, tell me the date and have a subagent read a.txt", TOOLS);
    expect(together.steps[0]!.map(({ name }) => name)).toEqual([
      "ask_human",
      "get_current_datetime",
      "dispatch_subagent",
    ]);
    const inOrder = play('Write "one" to a.txt and have a subagent read a.txt, then read b.txt', TOOLS);
    expect(inOrder.steps.map((calls) => calls.map(({ name }) => name))).toEqual([
      ["write_file"],
      ["dispatch_subagent"],
      ["read_file"],
    ]);
  });

  test("works with the tool and its argument renamed, and says so without the tool", () => {
    const other = renamed(spec("dispatch_subagent"), "delegate", { task_description: "subtask" });
    const { calls } = play("Have a subagent read a.txt", [other], () => "It says hello.");
    expect(calls).toEqual([{ name: "delegate", given: { subtask: "Read a.txt." } }]);
    const { answer } = play("Have a subagent read a.txt", [spec("read_file")]);
    expect(answer).toContain("I cannot have a subagent do “Read a.txt.”: I was given no tool for that.");
  });
});

describe("what subagents found", () => {
  test.each([
    "write what they found to found.md",
    "write the results to found.md",
    "save all their answers as found.md",
    "write everything to found.md",
    "write a short note about what they found to found.md",
  ])("is what “%s” writes, all of it", (request) => {
    const { calls } = play(
      `Have a subagent for each of a.txt and b.txt read it, then ${request}.`,
      TOOLS,
      ({ given }) =>
        "task_description" in given ? `I read: ${String(given["task_description"])}\nFiles: c.md` : "2026-11-21",
    );
    const content = String(calls.at(-1)!.given["content"]);
    expect(content).toContain("- Read a.txt: I read: Read a.txt.");
    expect(content).toContain("- Read b.txt: I read: Read b.txt.");
  });

  test("is used although one of them failed, and the answer names that one", () => {
    const { calls, answer } = play(FAN_OUT, TOOLS, (call) =>
      String(call.given["task_description"]).includes("Tokyo")
        ? "Error (upstream_failed): The subtask failed: no model answered."
        : withSubagents(call),
    );
    expect(calls.map(({ name }) => name).slice(3)).toEqual(["write_file", "attach_file"]);
    expect(calls[3]!.given["content"]).toContain(
      "- Find the time in Tokyo: Error (upstream_failed): The subtask failed",
    );
    expect(answer).toContain("no model answered");
    expect(answer).not.toContain("I stopped there.");
  });

  test("ends the work when every one of them failed", () => {
    const { calls, answer } = play(
      FAN_OUT,
      TOOLS,
      () => "Error (budget_exceeded): The subtask failed: over its budget.",
    );
    expect(calls).toHaveLength(3);
    expect(answer).toContain("I stopped there.");
  });
});

describe("an approval", () => {
  const request = "Write “draft” to a.md and attach it";
  const answerTo = (said: string) => play(request, TOOLS, ({ name }) => (name === "write_file" ? said : "ok"));

  test("that a person refused ends the work, and the answer says who and why", () => {
    const { calls, answer } = answerTo("Error (permission_denied): A person refused this: Not before Monday.");
    expect(calls.map(({ name }) => name)).toEqual(["write_file"]);
    expect(answer).toContain(
      "I did not call write_file: a person refused it, saying “Not before Monday”. I stopped there.",
    );
    expect(answerTo("Error (permission_denied): A person refused this.").answer).toContain(
      "a person refused it. I stopped",
    );
  });

  test("that was refused to a subagent is reported like its findings", () => {
    const { answer } = play("Have a subagent do the following: write “a” to a.md", TOOLS, withSubagents);
    expect(answer).toContain("I wrote a.md.");
    const refused: Result = (call) =>
      call.name === "write_file" ? "Error (permission_denied): A person refused this: no." : withSubagents(call);
    const child = play("Write “a” to a.md", TOOLS, refused).answer;
    const parent = play("Have a subagent do the following: write “a” to a.md", TOOLS, () => child);
    expect(parent.answer).toContain("a person refused it, saying “no”");
  });

  test("with changed arguments continues, and the answer says what was changed", () => {
    const note = formatRevisionNote({ path: "b.md", content: "draft" });
    const { calls, answer } = answerTo(`${note}\nWrote b.md (5 bytes).`);
    expect(calls.map(({ name }) => name)).toEqual(["write_file", "attach_file"]);
    expect(answer).toContain(`write_file: ${note}. Wrote b.md (5 bytes).`);
    expect(answer).not.toContain("I wrote a.md");
    expect(answerTo(`${note}\nError (sandbox_denied in path): No.`).answer).toContain("I stopped there.");
  });
});

test("as a subagent it does its own task, despite other instructions", () => {
  const messages: Message[] = [
    {
      role: "system",
      content: "You are Otto.\n\nYou are a subagent. Ask nobody to dispatch subagents: one to read a.txt.",
    },
    { role: "user", content: "Find the time in Lisbon." },
  ];
  const reply = replyTo(messages, TOOLS);
  expect(reply.calls).toEqual([{ name: "get_current_datetime", arguments: { timezone: "Europe/Lisbon" } }]);
});

test("a long request for subagents takes no long time", () => {
  for (const piece of [
    "ask three subagents to ",
    "subagents:\n",
    "subagents:\n- ",
    "one to ",
    "Lisbon, ",
    "a.b/c.d, ",
    "have each of each of each of ",
    "ask a subagent to find Lisbon and ",
    "\n",
  ]) {
    for (const start of ["", "Dispatch three subagents: ", "Dispatch three subagents for each of "]) {
      expect(play(`${start}${piece.repeat(4_000 / piece.length)}`, TOOLS, () => "ok").answer).toBeTypeOf("string");
    }
  }
});
