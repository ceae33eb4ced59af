/** How a task that an earlier release stored is read: each version is brought to the next, so old tasks are finished. */
import { splitFileNames } from "./file-names.ts";
import { BY_API } from "./source.ts";
import { addKeyLifetime } from "./key-lifetime.ts";
import { modelChoice } from "../model/table.ts";
import { OUTSIDE, PRINCIPAL } from "../provenance/label.ts";
import { labelOfSource } from "./source-label.ts";
import {
  type BatchCall,
  type Phase,
  type SettledWait,
  STATE_VERSION,
  type TaskFacts,
  type TaskState,
} from "./state.ts";
import type { LabelledText } from "../model/label-parts.ts";

/** JSON as it was stored, of a shape that its version names. */
type Stored = Readonly<Record<string, unknown>>;

/**
 * The state as this release has it. Throws for a version of a later release. `intendedAt` reads from the ledger when a call
 * was intended, in ms since the epoch; null: the call has no row.
 */
export function readState(
  storedFacts: unknown,
  storedState: unknown,
  intendedAt: (callId: string) => number | null = () => null,
): TaskState {
  const facts = storedFacts as Stored;
  const state = storedState as Stored;
  if (state["v"] === STATE_VERSION) return { ...state, facts } as unknown as TaskState;
  const read = readEarlier(facts, state);
  return { ...read, batch: read.batch.map((call) => addKeyLifetime(call, intendedAt)) };
}

function readEarlier(facts: Stored, state: Stored): TaskState {
  switch (state["v"]) {
    case 5:
      return fromFifth(facts, state);
    case 4:
      return fromFourth(facts, state);
    case 3:
      return fromThird(facts, state);
    case 2:
      return fromSecond(facts, state);
    case 1:
      return fromFirst(facts, state);
    default:
      throw new Error(`the task is stored as version ${String(state["v"])}`);
  }
}

/**
 * Version 5 stored no labels: the input has those of `labelOldInput`, and the result of any tool is from outside. It took
 * the tools of a first request for 1,500 tokens, and measured none.
 * Approvals of it covered the names of files and not their content, so those that are open are requested again. It judged no
 * call by what it carries out.
 */
function fromFifth(facts: Stored, state: Stored): TaskState {
  const labels = labelOldInput(facts as unknown as TaskFacts);
  const { toolCalls, steps } = state["usage"] as TaskState["usage"];
  const steeredBy = toolCalls > 0 ? OUTSIDE : labels.label;
  const isContextCounted = steps > 0;
  const batch = state["batch"] as TaskState["batch"];
  const wasInfluenced = labels.label === OUTSIDE || toolCalls > batch.length;
  const read = {
    ...state,
    v: STATE_VERSION,
    facts: { ...facts, ...labels },
    batch: wasInfluenced ? batch.map(markUnjudged) : batch,
    steeredBy,
    steering: (state["steering"] as readonly string[]).flatMap((text) =>
      toSteering(text, facts as unknown as TaskFacts),
    ),
    isContextCounted,
  } as unknown as TaskState;
  return withoutUnboundApprovals(read);
}

/** An open call that no person is to decide was prepared from text from outside, and nobody looked at what it sends. */
function markUnjudged(call: BatchCall): BatchCall {
  return call.state === "intended" && call.wait === null ? { ...call, isUnjudged: true } : call;
}

/**
 * A subtask's input was written by its parent's model, which may have read anything. A Slack task's list begins with what
 * others said and what Otto answered; its last message is the request. Any other input has the label of its source.
 */
function labelOldInput({ via, parentId, kind, input }: TaskFacts): Pick<TaskFacts, "label" | "texts"> {
  const label = parentId !== null && kind === "agent" ? OUTSIDE : labelOfSource(via);
  if (via.channel !== "slack" || label === OUTSIDE || typeof input === "string" || input.length < 2) return { label };
  const texts = input.map(({ role, content }, index): LabelledText => {
    const isRequest = role === "user" && index === input.length - 1;
    return { role: role === "assistant" ? role : "user", content, label: isRequest ? PRINCIPAL : OUTSIDE };
  });
  return { label: OUTSIDE, texts };
}

