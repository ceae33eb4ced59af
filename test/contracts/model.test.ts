/** The OpenAI adapter, over loopback, and the in-memory fake: one contract. */
import { openAiModel } from "../../adapters/model/openai.ts";
import { type FakeReply, fakeModel } from "../fakes/model.ts";
import { type ScriptedReply, startModelServer } from "../stand-ins/model-server.ts";
import { modelContract, type ModelUnderTest } from "./model-suite.ts";

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

for (const api of ["chat", "responses"] as const) {
  modelContract(`OpenAI adapter, ${api}`, () => overLoopback(api));
}

async function overLoopback(api: "chat" | "responses"): Promise<ModelUnderTest> {
  let reply: ScriptedReply = {};
  const server = await startModelServer({ script: () => reply });
  return {
    model: openAiModel({ baseUrl: server.url, apiKey: "test-key", api }),
    answer: (next) => {
      const { hang, ...said } = next;
      reply = { ...said, ...(hang === true ? { fault: { kind: "hang" } as const } : {}) };
    },
    close: () => server.close(),
  };
}
