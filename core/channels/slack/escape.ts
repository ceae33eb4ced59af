/** Texts as Slack's mrkdwn has them, and cut so that nothing of its markup is halved. */
import { getOwn } from "../../base/own-field.ts";

/** The three characters that Slack's markup of mentions and links is made of (https://docs.slack.dev/messaging/formatting-message-text). */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text that says itself: no mention and no link can stand in it. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => getOwn(ESCAPES, character) ?? character);
}

/** The words of a plain text and what is between them, escaped. */
export function wordsOf(plain: string): string[] {
  return (plain.match(/\s+|\S+/g) ?? []).map(escapeText);
}

/** At most `max` characters of a plain text, with no half of a surrogate pair; an ellipsis says that it was cut. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** An escaped text in parts of at most `max` characters, none of which ends inside an escape or a surrogate pair. */
export function partsOf(escaped: string, max: number): string[] {
  const parts: string[] = [];
  let rest = escaped;
  while (rest.length > max) {
    let at = max;
    const escape = /&[a-z]{0,3}$/.exec(rest.slice(0, at));
    if (escape !== null && /^&(?:amp|lt|gt);/.test(rest.slice(escape.index))) at = escape.index;
    else if (/[\ud800-\udbff]/.test(rest.charAt(at - 1))) at -= 1;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
}
