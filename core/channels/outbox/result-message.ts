/** What a task came to, in words for people. */
import type { EndReason } from "../../task/state.ts";
import type { TaskView } from "../../task/view.ts";
import { plainMessage } from "./message-delivery.ts";
import type { OutMessage } from "./message.ts";
import type { NoticeFacts } from "../../task/notice.ts";

/** Why a task ended as it did, in a sentence; what is absent needs none. */
const REASONS: Readonly<Partial<Record<EndReason, string>>> = {
  iteration_limit: "It used all the steps that it had.",
  output_limit: "Its answer grew over the limit.",
  budget_exceeded: "Its budget is used up.",
  model_unavailable: "The model did not answer.",
  internal: "Something in Otto failed.",
};

/** The answer, or why there is none, with the files that were marked for delivery. */
export function resultMessage(
  view: TaskView,
  { rootId, project }: Pick<NoticeFacts, "rootId" | "project">,
): OutMessage {
  const files = view.output?.files ?? [];
  return {
    ...plainMessage(inputOf(view), textOf(view)),
    files,
    sandbox: files.length === 0 ? null : { rootId, project },
    isOver: true,
  };
}

function textOf({ status, reason, output, error }: TaskView): string {
  const answer = output?.text ?? "";
  if (status === "completed") return answer;
  const what = status === "cancelled" ? "The task was cancelled." : "The task failed.";
  const why = reason === null ? "" : (REASONS[reason] ?? "");
  const said = error === null || status === "cancelled" ? "" : error.message;
  const words = [what, why, said].filter((part, index, all) => part !== "" && all.indexOf(part) === index).join(" ");
  return answer === "" ? words : `${words}\n\n${answer}`;
}

/** What was asked last. */
function inputOf({ input }: TaskView): string {
  return typeof input === "string" ? input : (input.findLast(({ role }) => role === "user")?.content ?? "");
}
