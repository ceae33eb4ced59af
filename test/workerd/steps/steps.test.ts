/** The step runner's two short ways, as the task's object calls them: over RPC. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { blobsFromEnv } from "../../../adapters/env/files.ts";
import { stepsFromEnv } from "../../../adapters/env/steps.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { deriveCallId } from "../../../core/base/ids.ts";
import type { LineListener } from "../../../core/steps/lines.ts";
import { formatResult } from "../../../core/prompt/stored-results.ts";
import type { ActLine, CondenseJob, CondenseLine } from "../../../core/steps/rpc.ts";
import { RunnerCall } from "../../../durable-objects/task/runner-call.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { StepRunner } from "../../../workers/steps.ts";
import { factsOf } from "../tasks/client.ts";

async function condensed(facts: TaskFacts, change: Partial<CondenseJob>): Promise<CondenseLine[]> {
  const base = { facts, model: "mock-model", withModel: true, results: [], history: null, timeoutMs: 10_000 };
  const lines: CondenseLine[] = [];
  const runnerCall = new RunnerCall<CondenseLine>();
  const call = (listener: LineListener<CondenseLine>) => stepsFromEnv(env).shorten({ ...base, ...change }, listener);
  for await (const more of runnerCall.run(call)) lines.push(...more);
  return lines;
}

const FILES = [{ resource: "files", mode: "write" }];

describe("the step runner", () => {
  test("takes a person's arguments through the gateway, and refuses those outside the task's tools", async () => {
    const facts = factsOf([]);
    const given = { path: "a.md", content: "hello" };
    const revised = await stepsFromEnv(env).reviseCall({ facts, tool: "write_file", arguments: given });
    const argumentsHash = await hashArguments("write_file", given);
    expect(revised).toMatchObject({
      ok: true,
      value: { arguments: given, argumentsHash, effect: "keyed", touches: FILES },
    });
    const narrowed = factsOf([], { tools: [["*"], ["read_*"]] });
    expect(await stepsFromEnv(env).reviseCall({ facts: narrowed, tool: "write_file", arguments: given })).toMatchObject(
      {
        ok: false,
        error: { code: "permission_denied" },
      },
    );
    expect(
      await stepsFromEnv(env).reviseCall({ facts, tool: "write_file", arguments: { path: "a.md" } }),
    ).toMatchObject({
      error: { code: "invalid_input", field: "arguments.content" },
    });
  });

  test("knows how long Otto's own API remembers a key", async () => {
    const publicUrl = "https://otto.example:8443";
    const ownRunner = new StepRunner(createExecutionContext(), { ...env, OTTO_PUBLIC_URL: `${publicUrl}/` });
    const agent = { ...DEFAULT_AGENT, version: 2, config: { ...DEFAULT_AGENT.config, idempotent_hosts: ["*"] } };
    const keyedFor = async (runner: Pick<StepRunner, "reviseCall">, change: Partial<TaskFacts>) => {
      const job = {
        facts: factsOf([], change),
        tool: "http.post",
        arguments: { url: `${publicUrl}/v1/tasks`, body: {} },
      };
      const revised = await runner.reviseCall(job);
      return revised.ok ? revised.value.keyedForMs : revised.error;
    };
    expect(await keyedFor(ownRunner, { agent })).toBe(86_400_000);
    expect(await keyedFor(stepsFromEnv(env), { agent: { ...agent, version: 3 } })).toBe(1_800_000);
  });

  test("reports an unreadable tool as retryable, and continues with the others", async () => {
    const facts = factsOf([], { sources: [{ name: "custom", hash: "0".repeat(64) }] });
    const given = { city: "Oslo" };
    expect(await stepsFromEnv(env).reviseCall({ facts, tool: "weather", arguments: given })).toMatchObject({
      error: { code: "upstream_failed" },
    });
    const requested = [
      { tool: "weather", given, effect: "once" },
      { tool: "unit_convert", given: { value: 1, from_unit: "km", to_unit: "m" }, effect: "none" },
    ] as const;
    const calls = requested.map(async ({ tool, given: its, effect }, index) => {
      const id = deriveCallId(facts.id, 1, index);
      const argumentsHash = await hashArguments(tool, its);
      const rest = { effect, mode: "run" as const, attempt: 1 };
      return { callId: id, key: id, tool, arguments: its, argumentsHash, ...rest };
    });
    const job = { facts, step: 1, calls: await Promise.all(calls), timeoutMs: 10_000 };
    const outcomes = new Map<string, unknown>();
    const runnerCall = new RunnerCall<ActLine>();
    for await (const lines of runnerCall.run((listener: LineListener<ActLine>) =>
      stepsFromEnv(env).runToolPhase(job, listener),
    ))
      for (const line of lines) if (line.type === "settled") outcomes.set(line.callId, line.outcome);
    expect(outcomes.get(deriveCallId(facts.id, 1, 0))).toMatchObject({
      state: "failed",
      result: { ok: false, error: { code: "upstream_failed", retry: "later" } },
    });
    expect(outcomes.get(deriveCallId(facts.id, 1, 1))).toMatchObject({ state: "confirmed" });
  });

  test("shortens older steps by rule when no model is to, and counts what the conversation then holds", async () => {
    const facts = factsOf([]);
    const messages = [{ role: "assistant", content: "I looked around." }] as const;
    const kept = [{ role: "user", content: "Do it." }] as const;
    const history = { through: 1, previous: null, messages, kept };
    const [line] = await condensed(facts, { withModel: false, history });
    expect(line).toMatchObject({ type: "history", through: 1, usage: null });
    expect(line?.type === "history" && line.text).toContain("Otto: I looked around.");
    expect(line?.type === "history" && line.contextTokens).toBeGreaterThan(500);
  });

  test("reads a stored long result in full, and has a model summarise it", async () => {
    const facts = factsOf([{ text: "Only x." }]);
    const id = deriveCallId(facts.id, 1, 0);
    const limits = { mediumCharacters: 4000, largeCharacters: 12_000 };
    await formatResult("x".repeat(20_000), facts, id, { blobs: blobsFromEnv(env), limits, canExpand: true });
    const [line] = await condensed(facts, { results: [{ callId: id, tool: "read_file" }] });
    expect(line).toMatchObject({ type: "result", callId: id });
    expect(line?.type === "result" && line.content).toContain(`result_id "${id}"`);
  });
});
