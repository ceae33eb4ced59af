/** Apps and their actions in words. */
import type {
  AppAction,
  AppChanges,
  ConnectedApp,
  Connection,
  ConnectionOwner,
  ConnectionStatus,
  MarketplaceApp,
} from "../../api/types.generated.ts";
import type { Tone } from "../../ui/badge.tsx";
import { type Reader, STATE_WORDS } from "../connections/connection-words.ts";
import { getEffectWording, getLevelWording } from "../tools/tool-words.ts";
import type { AppsSearch } from "./apps-search.ts";

interface Wording {
  readonly word: string;
  readonly tone: Tone;
}

/** The best first. */
const STATES: readonly ConnectionStatus[] = ["active", "pending", "expired", "failed", "revoked"];

const TONES: Readonly<Record<ConnectionStatus, Tone>> = {
  active: "good",
  pending: "info",
  expired: "warn",
  failed: "danger",
  revoked: "plain",
};

/** The best state of an app's connections; null without any. */
function findBestState({
  connect_states: { me, shared },
}: Pick<MarketplaceApp, "connect_states">): ConnectionStatus | null {
  return STATES.find((state) => state === me || state === shared) ?? null;
}

/** How an app stands for the reader; null if there is nothing to say. */
export function findStateWording(app: Pick<MarketplaceApp, "connect_states" | "is_added">): Wording | null {
  const state = findBestState(app);
  if (app.is_added && (state === null || state === "revoked")) return { word: "Added", tone: "info" };
  if (state === null) return null;
  const isShared = state === "active" && app.connect_states.me !== "active";
  return { word: isShared ? "Connected, shared" : STATE_WORDS[state], tone: TONES[state] };
}

/** True if its calls fail until somebody connects it again. */
export function needsReconnect(app: Pick<MarketplaceApp, "connect_states">): boolean {
  const state = findBestState(app);
  return state === "expired" || state === "failed";
}

/** Returns the owners of whom the app has no account in the list, as far as the reader can connect one. */
export function findConnectableOwners(
  rows: readonly Pick<Connection, "owner">[],
  { person, isAdmin: mayShare }: Reader,
  app: Pick<MarketplaceApp, "directory" | "is_added"> = { directory: null, is_added: true },
): ConnectionOwner[] {
  // Each person connects an own account of an app of the directory, once it is added.
  if (app.directory !== null && !app.is_added) return [];
  const isAdmin = mayShare && app.directory === null;
  const isMissing: Readonly<Record<ConnectionOwner, boolean>> = {
    me: person !== null && !rows.some(({ owner }) => owner.kind === "person" && owner.id === person),
    shared: isAdmin && !rows.some(({ owner }) => owner.kind === "shared"),
  };
  return (["me", "shared"] as const).filter((owner) => isMissing[owner]);
}

/** The first letter of a title, for its tile. */
export function getFirstLetter(title: string): string {
  const [first = "?"] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(title.trim());
  return typeof first === "string" ? first : first.segment.toUpperCase();
}

/** What an app has, in one line. */
export function formatSize(app: Pick<MarketplaceApp, "action_count" | "trigger_count" | "directory">): string {
  const { action_count: actions, trigger_count: triggers } = app;
  if (app.directory !== null)
    return isUnread(app) ? "Own MCP server" : `Own MCP server, ${formatCount(actions, "action")}`;
  return triggers === 0
    ? formatCount(actions, "action")
    : `${formatCount(actions, "action")}, ${formatCount(triggers, "trigger")}`;
}

