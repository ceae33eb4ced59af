/** The label of a task's input, by the source of the task. */
import type { TaskSource } from "./source.ts";
import { type Label, OUTSIDE, PRINCIPAL } from "../provenance/label.ts";

/** A key, a schedule and a Slack mention have an authenticated author. */
const AUTHENTICATED: ReadonlySet<string> = new Set(["api", "schedule", "slack"]);

/**
 * Returns the label of an input by its source. Every other channel, such as a hook or mail, may contain a stranger's text;
 * code that parses it, or verified its sender, states labels of its own.
 */
export function getSourceLabel({ channel }: TaskSource): Label {
  return AUTHENTICATED.has(channel) ? PRINCIPAL : OUTSIDE;
}
