/** Slack's own form of text (https://docs.slack.dev/messaging/formatting-message-text) as the Markdown that a model reads. */
import { getOwn } from "../../base/own-field.ts";

/** Who is meant by an id; absent: Slack's own word for it stays. */
export type Names = Readonly<Record<string, string>>;

const ENTITY = /<([^<>\n]{1,4000})>/g;
const FENCE = /(```[^]*?```|`[^`\n]*`)/g;

/** The ids of people whom a text names, each once, in order. */
export function namedUsers(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g), ([, user = ""]) => user))];
}

/** A text in Slack's form as Markdown. Code keeps its own words; in it, too, `&amp;`, `&lt;` and `&gt;` are characters. */
export function toMarkdown(text: string, names: Names = {}): string {
  const parts = text.split(FENCE);
  return unescaped(
    parts.map((part, index) => (index % 2 === 1 ? plainEntities(part) : markdownOf(part, names))).join(""),
  ).trim();
}

/** The words that are for Otto: the text without the mention that it begins or ends with. */
export function withoutMention(text: string, bot: string): string {
  const whole = text.trim();
  const first = mentionAt(whole, 0, bot);
  const rest = first === 0 ? whole : whole.slice(first).replace(/^[\s,:]+/, "");
  const last = rest.lastIndexOf(`<@${bot}`);
  const isEnd = last > 0 && last + mentionAt(rest, last, bot) === rest.length && mentionAt(rest, last, bot) > 0;
  return isEnd ? rest.slice(0, last).trimEnd() : rest;
}

/** The length of the bot's mention at a place; 0: there is none. */
function mentionAt(text: string, at: number, bot: string): number {
  if (!text.startsWith(`<@${bot}>`, at) && !text.startsWith(`<@${bot}|`, at)) return 0;
  const end = text.indexOf(">", at);
  return end < 0 ? 0 : end + 1 - at;
}

function markdownOf(part: string, names: Names): string {
  const bold = part
    .replace(/(^|[\s(_~])\*(?=\S)([^*\n]*?\S)\*(?=$|[\s).,:;!?_~])/gm, "$1**$2**")
    .replace(/(^|[\s(_*])~(?=\S)([^~\n]*?\S)~(?=$|[\s).,:;!?_*])/gm, "$1~~$2~~");
  return bold.replace(ENTITY, (_, inside: string) => entity(inside, names));
}

/** In code a link is its address, and a name that Slack made a link of is the name. */
function plainEntities(part: string): string {
  return part.replace(/<((?:https?|mailto):[^<>|\s]+)(?:\|([^<>]*))?>/g, (_, target: string, label: string = "") =>
    target === `http://${label}` ? label : target,
  );
}

function entity(inside: string, names: Names): string {
  const [target = "", label = ""] = inside.split(/\|(.*)/s);
  if (target.startsWith("@")) return `@${getOwn(names, target.slice(1)) ?? (label === "" ? target.slice(1) : label)}`;
  if (target.startsWith("#")) return `#${label === "" ? target.slice(1) : label}`;
  if (target.startsWith("!")) return special(target, label);
  const url = target.replace(/^mailto:/, "");
  return label === "" || label === target || label === url ? url : `[${label}](${target})`;
}

function special(target: string, label: string): string {
  const [word = ""] = target.slice(1).split("^");
  if (word === "here" || word === "channel" || word === "everyone") return `@${word}`;
  return label === "" ? word : label;
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
