/**
 * Splits a text into the arguments of a program, by the quoting of a POSIX shell only: no variables, no patterns, no
 * substitution, no operators. `'…'` is literal; in `"…"` a backslash escapes `"`, `\`, `$`, a backtick or the end of a
 * line; outside both it escapes any character.
 */
import { failed, ok, type Result } from "../../base/errors.ts";

const QUOTED = /^["\\$`]$/;

/** Returns the arguments in order; `invalid_input` when a quote is unclosed, or nothing follows a backslash. */
export function splitArguments(text: string): Result<string[]> {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === "'") {
      if (character === "'") quote = "";
      else word += character;
    } else if (
      character === "\\" &&
      (quote === "" || QUOTED.test(text.charAt(at + 1)) || text.charAt(at + 1) === "\n")
    ) {
      at += 1;
      if (at >= text.length) return refuse("ends with a backslash");
      word = (word ?? "") + (text.charAt(at) === "\n" ? "" : text.charAt(at));
    } else if (quote === '"') {
      if (character === '"') quote = "";
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  if (quote !== "") return refuse(`has a ${quote} that is not closed`);
  if (word !== null) words.push(word);
  return ok(words);
}

function refuse(why: string) {
  return failed("invalid_input", `args: ${why}. Quote as a shell does, or send a list.`, { field: "args" });
}
