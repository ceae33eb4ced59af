/** Whether a task can use an app of its agent now, and who has to connect it. */
import type { ConnectReason } from "../connections/account.ts";
import type { Result } from "../base/errors.ts";

export type AppConnection =
  /** `account`: how people know it; null if it has no name, and for an app that needs none. */
  | { readonly kind: "connected"; readonly account: string | null }
  /** `person`: who has to connect it; null: an administrator, for everyone. */
  | { readonly kind: "needed"; readonly reason: ConnectReason; readonly person: string | null };

export interface AppConnectionsPort {
  /**
   * Finds an app of the task by its name in any case. `not_found` for one that the task does not have, `permission_denied`
   * for one that its agent may not use any more, and a failure that says to try again later while this cannot be read.
   */
  find(app: string): Promise<Result<AppConnection>>;
}
