/** Upgrades the stored state of an earlier release, version by version, so that old tasks can finish. */
import { splitFileNames } from "./file-names.ts";
import { API_SOURCE } from "./source.ts";
import { UNKNOWN_ACTORS } from "../connections/actors.ts";
import { addKeyLifetime } from "./key-lifetime.ts";
import { toModelChoice } from "../model/table.ts";
import { OUTSIDE, PRINCIPAL } from "../provenance/label.ts";
import { getSourceLabel } from "./source-label.ts";
import { type BatchCall, type Phase, STATE_VERSION, type TaskFacts, type TaskState } from "./state.ts";
import { renameStoredIntent } from "./read-facts.ts";
import type { SettledWait } from "./wait.ts";
import type { LabelledText } from "../model/label-parts.ts";

/** Stored JSON. Its version determines the shape. */
type Stored = Readonly<Record<string, unknown>>;

/**
 * Upgrades a state to this release. Throws for a version of a later release. `intendedAt` reads from the ledger when a
 * call was recorded, in ms since the epoch; null for a call without a row.
 */
export function readState(
  storedFacts: unknown,
  storedState: unknown,
  intendedAt: (callId: string) => number | null = () => null,
): TaskState {
  const facts = storedFacts as Stored;
  const state = storedState as Stored;
  if (state["v"] === STATE_VERSION) return readCurrent(facts, state);
  // Version 6 was the same state as version 7, stored in other tables.
  if (state["v"] === 7 || state["v"] === 6) return upgradeV7(facts, state);
  const read = upgradeState(facts, state);
  return { ...read, batch: read.batch.map((call) => addKeyLifetime(call, intendedAt)) };
}

/** The first tasks with apps stored what people asked for under `asked`, in the facts and in the state. */
function readCurrent(facts: Stored, { asked, ...state }: Stored): TaskState {
  const earlier = asked === undefined ? {} : { intent: asked };
  return { ...earlier, ...state, facts: renameStoredIntent(facts) } as unknown as TaskState;
}

function upgradeState(facts: Stored, state: Stored): TaskState {
  switch (state["v"]) {
    case 5:
      return upgradeV5(facts, state);
    case 4:
      return upgradeV4(facts, state);
    case 3:
      return upgradeV3(facts, state);
    case 2:
      return upgradeV2(facts, state);
    case 1:
      return upgradeV1(facts, state);
    default:
      throw new Error(`the task is stored as version ${String(state["v"])}`);
  }
}

/** Version 7 stored neither for whom a task acts nor who steered it. Nobody's account is used for it. */
function upgradeV7(facts: Stored, state: Stored): TaskState {
  const current = {
    ...state,
    v: STATE_VERSION,
    actors: UNKNOWN_ACTORS,
    facts: { ...facts, actsFor: facts["actsFor"] ?? null },
  };
  return current as unknown as TaskState;
}

/**
 * Version 5 stored no labels: `labelOldInput` labels the input, and every tool result is from outside. It counted 1,500
 * tokens for the tools of a first request and measured none. Its approvals covered the names of files and not their
 * content, so the open ones are requested again. It judged no call by the data that it sends out.
 */
function upgradeV5(facts: Stored, state: Stored): TaskState {
  const labels = labelOldInput(facts as unknown as TaskFacts);
  const { toolCalls, steps } = state["usage"] as TaskState["usage"];
  const steeredBy = toolCalls > 0 ? OUTSIDE : labels.label;
  const isContextCounted = steps > 0;
  const batch = state["batch"] as TaskState["batch"];
  const wasInfluenced = labels.label === OUTSIDE || toolCalls > batch.length;
  const labelled = {
    ...state,
    batch: wasInfluenced ? batch.map(markUnjudged) : batch,
    steeredBy,
    steering: (state["steering"] as readonly string[]).flatMap((text) =>
      toSteering(text, facts as unknown as TaskFacts),
    ),
    isContextCounted,
  };
  return reopenUnboundApprovals(upgradeV7({ ...facts, ...labels }, labelled));
}

/** Marks an open call that no person decides: it was prepared from outside text, and nothing judged what it sends. */
function markUnjudged(call: BatchCall): BatchCall {
  return call.state === "intended" && call.wait === null ? { ...call, isUnjudged: true } : call;
}

