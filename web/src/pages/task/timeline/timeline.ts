/**
 * A task's log as a timeline: a pure reading of its events, in which each event is taken once, so that the same log gives the
 * same timeline however often connections were lost and events came twice.
 */
import type { StreamEvent } from "../../../api/stream-event.ts";
import { toolDataOf } from "../data/tool-data.ts";
import { type Fields, fieldsOf, listOf, momentOf, numberOf, oneOf, textOf } from "./fields.ts";
import { accountOf, approvalOf, callOf, connectionOf, inputOf, OUTSIDE, questionOf } from "./new-items.ts";
import {
  type ApprovalItem,
  CALL_STATES,
  type CallItem,
  type ConnectionItem,
  type EndItem,
  type QuestionItem,
  type Step,
  TASK_STATUSES,
  type Timeline,
} from "./timeline-items.ts";
import { addItem, addItemOfCall, changeItem, changeStep, lastStep } from "./timeline-steps.ts";

export const EMPTY_TIMELINE: Timeline = { last: 0, steps: [], draft: null, isOver: false };

const TERMINAL = ["task.completed", "task.failed", "task.cancelled"];

export function isTerminal({ event }: Pick<StreamEvent, "event">): boolean {
  return TERMINAL.includes(event);
}

export function applyEvents(before: Timeline, events: readonly StreamEvent[]): Timeline {
  return events.reduce(applyEvent, before);
}

/** What was written while no connection was there will come only with the whole message. */
export function markLost(timeline: Timeline): Timeline {
  const { draft } = timeline;
  return draft === null || draft.hasGap ? timeline : { ...timeline, draft: { ...draft, hasGap: true } };
}

function applyEvent(before: Timeline, event: StreamEvent): Timeline {
  const data = fieldsOf(event.data);
  if (event.id === null) return event.event === "message.delta" ? write(before, data) : before;
  const seq = Number(event.id);
  if (!Number.isSafeInteger(seq) || seq <= before.last) return before;
  const apply = (Object.hasOwn(KINDS, event.event) ? KINDS[event.event] : null) ?? addOther;
  return { ...apply(before, { key: event.id, type: event.event, at: momentOf(data["at"]), data }), last: seq };
}

interface Kept {
  readonly key: string;
  readonly type: string;
  readonly at: string | null;
  readonly data: Fields;
}

/** A model's text as it is written; that of another attempt is void. */
function write(before: Timeline, data: Fields): Timeline {
  const [step, attempt, text] = [numberOf(data["step"]), numberOf(data["attempt"]), textOf(data["text"])];
  if (step === null || attempt === null || text === null || before.isOver) return before;
  const { draft } = before;
  if (draft !== null && draft.step === step && draft.attempt === attempt)
    return { ...before, draft: { ...draft, text: draft.text + text } };
  const present = lastStep(before);
  // Of a step that is over, or of an attempt that another one has taken the place of.
  const isOld = step < present.step || (step === present.step && (attempt < present.attempt || isWritten(present)));
  return isOld ? before : { ...before, draft: { step, attempt, text, hasGap: false } };
}

/** Whether the message of a step is in the log. */
function isWritten({ items, completedAt }: Step): boolean {
  return completedAt !== null || items.some(({ kind }) => kind === "message");
}

