/** The contract of results, on the bucket and the tasks' objects; and what only they have: a bucket that is away. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openResults } from "../../../adapters/files/results.ts";
import { blobsFromEnv } from "../../../adapters/env/files.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { resultsFromEnv } from "../../../adapters/env/results.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { deriveCallId, makeId } from "../../../core/base/ids.ts";
import { type Label, TENANT } from "../../../core/provenance/label.ts";
import { formatResult } from "../../../core/prompt/stored-results.ts";
import type { CallOutcome, PreparedCall } from "../../../core/task/commands.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { resultsContract, type ResultsUnderTest, type ResultsWanted } from "../../contracts/steps/results-suite.ts";
import { factsOf } from "../tasks/client.ts";

const bindings: Env = env;
const limits = { mediumCharacters: 4000, largeCharacters: 12_000 };

const callFacts = (change: Partial<TaskFacts> = {}) => factsOf([], { kind: "call", ...change });

/** Makes a task of one call that has settled with this text, shown as the gateway shows it; null: it has not settled. */
async function callOf(facts: TaskFacts, text: string | null, label?: Label): Promise<string> {
  const id = deriveCallId(facts.id, 1, 0);
  const base = { id, tool: "get_current_datetime", arguments: {}, argumentsHash: "0", effect: "none" } as const;
  const brought = text === null ? null : await outcomeOf(facts, id, text);
  const outcome = brought === null || label === undefined ? brought : { ...brought, label };
  const call: PreparedCall = { ...base, approval: null, outcome };
  const made = await tasksFromEnv(bindings)(facts.tenant, facts.id).create({ facts, hold: text === null, call });
  if (!made.ok) throw new Error(made.error.message);
  return id;
}

async function outcomeOf(facts: TaskFacts, id: string, text: string): Promise<CallOutcome> {
  const deps = { blobs: blobsFromEnv(bindings), limits, canExpand: true };
  const { content } = await formatResult(text, facts, id, deps);
  return { state: "confirmed", result: { ok: true, result: {} }, content, control: null, durationMs: 1 };
}

async function open({ shortened, short }: ResultsWanted): Promise<ResultsUnderTest> {
  const root = callFacts();
  const other = callFacts();
  const { id: rootId } = root;
  const ids = {
    shortened: await callOf(root, shortened),
    short: await callOf(callFacts({ rootId, parentId: rootId, depth: 1 }), short, TENANT),
    unsettled: await callOf(callFacts({ rootId }), null),
    elsewhere: [await callOf(other, shortened), await callOf(callFacts({ rootId: other.id }), short)],
  };
  return { results: resultsFromEnv(bindings, root, null), ...ids };
}

resultsContract("the bucket and the tasks' objects", open);

describe("results of a tree", () => {
  it("are another tenant's nothing, also with an equal root", async () => {
    const root = callFacts();
    const id = await callOf(root, "x".repeat(5000));
    const tenant = makeId("tenant", 2, new Uint8Array(10));
    expect(await resultsFromEnv(bindings, { ...root, tenant }, null).read(id)).toMatchObject({
      error: { code: "not_found" },
    });
  });

  it("fail, and are not replaced by the shortened text, while the bucket is unavailable", async () => {
    const root = callFacts();
    const id = await callOf(root, "x".repeat(5000));
    const bucket = { get: () => Promise.reject(new Error("away")) } as unknown as R2Bucket;
    const blobs = blobsFromEnv({ ...bindings, FILES: bucket });
    const results = openResults({
      ...root,
      own: null,
      blobs,
      taskOf: (task) => tasksFromEnv(bindings)(root.tenant, task),
    });
    expect(await results.read(id)).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
  });
});
