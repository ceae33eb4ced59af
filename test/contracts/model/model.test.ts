/** Every provider of the registry, over loopback, and the in-memory fake: one contract. */
import { expect, test } from "vitest";
import type { ModelApi } from "../../../adapters/model/provider.ts";
import { MODEL_PROVIDERS, type RegisteredProvider } from "../../../adapters/model/providers.ts";
import { type FakeReply, fakeModel } from "../../fakes/model.ts";
import { type ScriptedReply, startModelServer } from "../../mock-servers/model-server.ts";
import { chunksOf, modelContract, modelRequest, type ModelUnderTest } from "./suite.ts";

modelContract("fake", async () => {
  let reply: FakeReply = {};
  return await Promise.resolve({
    model: fakeModel(() => reply),
    answer: (next: FakeReply) => {
      reply = next;
    },
    close: () => Promise.resolve(),
  });
});

for (const provider of MODEL_PROVIDERS) modelContract(provider.label, () => overLoopback(provider, "chat"));
modelContract("OpenAI, Responses API", () => overLoopback(MODEL_PROVIDERS[0], "responses"));

test.each(["chat", "responses"] as const)("output so far is counted by the encoding of the model, %s", async (api) => {
  const { model, answer, close } = await overLoopback(MODEL_PROVIDERS[0], api);
  try {
    answer({ text: "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι. ".repeat(100) });
    const counts: number[] = [];
    for (const name of ["gpt-5", "gpt-4"]) {
      const chunks = await chunksOf(model, modelRequest({ model: name }));
      counts.push(chunks.flatMap((chunk) => (chunk.type === "progress" ? [chunk.outputTokens] : [])).at(-1) ?? 0);
    }
    expect(counts[1]).toBeGreaterThan(2 * (counts[0] ?? Infinity));
  } finally {
    await close();
  }
});

async function overLoopback(provider: RegisteredProvider | undefined, api: ModelApi): Promise<ModelUnderTest> {
  if (provider === undefined) throw new Error("the registry is empty");
  let reply: ScriptedReply = {};
  const server = await startModelServer({ script: () => reply });
  const open = await provider.load();
  return {
    model: open({ baseUrl: server.url, apiKey: "test-key" }, api),
    answer: (next) => {
      const { hang, ...said } = next;
      reply = { ...said, ...(hang === true ? { fault: { kind: "hang" } as const } : {}) };
    },
    close: () => server.close(),
  };
}