/**
 * A subtask's input was written by its parent's model, which may have read anything. A Slack task's list begins with
 * other users' messages and Otto's answers; its last message is the request. Any other input has the label of its
 * source.
 */
function labelOldInput({ via, parentId, kind, input }: TaskFacts): Pick<TaskFacts, "label" | "texts"> {
  const label = parentId !== null && kind === "agent" ? OUTSIDE : getSourceLabel(via);
  if (via.channel !== "slack" || label === OUTSIDE || typeof input === "string" || input.length < 2) return { label };
  const texts = input.map(({ role, content }, index): LabelledText => {
    const isRequest = role === "user" && index === input.length - 1;
    return { role: role === "assistant" ? role : "user", content, label: isRequest ? PRINCIPAL : OUTSIDE };
  });
  return { label: OUTSIDE, texts };
}

/** Tools of version 5 that name files in their arguments or give files to a program. */
const FILE_TOOLS: ReadonlySet<string> = new Set([
  "send_email",
  "attach_file",
  "run_command",
  "execute_command",
  "run_skill_script",
  "test.run",
]);
/** Lifetime of an approval without a stored request time. */
const DEFAULT_APPROVAL_MS = 86_400_000;

/** Requests again the approvals that may cover files: each gets a new id once the content of its files is known. */
function reopenUnboundApprovals(state: TaskState): TaskState {
  const settledWaits = new Map<string, SettledWait>(Object.entries(state.settledWaits));
  const batch = state.batch.map((call): BatchCall => {
    const { wait } = call;
    if (wait?.kind !== "approval" || !FILE_TOOLS.has(call.tool)) return call;
    const { id, reason, expiresAt, since = 0 } = wait;
    settledWaits.set(id, { outcome: "replaced", by: null, at: since });
    const expiresInMs = expiresAt === null || since === 0 ? DEFAULT_APPROVAL_MS : expiresAt - since;
    return { ...call, wait: null, consent: { reason, expiresInMs, rounds: 1, approved: null } };
  });
  if (batch.every((call, index) => call === state.batch[index])) return state;
  const phase: Phase = state.phase.name === "parked" ? { name: "prepared" } : state.phase;
  return { ...state, batch, settledWaits: Object.fromEntries(settledWaits), phase };
}

/** Version 5 labelled every message to a task as the principal's. A Slack message names its files after the text. */
function toSteering(content: string, { via }: TaskFacts): LabelledText[] {
  return via.channel === "slack" ? splitFileNames(content, PRINCIPAL) : [{ role: "user", content, label: PRINCIPAL }];
}

/** Version 4 had the API as its only source, and no deliveries. */
function upgradeV4(facts: Stored, state: Stored): TaskState {
  return upgradeV5({ ...facts, via: API_SOURCE, deliver: [] }, state);
}

/** Version 3 had no skills, and one tool that dispatches. */
function upgradeV3(facts: Stored, state: Stored): TaskState {
  const batch = (state["batch"] as readonly Stored[]).map((call) =>
    call["tool"] === "dispatch_subagent" ? { ...call, dispatches: true } : call,
  );
  return upgradeV4({ ...facts, skills: [] }, { ...state, batch, loaded: [] });
}

/** Version 2 had only the built-in tools. */
function upgradeV2(facts: Stored, state: Stored): TaskState {
  return upgradeV3({ ...facts, sources: [] }, state);
}

/** Version 1 had one model, no subtasks, no approvals, no budget above the task's own, and only the built-in tools. */
function upgradeV1(facts: Stored, state: Stored): TaskState {
  const { model, price, tools, ...rest } = facts;
  const choice = toModelChoice(String(model));
  const currentFacts: Stored = {
    ...rest,
    key: null,
    via: API_SOURCE,
    deliver: [],
    depth: 0,
    tools: tools === null ? [] : [tools as readonly string[]],
    skills: [],
    sources: [],
    models: [{ ...choice, price: price as typeof choice.price }],
  };
  const phase = state["phase"] as Stored;
  const batch = state["batch"] as readonly Stored[];
  return upgradeV5(currentFacts, {
    ...state,
    phase: addMissingTries(phase),
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

function addMissingTries(phase: Stored): Stored {
  if (!("tries" in phase)) return phase;
  const tries = { rounds: 0, refused: [], overflows: 0, ...(phase["tries"] as Stored) };
  return phase["name"] === "thinking" ? { ...phase, tries, model: 0 } : { ...phase, tries };
}
