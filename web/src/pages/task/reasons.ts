/** Why a task ended, in plain words. */

const REASONS: Readonly<Record<string, string>> = {
  iteration_limit: "It reached its limit of steps and gave the answer it had by then.",
  output_limit: "The model's last answer was cut at its length limit.",
  budget_exceeded: "Its budget was used up.",
  model_unavailable: "No model answered, after every retry and every fallback.",
  cancelled: "Somebody cancelled it.",
  internal: "Something went wrong inside Otto.",
};

/** Null: the status says it all. A reason that is not known here is shown as it came. */
export function reasonInWords(reason: string | null): string | null {
  return reason === null ? null : (REASONS[reason] ?? `The reason given: ${reason}.`);
}
