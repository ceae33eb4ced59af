/** A scripted language model: it answers from a queue or by a function, and records what it was asked. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { LanguagePort, Question } from "../../core/ports/language.ts";

/** A question as it was asked. */
export type AskedQuestion = Pick<Question<unknown>, "instructions" | "input" | "maxOutputTokens">;

/** The answers in order, or a function of the question and of its number, from 0. */
export type LanguageScript = readonly Result<unknown>[] | ((question: AskedQuestion, index: number) => Result<unknown>);

export interface FakeLanguage extends LanguagePort {
  /** Every question so far. */
  readonly asked: readonly AskedQuestion[];
}

const NO_MODEL = failed("not_available", "This needs a language model, which is not available here.");

/** `script` null: the task has no language model. `calls`: as many as the tool declared. */
export function fakeLanguage(script: LanguageScript | null = null, calls = 2): FakeLanguage {
  const asked: AskedQuestion[] = [];
  return {
    asked,
    async ask({ schema, signal, ...question }) {
      if (script === null) return NO_MODEL;
      if (asked.length >= calls) return failed("budget_exceeded", `This call may ask ${calls} questions.`);
      if (signal.aborted) return failed("timeout", "It was cancelled before it was sent.");
      asked.push(question);
      const index = asked.length - 1;
      const answer = typeof script === "function" ? script(question, index) : script[index];
      if (answer === undefined) throw new Error(`the script has no answer ${index + 1}: ${question.input}`);
      if (!answer.ok) return answer;
      const read = schema.safeParse(answer.value);
      return read.success ? ok(read.data) : failed("upstream_failed", "The model's answer has another shape.");
    },
  };
}
