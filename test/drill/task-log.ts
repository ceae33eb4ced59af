/** Records each task's requests at the mock servers, by the name of its drill. */
import type { ModelRecord, WireBody, WireMessage } from "../mock-servers/model-server.ts";
import type { RecordedRequest } from "../mock-servers/recorder.ts";
import type { RequestedStep } from "./judge.ts";
import { findDrill, parsePlace, readText } from "./received.ts";
import type { StageHooks } from "./stage.ts";

/**
 * A request to the model. `wallAt` and `repliedWallAt` are `Date.now()` milliseconds, null until it was answered. `lastResult` is the
 * beginning of its last tool result, null before the first call.
 */
export interface TracedRequest extends RequestedStep {
  body: RequestedStep["body"];
  readonly wallAt: number;
  repliedWallAt: number | null;
  readonly lastResult: string | null;
}

/** One task's requests. Only the last one to the model has its messages. `lastAt` is `performance.now()` milliseconds. */
export interface TaskTrace {
  readonly requests: TracedRequest[];
  readonly recorded: RecordedRequest[];
  lastAt: number;
}

/** Enough for an error and its code. */
const RESULT_CHARACTERS = 60;

/** Pass its `hooks` to the stage during the drill. */
export class TaskLog {
  modelRequests = 0;
  effects = 0;
  readonly #traces = new Map<string, TaskTrace>();
  readonly #open = new WeakMap<ModelRecord, TracedRequest>();

  get hooks(): StageHooks {
    return {
      onModelRequest: (record, body) => this.#recordRequest(record, body),
      onModelReplied: (record) => {
        const request = this.#open.get(record);
        if (request !== undefined) request.repliedWallAt = Date.now();
      },
      afterEffect: (record) => {
        this.effects += 1;
        const trace = this.of(parsePlace(record.path).drill);
        trace.recorded.push(record);
        trace.lastAt = record.at;
      },
    };
  }

  /** Returns the trace of a drill's task. Empty before its first request. */
  of(drill: string): TaskTrace {
    const known = this.#traces.get(drill);
    if (known !== undefined) return known;
    const trace: TaskTrace = { requests: [], recorded: [], lastAt: performance.now() };
    this.#traces.set(drill, trace);
    return trace;
  }

  #recordRequest(record: ModelRecord, { messages }: WireBody): void {
    this.modelRequests += 1;
    const trace = this.of(findDrill({ messages }) ?? "");
    const last = trace.requests.at(-1);
    if (last !== undefined) last.body = { messages: [] };
    const request: TracedRequest = {
      at: record.at,
      wallAt: Date.now(),
      step: record.step,
      body: { messages },
      repliedWallAt: null,
      lastResult: findLastResult(messages),
    };
    trace.requests.push(request);
    this.#open.set(record, request);
    trace.lastAt = record.at;
  }
}

function findLastResult(messages: readonly WireMessage[]): string | null {
  const last = messages.findLast(({ role }) => role === "tool");
  return last === undefined ? null : readText(last).slice(0, RESULT_CHARACTERS);
}
