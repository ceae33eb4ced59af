/** Slack modals: to answer in words, and to edit the arguments of an approval. */
import { getOwn } from "../../base/own-field.ts";
import { z } from "zod";
import type { ApprovalCall } from "../outbox/message.ts";
import { toActionId, type SlackWindow } from "./actions.ts";
import { truncateText } from "./escape.ts";
import type { SlackJson } from "../../ports/slack.ts";

/** Limit of a text input (https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element). */
const MAX_INPUT_CHARACTERS = 3_000;
/** Limit of the section that repeats the question. */
const MAX_QUERY_CHARACTERS = 2_900;
const INPUT = { block: "otto", action: "text" } as const;

/** The modal to answer a question in words. */
export function createAnswerView(from: SlackWindow, query: string): SlackJson {
  const question = { type: "section", text: toPlainText(truncateText(query, MAX_QUERY_CHARACTERS)) };
  return createView("answer", from, { title: "Answer", submit: "Send" }, [
    ...(query.trim() === "" ? [] : [question]),
    createInput("Your answer", "", null),
  ]);
}

/**
 * The modal to edit a call's arguments before approval. `text` is the present arguments, or invalid input to correct.
 */
export function createEditView(from: SlackWindow, tool: string, text: string): SlackJson {
  return createView("edit", from, { title: "Edit and approve", submit: "Approve" }, [
    { type: "section", text: toPlainText(truncateText(`Arguments of ${tool}`, MAX_QUERY_CHARACTERS)) },
    createInput("Arguments", text, "JSON. The call is made with exactly these."),
  ]);
}

/** The arguments of a call for the modal; null when they are too long for it. */
export function formatEditableArguments(call: Pick<ApprovalCall, "arguments">): string | null {
  const text = JSON.stringify(call.arguments, null, 2) ?? "";
  return text === "" || text.length > MAX_INPUT_CHARACTERS ? null : text;
}

/** The text in a modal's `state.values`; null when empty. */
export function readWrittenText(values: unknown): string | null {
  const read = z
    .object({ [INPUT.block]: z.object({ [INPUT.action]: z.object({ value: z.string() }) }) })
    .safeParse(values);
  const text = read.success ? (getOwn(getOwn(read.data, INPUT.block) ?? {}, INPUT.action)?.value ?? "") : "";
  return text.trim() === "" ? null : text;
}

/** The reply that keeps the modal open and shows the problem. */
export function createInputProblem(problem: string): SlackJson {
  return { response_action: "errors", errors: { [INPUT.block]: truncateText(problem, MAX_QUERY_CHARACTERS) } };
}

function createView(
  verb: "answer" | "edit",
  from: SlackWindow,
  { title, submit }: { readonly title: string; readonly submit: string },
  blocks: readonly SlackJson[],
): SlackJson {
  return {
    type: "modal",
    callback_id: toActionId({ verb, choice: null }),
    private_metadata: JSON.stringify(from),
    title: toPlainText(title),
    submit: toPlainText(submit),
    close: toPlainText("Cancel"),
    blocks,
  };
}

function createInput(label: string, initial: string, hint: string | null): SlackJson {
  return {
    type: "input",
    block_id: INPUT.block,
    label: toPlainText(label),
    ...(hint !== null && { hint: toPlainText(hint) }),
    element: {
      type: "plain_text_input",
      action_id: INPUT.action,
      multiline: true,
      max_length: MAX_INPUT_CHARACTERS,
      ...(initial !== "" && { initial_value: initial.slice(0, MAX_INPUT_CHARACTERS) }),
    },
  };
}

function toPlainText(text: string): SlackJson {
  return { type: "plain_text", text, emoji: false };
}
