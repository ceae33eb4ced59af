/**
 * A world for the state machine: it plays the object, the step runner and everything outside, in simulated time, and can
 * crash at every point where the real one can. What happened outside is counted, as a recorder would.
 */
import { DEFAULT_AGENT } from "../../core/agent.ts";
import { callId } from "../../core/ids.ts";
import { confirmedOutcome } from "../../core/ledger.ts";
import type { NewEvent } from "../../core/events.ts";
import type {
  CallOutcome,
  Command,
  Decision,
  LedgerChange,
  LedgerRow,
  Limits,
  PreparedCall,
  TaskFacts,
  TaskState,
} from "../../core/task-state.ts";
import { createTask, decide, nextWake } from "../../core/task.ts";
import type { Control, EffectClass } from "../../core/tool.ts";

/** One call of a scripted step. */
export interface ScriptedCall {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly control?: Control;
}

/** Each step's calls; after the last, the model answers in text. */
export type Script = readonly (readonly ScriptedCall[])[];

/** Where a crash may fall. `chance` draws from [0, 1). */
export interface Faults {
  readonly chance: () => number;
  readonly crashRate: number;
}

const NO_FAULTS: Faults = { chance: () => 1, crashRate: 0 };

export const NO_LIMITS: Limits = { maxSteps: 10, maxTokens: null, maxCostMicros: null, maxDurationMs: null };

/** Calls that scripts are made of. */
export const ASK = {
  kind: "ask",
  query: "Which city?",
  person: "Ana",
  choices: null,
  wait: true,
  deadlineSeconds: null,
  defaultAnswer: null,
} as const satisfies Control;
export const SLEEP: Control = { kind: "sleep", seconds: 60 };
export const call = (effect: EffectClass = "none", control?: Control) => ({
  tool: "t",
  effect,
  ...(control === undefined ? {} : { control }),
});
/** An answer by Ana. */
export const answer = (question: string, text = "Lisbon"): Command => ({
  type: "answer",
  question,
  answer: text,
  isChoice: false,
  by: "ana",
  request: null,
});

export function factsOf(change: Partial<TaskFacts> = {}): TaskFacts {
  return {
    id: "task_00000000000000000000000001",
    tenant: "ten_00000000000000000000000001",
    rootId: "task_00000000000000000000000001",
    parentId: null,
    kind: "agent",
    input: "do it",
    agent: DEFAULT_AGENT,
    tools: null,
    project: null,
    model: "scripted",
    price: null,
    limits: NO_LIMITS,
    metadata: {},
    createdAt: 0,
    ...change,
  };
}

class Crash extends Error {}

export class TaskWorld {
  state: TaskState;
  now = 0;
  alarm: number | null;
  readonly events: NewEvent[] = [];
  readonly ledger = new Map<string, LedgerRow>();
  /** How often each call's effect happened outside, by call id. */
  readonly effects = new Map<string, number>();
  modelCalls = 0;
  crashes = 0;
  private incarnation = "i0";
  private readonly script: Script;
  private readonly faults: Faults;

  constructor(script: Script, faults: Faults = NO_FAULTS, facts: TaskFacts = factsOf()) {
    this.script = script;
    this.faults = faults;
    const made = createTask({ facts, hold: false, call: null }, this.now);
    this.state = made.state;
    this.store(made);
    this.alarm = nextWake(this.state, this.now);
  }

  /** Runs alarms until none is due or the task waits for somebody; bounded. */
  run(untilMs = Number.POSITIVE_INFINITY): void {
    for (let i = 0; i < 20_000 && this.alarm !== null && this.alarm <= untilMs; i += 1) {
      this.now = Math.max(this.now, this.alarm);
      this.fire();
    }
  }

  apply(command: Command): Decision {
    const decision = decide(this.state, command, this.now);
    if (decision.refused === null) {
      this.store(decision);
      this.state = decision.state;
      this.alarm = nextWake(this.state, this.now);
    }
    return decision;
  }

  private fire(): void {
    const { incarnation } = this;
    try {
      let decision = this.apply({ type: "wake", incarnation });
      for (let hops = 0; hops < 1000; hops += 1) {
        const { work } = decision;
        if (work === null) {
          if (this.alarm === null || this.alarm > this.now) return;
          decision = this.apply({ type: "wake", incarnation });
        } else if (work.kind === "think") {
          this.mayCrash();
          this.modelCalls += 1;
          this.mayCrash();
          const { step, attempt } = work;
          const calls = work.final ? [] : this.preparedCalls(step);
          const requested = calls.map((call) => ({ id: call.id, name: call.tool, arguments: "{}" }));
          const usage = { inputTokens: 10, outputTokens: 5, estimated: false };
          const text = calls.length === 0 ? "done" : "";
          decision = this.apply({
            type: "model_replied",
            step,
            attempt,
            incarnation,
            reply: { text, calls, requested, usage, finish: calls.length === 0 ? "stop" : "calls" },
          });
        } else {
          for (const { callId: id, mode } of work.calls) {
            this.mayCrash();
            this.now += 1;
            const outcome = this.perform(id, mode);
            this.mayCrash();
            this.apply({ type: "call_settled", step: work.step, incarnation, callId: id, outcome });
          }
          decision = this.apply({ type: "hop_ended", step: work.step, incarnation });
        }
      }
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown;
      this.crashes += 1;
      this.incarnation = `i${this.crashes}`;
    }
  }

  private mayCrash(): void {
    if (this.faults.chance() < this.faults.crashRate) throw new Crash();
  }

  private perform(id: string, mode: "run" | "probe"): CallOutcome {
    const scripted = this.scripted(id);
    const done = confirmedOutcome({}, `${scripted.tool} done`, 1);
    if (scripted.control !== undefined) return { ...done, control: scripted.control };
    const times = this.effects.get(id) ?? 0;
    const happened = scripted.effect === "keyed" ? 1 : times + 1;
    if (mode === "run" || times === 0) this.effects.set(id, happened);
    return done;
  }

  private preparedCalls(step: number): PreparedCall[] {
    return (this.script[step - 1] ?? []).map((call, index) => ({
      id: callId(this.state.facts.id, step, index),
      tool: call.tool,
      arguments: {},
      argumentsHash: `${call.tool}-${step}-${index}`,
      effect: call.effect,
      outcome: null,
    }));
  }

  private scripted(id: string): ScriptedCall {
    const [step, index] = id.split("_").slice(2).map(Number);
    const call = this.script[(step ?? 0) - 1]?.[index ?? -1];
    if (call === undefined) throw new Error(`nothing is scripted for ${id}`);
    return call;
  }

  private store(decision: Decision): void {
    this.events.push(...decision.events);
    for (const change of decision.ledger) this.keep(change);
  }

  private keep(change: LedgerChange): void {
    if (change.kind === "insert") {
      if (this.ledger.has(change.row.callId)) throw new Error(`${change.row.callId} is in the ledger twice`);
      this.ledger.set(change.row.callId, change.row);
      return;
    }
    const row = this.ledger.get(change.callId);
    if (row === undefined) throw new Error(`${change.callId} is not in the ledger`);
    if (row.settledAt !== null) throw new Error(`${change.callId} changed after it had settled`);
    const { kind: _, ...rest } = change;
    this.ledger.set(change.callId, { ...row, ...rest });
  }
}
