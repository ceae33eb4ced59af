/** The form of an incoming webhook: its values, and the request that they make. */
import type { IncomingWebhook, paths } from "../../api/types.generated.ts";
import { type Delivery, limitFieldsOf, type NewTask, readDeliver, readLimits } from "../tasks/new-task.ts";

export type IncomingRequest = paths["/v1/incoming-webhooks"]["post"]["requestBody"]["content"]["application/json"];
export type IncomingType = IncomingRequest["type"];

/** The values of the fields, stored while a person types; without the secret. */
export interface IncomingDraft {
  readonly name: string;
  readonly type: IncomingType;
  readonly enabled: boolean;
  /** The agent's id or name; empty: the built-in one. */
  readonly agent: string;
  readonly project: string;
  /** Empty for the default. */
  readonly prompt: string;
  /** One on a line; empty: all. */
  readonly events: string;
  /** Empty for the default. */
  readonly signatureHeader: string;
  /** Empty: not chosen yet. */
  readonly oncePerBody: "" | "yes" | "no";
  /** `as_is`: as the webhook has it; nobody for a new one. */
  readonly actsFor: "as_is" | "me" | "nobody";
  readonly limits: NewTask["limits"];
  readonly deliver: readonly Delivery[];
  /** True: pushes index codebases, and no call becomes a task. It counts for GitHub alone. */
  readonly reindex: boolean;
}

export const NEW_INCOMING: IncomingDraft = {
  name: "",
  type: "generic",
  enabled: true,
  agent: "",
  project: "",
  prompt: "",
  events: "",
  signatureHeader: "",
  oncePerBody: "",
  actsFor: "as_is",
  limits: limitFieldsOf(null),
  deliver: [],
  reindex: false,
};

/** Where a generic caller signs unless another header is named. */
export const USUAL_HEADER = "x-otto-signature";

/** What a call says of itself: of which types events are known, and whether a copied call can come under another id. */
export function hasEvents(type: IncomingType): boolean {
  return type !== "generic";
}

export function mayBeCopied(type: IncomingType): boolean {
  return type === "generic" || type === "github";
}

/** Whether calls index codebases, and become no tasks. */
export function indexesCodebases({ type, reindex = false }: Pick<IncomingWebhook, "type" | "reindex">): boolean {
  return type === "github" && reindex;
}

export function draftOfIncoming(hook: IncomingWebhook): IncomingDraft {
  const { name, type, enabled, agent, project, prompt, events, signature_header, once_per_body, budget } = hook;
  return {
    name,
    type,
    enabled,
    agent: agent ?? "",
    project: project ?? "",
    prompt: prompt ?? "",
    events: events?.join("\n") ?? "",
    signatureHeader: signature_header === USUAL_HEADER ? "" : (signature_header ?? ""),
    oncePerBody: once_per_body === true ? "yes" : "no",
    actsFor: "as_is",
    limits: limitFieldsOf(budget),
    deliver: hook.deliver ?? [],
    reindex: hook.reindex === true,
  };
}

/** Whether the tasks of the webhook act for a person. `hasPerson`: they do as the webhook is now. */
export function doesAct(actsFor: IncomingDraft["actsFor"], hasPerson: boolean): boolean {
  return actsFor === "as_is" ? hasPerson : actsFor === "me";
}

/** The value that makes them act for a person or for nobody. */
export function toActsFor(isActing: boolean, hasPerson: boolean): IncomingDraft["actsFor"] {
  if (isActing === hasPerson) return "as_is";
  return isActing ? "me" : "nobody";
}

export type ReadIncoming =
  | { readonly ok: true; readonly request: IncomingRequest }
  /** What cannot be sent, by the name of its field in the request. */
  | { readonly ok: false; readonly faults: Readonly<Record<string, string>> };

/**
 * The request that the fields make. What the type does not know is left out. `secret` empty: one is made, or stays.
 * `oldSeconds` is how long the one that it replaces counts; null: it replaces none.
 */
export function readIncoming(draft: IncomingDraft, secret: string, oldSeconds: string | null): ReadIncoming {
  const { type, enabled } = draft;
  const faults: Record<string, string> = {};
  const outcome = indexesCodebases(draft) ? ({ reindex: true, acts_for: null } as const) : readTask(draft, faults);
  if (type === "generic" && draft.oncePerBody === "")
    faults["once_per_body"] = "Choose what to do with a repeated body.";
  if (Object.keys(faults).length > 0) return { ok: false, faults };
  const header = type === "generic" ? draft.signatureHeader.trim() : "";
  return {
    ok: true,
    request: {
      name: draft.name.trim(),
      type,
      enabled,
      ...(header === "" ? {} : { signature_header: header }),
      ...(mayBeCopied(type) && draft.oncePerBody !== "" ? { once_per_body: draft.oncePerBody === "yes" } : {}),
      ...outcome,
      ...(secret === "" ? {} : { secret }),
      ...(secret === "" || oldSeconds === null ? {} : { old_secret_seconds: Number(oldSeconds) }),
    },
  };
}

/** What a request says of the tasks that calls become. Adds what cannot be sent to `faults`. */
function readTask(draft: IncomingDraft, faults: Record<string, string>) {
  const events = hasEvents(draft.type) ? splitLines(draft.events) : [];
  return {
    ...(draft.agent === "" ? {} : { agent: draft.agent }),
    ...(draft.project.trim() === "" ? {} : { project: draft.project.trim() }),
    ...(draft.prompt.trim() === "" ? {} : { prompt: draft.prompt }),
    ...(events.length === 0 ? {} : { events }),
    ...(draft.actsFor === "as_is" ? {} : { acts_for: draft.actsFor === "me" ? ("me" as const) : null }),
    ...readLimits(draft.limits, faults),
    ...readDeliver(draft.deliver, faults),
  };
}

function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
