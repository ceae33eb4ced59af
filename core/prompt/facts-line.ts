/**
 * The line of facts in front of a task's first user message: date and time zone, the caller's name, the channel. It is
 * in the user turn, so tasks of one agent share the start of a prompt, and it is the same at every step.
 */
import { openZone, toWallTime } from "../base/time-zone.ts";
import type { Message } from "../model/messages.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
/** The most characters of a name, which a user of a channel may have chosen. */
const MAX_NAME = 80;
const LINE = /^\[Facts: [^\n\]]*\]\n\n/;

/** The facts of a task that the line says. `createdAt` is in milliseconds since the epoch. */
interface Known {
  readonly createdAt: number;
  readonly via: { readonly channel: string };
  readonly caller?: { readonly name: string; readonly timeZone: string };
}

/** Formats the line: `[Facts: Friday 2026-11-27, time zone Europe/Oslo; from Ana Lima; by slack]`. */
export function formatFacts({ createdAt, via, caller }: Known): string {
  const zone = openZone(caller?.timeZone ?? "UTC");
  const wall = new Date(zone === null ? createdAt : toWallTime(zone, createdAt));
  const day = `${WEEKDAYS[wall.getUTCDay()] ?? ""} ${wall.toISOString().slice(0, 10)}`;
  const name = cleanWord(caller?.name ?? "");
  const from = name === "" ? "" : `; from ${name}`;
  return `[Facts: ${day}, time zone ${zone?.name ?? "UTC"}${from}; by ${cleanWord(via.channel)}]`;
}

/** Puts the line in front of the first user message of a request. */
export function addFacts(messages: readonly Message[], facts: Known): Message[] {
  const first = messages.findIndex(({ role }) => role === "user");
  const line = first < 0 ? "" : formatFacts(facts);
  return messages.map((message, at) =>
    at === first ? { ...message, content: `${line}\n\n${message.content}` } : message,
  );
}

/** Removes the line from the start of a message. */
export function removeFacts(content: string): string {
  return content.replace(LINE, "");
}

/** Returns a text as a part of the line: without line breaks, control characters and brackets. */
function cleanWord(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]<>;]/gu, " ").replaceAll(/\s+/g, " ");
  return plain.trim().slice(0, MAX_NAME).toWellFormed();
}
