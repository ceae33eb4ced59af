/**
 * A tenant's own key of the catalogue's provider. It is sealed, opened for requests to the provider alone, and returned by
 * no route. When another key begins to serve the tenant, the accounts that the earlier one made end with that reason.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { appProviderFromEnv } from "../../adapters/env/apps.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { integrationsFromEnv } from "../../adapters/env/integrations.ts";
import { openUnstoredFromEnv, providerKeysFromEnv, servingKeyFromEnv } from "../../adapters/env/tenant-provider.ts";
import { KEY_OWNERS } from "../../core/apps/integrations.ts";
import { OttoError } from "../../core/base/errors.ts";
import { makeId } from "../../core/base/ids.ts";
import { iso, isoOrNull } from "../../core/base/iso.ts";
import { hashCatalogueApp } from "../../core/connections/catalogue-app.ts";
import { findKeyProblem, MAX_KEY_CHARACTERS, OPERATOR_KEY, OTHER_KEY } from "../../core/connections/provider-key.ts";
import type { ProviderKey } from "../../core/ports/provider-keys.ts";
import { writeConnectionChange } from "../connections/changes.ts";
import { answers, withKey } from "../http/answers.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { App, AppContext } from "../http/context.ts";
import { requireScope } from "../http/middleware/require-scope.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";

const PATH = "/v1/integrations/composio";
const PROVIDER = "composio";
const time = z.iso.datetime();
const shared = { tags: ["Apps"], ...withKey, path: PATH, middleware: [requireScope("admin")] };

const keyInput = z
  .strictObject({
    api_key: z
      .string()
      .max(MAX_KEY_CHARACTERS)
      .describe("A key of the tenant's own project at Composio. No route returns it."),
  })
  .meta({ id: "ProviderKeyInput" });

const statusFields = {
  served_by: z.enum(KEY_OWNERS).describe("Whose key serves this tenant's accounts and calls."),
  own_key: z
    .strictObject({
      created_at: time,
      refused_at: time.nullable().describe("When Composio refused it in a sync of the catalogue; null: it did not."),
    })
    .nullable()
    .describe("The tenant's own key, without its value; null without one."),
  has_operator_key: z.boolean().describe("True if the operator's key, or the demo apps, serve tenants without a key."),
};
const statusSchema = z.strictObject(statusFields).meta({ id: "ProviderKeyStatus" });
const changedSchema = z
  .strictObject({
    ...statusFields,
    expired_connections: z
      .int()
      .describe("Connections whose accounts the earlier key made. They have to be connected again."),
  })
  .meta({ id: "ProviderKeyChange" });

const show = createRoute({
  ...shared,
  method: "get",
  operationId: "integrations.getKey",
  summary: "Show whose Composio key serves the tenant",
  responses: answers({ 200: { description: "The state, without the key.", json: statusSchema } }),
});

const put = createRoute({
  ...shared,
  method: "put",
  operationId: "integrations.setKey",
  summary: "Save the tenant's own Composio key",
  description:
    "Otto asks Composio once if it accepts the key, and stores nothing otherwise. From then on it serves the tenant in the place of the operator's, everywhere within five seconds. Accounts belong to the key that made them: those of another key expire, and their owners connect them again. The same key again changes nothing.",
  request: { body: { required: true, content: { "application/json": { schema: keyInput } } } },
  responses: answers({ 200: { description: "It is saved.", json: changedSchema } }, [413, 415, 422]),
});

const remove = createRoute({
  ...shared,
  method: "delete",
  operationId: "integrations.removeKey",
  summary: "Remove the tenant's own Composio key",
  description:
    "The operator's key serves the tenant again, if there is one. Accounts that the removed key made expire; Otto can no longer revoke them, so remove them in your project at Composio. Idempotent.",
  responses: answers({ 200: { description: "It is removed.", json: changedSchema } }),
});

export function providerKeyRoutes(app: App): void {
  app.openapi(show, async (c) => c.json(await readStatus(c.env, getTenant(c)), 200));

  app.openapi(put, async (c) => {
    const { api_key: value } = c.req.valid("json");
    const [tenant, keys] = [getTenant(c), providerKeysFromEnv(c.env, getTenant(c))];
    const problem = findKeyProblem(value);
    if (problem !== null) throw new OttoError(problem.error);
    unwrap(await openUnstoredFromEnv(c.env, value).checkKey());
    const before = unwrap(await keys.find());
    if (before?.value !== value) {
      const id = makeId("providerKey", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
      const act = await createAuditEntry(c, "provider_key.set", PROVIDER);
      unwrap(await writeConnectionChange(c.env, tenant, async () => await keys.put({ id, value }, act)));
    }
    return c.json({ ...(await readStatus(c.env, tenant)), expired_connections: await expireOthers(c) }, 200);
  });

  app.openapi(remove, async (c) => {
    const [tenant, keys] = [getTenant(c), providerKeysFromEnv(c.env, getTenant(c))];
    const act = await createAuditEntry(c, "provider_key.remove", PROVIDER);
    unwrap(await writeConnectionChange(c.env, tenant, async () => await keys.remove(act)));
    return c.json({ ...(await readStatus(c.env, tenant)), expired_connections: await expireOthers(c) }, 200);
  });
}

/**
 * Ends the connections of accounts that the present key did not make. Calls refuse them without this: it says so on pages
 * and to their owners. Repeating the request repeats it.
 */
async function expireOthers(c: AppContext): Promise<number> {
  const tenant = getTenant(c);
  const key = unwrap(await servingKeyFromEnv(c.env, tenant));
  const table = connectionTableFromEnv(c.env, tenant);
  const hashApp = async (app: string) => await hashCatalogueApp(app, key ?? OPERATOR_KEY);
  const expire = async () => await table.expireOthers(PROVIDER, hashApp, OTHER_KEY);
  return unwrap(await writeConnectionChange(c.env, tenant, expire));
}

async function readStatus(env: Env, tenant: string): Promise<z.infer<typeof statusSchema>> {
  const own = unwrap(await providerKeysFromEnv(env, tenant).find());
  // Also of a key that can no longer be opened.
  const servedBy = own === null ? unwrap(await integrationsFromEnv(env, tenant)).servedBy : ("own" as const);
  return { served_by: servedBy, own_key: toView(own), has_operator_key: appProviderFromEnv(env) !== null };
}

function toView(key: ProviderKey | null) {
  return key === null ? null : { created_at: iso(key.createdAt), refused_at: isoOrNull(key.refusedAt) };
}
