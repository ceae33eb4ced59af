/** A provider that bills the questions of tools, as it does whether or not anybody reads the answers. */
import type { ModelUse } from "../../../core/ports/language.ts";
import type { CallOutcome } from "../../../core/task/commands.ts";

export class Bill {
  /** All that was billed, in tokens. */
  tokens = 0;

  /** Asks everything that a call may ask, and returns what its outcome says of it. The runner may crash around each question. */
  ask(use: ModelUse | undefined, chance: () => number, mayCrash: () => void): Pick<CallOutcome, "asked"> {
    if (use === undefined) return {};
    let [inputTokens, outputTokens] = [0, 0];
    for (let question = 0; question < use.calls; question += 1) {
      mayCrash();
      const input = Math.ceil(use.inputTokens * Math.min(1, chance()));
      const output = Math.ceil(use.outputTokens * Math.min(1, chance()));
      this.tokens += input + output;
      [inputTokens, outputTokens] = [inputTokens + input, outputTokens + output];
      mayCrash();
    }
    return { asked: { inputTokens, outputTokens, estimated: false } };
  }
}
