/** What every `LanguagePort` does. The fake passes it, and the real one over a scripted model. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { LanguagePort, ModelUse, Question } from "../../../core/ports/language.ts";

/** What the model answers to each question in order. Null: there is no language model. */
export type Answers = readonly unknown[] | null;

const USE: ModelUse = { calls: 2, inputTokens: 4_000, outputTokens: 500 };
const schema = z.object({ sql: z.string(), sure: z.boolean() });
const question = (): Question<z.infer<typeof schema>> => ({
  instructions: "Write one SELECT.",
  input: "How many orders are there?",
  schema,
  maxOutputTokens: 200,
  signal: new AbortController().signal,
});

/** `open` gives the port of one call that may ask `use`. */
export function languageContract(name: string, open: (answers: Answers, use: ModelUse) => LanguagePort): void {
  describe(`language: ${name}`, () => {
    it("gives an answer of the schema", async () => {
      const answer = { sql: "select count(*) from orders", sure: true };
      expect(await open([answer], USE).ask(question())).toEqual({ ok: true, value: answer });
    });

    it("fails for an answer of another form", async () => {
      for (const answer of [{ sql: 1, sure: true }, { sql: "select 1" }, "select 1", null])
        expect(await open([answer], USE).ask(question())).toMatchObject({
          ok: false,
          error: { code: "upstream_failed" },
        });
    });

    it("answers as many questions as were declared, and refuses the next", async () => {
      const answers = [1, 2, 3].map((number) => ({ sql: `select ${number}`, sure: false }));
      const port = open(answers, USE);
      expect(await port.ask(question())).toMatchObject({ ok: true, value: { sql: "select 1" } });
      expect(await port.ask(question())).toMatchObject({ ok: true, value: { sql: "select 2" } });
      expect(await port.ask(question())).toMatchObject({ ok: false, error: { code: "budget_exceeded" } });
    });

    it("says that a language model is required without one", async () => {
      expect(await open(null, USE).ask(question())).toMatchObject({ ok: false, error: { code: "not_available" } });
    });

    it("asks nothing after the call was cancelled", async () => {
      const port = open([{ sql: "select 1", sure: true }], USE);
      const asked = await port.ask({ ...question(), signal: AbortSignal.abort() });
      expect(asked).toMatchObject({ ok: false, error: { code: "timeout" } });
    });
  });
}
