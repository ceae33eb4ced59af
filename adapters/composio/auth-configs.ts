/**
 * Composio's settings of a consent, one for each app and set of actions, from which it derives the least scopes. They are
 * found or created, and remembered for an hour: somebody may delete one at Composio. An absent one is not remembered.
 */
import { z } from "zod";
import { ANSWERED, failed, ok, type Result } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { describeMissingClient, describeOpenApp, isSchemeOfPerson } from "../../core/connections/catalogue-app.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, type ComposioReply, type ComposioRequest, isSuccess, sendToComposio } from "./request.ts";

const FRESH_MS = 3_600_000;
/** Entries of the cache; the oldest is dropped first. */
const MAX_REMEMBERED = 1_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2_097_152;

export interface AuthConfigs {
  /** The id of the settings for these actions. */
  get(wanted: WantedConfig): Promise<Result<string>>;
  /** The remembered one does not exist any more. */
  forget(wanted: WantedConfig): Promise<void>;
}

interface WantedConfig {
  readonly app: string;
  readonly actions: readonly string[];
}

const toolkitSchema = z.object({
  name: z.string(),
  composio_managed_auth_schemes: z.array(z.string()).nullish(),
  auth_guide_url: z.string().nullish(),
  auth_config_details: z
    .array(
      z.object({
        mode: z.string(),
        fields: z.object({ auth_config_creation: z.object({ required: z.array(z.unknown()).nullish() }).nullish() }),
      }),
    )
    .nullish(),
});

const listSchema = z.object({
  items: z.array(
    z.object({
      id: z.string().min(1),
      status: z.string().nullish(),
      tool_access_config: z.object({ tools_for_connected_account_creation: z.array(z.string()).nullish() }).nullish(),
    }),
  ),
});
const createdSchema = z.object({ auth_config: z.object({ id: z.string().min(1) }) });

export function openAuthConfigs(access: ComposioAccess): AuthConfigs {
  const known = new Map<string, { readonly id: string; readonly until: number }>();
  return {
    async get(wanted) {
      const key = await toKey(wanted);
      const found = known.get(key);
      if (found !== undefined && found.until > access.now()) return ok(found.id);
      const id = await findOrCreate(access, wanted);
      if (!id.ok) return id;
      known.delete(key);
      known.set(key, { id: id.value, until: access.now() + FRESH_MS });
      const [oldest] = known.keys();
      if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
      return id;
    },
    async forget(wanted) {
      known.delete(await toKey(wanted));
    },
  };
}

async function toKey({ app, actions }: WantedConfig): Promise<string> {
  return `${app} ${await sha256Hex(listActions(actions).join("\n"))}`;
}

function listActions(actions: readonly string[]): string[] {
  return [...new Set(actions)].toSorted();
}

async function findOrCreate(access: ComposioAccess, wanted: WantedConfig): Promise<Result<string>> {
  const scheme = await chooseScheme(access, wanted.app);
  if (!scheme.ok) return scheme;
  const found = await findConfig(access, wanted, scheme.value.isManaged);
  if (!found.ok) return found;
  if (found.value !== null) return ok(found.value);
  const use = scheme.value.isManaged
    ? { type: "use_composio_managed_auth" }
    : { type: "use_custom_auth", authScheme: scheme.value.name };
  const access_config = { tools_for_connected_account_creation: listActions(wanted.actions) };
  const body = { toolkit: { slug: wanted.app }, auth_config: { ...use, tool_access_config: access_config } };
  const reply = await send(access, { method: "POST", path: "/auth_configs", body });
  if (!isSuccess(reply)) return toReadFailure(reply, `The app ${wanted.app}`);
  const parsed = createdSchema.safeParse(reply.body);
  return parsed.success ? ok(parsed.data.auth_config.id) : failUnreadable();
}

interface Scheme {
  readonly name: string;
  readonly isManaged: boolean;
}

/** How people sign in: by a client of Composio's own, else with a key that its page asks for. */
async function chooseScheme(access: ComposioAccess, app: string): Promise<Result<Scheme>> {
  const reply = await send(access, { method: "GET", path: `/toolkits/${encodeURIComponent(app)}` });
  if (!isSuccess(reply)) return toReadFailure(reply, `The app ${app}`);
  const parsed = toolkitSchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const { name, composio_managed_auth_schemes, auth_guide_url, auth_config_details } = parsed.data;
  const [managed] = composio_managed_auth_schemes ?? [];
  if (managed !== undefined) return ok({ name: managed, isManaged: true });
  if (auth_config_details?.some(({ mode }) => mode === "NO_AUTH") === true)
    return failed("conflict", describeOpenApp(name), { cause: ANSWERED });
  const keyed = (auth_config_details ?? []).find(
    ({ mode, fields }) => isSchemeOfPerson(mode) && (fields.auth_config_creation?.required ?? []).length === 0,
  );
  if (keyed !== undefined) return ok({ name: keyed.mode, isManaged: false });
  return failed("not_available", describeMissingClient(name, auth_guide_url ?? null), { cause: ANSWERED });
}

/** The id of enabled settings for exactly these actions; null without them. */
async function findConfig(
  access: ComposioAccess,
  { app, actions }: WantedConfig,
  isManaged: boolean,
): Promise<Result<string | null>> {
  const query = { toolkit_slug: app, is_composio_managed: String(isManaged), limit: "100" };
  const reply = await send(access, { method: "GET", path: "/auth_configs", query });
  if (!isSuccess(reply)) return toReadFailure(reply, `The app ${app}`);
  const parsed = listSchema.safeParse(reply.body);
  if (!parsed.success) return failUnreadable();
  const wanted = listActions(actions).join("\n");
  const found = parsed.data.items.find(({ status, tool_access_config }) => {
    const tools = tool_access_config?.tools_for_connected_account_creation ?? [];
    return status !== "DISABLED" && listActions(tools).join("\n") === wanted;
  });
  return ok(found?.id ?? null);
}

async function send(
  access: ComposioAccess,
  request: Pick<ComposioRequest, "method" | "path" | "query" | "body">,
): Promise<ComposioReply> {
  return await sendToComposio(access, { kind: "call", timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...request });
}
