/**
 * A world for the state machine: it plays the object, the step runner and everything outside, in simulated time, and can
 * crash at every point where the real one can. What happened outside is counted, as a recorder would.
 */
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { findUnblocked } from "../../../core/task/call-order.ts";
import { computeAffordableOutput } from "../../../core/task/budget.ts";
import { deriveCallId, parseCallId } from "../../../core/base/ids.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { Failure } from "../../../core/base/errors.ts";
import type { ModelUsage } from "../../../core/model/messages.ts";
import type { CallOutcome, Command, PreparedCall } from "../../../core/task/commands.ts";
import type { Decision, NewSubtask, Work } from "../../../core/task/decision.ts";
import type { Limits, TaskFacts, TaskState } from "../../../core/task/state.ts";
import { createTask, decide, decideBoth, findNextWake } from "../../../core/task/task.ts";
import type { ModelUse } from "../../../core/ports/language.ts";
import type { Control, EffectClass, Touch } from "../../../core/tool/tool.ts";
import { KeyMemory } from "../../mock-servers/key-memory.ts";
import { Bill } from "./bill.ts";
import { Crash, type Faults, NO_FAULTS } from "./faults.ts";
import { StoredDecisions } from "./stored-decisions.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";

/** One call of a scripted step. */
export interface ScriptedCall {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly control?: Control;
  /** True for a call that needs an approval. */
  readonly asks?: boolean;
  /** What the call answers when it runs, in place of a short confirmation. */
  readonly outcome?: Partial<CallOutcome>;
  /** True for a call that already runs in hop one, as those of class `none` may. */
  readonly early?: boolean;
  /** What it reads and writes, and whether it names files. */
  readonly touches?: readonly Touch[];
  readonly namesFiles?: boolean;
  /** For a keyed call: how long the receiver remembers its key, in ms. Absent: forever, and the call states no lifetime. */
  readonly keyedForMs?: number;
  /** What it asks a model: as many questions as it may. */
  readonly language?: ModelUse;
}

/** Each step's calls; after the last, the model answers in text. */
export type Script = readonly (readonly ScriptedCall[])[];

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
    key: "key_00000000000000000000000001",
    via: { channel: "api", id: null },
    actsFor: null,
    label: PRINCIPAL,
    deliver: [],
    rootId: "task_00000000000000000000000001",
    parentId: null,
    depth: 0,
    kind: "agent",
    input: "do it",
    agent: DEFAULT_AGENT,
    tools: [],
    skills: [],
    sources: [],
    project: null,
    models: [{ name: "scripted", price: null, windowTokens: 128_000 }],
    limits: NO_LIMITS,
    metadata: {},
    createdAt: 0,
    ...change,
  };
}

/** Calls of a step that are under way at once. */
const MAX_PARALLEL = 5;

/** The tenant's leave, with nothing in the way. */
export const ADMITTED: Command = { type: "admitted", forMs: 2000, grant: { tokens: null, costMicros: null }, near: [] };
/** A control that dispatches a subtask. */
export const DISPATCH = { kind: "dispatch", maxSteps: 10, tokenBudget: null, tools: null } as const satisfies Control;