/** A number of things. */
export function formatCount(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? what : `${what}s`}`;
}

const SCHEMES: Readonly<Record<string, string>> = {
  OAUTH2: "OAuth 2",
  OAUTH1: "OAuth 1",
  API_KEY: "API key",
  BEARER_TOKEN: "Bearer token",
  BASIC: "Name and password",
};

/** How accounts of an app are authorised. */
export function formatSchemes({ auth_schemes: schemes }: Pick<MarketplaceApp, "auth_schemes">): string {
  if (schemes.length === 0) return "No account needed";
  return schemes.map((scheme) => SCHEMES[scheme] ?? scheme).join(", ");
}

const PROVIDERS: Readonly<Record<MarketplaceApp["provider"], string>> = {
  composio: "Composio",
  oauth: "An imported API",
  key: "An imported API",
  mcp: "An MCP server",
};

/** By whom an app is reached. */
export function formatProvider({ provider, directory }: Pick<MarketplaceApp, "provider" | "directory">): string {
  return directory === null ? PROVIDERS[provider] : "Its own MCP server";
}

/** True for an app whose server has not listed its tools yet. */
export function isUnread({ directory, action_count: actions }: Pick<MarketplaceApp, "directory" | "action_count">) {
  return directory !== null && actions === 0;
}

/** What a reader has to do before an app of the directory has actions. */
export function formatUnread({ is_added: isAdded, is_connected: isConnected }: AppStanding): string {
  if (!isAdded) return "An administrator adds the app. Its actions are read when the first account is connected.";
  if (!isConnected) return "They are read when the first account is connected.";
  return "Its server has not listed them yet. An administrator can reload it under MCP servers.";
}

type AppStanding = Pick<MarketplaceApp, "is_added" | "is_connected">;

/** The apps of a list that are added or not disconnected, and match a search. */
export function matchApps(apps: readonly ConnectedApp[], { search = "", category }: AppsSearch): ConnectedApp[] {
  const words = search.toLowerCase().split(/\s+/);
  return apps.filter(({ status, is_added, app_name: name, display_name: title, description, categories }) => {
    const text = `${name}\n${title}\n${description}`.toLowerCase();
    const isOfCategory = category === undefined || categories.includes(category);
    return (is_added || status !== "revoked") && isOfCategory && words.every((word) => text.includes(word));
  });
}

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
}

/** The parameters of an action, the required ones first. */
export function listParameters({ parameters }: Pick<AppAction, "parameters">): readonly Parameter[] {
  const { properties, required } = parameters;
  if (typeof properties !== "object" || properties === null) return [];
  const needed = Array.isArray(required) ? required : [];
  const all = Object.keys(properties).map((name) => ({ name, isRequired: needed.includes(name) }));
  return all.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

/** Describes how many actions of an app changed. */
export function describeChanges({ changed, removed }: Pick<AppChanges, "changed" | "removed">): string {
  const parts = [
    changed.length === 0 ? "" : `${formatCount(changed.length, "enabled action")} changed`,
    removed.length === 0 ? "" : `${formatCount(removed.length, "enabled action")} no longer offered`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** Describes what changed of an action, the risk first. */
export function describeChange({ parts, before, after }: AppChanges["changed"][number]): string {
  const words = parts.map((part) => {
    switch (part) {
      case "effect":
        return `effect ${toStep(before === null ? null : getEffectWording(before.effect).word, getEffectWording(after.effect).word)}`;
      case "security":
        return `risk ${toStep(before === null ? null : getLevelWording(before.security).word, getLevelWording(after.security).word)}`;
      case "input":
        return "other parameters";
      case "description":
        return "another description";
      case "hints":
        return "another title or description of its results";
    }
  });
  return words.length === 0 ? "changed" : words.join("; ");
}

/** Splits the changes into those of a description alone, and others. */
export function splitChanges(
  changes: AppChanges["changed"],
): readonly [texts: AppChanges["changed"], others: AppChanges["changed"]] {
  const isText = ({ parts }: AppChanges["changed"][number]) => parts.every((part) => part === "description");
  return [changes.filter(isText), changes.filter((change) => !isText(change))];
}

/** Describes how many descriptions changed, and nothing else of their actions. */
export function describeChangedTexts(count: number): string {
  return count === 1 ? "1 description changed, and nothing else" : `${count} descriptions changed, and nothing else`;
}

function toStep(before: string | null, after: string): string {
  return before === null ? `“${after}”` : `from “${before}” to “${after}”`;
}
