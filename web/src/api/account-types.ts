/** The parts of the API about accounts that `types.generated.ts` lacks: the account of a call, and waits for one. */
import type { Connection } from "./types.generated.ts";

/** The account through which a call acts. */
export type CallAccount = Pick<Connection, "app" | "provider" | "owner" | "label"> & { readonly connection: string };

export type ConnectReason = "missing" | "expired" | "revoked" | "scopes" | "unattended";

/** A call that waits for an account of an app. */
export interface PendingConnection {
  readonly kind: "connection";
  readonly id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly app: string;
  readonly reason: ConnectReason;
  /** Who has to connect; null: an administrator, a shared account. */
  readonly person_id: string | null;
  /** Null for a reader who may not connect. */
  readonly connect_url: string | null;
  readonly expires_at: string;
  readonly task_id?: string | undefined;
}

/** The request that continues without an account. */
export interface SkipPaths {
  readonly "/v1/tasks/{id}/connections/{wait}": {
    readonly post: {
      parameters: { query?: never; path: { id: string; wait: string } };
      requestBody: { content: { "application/json": { decision: "skip" } } };
      responses: { 200: { content: { "application/json": { id: string } } } };
    };
  };
}
