/** Formats a task's result for people. */
import type { EndReason } from "../../task/state.ts";
import type { TaskView } from "../../task/view.ts";
import { createPlainMessage } from "./message-delivery.ts";
import type { OutMessage } from "./message.ts";
import type { NoticeFacts } from "../../task/notice.ts";

/** Why a task ended, in a sentence; absent where none is needed. */
const REASONS: Readonly<Partial<Record<EndReason, string>>> = {
  iteration_limit: "It reached its limit of steps.",
  output_limit: "Its answer grew beyond the limit.",
  budget_exceeded: "Its budget is used up.",
  model_unavailable: "The model did not answer.",
  internal: "Something in Otto failed.",
};

/** The answer, or why there is no answer, with the files that were marked for delivery. */
export function createResultMessage(
  view: TaskView,
  { rootId, project }: Pick<NoticeFacts, "rootId" | "project">,
): OutMessage {
  const files = view.output?.files ?? [];
  return {
    ...createPlainMessage(getLastInput(view), formatText(view)),
    files,
    sandbox: files.length === 0 ? null : { rootId, project },
    isOver: true,
  };
}

function formatText({ status, reason, output, error }: TaskView): string {
  const answer = output?.text ?? "";
  if (status === "completed") return answer;
  const what = status === "cancelled" ? "The task was cancelled." : "The task failed.";
  const why = reason === null ? "" : (REASONS[reason] ?? "");
  const failure = error === null || status === "cancelled" ? "" : error.message;
  const words = [what, why, failure].filter((part, index, all) => part !== "" && all.indexOf(part) === index).join(" ");
  return answer === "" ? words : `${words}\n\n${answer}`;
}

/** The latest message of the user. */
function getLastInput({ input }: TaskView): string {
  return typeof input === "string" ? input : (input.findLast(({ role }) => role === "user")?.content ?? "");
}