/** Tools of version 5 whose arguments may name files, or that give files to a program. */
const NAMED_FILES: ReadonlySet<string> = new Set([
  "send_email",
  "attach_file",
  "run_command",
  "execute_command",
  "run_skill_script",
  "test.run",
]);
/** Of an approval that does not say when it was requested. */
const APPROVAL_MS = 86_400_000;

/** Opens the approvals again that may cover files: each gets a new id once the content of its files is known. */
function withoutUnboundApprovals(state: TaskState): TaskState {
  const settledWaits = new Map<string, SettledWait>(Object.entries(state.settledWaits));
  const batch = state.batch.map((call): BatchCall => {
    const { wait } = call;
    if (wait?.kind !== "approval" || !NAMED_FILES.has(call.tool)) return call;
    const { id, reason, expiresAt, since = 0 } = wait;
    settledWaits.set(id, { outcome: "replaced", by: null, at: since });
    const expiresInMs = expiresAt === null || since === 0 ? APPROVAL_MS : expiresAt - since;
    return { ...call, wait: null, consent: { reason, expiresInMs, rounds: 1, approved: null } };
  });
  if (batch.every((call, index) => call === state.batch[index])) return state;
  const phase: Phase = state.phase.name === "parked" ? { name: "prepared" } : state.phase;
  return { ...state, batch, settledWaits: Object.fromEntries(settledWaits), phase };
}

/** Version 5 took every message that was sent to a task for a principal's. One of Slack names its files behind the words. */
function toSteering(content: string, { via }: TaskFacts): LabelledText[] {
  return via.channel === "slack" ? splitFileNames(content, PRINCIPAL) : [{ role: "user", content, label: PRINCIPAL }];
}

/** Version 4 knew no way in but the API, and no way out. */
function fromFourth(facts: Stored, state: Stored): TaskState {
  return fromFifth({ ...facts, via: BY_API, deliver: [] }, state);
}

/** Version 3 knew no skills, and one tool that dispatches. */
function fromThird(facts: Stored, state: Stored): TaskState {
  const batch = (state["batch"] as readonly Stored[]).map((call) =>
    call["tool"] === "dispatch_subagent" ? { ...call, dispatches: true } : call,
  );
  return fromFourth({ ...facts, skills: [] }, { ...state, batch, loaded: [] });
}

/** Version 2 knew no tools but the built-in ones. */
function fromSecond(facts: Stored, state: Stored): TaskState {
  return fromThird({ ...facts, sources: [] }, state);
}

/** Version 1 knew one model, no subtasks, no approvals, no budget above the task's own and no tools but the built-in ones. */
function fromFirst(facts: Stored, state: Stored): TaskState {
  const { model, price, tools, ...kept } = facts;
  const choice = modelChoice(String(model));
  const now: Stored = {
    ...kept,
    key: null,
    via: BY_API,
    deliver: [],
    depth: 0,
    tools: tools === null ? [] : [tools as readonly string[]],
    skills: [],
    sources: [],
    models: [{ ...choice, price: price as typeof choice.price }],
  };
  const phase = state["phase"] as Stored;
  const batch = state["batch"] as readonly Stored[];
  return fromFifth(now, {
    ...state,
    phase: withTries(phase),
    usedBelow: { inputTokens: 0, outputTokens: 0, costMicros: 0 },
    permit: null,
    turnedAway: null,
    model: { index: 0, since: 0 },
    windowTokens: null,
    compactedThrough: 0,
    batch: batch.map((call) => ({ ...call, note: null, mayRepeat: false, toSummarise: false })),
    loaded: [],
    subtasks: [],
    tree: [],
    waitsBelow: {},
    uncounted: [],
    toCancel: [],
    warned: state["warned"] === true ? ["task tokens", "task cost", "task duration"] : [],
  });
}

function withTries(phase: Stored): Stored {
  if (!("tries" in phase)) return phase;
  const tries = { rounds: 0, refused: [], overflows: 0, ...(phase["tries"] as Stored) };
  return phase["name"] === "thinking" ? { ...phase, tries, model: 0 } : { ...phase, tries };
}
