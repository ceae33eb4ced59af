/**
 * Handles clicks on questions and approvals, and the windows that they open. Each answer counts once; later ones
 * learn who was first.
 */
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { ItemOutcome } from "../../../core/channels/inbox/inbox.ts";
import { readConnectClick } from "../../../core/channels/slack/apps-card.ts";
import {
  readAction,
  readWindow,
  type SlackAction,
  type SlackWindow,
  findVerb,
} from "../../../core/channels/slack/actions.ts";
import { readScheduleConfirmation } from "../../../core/channels/slack/schedule-card.ts";
import type { ClickBody, SubmissionBody } from "../../../core/channels/slack/items.ts";
import { toAnswer } from "../../../core/channels/slack/open-questions.ts";
import { createAnswerView, formatEditableArguments, createEditView } from "../../../core/channels/slack/views.ts";
import { failed, type Failure, ok, type Result } from "../../../core/base/errors.ts";
import { findTaskOfWait } from "../../../core/base/ids.ts";
import { parseJson } from "../../../core/base/parse-json.ts";
import type { PendingView } from "../../../core/task/view.ts";
import { answerAsk, type Reply } from "../inbox/answer.ts";
import { connectApp } from "./apps.ts";
import { confirmSchedule } from "./confirm-schedule.ts";
import { findSpeaker } from "./speaker.ts";
import { stopTask } from "./stop.ts";
import {
  FOR_MEMBERS,
  isOutsider,
  retryLater,
  isTemporary,
  respond,
  type SlackContext,
  whisper,
  whisperTo,
} from "./workspace.ts";

/** Sends a text to the person who clicked. */
type Respond = (text: string) => Promise<void>;

/** An answer to an ended question. Its only result is the name of the person who was first. */
const EMPTY_REPLIES: Readonly<Record<"answer" | "edit", Reply>> = {
  answer: { text: "(a window)" },
  edit: { decision: "approve" },
};
const TOO_LATE = "Opening the window took too long for Slack. Click again.";

export async function handleClick(context: SlackContext, click: ClickBody): Promise<ItemOutcome> {
  const tell: Respond = async (text) => {
    const hasResponded = click.responseUrl !== "" && (await respond(context, click.responseUrl, text));
    if (!hasResponded) await whisper(context, click, text);
  };
  const shown = readScheduleConfirmation(click.action, click.value);
  const wanted = readConnectClick(click.action, click.value);
  const action = readAction(click.action, click.value);
  if (shown === null && wanted === null && action === null)
    return { kind: "done", note: "The click belongs to no element of Otto." };
  if (isOutsider(context, click.userTeam)) return await refuse(tell, FOR_MEMBERS);
  if (wanted !== null) return await connectApp(context, { ...wanted, user: click.user }, whisperTo(context, click));
  if (shown !== null) return await confirmSchedule(context, { ...shown, user: click.user }, tell);
  if (action === null) return { kind: "done", note: "The click belongs to no element of Otto." };
  if (action.verb === "stop") return await stopTask(context, { task: action.task, user: click.user }, tell);
  const { ask } = action;
  if (ask === null) return { kind: "done", note: "The click belongs to no element of Otto." };
  if (action.verb === "answer" || action.verb === "edit") {
    const window = { task: action.task, ask, channel: click.channel, ts: click.ts };
    return await openWindow(context, { click, verb: action.verb, window }, tell);
  }
  const given = await readReply(context, { ...action, ask });
  if (!given.ok) return await retryOrRespond(tell, given.error);
  const decided = await decide(context, { user: click.user, ask, given: given.value }, tell);
  if (action.verb === "reply" && decided.kind === "done") await closeChoice(context, click);
  return decided;
}

export async function handleSubmission(context: SlackContext, submitted: SubmissionBody): Promise<ItemOutcome> {
  const { user, userTeam, callback, metadata, text } = submitted;
  const window = readWindow(metadata);
  const verb = findVerb(callback);
  if (window === null || (verb !== "answer" && verb !== "edit"))
    return { kind: "done", note: "The window does not belong to Otto." };
  const tell: Respond = async (words) => await whisper(context, { channel: window.channel, user, thread: null }, words);
  if (isOutsider(context, userTeam)) return await refuse(tell, FOR_MEMBERS);
  if (text === null)
    return await refuse(tell, "The window was empty, so nothing was answered. Open it again and write an answer.");
  const given = verb === "answer" ? ok({ text }) : parseApproval(text);
  if (!given.ok) return await refuse(tell, given.error.message);
  return await decide(context, { user, ask: window.ask, given: given.value }, tell);
}

