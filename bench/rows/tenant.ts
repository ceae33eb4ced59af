/** How many tasks and steps a second one tenant's object carries, counted in the requests that reach it. */
import { randomBytes } from "node:crypto";
import { openDatabase } from "../../adapters/database/database.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import { workerVars } from "../../scripts/supervisor/worker-vars.ts";
import { makeTenant } from "../made-tasks.ts";
import type { DriverOrder } from "../tenant/driver.ts";
import { startDriver } from "../tenant/host.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const CALLERS = 128;
const WARM_UP_MS = 2_000;
const RUN_MS = 8_000;
/** Nothing listens there: no step is made. */
const NO_SIDECAR = "http://127.0.0.1:9";

export const TENANT: Section = {
  name: "tenant",
  once: true,
  rows: [
    { key: "tenant-tasks", label: "new tasks a second of one tenant (4 requests each)", digits: 0, target: "≥ 200" },
    { key: "tenant-steps", label: "– steps a second (1 request each)", digits: 0, target: "≥ 1000" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const server = await startTestDatabase();
    const secret = () => randomBytes(32).toString("base64");
    const decided = { databaseUrl: server.url, databaseEndpoint: server.endpoint, sidecarUrl: NO_SIDECAR };
    const secrets = { sidecarSecret: secret(), secretKey: secret(), operatorKey: secret() };
    const limits = { OTTO_MAX_RUNNING_TASKS: "256", OTTO_REQUESTS_PER_MINUTE: "1000000" };
    const host = await startDriver(workerVars(limits, { ...decided, ...secrets, demoApps: null }));
    try {
      const database = openDatabase(server.url, server.endpoint);
      for (const kind of ["tasks", "steps"] as const) {
        const order: Omit<DriverOrder, "ms"> = { kind, tenant: await makeTenant(database), callers: CALLERS };
        await host.drive({ ...order, ms: WARM_UP_MS });
        const { done, ms } = await host.drive({ ...order, ms: RUN_MS });
        note(`tenant-${kind}`, OURS, (done / ms) * 1_000);
      }
    } finally {
      await host.close();
      await server.close();
    }
  },
};
