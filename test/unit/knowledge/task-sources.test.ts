/** The sources of a task: numbered by the gateway, stored with the call that read them, and cited by the answer. */
import { describe, expect, it } from "vitest";
import type { GivenSource } from "../../../core/knowledge/sources.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { OUTSIDE, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import { mayPerformEarly, performEarly } from "../../../core/steps/perform-early.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import { toShortTask } from "../../../core/task/short.ts";
import { toTextForParent } from "../../../core/task/subtasks.ts";
import readSource from "../../../tools/knowledge/read-source.ts";
import searchKnowledge from "../../../tools/knowledge/search-knowledge.ts";
import { FakeKnowledge, textPiece } from "../../fakes/knowledge-port.ts";
import { agent, depsFor, outcomesOf, prepare } from "../steps/play-gateway.ts";
import { applyReply, preparedCall, requestCalls, startThinking, toView, wake } from "../task/play-task.ts";
import { factsOf } from "../task/world.ts";

const TOOLS = [searchKnowledge, readSource];
const facts = factsOf(agent({ permissions: ["read"] }));
const { signal } = new AbortController();

function makeDeps(knowledge: FakeKnowledge) {
  const ports = { knowledge: knowledge.of(null) } as unknown as ToolPorts;
  return { ...depsFor(TOOLS), ports };
}

const search = (query: string) => ({ name: "search_knowledge", arguments: JSON.stringify({ query }) });

function makeKnowledge() {
  const knowledge = new FakeKnowledge();
  knowledge.add({ title: "Otters", pieces: [textPiece(0, "otter one"), textPiece(1, "otter two")] });
  knowledge.add({ title: "Post", label: OUTSIDE, pieces: [textPiece(0, "badger one"), textPiece(1, "badger otter")] });
  return knowledge;
}

const toRunnable = (calls: readonly PreparedCall[]) =>
  calls.map((call) => ({ ...call, callId: call.id, key: call.id, label: PRINCIPAL, mode: "run" as const, attempt: 1 }));

describe("calls that search documents", () => {
  it("give numbers that no other call of the step gives, after those of the task", async () => {
    const calls = toRunnable(await prepare(TOOLS, [search("otter"), search("badger")], facts));
    const sources = [{ n: 7, piece: "pce_other" }];
    const job = { facts, step: 3, calls, sources, timeoutMs: 10_000 };
    const outcomes = await outcomesOf(job, makeDeps(makeKnowledge()), signal);
    const numbers = outcomes.map(({ sources: added }) => added?.map(({ n }) => n));
    expect(numbers).toEqual([
      [8, 9, 10],
      [28, 29],
    ]);
    expect(outcomes.map(({ content }) => content.match(/^\[Source \d+\]/gm)?.length)).toEqual([3, 2]);
    expect(outcomes[1]?.label).toBe(OUTSIDE);
    expect(outcomes[0]?.sources?.[0]).toMatchObject({ title: "Otters", version: 1 });
  });

  it("give a known piece its number, and read a source by the number that the task gave", async () => {
    const knowledge = makeKnowledge();
    const [first] = await outcomesOf(
      { facts, step: 3, calls: toRunnable(await prepare(TOOLS, [search("badger")], facts)), timeoutMs: 10_000 },
      makeDeps(knowledge),
      signal,
    );
    const sources = first?.sources ?? [];
    expect(sources.map(({ n }) => n)).toEqual([1, 2]);
    const read = { name: "read_source", arguments: JSON.stringify({ source: 2, before: 0, after: 0 }) };
    const calls = toRunnable(await prepare(TOOLS, [search("badger"), read], facts));
    const outcomes = await outcomesOf(
      { facts, step: 4, calls, sources, timeoutMs: 10_000 },
      makeDeps(knowledge),
      signal,
    );
    expect(outcomes.map(({ sources: added }) => added)).toEqual([undefined, undefined]);
    expect(outcomes[1]?.content).toContain(`[Source 2] Post · ${sources[1]?.piece}`);
  });

  it("may run in the model phase, with the numbers of the task", async () => {
    const calls = await prepare(TOOLS, [search("otter")], facts);
    const deps = makeDeps(makeKnowledge());
    expect(mayPerformEarly(calls, await buildToolset(TOOLS, facts))).toBe(true);
    const sources = [{ n: 4, piece: "pce_other" }];
    const [early] = await performEarly({ facts, step: 3, label: PRINCIPAL, calls, sources }, deps, signal);
    expect(early?.outcome?.sources?.map(({ n }) => n)).toEqual([5, 6, 7]);
  });
});

const sourceOf = (n: number): GivenSource => {
  const place = { document: `doc_${n}`, version: 1, title: "Lease", page: 4, start: 0, end: 9 };
  return { n, piece: `pce_${n}`, ...place, quote: `quote ${n}` };
};

/** A task that read these sources and ended with this answer. */
function endWith(text: string, sources: readonly GivenSource[] | null) {
  const thinking = startThinking();
  const outcome = { ...confirmedOutcome({}, "found", 1), label: TENANT, ...(sources === null ? {} : { sources }) };
  const searched = requestCalls(thinking, [preparedCall(thinking, 0, { effect: "none", outcome })]);
  const next = wake(searched.state, "b", 2).state;
  return { read: next.sources, ...applyReply(next, { text }, 3) };
}

describe("the citations of a task", () => {
  it("are in its output, its view and its last event, and numbers that were not given are warnings", () => {
    const text = "Three months [Source 2]. A year [Source 9].";
    const { read, state, events } = endWith(text, [sourceOf(1), sourceOf(2)]);
    expect(read).toEqual([sourceOf(1), sourceOf(2)]);
    const place = { piece_id: "pce_2", document_id: "doc_2", version: 1, title: "Lease", page: 4, start: 0, end: 9 };
    const citations = [{ n: 2, ...place, quote: "quote 2" }];
    const warnings = ["The answer cites [Source 9], which this task was not given."];
    expect(toView(state)).toMatchObject({ output: { text, files: [], citations }, warnings });
    expect(events.at(-1)).toMatchObject({ type: "task.completed", data: { output: { text, citations }, warnings } });
    expect(state.sources).toEqual([sourceOf(2)]);
    const short = toShortTask(toView(state));
    expect([short.output, short.cut]).toEqual([{ text, files: [] }, ["output"]]);
  });

  it("are absent from a task that read no document", () => {
    const { state, events } = endWith("Done.", null);
    expect(state.sources).toBeUndefined();
    expect(toView(state).output).toEqual({ text: "Done.", files: [] });
    expect(toView(state)).not.toHaveProperty("warnings");
    expect(events.at(-1)?.data).not.toHaveProperty("warnings");
    expect(toShortTask(toView(state)).cut).toEqual([]);
  });

  it("of a subtask are ids of pieces for its parent, which has other numbers", () => {
    const { state } = endWith("Three months [Source 2], see [Source 5].", [sourceOf(2)]);
    expect(toTextForParent(toView(state))).toBe("Three months [pce_2], see [source 5 of the subtask].");
  });
});
