/** Accounts of apps in Slack, which only their person sees: the list, the link that connects one, and the button for it. */
import { z } from "zod";
import { parseJson } from "../../base/parse-json.ts";
import type { SlackContent, SlackJson } from "../../ports/slack.ts";
import type { AppToConnect, OutMessage } from "../outbox/message.ts";
import { escapeText, truncateText } from "./escape.ts";
import { toFallback, toSectionBlock, toSections } from "./pack.ts";

/** The action's id. Not a verb of tasks: its value names an app. */
const CONNECT_APP = "otto:connect_app";
/** Rows of the list; a message has at most 50 blocks. */
const MAX_ROWS = 45;
const MAX_NAME_CHARACTERS = 60;
const MAX_LABEL_CHARACTERS = 200;

/** An app in the list. */
export interface ListedApp {
  readonly app: string;
  /** The name that people read. */
  readonly title: string;
  readonly state: "active" | "pending" | "expired" | "revoked" | "failed" | "missing";
  readonly isShared: boolean;
  /** How the app names the account; null if it did not say, and without an account. */
  readonly label: string | null;
  /** True if the person may connect an own account. */
  readonly canConnect: boolean;
}

const STATES: Readonly<Record<ListedApp["state"], string>> = {
  active: "connected",
  pending: "a link is open",
  expired: "expired",
  revoked: "disconnected",
  failed: "the app refused it",
  missing: "not connected",
};

const value = z.strictObject({ app: z.string().min(1).max(200) });

/** Reads a click; null for another element. */
export function readConnectClick(action: string, text: string): AppToConnect | null {
  const read = action === CONNECT_APP ? value.safeParse(parseJson(text)) : null;
  return read?.success === true ? read.data : null;
}

/** The apps of a tenant with the accounts that this person's tasks use. */
export function renderAppsCard(apps: readonly ListedApp[]): SlackContent {
  const rows = apps.slice(0, MAX_ROWS);
  const more = apps.length - rows.length;
  const texts = rows.map(formatApp);
  const blocks = rows.map((app, index) => {
    const section = toSectionBlock(texts[index] ?? "");
    return app.canConnect && app.state !== "active" ? { ...section, accessory: createButton(app) } : section;
  });
  const rest = more > 0 ? [toSectionBlock(`… and ${more} more, in the console`)] : [];
  return { text: toFallback(texts.join("\n")), blocks: [...blocks, ...rest] };
}

/** The link with which one person connects an account. */
export function renderConnectLink(title: string, url: string): SlackContent {
  const name = escapeText(truncateText(title, MAX_NAME_CHARACTERS).replace(/[|\s]+/gu, " "));
  const text = `<${url}|Connect ${name}>: the link is for you alone. It works once, for 15 minutes.`;
  return { text: `Connect ${name}`, blocks: [toSectionBlock(text)] };
}

/** A message to the person who has to connect an account, with the button that creates a link. */
export function renderConnectCard({ text }: Pick<OutMessage, "text">, { app }: AppToConnect): SlackContent {
  const sections = toSections(text);
  const actions = { type: "actions", elements: [createButton({ app, state: "missing" })] };
  return { text: toFallback(sections.join("\n")), blocks: [...sections.map(toSectionBlock), actions] };
}

function formatApp({ title, state, isShared, label }: ListedApp): string {
  const name = escapeText(truncateText(title.replace(/\s+/gu, " "), MAX_NAME_CHARACTERS)).replaceAll("*", "");
  const account = label === null ? "" : `${escapeText(truncateText(label, MAX_LABEL_CHARACTERS))}, `;
  const whose = isShared && state !== "missing" ? " (shared)" : "";
  return `*${name}*: ${account}${STATES[state]}${whose}`;
}

function createButton({ app, state }: Pick<ListedApp, "app" | "state">): SlackJson {
  const isNew = state === "missing" || state === "pending";
  return {
    type: "button",
    action_id: CONNECT_APP,
    text: { type: "plain_text", text: isNew ? "Connect" : "Reconnect", emoji: false },
    value: JSON.stringify({ app }),
  };
}
