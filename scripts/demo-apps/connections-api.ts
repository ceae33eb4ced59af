/** Settings of consents, links and accounts, in the shapes of Composio's client. */
import type { AuthConfigCreateResponse, AuthConfigListResponse } from "@composio/client/resources/auth-configs";
import type {
  ConnectedAccountDeleteResponse,
  ConnectedAccountRetrieveResponse,
} from "@composio/client/resources/connected-accounts";
import type { LinkCreateResponse } from "@composio/client/resources/link";
import { APPS } from "./app-list.ts";
import type { Accounts, DemoAccount, DemoConfig } from "./accounts.ts";
import { type ErrorBody, toError } from "./executions.ts";

/** A reply as a status and JSON. */
export interface ApiReply {
  readonly status: number;
  readonly body: unknown;
}

const fail = (status: number, message: string, fix?: string): ApiReply & { readonly body: ErrorBody } => ({
  status,
  body: toError(status, message, fix),
});

export function listConfigs(accounts: Accounts, query: URLSearchParams): ApiReply {
  const isManaged = query.get("is_composio_managed");
  const items = accounts
    .configs(query.get("toolkit_slug"))
    .filter((config) => isManaged === null || String(config.isManaged) === isManaged)
    .map(toConfig);
  const body = { items, next_cursor: null, total_pages: 1, current_page: 1, total_items: items.length };
  return { status: 200, body: body satisfies AuthConfigListResponse };
}

function toConfig({ id, app, scheme, isManaged, actions }: DemoConfig): AuthConfigListResponse["items"][number] {
  return {
    id,
    uuid: id,
    type: isManaged ? "default" : "custom",
    toolkit: { slug: app, logo: "" },
    name: `${app} ${id}`,
    auth_scheme: scheme,
    is_composio_managed: isManaged,
    status: "ENABLED",
    no_of_connections: 0,
    tool_access_config: { tools_for_connected_account_creation: [...actions] },
  };
}

interface ConfigBody {
  readonly toolkit?: { readonly slug?: unknown };
  readonly auth_config?: {
    readonly type?: unknown;
    readonly authScheme?: unknown;
    readonly tool_access_config?: { readonly tools_for_connected_account_creation?: unknown };
  };
}

export function createConfig(accounts: Accounts, given: unknown): ApiReply {
  const { toolkit, auth_config } = given as ConfigBody;
  const app = APPS.find(({ slug }) => slug === toolkit?.slug);
  if (app === undefined) return fail(404, "Toolkit not found");
  const isManaged = auth_config?.type === "use_composio_managed_auth";
  if (isManaged && app.signIn !== "oauth") return fail(400, "Composio has no managed auth for this toolkit");
  if (!isManaged && auth_config?.authScheme !== "API_KEY") return fail(400, "Unknown auth scheme");
  const actions = auth_config?.tool_access_config?.tools_for_connected_account_creation;
  const config = accounts.createConfig({
    app: app.slug,
    scheme: isManaged ? "OAUTH2" : "API_KEY",
    isManaged,
    actions: Array.isArray(actions) ? actions.map(String) : [],
  });
  const body = {
    toolkit: { slug: app.slug },
    auth_config: { id: config.id, auth_scheme: config.scheme, is_composio_managed: isManaged },
  };
  return { status: 201, body: body satisfies AuthConfigCreateResponse };
}

export function createLink(accounts: Accounts, given: unknown, origin: string): ApiReply {
  const { auth_config_id, user_id, callback_url } = given as Readonly<Record<string, unknown>>;
  const config = accounts.configs(null).find(({ id }) => id === auth_config_id);
  if (config === undefined) return fail(404, "Auth config not found", "Create the auth config first.");
  if (typeof user_id !== "string" || typeof callback_url !== "string" || !URL.canParse(callback_url))
    return fail(400, "user_id and callback_url are needed");
  const { id, link } = accounts.begin(config, user_id, callback_url);
  const body = {
    link_token: link?.token ?? "",
    redirect_url: `${origin}/link/${link?.token ?? ""}`,
    expires_at: new Date(link?.expiresAt ?? 0).toISOString(),
    connected_account_id: id,
  };
  return { status: 201, body: body satisfies LinkCreateResponse };
}

export function answerAccount(accounts: Accounts, method: string, id: string, isRevoke: boolean): ApiReply | null {
  const account = accounts.find(id);
  if (account === null) return fail(404, "Connected account not found");
  if (method === "GET" && !isRevoke) {
    const { scheme = "OAUTH2" } = accounts.configs(account.app).find((config) => config.id === account.config) ?? {};
    return { status: 200, body: toAccount(account, scheme) };
  }
  if (method === "POST" && isRevoke) {
    if (account.status !== "ACTIVE") return fail(400, `Connected account is ${account.status}`);
    accounts.setStatus(id, "REVOKED");
    return { status: 200, body: { revoked_tokens: ["access_token"], connected_account: { id, status: "REVOKED" } } };
  }
  if (method !== "DELETE" || isRevoke) return null;
  accounts.remove(id);
  return { status: 200, body: { success: true } satisfies ConnectedAccountDeleteResponse };
}

function toAccount(
  { id, app, entity, config, status, createdAt, label }: DemoAccount,
  scheme: DemoConfig["scheme"],
): ConnectedAccountRetrieveResponse {
  const at = new Date(createdAt).toISOString();
  return {
    toolkit: { slug: app },
    auth_config: { id: config, auth_scheme: scheme, is_composio_managed: scheme === "OAUTH2", is_disabled: false },
    id,
    word_id: null,
    alias: label,
    user_id: entity,
    status,
    created_at: at,
    updated_at: at,
    // Tokens stay at the provider.
    state: { authScheme: "NO_AUTH", val: { status: "ACTIVE" } },
    data: {},
    status_reason: null,
    is_disabled: false,
    params: {},
  };
}
