/** The message with which a person confirms a schedule that somebody else changed, and its button. */
import { z } from "zod";
import { parseJson } from "../../base/parse-json.ts";
import { formatArguments } from "../../people/format-call.ts";
import type { SlackContent, SlackJson } from "../../ports/slack.ts";
import type { OutMessage, ScheduleToConfirm } from "../outbox/message.ts";
import { splitEscaped } from "./escape.ts";
import { escapeCodeLine } from "./mrkdwn.ts";
import { toFallback, toSectionBlock, toSections } from "./pack.ts";

/** The action's id. Not a verb of tasks: its value names a schedule. */
const CONFIRM_SCHEDULE = "otto:confirm_schedule";
/** Characters of one section of the task. */
const MAX_CODE_CHARACTERS = 2_500;
const TOO_LONG = "_The task is too long to show here, and nobody confirms an unseen task. Confirm it in the console._";

/** The schedule that a click confirms, at the version that was shown. */
export type ShownSchedule = Pick<ScheduleToConfirm, "schedule" | "version">;

const value = z.strictObject({ schedule: z.string().max(100), version: z.int().positive() });

/** Reads a click; null for another element. */
export function readScheduleConfirmation(action: string, text: string): ShownSchedule | null {
  const read = action === CONFIRM_SCHEDULE ? value.safeParse(parseJson(text)) : null;
  return read?.success === true ? read.data : null;
}

/** The text, the task, and the button. A task that is too long to show has none. */
export function renderScheduleCard({ text }: Pick<OutMessage, "text">, shown: ScheduleToConfirm): SlackContent {
  const task = shown.task === null ? null : formatArguments(shown.task);
  const sections = [...toSections(text), ...(task === null ? [TOO_LONG] : toCode(task))];
  const actions = task === null ? [] : [{ type: "actions", elements: [createButton(shown)] }];
  return { text: toFallback(sections.join("\n")), blocks: [...sections.map(toSectionBlock), ...actions] };
}

function toCode(text: string): string[] {
  return splitEscaped(escapeCodeLine(text), MAX_CODE_CHARACTERS).map((part) => `\`\`\`\n${part}\n\`\`\``);
}

function createButton({ schedule, version }: ShownSchedule): SlackJson {
  return {
    type: "button",
    action_id: CONFIRM_SCHEDULE,
    text: { type: "plain_text", text: "Confirm", emoji: false },
    value: JSON.stringify({ schedule, version }),
    style: "primary",
  };
}
