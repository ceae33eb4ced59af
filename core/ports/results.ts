/** The port to the results of earlier calls. */
import type { Result } from "../base/errors.ts";
import type { Label } from "../provenance/label.ts";

/** The full results of a task tree's calls, as text, also those that the model read in a shortened form. */
export interface ResultsPort {
  /** The text of a call's result; `not_found` for a call that this tree did not make or that has not settled. */
  read(callId: string): Promise<Result<string>>;
  /** The label of a call's result; `OUTSIDE` when it is not known. */
  labelOf(callId: string): Promise<Label>;
}
