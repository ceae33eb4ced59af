/** Escapes text for Slack's mrkdwn, and splits it without breaking markup. */
import { getOwn } from "../../base/own-field.ts";

/**
 * The characters of Slack's markup for mentions and links (https://docs.slack.dev/messaging/formatting-message-text).
 */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes a text, so that it contains no mention and no link. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => getOwn(ESCAPES, character) ?? character);
}

/** The words of a plain text and the spaces between them, escaped. */
export function splitWords(plain: string): string[] {
  return (plain.match(/\s+|\S+/g) ?? []).map(escapeText);
}

/** Truncates a plain text to `max` characters with an ellipsis, without half a surrogate pair. */
export function truncateText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Splits an escaped text into parts of at most `max` characters, never inside an escape or a surrogate pair. */
export function splitEscaped(escaped: string, max: number): string[] {
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
