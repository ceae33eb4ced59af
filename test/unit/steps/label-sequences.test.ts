/**
 * Text from outside keeps its label on every way through a tenant: files that one call writes and another reads, memories,
 * results that are read again, subtasks, summaries and later tasks. The agents of these sequences repeat all that they read,
 * so a text that has the marker is from outside, independent of its labels.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ok } from "../../../core/base/errors.ts";
import { performCalls } from "../../../core/steps/perform.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { LabelledMessage } from "../../../core/model/messages.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { readHistory, splitHistory, writeHistory } from "../../../core/prompt/compaction.ts";
import { joinLabels, type Label, OUTSIDE, PERSON, PRINCIPAL } from "../../../core/provenance/label.ts";
import { joinMessages } from "../../../core/model/label-messages.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { fakeMemories, fakeMemory } from "../../fakes/memory.ts";
import { fakeWeb } from "../../fakes/web.ts";
import { freshPorts } from "../../tools/run-tool.ts";
import { depsFor } from "./play-gateway.ts";
import { factsOf } from "../task/world.ts";

const EVIL = "EVIL";
const PROJECT = "sales";
const PATHS = ["a.md", "project/b.md", "project/c/d.md"];
const AGENTS = 3;
const TOOLS = catalogue.filter(({ toolbox }) => ["web", "http", "files", "memory"].includes(toolbox));
const TOOLSET = await buildToolset(TOOLS, factsOf());

/** One thing that one of the agents does. `n` chooses among paths and earlier results. */
interface Act {
  readonly agent: number;
  readonly what: (typeof ACTS)[number];
  readonly n: number;
}
const ACTS = [
  "fetch",
  "write",
  "write",
  "name",
  "read",
  "read",
  "list",
  "grep",
  "save",
  "search",
  "search claims",
  "expand",
  "attach",
  "delete",
  "compact",
  "dispatch",
  "end",
] as const;

const acts = fc.array(
  fc.record({
    agent: fc.nat(AGENTS - 1),
    what: fc.constantFrom(...ACTS),
    n: fc.nat(5),
  }),
  { minLength: 5, maxLength: 25 },
);

const numbers = (function* count(): Generator<number, number> {
  for (let n = 0; ; n += 1) yield n;
})();

/** One agent fetches a page and leaves it on every way; another meets it on one of them. */
const WAYS: readonly (readonly Act[])[] = (["read", "list", "grep", "expand", "search claims", "end"] as const).map(
  (what) => [
    ...(what === "end"
      ? [{ agent: 1, what: "dispatch", n: 0 } as const, { agent: 1, what: "fetch", n: 0 } as const]
      : []),
    ...(["fetch", "write", "name", "save", "compact"] as const).map((left) => ({ agent: 0, what: left, n: 1 })),
    { agent: 1, what, n: 1 },
  ],
);

/** A task as its model reads it. */
class Agent {
  readonly parent: Agent | null;
  readonly facts: TaskFacts;
  /** The results of the task tree, by call. */
  readonly results: Map<string, LabelledMessage>;
  label: Label;
  messages: LabelledMessage[];
  private step = 0;
  private compaction: string | null = null;

  constructor(parent: Agent | null, results: Agent["results"]) {
    this.parent = parent;
    this.results = results;
    this.facts = factsOf({ id: `task_${String(numbers.next().value).padStart(26, "0")}`, project: PROJECT });
    this.label = parent?.label ?? PRINCIPAL;
    this.messages = [{ role: "user", content: parent?.words ?? "Work.", label: this.label }];
  }

  get isInfluenced(): boolean {
    return this.messages.some(({ content }) => content.includes(EVIL));
  }

  /** What the agent writes: all that it read, in short. */
  get words(): string {
    return this.isInfluenced ? `plain ${EVIL}` : "plain";
  }

  say(message: LabelledMessage): void {
    this.messages.push(message);
    if (message.role === "tool") this.results.set(message.callId, message);
    this.label = joinLabels(this.label, joinMessages(this.messages));
  }

  /** Makes a call by both halves of the gateway. */
  async call(name: string, given: object, ports: ToolPorts): Promise<void> {
    this.step += 1;
    const written = { name, arguments: JSON.stringify(given) };
    const context = { label: this.label, messages: this.messages };
    const { facts, step } = this;
    const preparing = { facts, step, toolset: TOOLSET, repeat: null, context };
    const [prepared] = await prepareCalls([written], preparing);
    if (prepared === undefined) throw new Error("nothing was prepared");
    const { id, tool, effect, argumentsHash } = prepared;
    this.say({ role: "assistant", content: this.words, label: this.label, calls: [{ id, ...written }] });
    const call = { callId: id, attempt: 1, mode: "run", tool, arguments: prepared.arguments, argumentsHash } as const;
    const row = { ...call, effect, key: id, label: this.label, touches: [] };
    const job = { facts, step, calls: [row], timeoutMs: 10_000 };
    const lines = performCalls(job, { ...depsFor(TOOLS), ports }, new AbortController().signal);
    for (let line = await lines.next(true); line.done !== true; line = await lines.next(true)) {
      if (line.value.type !== "settled") continue;
      const { content, label = OUTSIDE } = line.value.outcome;
      this.say({ role: "tool", callId: id, name: tool, content, label });
    }
  }

