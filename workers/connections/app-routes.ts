/** The apps whose tools act through accounts: imports with `connect`, MCP servers with OAuth, and what is connected of the catalogue. */
import { createRoute, z } from "@hono/zod-openapi";
import { appsFromEnv } from "../../adapters/env/connections.ts";
import { type OwnerRule, PROVIDERS } from "../../core/connections/account.ts";
import { type AppClient, hasServerGrant } from "../../core/connections/app-client.ts";
import { MAX_OF_OWNER } from "../../core/connections/rules.ts";
import { answers, withKey } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getPerson, getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { readConnectionPage } from "./read-page.ts";

const appSchema = z
  .strictObject({
    app: z.string().describe("Its name, as connections and agents' `app_config` have it."),
    title: z.string().describe("The name that people read."),
    provider: z.enum(PROVIDERS),
    owners: z
      .array(z.enum(["me", "shared"]))
      .describe(
        "Whose accounts it takes: `me`, each person's own; `shared`, one that an administrator connects. Empty for an MCP server that an administrator authorizes under MCP servers.",
      ),
  })
  .meta({ id: "ConnectableApp" });

const list = createRoute({
  tags: ["Connections"],
  ...withKey,
  method: "get",
  operationId: "apps.list",
  path: "/v1/apps",
  summary: "List the apps to which people connect accounts",
  description:
    "The tenant's own, and those of the catalogue to which the key's person or the tenant has a connection. `GET /api/tools/marketplace` lists the catalogue.",
  middleware: [requireScope("tasks:read")],
  responses: answers({
    200: { description: "All of them, by title.", json: z.strictObject({ data: z.array(appSchema) }) },
  }),
});

export function appRoutes(app: App): void {
  app.openapi(list, async (c) => {
    const query = { person: getPerson(c)?.id ?? null, limit: 2 * MAX_OF_OWNER };
    const connected = unwrap(await readConnectionPage(c, query)).map(({ app: name }) => name);
    const apps = unwrap(await appsFromEnv(c.env, getTenant(c)).all(connected));
    const data = apps.map(toAppView).toSorted((one, other) => one.title.localeCompare(other.title, "en"));
    return c.json({ data }, 200);
  });
}

function toAppView(client: AppClient): z.infer<typeof appSchema> {
  const { app, title, provider, per } = client;
  return { app, title, provider, owners: hasServerGrant(client) ? [] : [...OWNERS[per]] };
}

const OWNERS: Readonly<Record<OwnerRule, readonly ("me" | "shared")[]>> = {
  person: ["me"],
  shared: ["shared"],
  either: ["me", "shared"],
};
