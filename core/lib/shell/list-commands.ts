/**
 * Lists the commands of a shell text as far as they can be read before it runs: words without their quotes, in `$(…)`,
 * backticks and the argument of `-c` too. Reads any text and refuses none; expansions stay as they are written. For
 * patterns that warn of commands, not for a decision that has to hold (`read-command.ts`).
 */

/** `commands` are the words of each command, joined by a space; `text` is all words and operators, joined by a space. */
export interface ListedCommands {
  readonly commands: readonly string[];
  readonly text: string;
}

/** Depth of commands inside commands, and the number of all commands. Further ones are not read. */
const MAX_DEPTH = 4;
const MAX_COMMANDS = 2_000;

const OPERATORS = /^[|&;()<>\n]$/;
/** Options of shells whose argument is a command. */
const RUNS_ARGUMENT = /^-[a-z]*c$/;
/** Words before a command that are not its program. */
const PREFIX = new Set(
  "{ ! if then else elif while until do time sudo env nohup exec command builtin nice xargs".split(" "),
);

export function listCommands(text: string): ListedCommands {
  const reader = new Reader();
  reader.read(text, 0);
  return { commands: reader.commands, text: reader.tokens.join(" ") };
}

class Reader {
  readonly commands: string[] = [];
  readonly tokens: string[] = [];

  read(text: string, depth: number): void {
    let words: string[] = [];
    let word: string | null = null;
    const endWord = () => {
      if (word !== null) words.push(word);
      if (word !== null && depth === 0) this.tokens.push(word);
      word = null;
    };
    const endCommand = () => {
      endWord();
      this.add(words, depth);
      words = [];
    };
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (character === "'") {
        const end = indexOrEnd(text, "'", at + 1);
        word = (word ?? "") + text.slice(at + 1, end);
        at = end;
      } else if (character === '"') {
        const end = endOfDoubleQuote(text, at + 1);
        const inner = text.slice(at + 1, end);
        this.readSubstitutions(inner, depth);
        word = (word ?? "") + inner.replace(/\\(["\\$`])/g, "$1");
        at = end;
      } else if (character === "\\") {
        at += 1;
        if (text.charAt(at) !== "\n") word = (word ?? "") + text.charAt(at);
      } else if (character === "`" || OPERATORS.test(character)) {
        endCommand();
        if (depth === 0 && character !== "\n") this.tokens.push(character);
      } else if (/\s/.test(character)) endWord();
      else word = (word ?? "") + character;
    }
    endCommand();
  }

  private add(words: readonly string[], depth: number): void {
    if (words.length === 0 || this.commands.length >= MAX_COMMANDS) return;
    const start = words.findIndex((word) => !isBeforeProgram(word));
    if (start >= 0) this.commands.push(words.slice(start).join(" "));
    if (depth >= MAX_DEPTH) return;
    words.forEach((word, index) => {
      if (RUNS_ARGUMENT.test(words[index - 1] ?? "") || words[0] === "eval") this.read(word, depth + 1);
    });
  }

  /** The text in double quotes is a word, and what it substitutes is a command. */
  private readSubstitutions(text: string, depth: number): void {
    if (depth >= MAX_DEPTH) return;
    for (const [, parenthesis, backtick] of text.matchAll(/\$\(([^]*)|`([^`]*)`/g))
      this.read(parenthesis ?? backtick ?? "", depth + 1);
  }
}

/** A reserved word, a program that starts the next word, one of its options, or an assignment. */
function isBeforeProgram(word: string): boolean {
  return PREFIX.has(word) || word.startsWith("-") || /^[A-Za-z_]\w*=/.test(word);
}

function endOfDoubleQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === '"') return at;
  }
  return text.length;
}

function indexOrEnd(text: string, character: string, from: number): number {
  const found = text.indexOf(character, from);
  return found < 0 ? text.length : found;
}
