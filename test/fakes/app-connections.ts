/** Apps by name, connected or not, in memory. */
import { failed, ok } from "../../core/base/errors.ts";
import type { AppConnection, AppConnectionsPort } from "../../core/ports/app-connections.ts";

export function fakeAppConnections(apps: Readonly<Record<string, AppConnection>> = {}): AppConnectionsPort {
  return {
    async find(app) {
      const found = apps[app.toLowerCase()];
      return found === undefined ? failed("not_found", "This task has no such app.", { field: "app" }) : ok(found);
    },
  };
}