  /** Replaces the older steps by their text in short, as the task's object reads it. */
  compact(): void {
    this.compaction = writeHistory(readHistory(this.compaction, this.messages), { canExpand: true });
    this.messages = splitHistory(this.compaction).map(({ isWords, text }) => {
      return { role: "user", content: text, label: isWords ? PERSON : this.label };
    });
  }
}

/** What the agents of a tenant share. */
class Tenant {
  readonly files = fakeFiles();
  readonly memories = fakeMemories();
  /** Of the first two agents, which are subtasks of one tree; the other ones have their own. */
  private readonly shared = new Map<string, LabelledMessage>();
  readonly agents = Array.from({ length: AGENTS }, (_, at) => this.makeAgent(at < 2 ? this.shared : new Map()));

  private makeAgent(results: Agent["results"] = new Map()): Agent {
    return new Agent(null, results);
  }

  /** Who reads what comes of an act. */
  heirOf({ agent: index, what }: Act): Agent {
    const agent = this.agents[index] ?? this.makeAgent();
    return what === "end" ? (agent.parent ?? agent) : agent;
  }

  private portsOf(agent: Agent): ToolPorts {
    const results = {
      read: async (callId: string) => ok(agent.results.get(callId)?.content ?? ""),
      getLabel: async (callId: string) => agent.results.get(callId)?.label ?? OUTSIDE,
    };
    const web = fakeWeb(() => ({ headers: { "content-type": "text/plain" }, body: EVIL }));
    return { ...freshPorts(), files: this.files, memory: fakeMemory(this.memories, PROJECT), web, results };
  }

  async act({ agent: index, what, n }: Act): Promise<void> {
    const agent = this.agents[index] ?? this.makeAgent();
    const path = PATHS[n % PATHS.length] ?? "";
    const call = async (name: string, given: object) => await agent.call(name, given, this.portsOf(agent));
    switch (what) {
      case "fetch":
        return await call("http_get", { url: "https://example.com/" });
      case "write":
        return await call("write_file", { filename: path, content: agent.words });
      case "name":
        return await call("write_file", { filename: `project/${agent.words}.md`, content: "x" });
      case "read":
        return await call("read_file", { filename: path });
      case "list":
        return await call("list_directory", { path: n % 2 === 0 ? "" : "project" });
      case "grep":
        return await call("grep", { pattern: "plain" });
      case "save":
        return await call("memory_save", { content: `A note: ${agent.words}`, tags: [agent.words] });
      case "search":
        return await call("memory_search", { query: "a note" });
      case "search claims":
        return await call("memory_search", { query: "a note", include_outside: true });
      case "expand":
        return await call("expand_result", { result_id: [...agent.results.keys()].at(-1 - n) ?? "none" });
      case "attach":
        return await call("attach_file", { filename: path });
      case "delete":
        return await call("delete_file", { filename: path });
      case "compact":
        return agent.compact();
      case "dispatch":
        this.agents[index] = new Agent(agent, agent.results);
        return;
      case "end":
        this.end(agent, index);
    }
  }

  /** A subtask's answer goes to the task that dispatched it; after another task comes the next one. */
  private end(agent: Agent, index: number): void {
    const { parent, words, label } = agent;
    parent?.say({
      role: "tool",
      callId: `call_${numbers.next().value}`,
      name: "dispatch_subagent",
      content: words,
      label,
    });
    this.agents[index] = parent ?? this.makeAgent();
  }

  /** Every text that has the marker and a label below `outside`. */
  async findLost(): Promise<readonly string[]> {
    const lost: string[] = [];
    const check = (where: string, text: string, label: Label | undefined) => {
      if (text.includes(EVIL) && label !== OUTSIDE) lost.push(`${where}: ${text} is ${label}`);
    };
    for (const { content, role, label } of this.agents.flatMap(({ messages }) => messages)) check(role, content, label);
    const walked = await this.files.walk("", null, 1_000);
    if (!walked.ok) throw new Error(walked.error.message);
    for (const { path, label } of walked.value.files) {
      const read = await this.files.read(path, 100_000);
      check(path, `${path} ${read.ok ? new TextDecoder().decode(read.value.bytes) : ""}`, label);
    }
    for (const { content, tags, label } of this.memories.rows.values())
      check("memory", `${content} ${tags.join(" ")}`, label);
    return lost;
  }
}

test("no sequence of calls, subtasks, summaries and tasks loses the label outside", async () => {
  const spread = new Set<string>();
  const property = fc.asyncProperty(acts, async (sequence) => {
    const tenant = new Tenant();
    for (const act of sequence) {
      const heir = tenant.heirOf(act);
      const before = heir.isInfluenced;
      await tenant.act(act);
      expect(await tenant.findLost(), JSON.stringify(sequence)).toEqual([]);
      if (heir.isInfluenced && !before) spread.add(act.what);
    }
  });
  await fc.assert(property, { numRuns: 200, examples: WAYS.map((sequence) => [[...sequence]]) });
  // Text from outside reached an agent by each of these ways.
  expect([...spread].toSorted()).toEqual(["end", "expand", "fetch", "grep", "list", "read", "search claims"]);
}, 60_000);
