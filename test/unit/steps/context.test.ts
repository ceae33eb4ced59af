import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildRequest, estimateConversation } from "../../../core/steps/context.ts";
import { DATA_NOTE } from "../../../core/prompt/mark-data.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { Message } from "../../../core/model/messages.ts";
import type { ThinkJob } from "../../../core/steps/rpc.ts";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { factsOf } from "../task/world.ts";

const CHILD = "task_00000000000000000000000002";

async function requestOf(messages: readonly Message[], change: Partial<ThinkJob> = {}): Promise<ModelRequest> {
  const facts = change.facts ?? factsOf();
  const job: ThinkJob = {
    facts,
    model: "scripted",
    step: 1,
    attempt: 1,
    final: false,
    messages,
    maxOutputTokens: 100,
    timeoutMs: 1000,
    repeat: null,
    ...change,
  };
  return buildRequest(job, await buildToolset(catalogue, facts), new AbortController().signal);
}

/** What a provider's prompt cache compares. */
const bytesOf = ({ tools, messages }: ModelRequest) => JSON.stringify([tools, messages]).slice(0, -2);

const said = fc.record({ text: fc.string(), calls: fc.integer({ min: 0, max: 3 }), results: fc.string() });

/** The messages of one step of a conversation. */
function stepOf(step: number, { text, calls, results }: { text: string; calls: number; results: string }): Message[] {
  const ids = Array.from({ length: calls }, (_, i) => `call_00000000000000000000000001_${step}_${i}`);
  return [
    { role: "assistant", content: text, calls: ids.map((id) => ({ id, name: "wait", arguments: "{}" })) },
    ...ids.map((callId): Message => ({ role: "tool", callId, name: "wait", content: results })),
  ];
}

describe("the request of a step", () => {
  test("begins, byte for byte, with the request of the step before, as the conversation grows", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), fc.boolean(), async (steps, isSubtask) => {
        const facts = isSubtask ? factsOf({ id: CHILD, parentId: factsOf().id, depth: 1 }) : factsOf();
        const messages: Message[] = [{ role: "user", content: "do it" }];
        let before = await requestOf(messages, { facts });
        for (const [index, step] of steps.entries()) {
          messages.push(...stepOf(index + 1, step));
          const next = await requestOf([...messages], { facts, step: index + 2, attempt: index });
          expect(next.messages.slice(0, before.messages.length)).toEqual(before.messages);
          expect(bytesOf(next).startsWith(bytesOf(before))).toBe(true);
          before = next;
        }
        const last = await requestOf(messages, { facts, final: true });
        expect(last.messages.slice(0, -1)).toEqual(before.messages);
        expect(last.tools).toEqual([]);
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  test("asks the model that the task is at, which may be a fallback", async () => {
    expect((await requestOf([], { model: "the-second" })).model).toBe("the-second");
  });

  test("gives a subtask's agent the reader of its answer, after its own instructions", async () => {
    const own = await requestOf([]);
    const child = await requestOf([], { facts: factsOf({ id: CHILD, parentId: factsOf().id, depth: 1 }) });
    const [plain, withParent] = [own, child].map(({ messages }) => messages[0]?.content ?? "");
    const instructions = factsOf().agent.config.instructions;
    expect(plain).toBe(`${instructions}\n\n${DATA_NOTE}`);
    expect(withParent?.startsWith(`${instructions}\n\nYou work on a part of a larger task`)).toBe(true);
    expect(withParent?.endsWith(`\n\n${DATA_NOTE}`)).toBe(true);
  });

  test("gives the agent of a call from the API no such note", async () => {
    const own = await requestOf([]);
    const call = await requestOf([], { facts: factsOf({ id: CHILD, parentId: factsOf().id, kind: "call" }) });
    expect(call.messages).toEqual(own.messages);
  });

  test("is estimated with its tools and instructions", async () => {
    const toolset = await buildToolset(catalogue, factsOf());
    const estimate = (messages: Message[]) => estimateConversation(factsOf(), "gpt-5", messages, toolset);
    const empty = estimate([]);
    expect(empty).toBeGreaterThan(JSON.stringify(toolset.specs).length / 5);
    const more = estimate([{ role: "user", content: "two words ".repeat(1000) }]);
    expect(more - empty).toBeGreaterThan(1000);
  });
});
