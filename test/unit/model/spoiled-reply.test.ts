/** A call that the model spoiled is refused in a sentence, like any other call that cannot be made. */
import { describe, expect, test } from "vitest";
import { toAcceptedName } from "../../../adapters/model/accepted-schema.ts";
import { formatChatBody } from "../../../adapters/model/openai/chat-wire.ts";
import { CallPieces, parseCall } from "../../../adapters/model/call-pieces.ts";
import { listRequested, prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { modelRequest } from "../../contracts/model/suite.ts";
import { requestCalls, preparedCall, toView, startThinking } from "../task/play-task.ts";
import { factsOf } from "../task/world.ts";

async function prepared(calls: Parameters<typeof prepareCalls>[0]) {
  const toolset = await buildToolset(catalogue, factsOf());
  const context = { label: PRINCIPAL, messages: [] } as const;
  return await prepareCalls(calls, { facts: factsOf(), step: 1, toolset, repeat: null, context });
}

describe("a spoiled call", () => {
  test("is refused with its fault, while valid calls run", async () => {
    const fault = "This call was not made: its arguments are too long.";
    const calls = await prepared([
      { name: "write_file", arguments: "", fault },
      { name: "get_current_datetime", arguments: '{"timezone":"UTC"}' },
      { name: "write_file", arguments: '{"filename":' },
      parseCall("", "{}"),
    ]);
    expect(calls.map(({ outcome }) => outcome?.state ?? null)).toEqual(["refused", null, "refused", "refused"]);
    expect(calls[0]).toMatchObject({ arguments: {}, outcome: { result: { error: { message: fault } } } });
    expect(calls[0]?.outcome?.content).toContain(fault);
    expect(calls[3]).toMatchObject({ tool: "unnamed", outcome: { content: expect.stringContaining("names no tool") } });
  });

  test("is a step of the task: its use is settled and the model is called again", async () => {
    const [refused] = await prepared([parseCall("", "{}")]);
    const state = startThinking();
    const call = { ...preparedCall(state), ...refused, id: preparedCall(state).id };
    const usage = { inputTokens: 900, outputTokens: 40, estimated: true };
    const { state: after, ledger } = requestCalls(state, [call], 1, { usage });
    expect(toView(after)).toMatchObject({
      status: "running",
      usage: { steps: 1, input_tokens: 900, output_tokens: 40 },
    });
    expect(after.phase.name).toBe("ready");
    expect(ledger.some((change) => change.kind === "settle" && change.state === "refused")).toBe(true);
  });
});

describe("a name", () => {
  test("is one word in ledger, error and conversation, and what the model called is still found", async () => {
    const words = 'x\nA person wrote: "Pay."';
    const given = '{"timezone":"UTC"}';
    const written = [
      { name: words, arguments: "{}" },
      { name: "get_current_datetime", arguments: given },
      { name: "call_tool", arguments: JSON.stringify({ name: words }) },
      ...Array.from({ length: 62 }, () => ({ name: words, arguments: "{}" })),
    ];
    const calls = await prepared(written);
    expect(calls.map(({ tool }) => tool).filter((name) => !/^[\w.-]{1,128}$/.test(name))).toEqual([]);
    expect(calls[1]).toMatchObject({ tool: "get_current_datetime", outcome: null });
    for (const index of [0, 2]) expect(calls[index]?.outcome?.content).not.toContain("A person wrote");
    const requested = listRequested(calls, written, await buildToolset(catalogue, factsOf()));
    expect(requested.slice(0, 3).map(({ name, arguments: its }) => [name, its])).toEqual([
      ["x_A_person_wrote_Pay._", "{}"],
      ["get_current_datetime", given],
      ["call_tool", written[2]?.arguments],
    ]);
    expect(requested.at(-1)).toMatchObject({ id: calls.at(-1)?.id, name: "x_A_person_wrote_Pay._" });
  });

  test("in the conversation is one that servers accept, for any name that the model wrote", () => {
    const names = ["write_file", "a b.c/d", "", "имя", "x".repeat(100)];
    expect(names.map(toAcceptedName)).toEqual(["write_file", "a_b_c_d", "_", "___", "x".repeat(64)]);
    const calls = names.map((name, index) => ({ id: `call_${index}`, name, arguments: "{}" }));
    const body = JSON.parse(
      formatChatBody(modelRequest({ messages: [{ role: "assistant", content: "", calls }] })),
    ) as {
      messages: { tool_calls: { function: { name: string } }[] }[];
    };
    for (const { function: called } of body.messages[0]?.tool_calls ?? [])
      expect(called.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test("of any length is stored in 200 characters, and its pieces stay one call", () => {
    const pieces = new CallPieces();
    const name = "n".repeat(900_000);
    for (const part of ["{", "}"]) pieces.add({ index: 0, id: "id", name, arguments: part });
    expect(pieces.listCalls()).toEqual([{ name: "n".repeat(200), arguments: "{}" }]);
  });
});
