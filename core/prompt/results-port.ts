/** Reading the results of calls again. */
import type { Result } from "../errors.ts";
import type { Label } from "../provenance/label.ts";

/** The results of a task tree's calls, whole, as text: also those that the model was shown a shortened form of. */
export interface ResultsPort {
  /** The text of a call's result; `not_found` for a call that this tree did not make or that has not settled. */
  read(callId: string): Promise<Result<string>>;
  /** The label of a call's result; `OUTSIDE` while nobody can say. */
  labelOf(callId: string): Promise<Label>;
}
