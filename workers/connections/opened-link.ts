/** An opened connect link. */
import type { AppClient } from "../../core/connections/app-client.ts";
import type { LinkedConnection } from "../../core/ports/connection-table.ts";
import type { ConnectLink } from "./connect-token.ts";
import type { Viewer } from "./viewer.ts";

/** What a link is about. */
export interface OpenedLink {
  readonly link: ConnectLink;
  readonly tenantName: string;
  /** The person whose account it will be; null for a shared one. */
  readonly personName: string | null;
  readonly app: AppClient;
  readonly linked: LinkedConnection;
  readonly viewer: Extract<Viewer, "none" | "self">;
}
