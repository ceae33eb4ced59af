/** What the stand-ins saw of each task, by the name of its drill: the oracle of drills with many tasks. */
import type { ModelRecord, WireBody, WireMessage } from "../mock-servers/model-server.ts";
import type { RecordedRequest } from "../mock-servers/recorder.ts";
import type { AskedStep } from "./judge.ts";
import { drillOf, placeOf, textOf } from "./received.ts";
import type { StageHooks } from "./stage.ts";

/**
 * A request to the model. `wallAt` and `repliedWallAt` are `Date.now()` milliseconds; null while it was not answered. `lastResult`:
 * how the result of its last tool call begins; null: there was no call yet.
 */
export interface Asked extends AskedStep {
  body: AskedStep["body"];
  readonly wallAt: number;
  repliedWallAt: number | null;
  readonly lastResult: string | null;
}

/** One task's. Only the last request to the model holds its messages. `lastAt` is `performance.now()` milliseconds. */
export interface TaskTrace {
  readonly asked: Asked[];
  readonly recorded: RecordedRequest[];
  lastAt: number;
}

/** Enough to tell an error and its code. */
const RESULT_CHARACTERS = 60;

/** Use `hooks` of the stage while the drill runs. */
export class TaskLog {
  modelRequests = 0;
  effects = 0;
  readonly #traces = new Map<string, TaskTrace>();
  readonly #open = new WeakMap<ModelRecord, Asked>();

  get hooks(): StageHooks {
    return {
      onModelRequest: (record, body) => this.#ask(record, body),
      onModelReplied: (record) => {
        const asked = this.#open.get(record);
        if (asked !== undefined) asked.repliedWallAt = Date.now();
      },
      afterEffect: (record) => {
        this.effects += 1;
        const trace = this.of(placeOf(record.path).drill);
        trace.recorded.push(record);
        trace.lastAt = record.at;
      },
    };
  }

  /** The trace of a drill's task; an empty one when nothing came of it yet. */
  of(drill: string): TaskTrace {
    const known = this.#traces.get(drill);
    if (known !== undefined) return known;
    const trace: TaskTrace = { asked: [], recorded: [], lastAt: performance.now() };
    this.#traces.set(drill, trace);
    return trace;
  }

  #ask(record: ModelRecord, { messages }: WireBody): void {
    this.modelRequests += 1;
    const trace = this.of(drillOf({ messages }) ?? "");
    const last = trace.asked.at(-1);
    if (last !== undefined) last.body = { messages: [] };
    const asked: Asked = {
      at: record.at,
      wallAt: Date.now(),
      step: record.step,
      body: { messages },
      repliedWallAt: null,
      lastResult: lastResultOf(messages),
    };
    trace.asked.push(asked);
    this.#open.set(record, asked);
    trace.lastAt = record.at;
  }
}

function lastResultOf(messages: readonly WireMessage[]): string | null {
  const last = messages.findLast(({ role }) => role === "tool");
  return last === undefined ? null : textOf(last).slice(0, RESULT_CHARACTERS);
}
