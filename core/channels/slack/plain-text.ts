/** Converts Slack's text format (https://docs.slack.dev/messaging/formatting-message-text) to Markdown for a model. */
import { getOwn } from "../../base/own-field.ts";

/** Names by Slack's ids; an id without a name stays as Slack wrote it. */
export type Names = Readonly<Record<string, string>>;

const ENTITY = /<([^<>\n]{1,4000})>/g;
const FENCE = /(```[^]*?```|`[^`\n]*`)/g;

/** The ids of mentioned users, each once, in order. */
export function findMentions(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g), ([, user = ""]) => user))];
}

/** Converts Slack's format to Markdown. Code stays literal except for `&amp;`, `&lt;` and `&gt;`. */
export function toMarkdown(text: string, names: Names = {}): string {
  const parts = text.split(FENCE);
  return unescapeText(
    parts.map((part, index) => (index % 2 === 1 ? convertCode(part) : convertMarkup(part, names))).join(""),
  ).trim();
}

/** Removes the mention of Otto at the start or the end of a text. */
export function stripMention(text: string, bot: string): string {
  const whole = text.trim();
  const first = getMentionLength(whole, 0, bot);
  const rest = first === 0 ? whole : whole.slice(first).replace(/^[\s,:]+/, "");
  const last = rest.lastIndexOf(`<@${bot}`);
  const isEnd =
    last > 0 && last + getMentionLength(rest, last, bot) === rest.length && getMentionLength(rest, last, bot) > 0;
  return isEnd ? rest.slice(0, last).trimEnd() : rest;
}

/** The length of the bot's mention at a position; 0 without one. */
function getMentionLength(text: string, at: number, bot: string): number {
  if (!text.startsWith(`<@${bot}>`, at) && !text.startsWith(`<@${bot}|`, at)) return 0;
  const end = text.indexOf(">", at);
  return end < 0 ? 0 : end + 1 - at;
}

function convertMarkup(part: string, names: Names): string {
  const bold = part
    .replace(/(^|[\s(_~])\*(?=\S)([^*\n]*?\S)\*(?=$|[\s).,:;!?_~])/gm, "$1**$2**")
    .replace(/(^|[\s(_*])~(?=\S)([^~\n]*?\S)~(?=$|[\s).,:;!?_*])/gm, "$1~~$2~~");
  return bold.replace(ENTITY, (_, inside: string) => formatEntity(inside, names));
}

/** In code, a link becomes its address; a name that Slack linked becomes the name. */
function convertCode(part: string): string {
  return part.replace(/<((?:https?|mailto):[^<>|\s]+)(?:\|([^<>]*))?>/g, (_, target: string, label: string = "") =>
    target === `http://${label}` ? label : target,
  );
}

function formatEntity(inside: string, names: Names): string {
  const [target = "", label = ""] = inside.split(/\|(.*)/s);
  if (target.startsWith("@")) return `@${getOwn(names, target.slice(1)) ?? (label === "" ? target.slice(1) : label)}`;
  if (target.startsWith("#")) return `#${label === "" ? target.slice(1) : label}`;
  if (target.startsWith("!")) return formatSpecial(target, label);
  const url = target.replace(/^mailto:/, "");
  return label === "" || label === target || label === url ? url : `[${label}](${target})`;
}

function formatSpecial(target: string, label: string): string {
  const [word = ""] = target.slice(1).split("^");
  if (word === "here" || word === "channel" || word === "everyone") return `@${word}`;
  return label === "" ? word : label;
}

function unescapeText(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
