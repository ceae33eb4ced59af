/**
 * The catalogue of apps and their actions, the same for every tenant. A provider describes them, a sync stores them, and
 * every page and every search reads one compiled snapshot.
 */
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { EffectClass, SecurityLevel } from "../tool/tool.ts";

/** Who runs the actions of an app: Composio, or the maker's own MCP server. */
export const APP_PROVIDERS = ["composio", "mcp"] as const;
export type AppProvider = (typeof APP_PROVIDERS)[number];

/** A removed app is no longer offered; tasks that began before read it for a week. */
export type AppStatus = "active" | "removed";

/** An app as its provider describes it. */
export interface DescribedApp {
  /** The slug in lower case, such as `gmail`. */
  readonly app: string;
  /** The name that people read. */
  readonly title: string;
  /** Plain text, at most 1,024 characters. */
  readonly description: string;
  /** Where the provider has the logo; null without one. */
  readonly logoUrl: string | null;
  readonly categories: readonly string[];
  readonly actionCount: number;
  readonly triggerCount: number;
  /** Such as `OAUTH2`, `API_KEY`; empty: none is needed. */
  readonly authSchemes: readonly string[];
  /** Those for which the provider has a client of its own. */
  readonly managedSchemes: readonly string[];
  /** True: it works without an account. */
  readonly isOpen: boolean;
  /** The provider's page that says how to set up a client; null without one. */
  readonly guideUrl: string | null;
  /** Changes when the provider changes the app; null if it does not say. */
  readonly version: string | null;
  /** As the provider writes it; null if it does not say. */
  readonly updatedAt: string | null;
}

/** An action as its provider describes it. */
export interface DescribedAction {
  /** The provider's name, in upper case, such as `GMAIL_SEND_EMAIL`. */
  readonly action: string;
  readonly app: string;
  /** The name that people read. */
  readonly title: string;
  /** Plain text, at most 1,024 characters. */
  readonly description: string;
  /** As the provider gives them: hints such as `readOnlyHint`, and words. */
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  /** Schema of an object. */
  readonly input: JsonSchema;
  /** Null accepts anything. */
  readonly output: JsonSchema | null;
  /** The version of the toolkit that the call names. */
  readonly version: string;
  readonly isOpen: boolean;
}

/** An event of an app that can begin a task. */
export interface DescribedTrigger {
  readonly trigger: string;
  readonly app: string;
  readonly title: string;
  readonly description: string;
  /** Schema of its configuration. */
  readonly config: JsonSchema;
  readonly payload: JsonSchema | null;
}

/** What Otto says of an action from its name and tags, when the catalogue is compiled. */
export interface ActionJudgement {
  readonly effect: EffectClass;
  readonly security: SecurityLevel;
  /** Why, in one sentence for the console. */
  readonly because: string;
  /** `category.action`, such as `message.send`. */
  readonly capabilities: readonly string[];
  readonly isDestructive: boolean;
}
