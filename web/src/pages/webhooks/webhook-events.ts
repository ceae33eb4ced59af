/** The events that a webhook may be told of, in plain words, by groups; what is chosen of them. */
import type { Webhook } from "../../api/types.generated.ts";

export type EventPattern = Webhook["events"][number];

interface EventGroup {
  readonly title: string;
  /** The pattern that stands for all of the group, also for those that a later version adds; null: it has none. */
  readonly family: EventPattern | null;
  readonly types: readonly { readonly type: EventPattern; readonly words: string }[];
}

export const EVERYTHING: EventPattern = "*";

export const EVENT_GROUPS: readonly EventGroup[] = [
  {
    title: "Tasks",
    family: "task.*",
    types: [
      { type: "task.created", words: "Created" },
      { type: "task.started", words: "Begun" },
      { type: "task.waiting", words: "Waiting for something" },
      { type: "task.resumed", words: "Going on" },
      { type: "task.completed", words: "Completed" },
      { type: "task.failed", words: "Failed" },
      { type: "task.cancelled", words: "Cancelled" },
    ],
  },
  {
    title: "Questions",
    family: "question.*",
    types: [
      { type: "question.asked", words: "Question asked" },
      { type: "question.answered", words: "Answered" },
      { type: "question.expired", words: "Not answered in time" },
    ],
  },
  {
    title: "Approvals",
    family: "approval.*",
    types: [
      { type: "approval.requested", words: "Approval requested" },
      { type: "approval.decided", words: "Decided" },
      { type: "approval.expired", words: "Not decided in time" },
    ],
  },
  {
    title: "Accounts",
    family: "connection.*",
    types: [
      { type: "connection.requested", words: "An account has to be connected" },
      { type: "connection.ready", words: "An account can be used" },
    ],
  },
  {
    title: "Trouble",
    family: null,
    types: [
      { type: "call.unknown", words: "Nobody knows whether an action happened" },
      { type: "budget.warning", words: "Most of a budget is used" },
    ],
  },
];

/** The patterns with one more, or with one less. A family takes the place of its members. */
export function withEvent(events: readonly EventPattern[], pattern: EventPattern, isOn: boolean): EventPattern[] {
  const others = events.filter((one) => one !== pattern);
  if (!isOn) return others;
  const members = EVENT_GROUPS.find(({ family }) => family === pattern)?.types.map(({ type }) => type) ?? [];
  return [...others.filter((one) => !members.includes(one)), pattern];
}

/** What is chosen, in words: "Tasks: completed, failed". */
export function eventsInWords(events: readonly EventPattern[]): string[] {
  if (events.includes(EVERYTHING)) return ["Everything"];
  return EVENT_GROUPS.flatMap(({ title, family, types }) => {
    if (family !== null && events.includes(family)) return [`${title}: all`];
    const chosen = types.filter(({ type }) => events.includes(type)).map(({ words }) => words.toLowerCase());
    return chosen.length === 0 ? [] : [`${title}: ${chosen.join(", ")}`];
  });
}
