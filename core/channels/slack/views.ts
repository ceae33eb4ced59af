/** Windows (modals) of Block Kit: to answer in words, and to change what is to be approved. */
import { getOwn } from "../../base/own-field.ts";
import { z } from "zod";
import type { AskedCall } from "../outbox/message.ts";
import { actionId, type SlackWindow } from "./actions.ts";
import { cutText } from "./escape.ts";
import type { SlackJson } from "../../ports/slack.ts";

/** Of a text that is written into a window (https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element). */
const MAX_INPUT_CHARACTERS = 3_000;
/** Of a section that repeats what is asked. */
const MAX_QUERY_CHARACTERS = 2_900;
const INPUT = { block: "otto", action: "text" } as const;

/** To answer a question in words. */
export function answerView(from: SlackWindow, query: string): SlackJson {
  const asked = { type: "section", text: plain(cutText(query, MAX_QUERY_CHARACTERS)) };
  return view("answer", from, { title: "Answer", submit: "Send" }, [
    ...(query.trim() === "" ? [] : [asked]),
    input("Your answer", "", null),
  ]);
}

/** To change the arguments of a call before it is approved. `text` is what they are now, or what was written and is no JSON. */
export function editView(from: SlackWindow, tool: string, text: string): SlackJson {
  return view("edit", from, { title: "Edit and approve", submit: "Approve" }, [
    { type: "section", text: plain(cutText(`Arguments of ${tool}`, MAX_QUERY_CHARACTERS)) },
    input("Arguments", text, "JSON. The call is made with exactly these."),
  ]);
}

/** The arguments of a call as a window shows them; null: they are longer than it takes. */
export function editableArguments(call: Pick<AskedCall, "arguments">): string | null {
  const text = JSON.stringify(call.arguments, null, 2) ?? "";
  return text === "" || text.length > MAX_INPUT_CHARACTERS ? null : text;
}

/** What was written into a window, from the `state.values` of its submission; null: nothing. */
export function writtenText(values: unknown): string | null {
  const read = z
    .object({ [INPUT.block]: z.object({ [INPUT.action]: z.object({ value: z.string() }) }) })
    .safeParse(values);
  const text = read.success ? (getOwn(getOwn(read.data, INPUT.block) ?? {}, INPUT.action)?.value ?? "") : "";
  return text.trim() === "" ? null : text;
}

/** The answer to a submission that keeps the window open and says what is wrong with what was written. */
export function inputProblem(problem: string): SlackJson {
  return { response_action: "errors", errors: { [INPUT.block]: cutText(problem, MAX_QUERY_CHARACTERS) } };
}

function view(
  verb: "answer" | "edit",
  from: SlackWindow,
  { title, submit }: { readonly title: string; readonly submit: string },
  blocks: readonly SlackJson[],
): SlackJson {
  return {
    type: "modal",
    callback_id: actionId({ verb, choice: null }),
    private_metadata: JSON.stringify(from),
    title: plain(title),
    submit: plain(submit),
    close: plain("Cancel"),
    blocks,
  };
}

function input(label: string, initial: string, hint: string | null): SlackJson {
  return {
    type: "input",
    block_id: INPUT.block,
    label: plain(label),
    ...(hint !== null && { hint: plain(hint) }),
    element: {
      type: "plain_text_input",
      action_id: INPUT.action,
      multiline: true,
      max_length: MAX_INPUT_CHARACTERS,
      ...(initial !== "" && { initial_value: initial.slice(0, MAX_INPUT_CHARACTERS) }),
    },
  };
}

function plain(text: string): SlackJson {
  return { type: "plain_text", text, emoji: false };
}
