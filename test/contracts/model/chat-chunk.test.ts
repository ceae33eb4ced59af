/** Which events of a chat-completions stream are taken, and as what: a schema of them says the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { type ChatChoice, type ChatChunk, parseChatChunk } from "../../../adapters/model/openai/chat-chunk.ts";
import { chatEvents, errorEvent } from "../../mock-servers/model-wire.ts";

const text = z.string().nullish();
const number = z.number().nullish();
const callPiece = z.object({ index: z.number(), id: text, function: z.object({ name: text, arguments: text }) });
const delta = z.object({ content: text, refusal: text, tool_calls: z.array(callPiece).nullish() });
const choice = z.object({ delta: delta.nullish(), finish_reason: text });
const chunk = z
  .object({
    error: z.unknown().optional(),
    choices: z.array(choice).nullish(),
    usage: z.object({ prompt_tokens: number, completion_tokens: number }).nullish(),
  })
  .refine(({ error, choices }) => (error ?? null) !== null || Array.isArray(choices));

/** What the schema takes the data as; null when it refuses it. */
function bySchema(data: string): ChatChunk | null {
  const { data: taken } = chunk.safeParse(JSON.parse(data));
  if (taken === undefined) return null;
  const { error = null, choices, usage } = taken;
  return {
    error,
    choices: choices?.map(choiceOf) ?? null,
    usage: usage ? { input: usage.prompt_tokens ?? null, output: usage.completion_tokens ?? null } : null,
  };
}

function choiceOf({ delta: added, finish_reason }: z.output<typeof choice>): ChatChoice {
  const pieces = added?.tool_calls ?? [];
  return {
    content: added?.content ?? null,
    refusal: added?.refusal ?? null,
    reasoning: null,
    calls: pieces.map(({ index, id, function: called }) => ({
      index,
      id: id?.trim() ? id : null,
      name: called.name?.trim() ? called.name : null,
      arguments: called.arguments ?? "",
    })),
    finishReason: finish_reason ?? null,
  };
}

function byHand(data: string): ChatChunk | null {
  try {
    return parseChatChunk(data);
  } catch (thrown) {
    expect(thrown).toMatchObject({ failure: { kind: "cut_off", retryable: true } });
    return null;
  }
}

/** The value, or now and then one of a form that is not meant. */
function orOther<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<unknown> {
  const other = fc.oneof(
    fc.constantFrom<unknown>(null, 0, "", "7", true, [], {}, [null], { index: 0 }, { 0: "a" }),
    fc.jsonValue({ maxDepth: 1 }),
  );
  return fc.oneof({ weight: 40, arbitrary: value }, { weight: 1, arbitrary: other });
}

/** An object with these fields, each of which may be absent, null, or of another form; and one that nobody reads. */
function fields(model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const forms = Object.entries(model).map(([key, value]) => [
    key,
    fc.oneof({ weight: 12, arbitrary: orOther(value) }, { weight: 1, arbitrary: fc.constant(null) }),
  ]);
  return orOther(
    fc.record({ ...Object.fromEntries(forms), role: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: [] }),
  );
}

const anyText = fc.oneof(fc.constantFrom("", " ", "\n", "wait"), fc.string({ unit: "binary", maxLength: 6 }));
const anyNumber = fc.oneof(fc.nat({ max: 3 }), fc.double({ noNaN: true }));
const anyCalled = fields({ name: anyText, arguments: anyText });
/** With the fields that it must have, more often than not. */
const anyPiece = fc.oneof(
  fields({ index: anyNumber, id: anyText, function: anyCalled }),
  fc.record({ index: anyNumber, id: anyText, function: anyCalled }, { requiredKeys: ["index", "function"] }),
);
const anyEvent = fields({
  error: fc.jsonValue({ maxDepth: 1 }),
  choices: fc.array(
    fields({
      delta: fields({ content: anyText, refusal: anyText, tool_calls: fc.array(anyPiece, { maxLength: 2 }) }),
      finish_reason: anyText,
    }),
    { maxLength: 2 },
  ),
  usage: fields({ prompt_tokens: anyNumber, completion_tokens: anyNumber }),
});

/** JSON writes what is infinite as null, and reads `1e999` as infinite. */
function infiniteAsText(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? "1e999" : value;
}

test("any event is taken as the schema takes it, or refused as it refuses it", () => {
  let taken = 0;
  let refused = 0;
  let pieces = 0;
  const runs = 4000;
  fc.assert(
    fc.property(anyEvent, (event) => {
      const data = JSON.stringify(event, infiniteAsText).replaceAll('"1e999"', "1e999");
      const expected = bySchema(data);
      expect(byHand(data)).toEqual(expected);
      if (expected === null) refused += 1;
      else taken += 1;
      pieces += expected?.choices?.flatMap(({ calls }) => calls).length ?? 0;
    }),
    { numRuns: runs },
  );
  expect(Math.min(taken, refused, pieces)).toBeGreaterThan(runs / 20);
});

test("any JSON is judged as the schema judges it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), (data) => {
      expect(byHand(data)).toEqual(bySchema(data));
    }),
    { numRuns: 1000 },
  );
});

const piece = (fieldsOfPiece: string): string => `{"choices":[{"delta":{"tool_calls":[${fieldsOfPiece}]}}]}`;

test.each([
  '{"choices":[]}',
  '{"choices":null}',
  '{"choices":null,"error":0}',
  '{"error":null}',
  '{"error":false}',
  '{"choices":{}}',
  '{"choices":[null]}',
  '{"choices":[[]]}',
  '{"choices":[{}]}',
  '{"choices":[{"delta":[]}]}',
  '{"choices":[{"delta":{}},{"delta":7}]}',
  '{"choices":[{"finish_reason":7}]}',
  '{"choices":[],"usage":[]}',
  '{"choices":[],"usage":{"prompt_tokens":"7"}}',
  '{"choices":[],"usage":{"prompt_tokens":1e999}}',
  '{"choices":[],"usage":{"prompt_tokens":-0.5,"completion_tokens":null}}',
  '{"__proto__":{"choices":[]}}',
  '{"constructor":{},"choices":[]}',
  piece('{"index":0,"function":{}}'),
  piece('{"index":0,"function":null}'),
  piece('{"index":0}'),
  piece('{"index":null,"function":{"name":"wait"}}'),
  piece('{"index":"0","function":{"name":"wait"}}'),
  piece('{"index":1e999,"function":{"name":"wait"}}'),
  piece('{"index":0.5,"id":" ","function":{"name":"\\t","arguments":" "}}'),
  piece('{"index":0,"function":{"name":"wait","arguments":{}}}'),
])("%s is judged as the schema judges it", (data) => {
  expect(byHand(data)).toEqual(bySchema(data));
});

test("the events of a server are all taken", () => {
  const reply = {
    text: "Grüße",
    pieceCharacters: 2,
    calls: [{ name: "wait", arguments: { seconds: 1 } }],
    usage: { input: 7, output: 3 },
  };
  const events = chatEvents(reply, "scripted").map((event) => event.slice("data: ".length));
  for (const data of [...events, JSON.stringify(errorEvent({ code: "server_error" }, "chat"))]) {
    const taken = byHand(data);
    expect(taken).not.toBeNull();
    expect(taken).toEqual(bySchema(data));
  }
});

test("what is no JSON is refused", () => {
  for (const data of ["", "{", "[DONE", '{"choices":[]} x']) expect(byHand(data)).toBeNull();
});
