/** The hops of a step, as the object makes them: the job from what is stored, and the lines of the runner's answer. */
import { stepsFromEnv, type Env } from "../adapters/from-env.ts";
import { readLines, type LineReader } from "../core/json-lines.ts";
import type { ActJob, ActLine, ThinkJob, ThinkLine } from "../core/objects.ts";
import type { Work } from "../core/task-state.ts";
import type { TaskStore } from "./task-store.ts";

type Think = Extract<Work, { kind: "think" }>;
type Act = Extract<Work, { kind: "act" }>;

/** Makes the hops of one object. At most one is under way. */
export class TaskHops {
  private readonly env: Env;
  private readonly store: TaskStore;
  private open: LineReader<unknown> | null = null;

  constructor(env: Env, store: TaskStore) {
    this.env = env;
    this.store = store;
  }

  /** Hop one: the model's text as it comes, then its reply or its failure. Without either, it was cut off. */
  async *think(work: Think, stillWanted: () => boolean): AsyncGenerator<ThinkLine> {
    const task = this.store.load();
    if (task === null) return;
    const { facts, repeat } = task.state;
    const job: ThinkJob = { ...work, facts, repeat, messages: this.store.conversation() };
    yield* this.lines<ThinkLine>(() => stepsFromEnv(this.env).think(job), stillWanted);
  }

  /** Hop two: each outcome as its call ends. Calls that bring none were cut off. */
  async *act(work: Act, stillWanted: () => boolean): AsyncGenerator<ActLine> {
    const task = this.store.load();
    if (task === null) return;
    const rows = new Map(this.store.calls(work.calls.map(({ callId }) => callId)).map((row) => [row.callId, row]));
    const calls = work.calls.flatMap((call) => {
      const row = rows.get(call.callId);
      if (row === undefined) return [];
      const { tool, arguments: given, effect, key } = row;
      return [{ ...call, tool, arguments: given, effect, key }];
    });
    const job: ActJob = { facts: task.state.facts, step: work.step, calls, timeoutMs: work.timeoutMs };
    yield* this.lines<ActLine>(() => stepsFromEnv(this.env).act(job), stillWanted);
  }

  /** Ends the hop that is under way, and with it the model call or the tool calls. */
  async cancel(): Promise<void> {
    await this.open?.cancel();
  }

  /** A hop that breaks, and one that nobody wants any more, ends early; cancelling the stream cancels the work. */
  private async *lines<T>(
    call: () => Promise<ReadableStream<Uint8Array>>,
    stillWanted: () => boolean,
  ): AsyncGenerator<T> {
    let reader: LineReader<T> | null = null;
    try {
      reader = readLines<T>(await call());
      this.open = reader;
      if (!stillWanted()) return;
      for await (const line of reader) {
        if (!stillWanted()) return;
        yield line;
      }
    } catch (thrown) {
      console.error("a hop broke", thrown);
    } finally {
      this.open = null;
      await reader?.cancel();
    }
  }
}
