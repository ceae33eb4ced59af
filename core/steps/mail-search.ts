/**
 * Corrects the dates of a mail search before policy and hash, so that an approval shows what is sent: models often search
 * another week than the request's “last week” (`core/apps/intent/relative-dates.ts`).
 */
import { correctMailQuery, type DateRange } from "../apps/intent/relative-dates.ts";
import { getTextField } from "../base/json-fields.ts";
import type { Tool } from "../tool/tool.ts";

/** Apps whose actions have Gmail's search syntax in their argument `query`. */
const MAIL_APPS: ReadonlySet<string> = new Set(["gmail"]);
const QUERY = "query";

/** Arguments that were corrected. */
interface CorrectedArguments {
  readonly arguments: unknown;
  /** For the model, in one sentence. */
  readonly note: string;
}

/** Returns the arguments with the dates of the request; null if nothing is to be corrected. */
export function correctMailSearch(
  { action, input }: Pick<Tool, "action" | "input">,
  given: unknown,
  dates: readonly DateRange[],
): CorrectedArguments | null {
  const query = action !== undefined && MAIL_APPS.has(action.app) ? getTextField(given, QUERY) : null;
  const corrected = query === null ? null : correctMailQuery(query, dates);
  if (corrected === null) return null;
  const changed = { ...(given as Readonly<Record<string, unknown>>), [QUERY]: corrected.query };
  return input.safeParse(changed).success ? { arguments: changed, note: corrected.note } : null;
}
