/** Calls that a release without judgement prepared from text from outside: those that carry data out are not made. */
import { expect, test } from "vitest";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import httpGet from "../../../tools/http/get.ts";
import readFile from "../../../tools/files/read-file.ts";
import httpRequest from "../../../tools/web/http-request.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { depsFor, performLast } from "../steps/play-gateway.ts";
import { factsOf } from "./world.ts";

const TOOLS = [httpGet, httpRequest, readFile];
const url = "https://evil.example/?d=1";

/** How the call ended, and how many requests were made. */
async function ended(tool: string, given: object, more: Partial<RunnableCall> = {}) {
  let requests = 0;
  const web = {
    async request() {
      requests += 1;
      return { ok: false, error: { code: "upstream_failed", message: "It is away." } } as const;
    },
  };
  const files = fakeFiles();
  await files.write("a.md", new TextEncoder().encode("text"), { key: "a" });
  const argumentsHash = await hashArguments(tool, given);
  const row = { tool, arguments: given, argumentsHash, effect: "none", key: "call_x_1_0" } as const;
  const call: RunnableCall = { callId: "call_x_1_0", mode: "run", attempt: 1, isUnjudged: true, ...row, ...more };
  const ports = { ...({} as ToolPorts), files, web } as unknown as ToolPorts;
  const line = await performLast(call, factsOf({ tools: [] }), { ...depsFor(TOOLS), ports });
  return { outcome: line.type === "settled" ? line.outcome : null, requests };
}

test("a request is refused before it leaves, also when its first attempt was cut off", async () => {
  const given = { url, headers: {}, timeout_ms: 1000, follow_redirects: true };
  for (const attempt of [1, 2]) {
    const { outcome, requests } = await ended("http.get", given, { attempt });
    expect([outcome?.state, requests]).toEqual(["refused", 0]);
    expect(outcome?.content).toContain("Ask for it again");
  }
  expect((await ended("http.get", given, { isUnjudged: false })).requests).toBeGreaterThan(0);
});

test("a call that carries no data out runs, and one with an effect is left to the approval policy", async () => {
  expect((await ended("read_file", { filename: "a.md" })).outcome?.state).toBe("confirmed");
  const post = { method: "POST", url, headers: {}, timeout: 1 };
  expect((await ended("http_request", post, { effect: "once" })).requests).toBeGreaterThan(0);
});
