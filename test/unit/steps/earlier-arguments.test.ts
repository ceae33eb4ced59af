/** Calls that a release recorded when file tools named their argument `filename`. */
import { expect, test } from "vitest";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { EffectClass } from "../../../core/tool/tool.ts";
import attachFile from "../../../tools/files/attach-file.ts";
import readFile from "../../../tools/files/read-file.ts";
import writeFile from "../../../tools/files/write-file.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { factsOf } from "../task/world.ts";
import { boundIn, depsFor, performLast } from "./play-gateway.ts";

const files = fakeFiles();
const deps = { ...depsFor([attachFile, readFile, writeFile]), ports: { files } as unknown as ToolPorts };

async function stored(tool: string, given: object, effect: EffectClass, more: Partial<RunnableCall> = {}) {
  const argumentsHash = await hashArguments(tool, given);
  const row = { tool, arguments: given, argumentsHash, effect, key: `key ${tool}` } as const;
  return { callId: "call_x_1_0", mode: "run", attempt: 1, ...row, ...more } satisfies RunnableCall;
}

test("runs with the arguments of then, under the hash that was recorded", async () => {
  const write = await stored("write_file", { filename: "a.md", content: "text" }, "keyed");
  const written = await performLast(write, factsOf({ tools: [] }), deps);
  expect(written).toMatchObject({
    type: "settled",
    outcome: { state: "confirmed", result: { result: { path: "a.md" } } },
  });
  const read = await performLast(await stored("read_file", { filename: "a.md" }, "none"), factsOf({ tools: [] }), deps);
  expect(read).toMatchObject({ type: "settled", outcome: { state: "confirmed", content: "text" } });
});

test("binds the file that an approval of then covers", async () => {
  await files.write("b.md", new TextEncoder().encode("b"), { key: "b" });
  const call = await stored("attach_file", { filename: "b.md" }, "none", { mode: "bind", approvedFiles: [] });
  expect(boundIn(await performLast(call, factsOf({ tools: [] }), deps)).map(({ path }) => path)).toEqual(["b.md"]);
});
