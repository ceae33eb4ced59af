/**
 * The note after a message to a running task: pinned actions that fit its words, and apps that could be connected. The
 * tools that requests show stay those of the task's start, so that the start of its prompt stays the same. The note is made
 * once, when the message is sent, and stored with it.
 */
import { ok, type Result } from "../../base/errors.ts";
import { type ChoiceRequest, type ChoiceSources, resolvePinned, toRankRequest } from "./choose-actions.ts";
import { formatMessageHints } from "./hints.ts";
import { readIntent } from "../intent/intent.ts";
import { readDates } from "../intent/task-apps.ts";

export interface MessageRequest extends Omit<ChoiceRequest, "isRecipe"> {
  /** Names of the tools that the requests of the task show. */
  readonly shown: readonly string[];
}

/** Writes the note; empty for a message that asks for nothing of apps. */
export async function hintMessage(
  request: MessageRequest,
  sources: Omit<ChoiceSources, "specOf">,
): Promise<Result<string>> {
  const { texts, writtenAt, shown } = request;
  const intent = readIntent(texts);
  const dates = readDates(texts, writtenAt);
  const asksForAction = !intent.isGeneric || intent.actions.size > 0;
  const ranked = toRankRequest(request, intent, sources.actions);
  const resolved = asksForAction ? await resolvePinned({ ...ranked, unconnected: request.unconnected }, sources) : null;
  if (resolved?.ok === false) return resolved;
  const { actions = [], suggestedApps = [] } = resolved?.value ?? {};
  const nameOf = ({ action }: { readonly action: string }) => sources.actions.byAction.get(action)?.tool.name ?? action;
  const isShown = new Set(shown);
  const others = actions.filter((action) => !isShown.has(nameOf(action)));
  return ok(formatMessageHints({ actions: others, texts, intent, suggestedApps, dates, nameOf }));
}
