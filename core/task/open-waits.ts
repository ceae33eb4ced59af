/** What a task itself waits for from people, as the tenant's inbox lists it. */
import type { TaskState } from "./state.ts";
import type { Wait } from "./wait.ts";

/** The kinds of entries of an inbox, as `pending` names them. */
export const OPEN_WAIT_KINDS = ["question", "approval", "unknown", "connection"] as const;

/** One wait for a person. `id` is that of the question, the approval or the connection; for an unknown outcome, of the call. */
export interface OpenWait {
  readonly id: string;
  readonly kind: (typeof OPEN_WAIT_KINDS)[number];
  /** The person that a question is for, as the task named them, and the id of their record. */
  readonly person: string | null;
  readonly person_id: string | null;
  /** For `connection`: the app to connect. `person_id` is then who has to connect; null for a shared account. */
  readonly app?: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Returns the open waits of a state, in the order of its calls; empty once it ended. */
export function getOpenWaits({ batch, phase, facts }: TaskState): OpenWait[] {
  if (phase.name === "ended") return [];
  return batch.flatMap(({ id: callId, wait }): OpenWait[] => {
    if (wait === null || wait.kind === "sleep" || wait.kind === "subtask") return [];
    const { kind, since = facts.createdAt } = wait;
    const id = wait.kind === "unknown" ? callId : wait.id;
    return [{ id, kind, ...getPerson(wait), since }];
  });
}

function getPerson(wait: Wait): Pick<OpenWait, "person" | "person_id" | "app"> {
  if (wait.kind === "question") return { person: wait.person, person_id: wait.personId ?? null };
  if (wait.kind === "connection") return { person: null, person_id: wait.person, app: wait.app };
  return { person: null, person_id: null };
}
