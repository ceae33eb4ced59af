/** What an agent says of the accounts of an app. */
import { getOwn } from "../base/own-field.ts";
import type { ToolApp } from "../connections/account.ts";
import type { AgentConfig } from "./agent.ts";

/** An app as an agent uses it: whose connections count, and the one that the agent names, if any. */
export interface ConfiguredApp {
  readonly app: ToolApp;
  /** `con_…` */
  readonly configured: string | null;
}

export function configureApp({ app_config }: Pick<AgentConfig, "app_config">, app: ToolApp): ConfiguredApp {
  const { connection = null, owner = app.owner } = getOwn(app_config ?? {}, app.app) ?? {};
  return { app: { ...app, owner }, configured: connection };
}
