/**
 * Which commands an agent may run. Without a list, any. With one, a command is read by `read-command.ts`, each of its
 * segments has to begin with the words of an entry, and what runs is written anew from what was read, every word of it
 * quoted, so that no shell can take it for something else than what was judged.
 *
 * The list says which programs are started, not what they do: an entry such as `git`, `find`, `tar`, `awk`, `env` or
 * `python3` lets those start any other. The cage is what holds a command; the list is no second one.
 */
import { failed, ok, type Result } from "../../base/errors.ts";
import { literalOf, readCommand, type Segment, type Word } from "./read-command.ts";

/** Builtins of shells after which words mean something else, or run unread. No list opens them. */
const CHANGERS: ReadonlySet<string> = new Set(
  ". alias builtin command enable eval exec export hash readonly set source trap unalias unset".split(" "),
);

/** What `/bin/sh -c` is to be given; `blocked_by_policy` says why the command does not run. */
export function judgeCommand(command: string, allowed: readonly string[]): Result<string> {
  if (allowed.length === 0) return judgeAny(command);
  const read = readCommand(command);
  if (!read.ok)
    return notPermitted(`${read.error.message} cannot be judged under allowed_commands. Quote what is meant as text.`);
  const entries = allowed.map(wordsOfEntry).filter(({ length }) => length > 0);
  for (const { words } of read.value) {
    const reason = whyForbidden(words, entries);
    if (reason !== null) return notPermitted(reason);
  }
  return ok(read.value.map(writeSegment).join(" "));
}

/** A program is given its arguments as C strings in UTF-8. */
function judgeAny(command: string): Result<string> {
  if (command.trim() === "") return notPermitted("an empty command runs nothing.");
  if (command.includes("\0") || !command.isWellFormed()) {
    return notPermitted("it holds a NUL or half of a surrogate pair.");
  }
  return ok(command);
}

function whyForbidden([first, ...rest]: Segment["words"], entries: readonly (readonly string[])[]): string | null {
  const program = literalOf(first);
  if (program === null) return "the name of a program must not hold a glob.";
  if (CHANGERS.has(program)) return `${program} changes what other words mean, or runs words that were not judged.`;
  const literals = [program, ...rest.map(literalOf)];
  if (entries.some((entry) => entry.every((word, index) => literals[index] === word))) return null;
  const list = entries.map((entry) => entry.join(" ")).join(", ");
  return `${JSON.stringify(program)} is not in allowed_commands as it stands here (allowed: ${list}).`;
}

function wordsOfEntry(entry: string): string[] {
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