const KINDS: Readonly<Record<string, (before: Timeline, event: Kept) => Timeline>> = {
  "task.created": (before, { key, at, data }) => addItem(before, inputOf(key, at, data)),
  "task.started": (before) => before,
  "step.started": startStep,
  "step.completed": (before, { at, data }) =>
    changeStep(before, numberOf(data["step"]), (step) => ({ ...step, completedAt: at })),
  "message.completed": completeMessage,
  "call.started": (before, { key, at, data }) => addItem(before, callOf(key, at, data)),
  "call.completed": completeCall,
  "call.unknown": (before, event) => {
    const ended = { state: "unknown", endedAt: event.at } as const;
    return settleCall(before, event, ended);
  },
  "tool-data": (before, event) => {
    const data = toolDataOf(event.data);
    const shown = data === null ? before : changeCall(before, textOf(event.data["call_id"]), { data });
    return shown === before ? addOther(before, event) : shown;
  },
  "question.asked": (before, { key, at, data }) => addItemOfCall(before, questionOf(key, at, data)),
  "question.answered": (before, { at, data }) =>
    changeQuestion(before, data["question_id"], {
      outcome: "answered",
      answer: textOf(data["answer"]),
      by: textOf(data["by"]),
      settledAt: at,
    }),
  "question.expired": (before, { at, data }) =>
    changeQuestion(before, data["question_id"], { outcome: "expired", settledAt: at }),
  "approval.requested": (before, { key, at, data }) => addItemOfCall(before, approvalOf(key, at, data)),
  "approval.decided": decideApproval,
  "approval.expired": (before, { at, data }) =>
    changeApproval(before, data["approval_id"], { outcome: "expired", settledAt: at }),
  "connection.requested": (before, { key, at, data }) => addItemOfCall(before, connectionOf(key, at, data)),
  "connection.ready": (before, { data }) => {
    const account = accountOf(data["account"]);
    const ready = changeConnection(before, data["wait_id"], { outcome: "ready", account });
    return changeCall(ready, textOf(data["call_id"]), { account });
  },
  "subtask.created": (before, { key, at, data }) => {
    const [id, callId] = [textOf(data["subtask_id"]) ?? "", textOf(data["call_id"])];
    return addItemOfCall(before, { kind: "subtask", key, at, id, callId, status: null });
  },
  "subtask.ended": (before, { data }) => {
    const status = oneOf(TASK_STATUSES, data["status"]) ?? "completed";
    const id = data["subtask_id"];
    return changeItem(before, (item) => (item.kind === "subtask" && item.id === id ? { ...item, status } : null));
  },
  "skill.loaded": (before, { key, at, data }) =>
    addItem(before, { kind: "skill", key, at, name: textOf(fieldsOf(data["skill"])["name"]) ?? "" }),
  "file.attached": (before, { key, at, data }) =>
    addItem(before, { kind: "file", key, at, path: textOf(data["path"]) ?? "", size: numberOf(data["size"]) }),
  "budget.warning": (before, { key, at, data }) => {
    const [account, of] = [textOf(data["account"]) ?? "", textOf(data["kind"]) ?? ""];
    return addItem(before, {
      kind: "budget",
      key,
      at,
      account,
      of,
      used: numberOf(data["used"]),
      limit: numberOf(data["limit"]),
    });
  },
  "task.waiting": startWait,
  "task.resumed": (before, { at }) => endWait(before, at),
  "task.completed": end,
  "task.failed": end,
  "task.cancelled": end,
};

function addOther(before: Timeline, { key, at, type, data }: Kept): Timeline {
  return addItem(before, { kind: "other", key, at, type, data });
}

function startStep(before: Timeline, { key, at, data }: Kept): Timeline {
  const present = lastStep(before);
  const [step, attempt] = [numberOf(data["step"]) ?? present.step + 1, numberOf(data["attempt"]) ?? 1];
  const model = textOf(data["model"]);
  const isFinal = data["final"] === true;
  // The text of the last attempt is void: this one replaces it.
  const cleared = { ...before, draft: null };
  if (step > present.step || before.steps.length === 0) {
    const fresh = { step, attempt, model, isFinal, startedAt: at, completedAt: null, items: [] };
    return { ...cleared, steps: [...before.steps, fresh] };
  }
  const again = changeStep(cleared, step, (known) => ({ ...known, attempt, model, isFinal }));
  return addItem(again, { kind: "retry", key, at, attempt, model });
}

function completeMessage(before: Timeline, { key, at, data }: Kept): Timeline {
  const text = textOf(data["text"]) ?? "";
  if (data["role"] === "user")
    return addItem(before, { kind: "said", key, at, text, isFromOutside: data["label"] === OUTSIDE });
  const [input, output] = [numberOf(data["input_tokens"]), numberOf(data["output_tokens"])];
  const tokens = input === null && output === null ? null : (input ?? 0) + (output ?? 0);
  const [model, costUsd] = [textOf(data["model"]), numberOf(data["cost_usd"])];
  return addItem({ ...before, draft: null }, { kind: "message", key, at, text, model, tokens, costUsd });
}

