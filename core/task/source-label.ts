/** The label of a task's input, by what asked for the task. */
import type { WayIn } from "./source.ts";
import { type Label, OUTSIDE, PRINCIPAL } from "../provenance/label.ts";

/**
 * Returns the label of an input by its source. A key, a schedule and a Slack mention have an authenticated author. A hook
 * and a mail may contain a stranger's text; code that parses one, or verified its sender, states labels of its own.
 */
export function labelOfSource({ channel }: WayIn): Label {
  switch (channel) {
    case "api":
    case "schedule":
    case "slack":
      return PRINCIPAL;
    case "email":
    case "webhook":
      return OUTSIDE;
  }
}
