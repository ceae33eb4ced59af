/** The body of a webhook: the exact text that is signed and sent, the same on every attempt. */
import type { TaskView } from "../../task/view.ts";
import type { JsonState } from "../../tool/tool.ts";
import { type Delivery, MAX_CONTENT_CHARACTERS } from "../outbox/delivery.ts";
import type { OutMessage } from "../outbox/message.ts";
import type { Notice } from "../../task/notice.ts";

/** Limit of the body in UTF-8. */
export const MAX_BODY_BYTES = 256 * 1024;
/** Limit of a message's text. A character takes at most six in JSON. */
const MAX_TEXT_CHARACTERS = 40_000;

/** The content of a delivery of kind `event`. */
export interface EventContent extends JsonState {
  readonly endpoint: string;
  readonly body: string;
}

/** The data with ever fewer large fields; `left_out` names the missing ones. */
type Shorter = (data: JsonState, task: TaskView) => JsonState;
const SHORTER: readonly Shorter[] = [
  (data, task) => ({ ...data, task }),
  (data, task) => ({ ...data, task: omitFields(task, "input"), left_out: ["task.input"] }),
  (data, task) => ({ ...data, task: omitFields(task, "input", "output"), left_out: ["task.input", "task.output"] }),
  (data) => ({ ...data, left_out: ["task"] }),
  ({ task_id }) => ({ task_id, left_out: ["task", "data"] }),
];

/** The body of an event, with the task as the API shows it. Fields that make it too large are left out and named. */
export function createEventContent(endpoint: string, { type, at, facts, data }: Notice, task: TaskView): EventContent {
  let content: EventContent = { endpoint, body: "" };
  for (const shorten of SHORTER) {
    const body = JSON.stringify({
      type,
      timestamp: at,
      data: shorten({ ...data, task_id: facts.task }, task),
    });
    content = { endpoint, body };
    if (fits(content)) break;
  }
  return content;
}

/** The body of a test event. */
export function createTestContent(endpoint: string, at: string): EventContent {
  const data = { endpoint_id: endpoint };
  return { endpoint, body: JSON.stringify({ type: "webhook.test", timestamp: at, data }) };
}

/** The body of a delivery: an event's own body; any other kind as `delivery.{kind}` with its message. */
export function createBody({ kind, content, task, createdAt }: Delivery): string {
  if (kind === "event") return (content as EventContent).body;
  const { text, title, files, ask, outcome } = content as unknown as OutMessage;
  const isCut = text.length > MAX_TEXT_CHARACTERS;
  return JSON.stringify({
    type: `delivery.${kind}`,
    timestamp: new Date(createdAt).toISOString(),
    data: {
      task_id: task,
      title,
      text: isCut ? text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed() : text,
      files,
      ask,
      outcome,
      ...(isCut ? { left_out: ["text"] } : {}),
    },
  });
}

function fits(content: EventContent): boolean {
  const bytes = new TextEncoder().encode(content.body).length;
  return bytes <= MAX_BODY_BYTES && JSON.stringify(content).length <= MAX_CONTENT_CHARACTERS;
}

function omitFields(task: TaskView, ...fields: readonly (keyof TaskView)[]): Partial<TaskView> {
  return Object.fromEntries(Object.entries(task).filter(([name]) => !fields.includes(name as keyof TaskView)));
}