function completeCall(before: Timeline, event: Kept): Timeline {
  const { data, at } = event;
  const isOk = data["ok"] === true;
  const failure = fieldsOf(data["error"]);
  const waited = changeItem(before, (item) =>
    item.kind === "connection" && item.outcome === "open" && item.callId === data["call_id"]
      ? { ...item, outcome: "closed" }
      : null,
  );
  return settleCall(waited, event, {
    state: oneOf(CALL_STATES, data["state"]) ?? (isOk ? "confirmed" : "failed"),
    result: data["result"],
    error: isOk ? null : { code: textOf(failure["code"]) ?? "", message: textOf(failure["message"]) ?? "" },
    endedAt: at,
    durationMs: numberOf(data["duration_ms"]),
    isFromOutside: data["label"] === OUTSIDE,
  });
}

/** A call of which the log has the end alone is shown all the same. */
function settleCall(before: Timeline, { key, at, data }: Kept, change: Partial<CallItem>): Timeline {
  const account = accountOf(data["account"]);
  const id = textOf(data["call_id"]);
  const settled = changeCall(before, id, account === null ? change : { ...change, account });
  return settled === before ? addItem(before, { ...callOf(key, at, data), ...change }) : settled;
}

function changeCall(before: Timeline, id: string | null, change: Partial<CallItem>): Timeline {
  return changeItem(before, (item) => (item.kind === "call" && item.callId === id ? { ...item, ...change } : null));
}

function decideApproval(before: Timeline, { at, data }: Kept): Timeline {
  const decided = changeApproval(before, data["approval_id"], {
    outcome: data["decision"] === "approve" ? "approved" : "refused",
    newArguments: data["arguments"],
    reason: textOf(data["reason"]),
    by: textOf(data["by"]),
    settledAt: at,
  });
  const given = data["arguments"];
  if (given === undefined) return decided;
  return changeCall(decided, textOf(data["call_id"]), { arguments: given });
}

/** A second word on the same wait says what a subtask asks by now; the task's `pending` shows that. */
function startWait(before: Timeline, { key, at, data }: Kept): Timeline {
  const status = oneOf(TASK_STATUSES, data["status"]);
  const open = lastStep(before).items.findLast(({ kind }) => kind === "wait");
  if (open?.kind === "wait" && open.resumedAt === null && open.status === status) return before;
  const why = textOf(fieldsOf(data["error"])["message"]);
  const until = momentOf(data["until"]);
  return addItem(endWait(before, at), { kind: "wait", key, at, status, why, until, resumedAt: null });
}

function endWait(before: Timeline, at: string | null): Timeline {
  return changeItem(before, (item) =>
    item.kind === "wait" && item.resumedAt === null ? { ...item, resumedAt: at } : null,
  );
}

function end(before: Timeline, { key, at, type, data }: Kept): Timeline {
  const closed = listOf(data["closed"]).reduce<Timeline>((timeline, one) => {
    const { id } = fieldsOf(one);
    const asClosed = { outcome: "closed", settledAt: at } as const;
    const settled = changeApproval(changeQuestion(timeline, id, asClosed), id, asClosed);
    return changeConnection(settled, id, { outcome: "closed" });
  }, before);
  const item: EndItem = {
    kind: "end",
    key,
    at,
    status: type === "task.completed" ? "completed" : type === "task.failed" ? "failed" : "cancelled",
    reason: textOf(data["reason"]),
    error: textOf(fieldsOf(data["error"])["message"]),
    files: listOf(fieldsOf(data["output"])["files"]).flatMap((file) => textOf(fieldsOf(file)["path"]) ?? []),
  };
  return { ...addItem(endWait(closed, at), item), draft: null, isOver: true };
}

function changeQuestion(before: Timeline, id: unknown, change: Partial<QuestionItem>): Timeline {
  return changeItem(before, (item) =>
    item.kind === "question" && item.id === id && item.id !== null ? { ...item, ...change } : null,
  );
}

function changeApproval(before: Timeline, id: unknown, change: Partial<ApprovalItem>): Timeline {
  return changeItem(before, (item) =>
    item.kind === "approval" && item.id === id && item.id !== null ? { ...item, ...change } : null,
  );
}

function changeConnection(before: Timeline, id: unknown, change: Partial<ConnectionItem>): Timeline {
  return changeItem(before, (item) =>
    item.kind === "connection" && item.id === id && item.id !== null ? { ...item, ...change } : null,
  );
}
