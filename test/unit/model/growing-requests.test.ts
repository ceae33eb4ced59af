/** Requests of a conversation that grows: what is computed once for each message, next to the whole computation. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { toSdkPrompt } from "../../../adapters/model/ai-sdk/prompt.ts";
import * as acceptedSchema from "../../../adapters/model/accepted-schema.ts";
import { formatChatBody } from "../../../adapters/model/openai/chat-wire.ts";
import type { Message } from "../../../core/model/messages.ts";
import type { ModelRequest } from "../../../core/ports/model.ts";
import type { Label } from "../../../core/provenance/label.ts";
import { buildRequest } from "../../../core/steps/context.ts";
import { estimateRequest } from "../../../core/steps/request-size.ts";
import type { ThinkJob } from "../../../core/steps/rpc.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { factsOf } from "../task/world.ts";

const MODELS = ["gpt-4o", "gpt-5-mini", "gpt-3.5-turbo", "other"] as const;

/** Everything that a request depends on. */
interface Conversation {
  readonly messages: readonly Message[];
  readonly facts: TaskFacts;
  readonly model: string;
  readonly final: boolean;
}

function requestOf({ messages, facts, model, final }: Conversation): ModelRequest {
  const call = { model, final, maxOutputTokens: 100, timeoutMs: 1000, step: 1, attempt: 1, repeat: null };
  const job: ThinkJob = { facts, messages, ...call };
  return buildRequest(job, { specs: [], skillTexts: ["A skill."] }, new AbortController().signal);
}

/** What leaves for a provider, and what is computed from it. */
function bytesOf(conversation: Conversation): string[] {
  const request = requestOf(conversation);
  const prompts = [false, true].map((refusesBlankText) => toSdkPrompt(request.messages, refusesBlankText));
  return [formatChatBody(request), String(estimateRequest(request)), ...prompts.map((one) => JSON.stringify(one))];
}

/** No message of a copy was seen before, so nothing computed for one is found. */
const copyOf = (conversation: Conversation): Conversation => ({
  ...conversation,
  messages: structuredClone(conversation.messages),
});

const text = fc.string({
  unit: fc.constantFrom("a", "é", "\ud800", "😀", '"', "\n", " ", "data-", "123456", "</data-"),
});
const label = fc.constantFrom<Label | undefined>(undefined, 0, 1, 2, 3, 4);
const labelled = (message: Message, given: Label | undefined): Message =>
  given === undefined ? message : { ...message, label: given };
const given = fc.oneof(fc.json({ maxDepth: 2 }), text);

/** A change of a conversation between two steps. */
type Change = (conversation: Conversation) => Conversation;
const add = (conversation: Conversation, messages: readonly Message[]): Conversation => ({
  ...conversation,
  messages: [...conversation.messages, ...messages],
});

const step = fc.record({ said: text, calls: fc.array(fc.tuple(given, text, label), { maxLength: 3 }) }).map(
  ({ said, calls }): Change =>
    (before) => {
      const at = before.messages.length;
      const requested = calls.map(([args], index) => ({ id: `call_${at}_${index}`, name: "a.b", arguments: args }));
      const results = calls.map(([, content, from], index) =>
        labelled({ role: "tool", callId: `call_${at}_${index}`, name: "a.b", content }, from),
      );
      return add(before, [{ role: "assistant", content: said, calls: requested }, ...results]);
    },
);
const steering = fc.array(fc.tuple(text, label), { minLength: 1, maxLength: 3 }).map(
  (parts): Change =>
    (before) =>
      add(
        before,
        parts.map(([content, from], index) => ({
          ...labelled({ role: "user", content }, from),
          ...(index === 0 ? {} : { continues: true as const }),
        })),
      ),
);
const compaction = fc.tuple(text, label, fc.nat({ max: 4 })).map(
  ([content, from, left]): Change =>
    (before) => {
      const summary = { ...labelled({ role: "user", content }, from), isSummary: true as const };
      const last = left === 0 ? [] : before.messages.slice(1).slice(-left);
      return { ...before, messages: [...before.messages.slice(0, 1), summary, ...last] };
    },
);
const source = label.map(
  (from): Change =>
    (before) => ({ ...before, facts: { ...before.facts, label: from ?? 1 } }),
);
const model = fc.constantFrom(...MODELS).map(
  (name): Change =>
    (before) => ({ ...before, model: name }),
);
const otherTask = fc.constantFrom("task_00000000000000000000000001", "task_00000000000000000000000002").map(
  (id): Change =>
    (before) => ({ ...before, facts: { ...before.facts, id } }),
);

test("is byte for byte the whole computation, after steps, messages, compactions, and other labels and models", () => {
  const change = fc.oneof({ weight: 4, arbitrary: step }, steering, compaction, source, model, otherTask);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), text, (changes, input) => {
      let conversation: Conversation = {
        messages: [{ role: "user", content: input, label: 1 }],
        facts: factsOf(),
        model: "other",
        final: false,
      };
      for (const apply of changes) {
        conversation = apply(conversation);
        for (const final of [false, true]) {
          const now = { ...conversation, final };
          const bytes = bytesOf(now);
          expect(bytes).toEqual(bytesOf(copyOf(now)));
          const [body = ""] = bytes;
          expect(body).toBe(JSON.stringify(JSON.parse(body)));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("a step converts its own messages only, also marked ones", () => {
  const toAcceptedName = vi.spyOn(acceptedSchema, "toAcceptedName");
  let conversation: Conversation = {
    messages: [{ role: "user", content: "do it", label: 1 }],
    facts: factsOf(),
    model: "other",
    final: false,
  };
  for (let at = 1; at <= 50; at += 1) {
    const call = { id: `call_${at}`, name: "t", arguments: "{}" };
    conversation = add(conversation, [
      { role: "assistant", content: "", calls: [call], label: 4 },
      { role: "tool", callId: call.id, name: "t", content: "x", label: 4 },
    ]);
    const { messages } = requestOf(conversation);
    const again = requestOf(conversation).messages;
    expect(again.filter((message, index) => index > 1 && message !== messages[index])).toEqual([]);
    formatChatBody(requestOf(conversation));
  }
  expect(toAcceptedName).toHaveBeenCalledTimes(50);
});
