/** What a task itself waits for from people, as the tenant's inbox lists it. */
import type { TaskState } from "./state.ts";

/** The kinds of entries of an inbox, as `pending` names them. */
export const OPEN_WAIT_KINDS = ["question", "approval", "unknown"] as const;

/** One wait for a person. `id` is that of the question or the approval; for an unknown outcome, of the call. */
export interface OpenWait {
  readonly id: string;
  readonly kind: (typeof OPEN_WAIT_KINDS)[number];
  /** The person that a question is for, as the task named them, and the id of their record. */
  readonly person: string | null;
  readonly person_id: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Returns the open waits of a state, in the order of its calls; empty once it ended. */
export function getOpenWaits({ batch, phase, facts }: TaskState): OpenWait[] {
  if (phase.name === "ended") return [];
  return batch.flatMap(({ id: callId, wait }): OpenWait[] => {
    if (wait?.kind !== "question" && wait?.kind !== "approval" && wait?.kind !== "unknown") return [];
    const { kind, since = facts.createdAt } = wait;
    const id = wait.kind === "unknown" ? callId : wait.id;
    const isNamed = wait.kind === "question";
    return [
      { id, kind, person: isNamed ? wait.person : null, person_id: isNamed ? (wait.personId ?? null) : null, since },
    ];
  });
}