export class TaskWorld {
  state: TaskState;
  now = 0;
  alarm: number | null;
  readonly stored = new StoredDecisions();
  readonly events = this.stored.events;
  readonly ledger = this.stored.ledger;
  readonly messages = this.stored.messages;
  readonly spent = this.stored.spent;
  /** How often each call's effect happened outside, by call id. */
  readonly effects = new Map<string, number>();
  private readonly keys = new KeyMemory();
  /** Subtasks that were made, by id, and how often each was asked for. */
  readonly subtasks = new Map<string, { readonly made: NewSubtask; times: number }>();
  /** The calls that ran, in order, with the hash of the arguments that they ran with. */
  readonly ran: { readonly callId: string; readonly argumentsHash: string }[] = [];
  /** The calls of its step that were open when a call last started. */
  readonly startedAfter = new Map<string, readonly string[]>();
  readonly cancelled: string[] = [];
  /** What a provider bills for the questions of tools. */
  readonly bill = new Bill();
  /** The tenant's reply to a permit request; by default it admits the task. */
  tenantSays: (work: Extract<Work, { kind: "enter" }>) => Command = () => ADMITTED;
  /** What the root says when the subtask asks for a place in the tree. */
  treeSays: (made: NewSubtask) => Failure | null = () => null;
  /** Something that happens after a subtask was made and before its parent knows. */
  afterMade: (made: NewSubtask) => void = () => undefined;
  /** What a model call used. */
  usageOf: (work: Extract<Work, { kind: "think" }>) => ModelUsage = () => ({
    inputTokens: 10,
    outputTokens: 5,
    estimated: false,
  });
  /** The size of a first request, which the runner measures; by default as it was guessed. */
  requestTokens: number | null = null;
  /** How long it takes to shorten the older steps. */
  shorteningMs = 0;
  /** Looks at every state that is stored. */
  afterStored: (state: TaskState) => void = () => undefined;
  entered = 0;
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
    this.stored.keep(made);
    this.alarm = findNextWake(this.state, this.now);
  }

  /** Runs alarms until none is due or the task waits for somebody; bounded. */
  run(untilMs = Number.POSITIVE_INFINITY): void {
    for (let i = 0; i < 20_000 && this.alarm !== null && this.alarm <= untilMs; i += 1) {
      this.now = Math.max(this.now, this.alarm);
      this.fire();
    }
  }

  /** Decides and stores. With a run of the alarm, the next hop may begin in the same decision when it is due. */
  apply(command: Command, incarnation: string | null = null): Decision {
    let decision = decide(this.state, command, this.now);
    if (incarnation !== null && decision.state !== this.state && decision.work === null && this.joinsNext(decision)) {
      decision = decideBoth(decision, { type: "wake", incarnation }, this.now);
    }
    if (decision.refused === null) {
      this.stored.keep(decision);
      this.state = decision.state;
      this.afterStored(this.state);
      this.alarm = findNextWake(this.state, this.now);
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
          const before = this.state;
          decision = this.apply({ type: "wake", incarnation });
          if (decision.work === null && this.state === before) return;
        } else if (work.kind === "enter") {
          this.mayCrash();
          this.entered += 1;
          decision = this.apply(this.tenantSays(work), incarnation);
        } else if (work.kind === "dispatch") {
          for (const made of work.subtasks) {
            this.mayCrash();
            decision = this.make(made);
          }
        } else if (work.kind === "cancel") {
          for (const task of work.tasks) {
            this.mayCrash();
            this.cancelled.push(task);
            decision = this.apply({ type: "cancelled_below", task });
          }
        } else if (work.kind === "condense") {
          this.mayCrash();
          decision = this.condense(work, incarnation);
        } else if (work.kind === "think") {
          this.mayCrash();
          const { step, attempt } = work;
          const refused = this.measure(work, incarnation);
          if (refused !== null) {
            decision = refused;
            continue;
          }
          this.modelCalls += 1;
          this.mayCrash();
          const calls = work.final ? [] : this.preparedCalls(step);
          const requested = calls.map(({ id, tool }) => ({ id, name: tool, arguments: "{}" }));
          const usage = this.usageOf(work);
          const text = calls.length === 0 ? "done" : "";
          const reply = { text, calls, requested, usage, finish: calls.length === 0 ? "stop" : "calls" } as const;
          decision = this.apply({ type: "model_replied", step, attempt, incarnation, reply }, incarnation);
        } else {
          decision = this.act(work, incarnation);
        }
      }
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown;
      this.crashes += 1;
      this.incarnation = `i${this.crashes}`;
    }
  }

  /** Measures a request whose size is a guess, as the runner does; a decision: the model is not asked. */
  private measure({ step, attempt, guess, maxOutputTokens }: Extract<Work, { kind: "think" }>, incarnation: string) {
    if (guess === undefined || this.requestTokens === null) return null;
    const inputTokens = this.requestTokens;
    const run = { step, attempt, incarnation };
    const affordable = computeAffordableOutput(inputTokens, [guess.ceiling], this.state.facts.models[0]?.price ?? null);
    if ("exceeded" in affordable) return this.apply({ type: "request_refused", ...run, inputTokens }, incarnation);
    const outputTokens = Math.min(maxOutputTokens, affordable.outputTokens);
    this.apply({ type: "request_measured", ...run, inputTokens, outputTokens }, incarnation);
    this.mayCrash();
    return null;
  }

  /**
   * Makes the calls, `MAX_PARALLEL` under way at once, and settles them in the order in which they started. A call of
   * `later` starts after its attempt was stored, and one that shares a resource with an earlier call after that one has
   * settled. When the last one settles and the next hop begins with it, this one ends.
   */
  protected act({ calls, later, step }: Extract<Work, { kind: "act" }>, incarnation: string): Decision {
    const place = ({ callId: id }: { callId: string }) => parseCallId(id)?.index ?? 0;
    let open = [...calls, ...later]
      .map((call) => ({ ...this.state.batch.find(({ id }) => id === call.callId), ...call }))
      .sort((a, b) => place(a) - place(b));
    const started = new Set<string>();
    let isRefused = false;
    const running: { readonly id: string; readonly outcome: CallOutcome }[] = [];
    for (;;) {
      for (const { callId: id, mode } of findUnblocked(open)) {
        if (started.has(id) || running.length === MAX_PARALLEL || isRefused) continue;
        this.mayCrash();
        if (later.some(({ callId: other }) => other === id)) {
          this.apply({ type: "calls_starting", step, incarnation, callIds: [id] });
          isRefused = this.state.batch.some((one) => one.id === id && one.attempts === 0);
          if (isRefused && this.scripted(id).language === undefined) throw new Error(`${id} was refused`);
          if (isRefused) continue;
          this.mayCrash();
        }
        started.add(id);
        this.startedAfter.set(
          id,
          this.state.batch.filter(({ state }) => state === "intended").map(({ id: other }) => other),
        );
        const asked = this.bill.ask(this.scripted(id).language, this.faults.chance, () => this.mayCrash());
        running.push({ id, outcome: { ...this.perform(id, mode === "probe" ? "probe" : "run"), ...asked } });
      }
      const ended = running.shift();
      if (ended === undefined) return this.apply({ type: "runner_call_ended", step, incarnation }, incarnation);
      const { control } = ended.outcome;
      if (control === null || control.kind === "attach") open = open.filter(({ callId: id }) => id !== ended.id);
      this.now += 1;
      this.mayCrash();
      const settled = { type: "call_settled", step, incarnation, callId: ended.id, outcome: ended.outcome } as const;
      const decision = this.apply(settled, incarnation);
      if (decision.work !== null) return decision;
    }
  }

  /** True when the calls share a resource other than to read or to add, or one names files that the other may change. */
  mustFollow(id: string, earlier: string): boolean {
    const [its, { control, touches = [] }] = [this.scripted(id), this.scripted(earlier)];
    if (its.namesFiles === true && control?.kind === "dispatch") return true;
    const reads: readonly Touch[] = its.namesFiles === true ? [{ resource: "files", mode: "read" }] : [];
    const met = [...reads, ...(its.touches ?? [])];
    return met.some((a) => touches.some((b) => a.resource === b.resource && (a.mode !== b.mode || a.mode === "write")));
  }

  private joinsNext({ state }: Decision): boolean {
    const at = findNextWake(state, this.now);
    return at !== null && at <= this.now && (this.faults.joins?.() ?? true);
  }

  private make(made: NewSubtask): Decision {
    const { callId: id } = made;
    const failure = this.treeSays(made);
    if (failure !== null) return this.apply({ type: "subtask_refused", callId: id, failure });
    const known = this.subtasks.get(made.facts.id);
    this.subtasks.set(made.facts.id, { made, times: (known?.times ?? 0) + 1 });
    this.afterMade(made);
    this.mayCrash();
    return this.apply({ type: "subtask_opened", callId: id });
  }

  private condense(work: Extract<Work, { kind: "condense" }>, incarnation: string): Decision {
    const { step } = work;
    const usage = work.withModel ? { inputTokens: 20, outputTokens: 5, estimated: false } : null;
    for (const callId of work.results) {
      if (usage === null) continue;
      this.apply(
        { type: "result_condensed", step, incarnation, callId, content: `summary of ${callId}`, usage },
        incarnation,
      );
      this.mayCrash();
    }
    if (work.history !== null) {
      this.now += this.shorteningMs;
      const through = work.history;
      const text = `steps up to ${through}`;
      this.apply(
        { type: "history_condensed", step, incarnation, through, text, contextTokens: 500, usage },
        incarnation,
      );
    }
    this.mayCrash();
    return this.apply({ type: "runner_call_ended", step, incarnation }, incarnation);
  }

  protected mayCrash(): void {
    if (this.faults.chance() < this.faults.crashRate) throw new Crash();
  }

  private perform(id: string, mode: "run" | "probe"): CallOutcome {
    const scripted = this.scripted(id);
    const done = { ...confirmedOutcome({}, `${scripted.tool} done`, 1), ...scripted.outcome };
    if (scripted.control !== undefined) return { ...done, control: scripted.control };
    const times = this.effects.get(id) ?? 0;
    this.ran.push({ callId: id, argumentsHash: this.ledger.get(id)?.argumentsHash ?? "" });
    const isRepeat = scripted.effect === "keyed" && this.keys.isRepeat(id, scripted.keyedForMs ?? Infinity, this.now);
    if (!isRepeat && (mode === "run" || times === 0)) this.effects.set(id, times + 1);
    return done;
  }

  private preparedCalls(step: number): PreparedCall[] {
    return (this.script[step - 1] ?? []).map((call, index) => ({
      id: deriveCallId(this.state.facts.id, step, index),
      tool: call.tool,
      arguments: {},
      argumentsHash: `${call.tool}-${step}-${index}`,
      effect: call.effect,
      approval: call.asks === true ? { reason: "the policy asks", expiresInMs: 600_000 } : null,
      ...(call.keyedForMs === undefined ? {} : { keyedForMs: call.keyedForMs }),
      outcome: call.early === true ? this.perform(deriveCallId(this.state.facts.id, step, index), "run") : null,
      ...(call.touches === undefined ? {} : { touches: call.touches }),
      ...(call.namesFiles === true ? { namesFiles: true } : {}),
      ...(call.control?.kind === "dispatch" ? { dispatches: true } : {}),
      ...(call.language === undefined ? {} : { asks: call.language }),
    }));
  }

  private scripted(id: string): ScriptedCall {
    const [step, index] = id.split("_").slice(2).map(Number);
    const call = this.script[(step ?? 0) - 1]?.[index ?? -1];
    if (call === undefined) throw new Error(`nothing is scripted for ${id}`);
    return call;
  }
}
