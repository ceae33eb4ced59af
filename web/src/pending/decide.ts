/** Sends a person's decision, and shows the outcome when another person or the deadline was first. */
import { useMutation } from "@tanstack/react-query";
import { answered, api } from "../api/client.ts";
import { type ApiError, toApiError } from "../api/problem.ts";
import { queryClient } from "../api/query-client.ts";
import { useRequestKey } from "../api/request-key.ts";
import type { PendingEntry } from "../api/types.ts";

export type Answer = { readonly text: string } | { readonly choice: string };
export type Decision =
  | { readonly decision: "approve"; readonly arguments?: Record<string, unknown> }
  | { readonly decision: "refuse"; readonly reason?: string };
export type UnknownDecision = "done" | "retry" | "skip";

type Question = Extract<PendingEntry, { kind: "question" }>;
type Approval = Extract<PendingEntry, { kind: "approval" }>;
type Connection = Extract<PendingEntry, { kind: "connection" }>;
type Unknown = Extract<PendingEntry, { kind: "unknown" }>;

interface Deciding<Sent> {
  readonly send: (sent: Sent) => void;
  /** What is on its way, so that its own button shows it. */
  readonly sending: Sent | null;
  readonly error: ApiError | null;
}

export function useAnswer(taskId: string, entry: Question, onDone: () => void): Deciding<Answer> {
  return useDeciding<Answer>(async (body, headers) => {
    const path = { id: taskId, question: entry.id };
    await answered(api.POST("/v1/tasks/{id}/questions/{question}/answer", { params: { path }, body, headers }));
  }, onDone);
}

export function useDecision(taskId: string, entry: Approval, onDone: () => void): Deciding<Decision> {
  return useDeciding<Decision>(async (body, headers) => {
    const path = { id: taskId, approval: entry.id };
    await answered(api.POST("/v1/tasks/{id}/approvals/{approval}", { params: { path }, body, headers }));
  }, onDone);
}

export function useUnknownDecision(taskId: string, entry: Unknown, onDone: () => void): Deciding<UnknownDecision> {
  return useDeciding<UnknownDecision>(async (decision, headers) => {
    const path = { id: taskId, call_id: entry.call_id };
    await answered(api.POST("/v1/tasks/{id}/ledger/{call_id}", { params: { path }, body: { decision }, headers }));
  }, onDone);
}

export function useSkippedConnection(taskId: string, entry: Connection, onDone: () => void): Deciding<"skip"> {
  return useDeciding<"skip">(async (decision, headers) => {
    const path = { id: taskId, wait: entry.id };
    await answered(api.POST("/v1/tasks/{id}/connections/{wait}", { params: { path }, body: { decision }, headers }));
  }, onDone);
}

/** Whether an entry was settled before this decision came: by somebody else (409), or by its time (410). */
export function isOver(error: ApiError | null): boolean {
  return error !== null && (error.status === 409 || error.status === 410);
}

function useDeciding<Sent>(
  send: (sent: Sent, headers: Record<string, string>) => Promise<void>,
  onDone: () => void,
): Deciding<Sent> {
  const { headersFor } = useRequestKey();
  const deciding = useMutation({
    mutationFn: async (sent: Sent) => await send(sent, headersFor(sent)),
    onSuccess: () => {
      readAgain();
      onDone();
    },
    onError: (thrown) => {
      if (isOver(toApiError(thrown))) readAgain();
    },
  });
  return {
    send: (sent) => {
      if (!deciding.isPending) deciding.mutate(sent);
    },
    sending: deciding.isPending ? deciding.variables : null,
    error: deciding.isError ? toApiError(deciding.error) : null,
  };
}

/** Reads again what waits, where it was settled elsewhere. */
export function readAgain(): void {
  for (const queryKey of [["tasks"], ["inbox"]]) void queryClient.invalidateQueries({ queryKey });
}
