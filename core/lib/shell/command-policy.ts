/**
 * Checks which commands an agent may run. Without a list, any. With one, `read-command.ts` parses the command, each of
 * its segments has to begin with the words of an entry, and the command that runs is rewritten from the parsed form
 * with every word quoted, so that a shell cannot read it differently.
 *
 * The list says which programs start, not what they do: an entry such as `git`, `find`, `tar`, `awk`, `env` or
 * `python3` can start any other program. The cage confines a command; the list is not a second cage.
 */
import { failed, ok, type Result } from "../../base/errors.ts";
import { getLiteral, readCommand, type Segment, type Word } from "./read-command.ts";

/** Shell builtins that change the meaning of words or run unparsed ones. No list allows them. */
const CHANGERS: ReadonlySet<string> = new Set(
  ". alias builtin command enable eval exec export hash readonly set source trap unalias unset".split(" "),
);

/** Returns the command for `/bin/sh -c`; `blocked_by_policy` says why it may not run. */
export function judgeCommand(command: string, allowed: readonly string[]): Result<string> {
  if (allowed.length === 0) return judgeAny(command);
  const read = readCommand(command);
  if (!read.ok)
    return notPermitted(`${read.error.message} cannot be judged under allowed_commands. Quote what is meant as text.`);
  const entries = allowed.map(splitEntry).filter(({ length }) => length > 0);
  for (const { words } of read.value) {
    const reason = whyForbidden(words, entries);
    if (reason !== null) return notPermitted(reason);
  }
  return ok(read.value.map(writeSegment).join(" "));
}

/** Arguments of a program are C strings in UTF-8. */
function judgeAny(command: string): Result<string> {
  if (command.trim() === "") return notPermitted("an empty command runs nothing.");
  if (command.includes("\0") || !command.isWellFormed()) {
    return notPermitted("it holds a NUL or half of a surrogate pair.");
  }
  return ok(command);
}

function whyForbidden([first, ...rest]: Segment["words"], entries: readonly (readonly string[])[]): string | null {
  const program = getLiteral(first);
  if (program === null) return "the name of a program must not hold a glob.";
  if (CHANGERS.has(program)) return `${program} changes what other words mean, or runs words that were not judged.`;
  const literals = [program, ...rest.map(getLiteral)];
  if (entries.some((entry) => entry.every((word, index) => literals[index] === word))) return null;
  const list = entries.map((entry) => entry.join(" ")).join(", ");
  return `${JSON.stringify(program)} is not in allowed_commands in this form (allowed: ${list}).`;
}

function splitEntry(entry: string): string[] {
  return entry.split(" ").filter((word) => word !== "");
}

function writeSegment({ joint, words }: Segment): string {
  const written = words.map(writeWord).join(" ");
  return joint === null ? written : `${joint} ${written}`;
}

function writeWord(word: Word): string {
  return word.map(({ text, isGlob }) => (isGlob ? text : `'${text.replaceAll("'", `'\\''`)}'`)).join("");
}

function notPermitted(reason: string): Result<never> {
  return failed("blocked_by_policy", `Command not permitted: ${reason}`);
}
