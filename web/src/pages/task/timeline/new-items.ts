/** The items that events begin; what comes later changes them. */
import type { AccountWords } from "../../../pending/account-words.ts";
import type { LedgerRow } from "../../../api/types.generated.ts";
import { type Fields, fieldsOf, listOf, momentOf, textOf, textsOf, oneOf } from "./fields.ts";
import {
  type ApprovalItem,
  type CallItem,
  type ConnectionItem,
  EFFECTS,
  type InputItem,
  type QuestionItem,
} from "./timeline-items.ts";

/** The label of text from outside, as events have it. */
export const OUTSIDE = "outside" satisfies LedgerRow["label"];

export function inputOf(key: string, at: string | null, { input, skills, label }: Fields): InputItem {
  const messages =
    typeof input === "string"
      ? [{ role: "user", text: input }]
      : listOf(input).map((message) => {
          const { role, content } = fieldsOf(message);
          return { role: textOf(role) ?? "user", text: textOf(content) ?? "" };
        });
  return {
    kind: "input",
    key,
    at,
    messages,
    skills: listOf(skills).flatMap((skill) => textOf(fieldsOf(skill)["name"]) ?? []),
    isFromOutside: label === OUTSIDE,
  };
}

export function callOf(key: string, at: string | null, data: Fields): CallItem {
  return {
    kind: "call",
    key,
    at,
    callId: textOf(data["call_id"]) ?? key,
    tool: textOf(data["tool"]) ?? "",
    arguments: data["arguments"],
    effect: oneOf(EFFECTS, data["effect"]),
    state: "intended",
    result: undefined,
    data: null,
    error: null,
    endedAt: null,
    durationMs: null,
    isFromOutside: false,
    account: accountOf(data["account"]),
  };
}

/** The account of a call; null without one. */
export function accountOf(value: unknown): AccountWords | null {
  const { label, app, owner } = fieldsOf(value);
  const name = textOf(label) ?? textOf(app);
  if (name === null) return null;
  const { kind, name: person } = fieldsOf(owner);
  return { label: name, owner: kind === "shared" ? null : (textOf(person) ?? "somebody") };
}

export function connectionOf(key: string, at: string | null, data: Fields): ConnectionItem {
  return {
    kind: "connection",
    key,
    at,
    id: textOf(data["wait_id"]),
    callId: textOf(data["call_id"]),
    app: textOf(data["app"]) ?? "",
    outcome: "open",
    account: null,
  };
}

export function questionOf(key: string, at: string | null, data: Fields): QuestionItem {
  return {
    kind: "question",
    key,
    at,
    id: textOf(data["question_id"]),
    callId: textOf(data["call_id"]),
    query: textOf(data["query"]) ?? "",
    choices: textsOf(data["choices"]),
    person: textOf(data["person"]),
    expiresAt: momentOf(data["expires_at"]),
    outcome: "open",
    answer: null,
    by: null,
    settledAt: null,
  };
}

export function approvalOf(key: string, at: string | null, data: Fields): ApprovalItem {
  return {
    kind: "approval",
    key,
    at,
    id: textOf(data["approval_id"]),
    callId: textOf(data["call_id"]),
    tool: textOf(data["tool"]) ?? "",
    why: textOf(data["reason"]),
    expiresAt: momentOf(data["expires_at"]),
    outcome: "open",
    newArguments: undefined,
    reason: null,
    by: null,
    settledAt: null,
  };
}
