/** A tenant with tools of the demo apps and an account of each: the sources and connections are stored as the product does. */
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, inject } from "vitest";
import { appProviderFromEnv } from "../../../adapters/env/apps.ts";
import { toEntity } from "../../../core/connections/catalogue-app.ts";
import type { JsonSchema } from "../../../core/lib/json-schema/json-schema.ts";
import type { PinnedSource, OutsideTool } from "../../../core/tool/source.ts";
import type { EffectClass } from "../../../core/tool/tool.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { followLink } from "../../mock-servers/demo-apps.ts";
import { type Member, type Office, openOffice } from "../connections/connect-client.ts";
import { addAppToWorkspace } from "./app-tasks.ts";
import { storeAccount } from "./stored-account.ts";

/** Sets the provider of this Worker for the tests of a file. */
export function useDemoApps(): void {
  const names = ["COMPOSIO_API_KEY", "COMPOSIO_BASE_URL"] as const;
  beforeAll(() => {
    const { url, apiKey } = inject("servers").demoApps;
    Object.assign(env, { COMPOSIO_API_KEY: apiKey, COMPOSIO_BASE_URL: url });
  });
  afterAll(() => {
    for (const name of names) delete env[name];
  });
}

export interface AppOffice extends Office {
  /** The person who has the accounts. */
  readonly ana: Member;
  readonly person: string;
  readonly sources: readonly PinnedSource[];
  /** The provider's id of the account of an app. */
  readonly accounts: ReadonlyMap<string, string>;
}

/** An action with the argument that names the call in what the demo apps note. */
export interface NamedAction {
  readonly action: string;
  readonly named: string;
  readonly others?: Readonly<Record<string, string>>;
  /** Absent: any object. */
  readonly input?: JsonSchema;
}

const toApp = ({ action }: Pick<NamedAction, "action">): string => action.slice(0, action.indexOf("_")).toLowerCase();

/** The name of an action's tool in a class. */
export const toName = (action: string, effect: EffectClass): string => `${effect}_${action}`;

function toTool(named: NamedAction, effect: EffectClass): OutsideTool {
  const { action } = named;
  const app = toApp(named);
  return {
    name: toName(action, effect),
    summary: `Call ${action}.`,
    toolbox: `app:${app}`,
    category: "api",
    permissions: ["network"],
    security: "cautious",
    effect,
    timeoutMs: 12_000,
    input: named.input ?? { type: "object" },
    output: null,
    origin: {
      kind: "app",
      provider: "composio",
      app,
      action,
      version: "20261105_00",
      capabilities: [],
      isDestructive: false,
    },
    app: { app, provider: "composio", owner: "either", scopes: [] },
  };
}

/** Opens a tenant whose tools are these actions, each in each of its classes. */
export async function openAppOffice(
  tools: readonly { readonly of: NamedAction; readonly effect: EffectClass }[],
): Promise<AppOffice> {
  const office = await openOffice();
  const ana = await office.add("Ana", ["tasks:read", "tasks:write", "tools:call"]);
  const { person } = ana;
  const accounts = new Map<string, string>();
  const sources: PinnedSource[] = [];
  for (const [app, ofApp] of Map.groupBy(tools, ({ of }) => toApp(of))) {
    const made = ofApp.map(({ of, effect }) => toTool(of, effect));
    sources.push(await addAppToWorkspace(office.tenant, app, made));
    accounts.set(app, await connectDemo(office.tenant, person, app));
  }
  return { ...office, ana, person, accounts, sources };
}

/** Connects an account of a demo app, and returns the provider's id of it. */
async function connectDemo(tenant: string, person: string, app: string): Promise<string> {
  const provider = appProviderFromEnv(env);
  if (provider === null) throw new Error("there is no provider of apps");
  const entity = toEntity(tenant, person);
  const link = { app, entity, actions: [], callbackUrl: "https://otto.test/back" };
  const { url, providerId } = valueOf(await provider.links.link(link));
  await followLink(url, "ana@demo.example");
  await storeAccount(tenant, app, { person, providerId });
  return providerId;
}
