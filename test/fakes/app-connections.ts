/** Apps by name, connected or not, in memory. */
import { type Failed, failed, ok } from "../../core/base/errors.ts";
import type { AppConnection, AppConnectionsPort } from "../../core/ports/app-connections.ts";

/** A failure is what finding an app ends with. */
export function fakeAppConnections(apps: Readonly<Record<string, AppConnection | Failed>> = {}): AppConnectionsPort {
  return {
    async find(app) {
      const found = apps[app.trim().toLowerCase()];
      if (found === undefined) return failed("not_found", "This task has no such app.", { field: "app" });
      return "ok" in found ? found : ok(found);
    },
  };
}