/** An approval with other arguments, as the person wrote them. */
export function parseApproval(text: string): Result<Reply> {
  const given = parseJson(text);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return failed("invalid_input", "The arguments must be a JSON object, in the form shown.");
  return ok({ decision: "approve", arguments: given as Readonly<Record<string, unknown>> });
}

/**
 * Reads the answer from a click. The question contains the choices. For an ended question, the position is enough,
 * because the reply only names who was first.
 */
async function readReply(
  context: SlackContext,
  { verb, ask, choice, text }: SlackAction & { readonly ask: string },
): Promise<Result<Reply>> {
  if (verb === "approve" || verb === "refuse") return ok({ decision: verb });
  const pending = await findPending(context, ask);
  if (!pending.ok) return pending;
  if (pending.value === null) return ok({ text: text ?? `choice ${choice ?? ""}` });
  const choices = pending.value.kind === "question" ? pending.value.choices : null;
  if (text !== undefined) return ok(toAnswer(text, choices));
  const chosen = choice === null ? undefined : choices?.[choice];
  return chosen === undefined
    ? failed("invalid_input", "The question does not have this choice.")
    : ok({ choice: chosen });
}

/** Returns the open question or approval; null if it has ended. `not_found`: this tenant has no such task. */
async function findPending({ env, tenant }: SlackContext, ask: string): Promise<Result<PendingView | null>> {
  const task = findTaskOfWait(ask);
  if (task === null) return failed("not_found", "There is no question or approval with this id.");
  const view = await tasksFromEnv(env)(tenant, task).view();
  if (!view.ok) return view;
  return ok(view.value.pending.find((entry) => entry.kind !== "unknown" && entry.id === ask) ?? null);
}

async function openWindow(
  context: SlackContext,
  {
    click,
    verb,
    window,
  }: { readonly click: ClickBody; readonly verb: "answer" | "edit"; readonly window: SlackWindow },
  tell: Respond,
): Promise<ItemOutcome> {
  const { ask } = window;
  const pending = await findPending(context, ask);
  if (!pending.ok) return await retryOrRespond(tell, pending.error);
  if (pending.value === null) return await decide(context, { user: click.user, ask, given: EMPTY_REPLIES[verb] }, tell);
  const view = buildWindow(pending.value, window);
  if (view === null)
    return await refuse(
      tell,
      "The arguments are too long to edit in a window. Approve or refuse them here, or edit them with the API.",
    );
  const opened = await context.slack.openView(click.triggerId, view);
  return opened.ok ? { kind: "done", note: "A window is open." } : await refuse(tell, TOO_LATE);
}

function buildWindow(pending: PendingView, window: SlackWindow) {
  if (pending.kind === "question") return createAnswerView(window, pending.query);
  if (pending.kind !== "approval") return null;
  const text = formatEditableArguments({ arguments: pending.arguments });
  return text === null ? null : createEditView(window, pending.tool, text);
}

/** Replaces the list of questions once one is chosen, so that the same message does not answer another one too. */
async function closeChoice({ slack }: SlackContext, { responseUrl }: ClickBody): Promise<void> {
  if (responseUrl === "") return;
  const words = { text: "Thank you, that is the answer now.", blocks: [] };
  const replaced = await slack.respond(responseUrl, { ...words, isEphemeral: true, replaces: true });
  if (!replaced.ok) console.error("a list of questions was not replaced", replaced.error.code);
}

async function decide(
  context: SlackContext,
  { user, ask, given }: { readonly user: string; readonly ask: string; readonly given: Reply },
  tell: Respond,
): Promise<ItemOutcome> {
  const { env, tenant, item } = context;
  const by = await findSpeaker(context, user);
  if (!by.ok) return await retryOrRespond(tell, by.error);
  const decided = await answerAsk(env, { tenant, ask, reply: given, by: by.value, request: item.id });
  return decided.ok ? { kind: "done", note: `decides ${ask}` } : await retryOrRespond(tell, decided.error);
}

/** Retries a temporary failure, and tells the person about any other. */
async function retryOrRespond(tell: Respond, error: Failure): Promise<ItemOutcome> {
  if (isTemporary(error)) return retryLater(error);
  const { cause } = error;
  return await refuse(tell, cause?.kind === "decided" ? `This was answered already by ${cause.by}.` : error.message);
}

async function refuse(tell: Respond, why: string): Promise<ItemOutcome> {
  await tell(why);
  return { kind: "refused", why };
}
