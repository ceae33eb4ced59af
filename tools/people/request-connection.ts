import { z } from "zod";
import { control, defineTool, failWith } from "../define-tool.ts";

export default defineTool({
  name: "request_connection",
  summary: "Ask a person to connect an app that is not connected, and wait for it. Then use its tools.",
  toolbox: "people",
  category: "communication",
  permissions: [],
  security: "safe",
  effect: "none",
  needs: ["appConnections"],
  steers: true,
  connects: ({ app }) => app,
  onlyWithApps: true,
  input: z.object({
    app: z.string().trim().toLowerCase().min(1).max(64),
    why: z.string().trim().min(1).max(300).describe("For the person, in one sentence"),
  }),
  output: z.object({ app: z.string(), connected: z.literal(true), account: z.string().nullable() }),
  async run({ app, why }, { appConnections }) {
    const found = await appConnections.find(app);
    if (!found.ok) return failWith(found.error);
    if (found.value.kind === "connected") return { app, connected: true as const, account: found.value.account };
    const { reason, person } = found.value;
    return control({ kind: "connect", app, reason, person, why });
  },
  show: ({ app, account }) => `${app} is connected${account === null ? "" : ` as ${account}`}. Call its tools now.`,
  examples: [{ note: "one app", given: { app: "gmail", why: "To read the invoices of last week." } }],
});
