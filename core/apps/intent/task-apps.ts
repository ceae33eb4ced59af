/**
 * What a task knows of its apps: what its people asked for, and which actions were chosen for it. Chosen once, when the
 * task is created, so that the start of its prompt stays the same; what was asked for grows with the messages of people.
 */
import { openZone } from "../../base/time-zone.ts";
import type { Message } from "../../model/messages.ts";
import { type Label, mayInstruct } from "../../provenance/label.ts";
import { type GateIntent, readIntent } from "./intent.ts";
import { type DateRange, resolveRelativeDates } from "./relative-dates.ts";

/** What the people of a task asked for. Read from their own words alone, never from a tool's result. */
export interface StoredIntent {
  /** `category.action`. */
  readonly capabilities: readonly string[];
  /** Names of actions. */
  readonly actions: readonly string[];
  /** The relative dates of the input; empty once a later message names any, because it may mean others. */
  readonly dates: readonly DateRange[];
}

/** The apps of a task. Absent from the facts of a task without any. */
export interface TaskApps {
  readonly intent: StoredIntent;
  /** Names of the tools of actions that its requests show, the best first. */
  readonly shown: readonly string[];
  /** A part of the system message; empty if there is nothing to say. */
  readonly hints: string;
}

/** The most names of actions that a task stores. */
const MAX_NAMED = 200;

/** A text of a task's input, or of a message to it. */
interface ActorText {
  readonly role: Message["role"];
  readonly content: string;
  readonly label: Label;
}

/** Returns the texts that people wrote and that may instruct, in order. */
export function listActorTexts(messages: readonly ActorText[]): string[] {
  return messages.flatMap(({ role, content, label }) => (role === "user" && mayInstruct(label) ? [content] : []));
}

/** When and where a text was written, for its relative dates. */
export interface WrittenAt {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** An IANA name; absent or unknown: UTC. */
  readonly timeZone?: string | undefined;
}

/** Reads what the input of a task asks for. */
export function readTaskIntent(texts: readonly string[], at: WrittenAt): StoredIntent {
  return { ...toStored(readIntent(texts)), dates: readDates(texts, at) };
}

/** Finds the relative dates of the texts, each phrase once. */
export function readDates(texts: readonly string[], { now, timeZone }: WrittenAt): DateRange[] {
  const zone = openZone(timeZone ?? "UTC") ?? openZone("UTC");
  return zone === null ? [] : resolveRelativeDates(texts.join("\n"), now, zone);
}

/** Adds what later messages ask for. Returns the same object if that is nothing new. */
export function extendIntent(intent: StoredIntent, messages: readonly ActorText[]): StoredIntent {
  const texts = listActorTexts(messages);
  if (texts.length === 0) return intent;
  const added = readIntent(texts);
  const more = added.isGeneric ? { capabilities: [], actions: [...added.actions] } : toStored(added);
  const capabilities = joinNames(intent.capabilities, more.capabilities);
  const actions = joinNames(intent.actions, more.actions).slice(0, MAX_NAMED);
  // The time of the message is not needed to know whether it names a date.
  const dates = intent.dates.length > 0 && readDates(texts, { now: 0 }).length > 0 ? [] : intent.dates;
  const isSame =
    capabilities.length === intent.capabilities.length &&
    actions.length === intent.actions.length &&
    dates.length === intent.dates.length;
  return isSame ? intent : { capabilities, actions, dates };
}

/** Nobody is known to have asked for anything. */
const NO_INTENT: GateIntent = { actions: new Set(), capabilities: new Set() };

/** Opens a stored intent for the gate. Absent for a task without apps. */
export function toGateIntent(intent: Pick<StoredIntent, "actions" | "capabilities"> | undefined): GateIntent {
  if (intent === undefined) return NO_INTENT;
  return { actions: new Set(intent.actions), capabilities: new Set(intent.capabilities) };
}

/** The intent of a person who names one action: by calling it, or by editing the arguments of its call. */
export function toNamedIntent(action: string): GateIntent {
  return { actions: new Set([action]), capabilities: new Set() };
}

function toStored({ capabilities, actions }: GateIntent): Omit<StoredIntent, "dates"> {
  return { capabilities: [...capabilities], actions: [...actions].slice(0, MAX_NAMED) };
}

function joinNames(some: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...some, ...more])];
}
