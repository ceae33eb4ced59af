/** What a webhook says: the exact text that is signed and sent, the same on every try. */
import type { TaskView } from "../../task/view.ts";
import type { JsonState } from "../../tool/tool.ts";
import { type Delivery, MAX_CONTENT_CHARACTERS } from "../outbox/delivery.ts";
import type { OutMessage } from "../outbox/message.ts";
import type { Notice } from "../../task/notice.ts";

/** Of the body in UTF-8. */
export const MAX_BODY_BYTES = 256 * 1024;
/** Of the text of a message. Each character is six in JSON at most. */
const MAX_TEXT_CHARACTERS = 40_000;

/** The content of a delivery of kind `event`. */
export interface EventContent extends JsonState {
  readonly endpoint: string;
  readonly body: string;
}

/** The same facts with less and less of what can be large; `left_out` names it. */
type Shorter = (data: JsonState, task: TaskView) => JsonState;
const SHORTER: readonly Shorter[] = [
  (data, task) => ({ ...data, task }),
  (data, task) => ({ ...data, task: without(task, "input"), left_out: ["task.input"] }),
  (data, task) => ({ ...data, task: without(task, "input", "output"), left_out: ["task.input", "task.output"] }),
  (data) => ({ ...data, left_out: ["task"] }),
  ({ task_id }) => ({ task_id, left_out: ["task", "data"] }),
];

/** The body of an event, with the task as the API shows it. What makes it too large is left out, and named. */
export function eventContent(endpoint: string, { type, at, facts, data }: Notice, task: TaskView): EventContent {
  let content: EventContent = { endpoint, body: "" };
  for (const shorter of SHORTER) {
    const body = JSON.stringify({
      type,
      timestamp: at,
      data: shorter({ ...data, task_id: facts.task }, task),
    });
    content = { endpoint, body };
    if (fits(content)) break;
  }
  return content;
}

/** The body of a test event. */
export function testContent(endpoint: string, at: string): EventContent {
  const data = { endpoint_id: endpoint };
  return { endpoint, body: JSON.stringify({ type: "webhook.test", timestamp: at, data }) };
}

/** The body of a delivery: that of an event as it is, any other as `delivery.{kind}` with what the message says. */
export function bodyOf({ kind, content, task, createdAt }: Delivery): string {
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

function without(task: TaskView, ...fields: readonly (keyof TaskView)[]): Partial<TaskView> {
  return Object.fromEntries(Object.entries(task).filter(([name]) => !fields.includes(name as keyof TaskView)));
}
