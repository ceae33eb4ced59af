/** Which tool phases a task's object runs itself. */
import { describe, expect, test } from "vitest";
import { areWebTools, mayOnlyRead } from "../../../core/steps/own-phases.ts";
import type { ActJob } from "../../../core/steps/rpc.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { factsOf } from "../task/world.ts";
import { agent } from "./play-gateway.ts";

const read: RunnableCall = {
  callId: "call_1_1_0",
  attempt: 1,
  mode: "run",
  key: "key",
  tool: "http_request",
  arguments: { url: "https://example.com/" },
  argumentsHash: "hash",
  effect: "none",
};

function jobOf(calls: readonly RunnableCall[], change: Partial<ActJob & { facts: TaskFacts }> = {}): ActJob {
  return { facts: factsOf(agent()), step: 1, calls, timeoutMs: 1000, ...change };
}

const times = (count: number) => Array.from({ length: count }, () => read);

describe("a tool phase of plain reads", () => {
  test("has up to five calls, those that start later among them", () => {
    expect(mayOnlyRead(jobOf(times(5)))).toBe(true);
    expect(mayOnlyRead(jobOf(times(6)))).toBe(false);
    expect(mayOnlyRead(jobOf(times(3), { later: times(2) }))).toBe(true);
    expect(mayOnlyRead(jobOf(times(3), { later: times(3) }))).toBe(false);
  });

  test.each<[string, Partial<RunnableCall>]>([
    ["an effect that has a key", { effect: "keyed" }],
    ["an effect that happens once", { effect: "once" }],
    ["an effect that is looked up", { mode: "probe" }],
    ["files to read", { mode: "bind" }],
    ["files that a person approved", { approvedFiles: [] }],
  ])("has no call with %s", (_, change) => {
    expect(mayOnlyRead(jobOf([read, { ...read, ...change }]))).toBe(false);
    expect(mayOnlyRead(jobOf([read], { later: [{ ...read, ...change }] }))).toBe(false);
  });

  test("is not that of a call over the API, which reads its parent task", () => {
    expect(mayOnlyRead(jobOf([read], { facts: { ...factsOf(agent()), kind: "call" } }))).toBe(false);
  });
});

describe("the tools of such a phase", () => {
  const resolveWith = (change: Partial<Tool>) => {
    const tool = catalogue.find(({ name }) => name === "http_request");
    return { resolve: () => (tool === undefined ? null : { ...tool, ...change }) };
  };

  test.each(["http_request", "http.get"])("include %s", (name) => {
    const resolve = (wanted: string) => catalogue.find((tool) => tool.name === wanted) ?? null;
    expect(areWebTools(jobOf([{ ...read, tool: name }]), { resolve })).toBe(true);
  });

  test("are those of the catalogue that use the web and files, and nothing else", () => {
    const names = catalogue
      .filter((tool) => areWebTools(jobOf([read]), { resolve: () => tool }))
      .map(({ name }) => name);
    expect(names).toEqual(["http.get", "http.post", "http_request"]);
  });

  test("do not include a missing one, a tenant's own, or one with another port", () => {
    expect(areWebTools(jobOf([read]), { resolve: () => null })).toBe(false);
    expect(areWebTools(jobOf([read]), resolveWith({ needs: ["web", "mcp"] }))).toBe(false);
    expect(areWebTools(jobOf([read]), resolveWith({ needs: ["files"] }))).toBe(false);
    expect(areWebTools(jobOf([read]), resolveWith({ written: { by: "tenant" } as never }))).toBe(false);
    expect(areWebTools(jobOf([read], { later: [read] }), resolveWith({}))).toBe(true);
  });
});
