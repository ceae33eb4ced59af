/** The port to the results of earlier calls. */
import type { Result } from "../base/errors.ts";
import type { Label } from "../provenance/label.ts";

/** The full results of a task tree's calls as text, even if the model read a shortened form. */
export interface ResultsPort {
  /** Reads the text of a call's result; `not_found` for a call of another tree or one that has not settled. */
  read(callId: string): Promise<Result<string>>;
  /** Returns the label of a call's result; `OUTSIDE` if unknown. */
  getLabel(callId: string): Promise<Label>;
}
