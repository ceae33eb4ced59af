/**
 * Parses a request: splits it into clauses, and reads each by its first verb. Quoted texts and URLs are marked first.
 */
import { getOwn } from "../../../core/base/own-field.ts";

/** One action, done by one call. Null refers to an earlier result. */
export type Action =
  | { readonly kind: "ask"; readonly question: string; readonly person: string | null }
  | { readonly kind: "write"; readonly path: string; readonly text: string | null; readonly isNote: boolean }
  | { readonly kind: "read" | "attach" | "list"; readonly path: string }
  | { readonly kind: "wait"; readonly seconds: number }
  /** An IANA zone or a city; undefined for the present place. */
  | { readonly kind: "clock"; readonly place: string | null | undefined }
  | { readonly kind: "fetch"; readonly url: string | null; readonly method: string; readonly body: string | null }
  | { readonly kind: "dispatch"; readonly task: string };

export interface Planned {
  readonly action: Action;
  /** Waits for everything before it. */
  readonly isAfter: boolean;
}

export interface Plan {
  readonly planned: readonly Planned[];
  readonly unknown: readonly string[];
}

const MAX_CHARACTERS = 4_000;
const MAX_ACTIONS = 20;
/** Around the number of a mark: a private-use character, removed from the text first. */
const MARK = /\uE000(\d+)\uE000/g;
const QUOTED = /"([^"]*)"|“([^”]*)”|`([^`]*)`|(?<=^|[\s(:])'([^']+)'(?=$|[\s.,;:!?)])/g;
const URL_TEXT = /https?:\/\/[^\s"'<>\uE000]*[^\s"'<>\uE000.,;:!?)\]]/gi;
const PATH = /(?:[\w.-]+\/){0,20}[\w-][\w.-]{0,100}\.[A-Za-z][A-Za-z\d]{0,7}(?!\w)/;
const SUBAGENTS =
  /\b(?:dispatch|delegate|ask|have|let|use|with|send|start|spawn|launch|run|tell)\s+(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|\d{1,2}|some|several|to|new|parallel)\s+){0,4}sub-?agents?\b/i;
const LISTED = /(\bsub-?agents?\b[^\n]{0,200}:)((?:\s*\n\s*(?:[-*•]|\d{1,2}[.)])\s+[^\n]+)+)/gi;
const VERB =
  "ask|write|save|create|put|read|open|show|list|wait|sleep|fetch|download|get|post|attach|deliver|send|tell|look|what|say|report";
const SENTENCE = /(?:[.;!?]+\s+|[.;!?]+$|\s*\n+\s*|,?\s*\b(?:and\s+)?(then|after that|afterwards)\b,?\s+)/i;
const JOINT = new RegExp(`(?:,\\s+(?:and\\s+)?|\\s+and\\s+)(?=(?:(?:please|also|finally)\\s+)?(?:${VERB})\\b)`, "i");
const FILLER = /^(?:please|also|first|finally|now|and|then|hello|hi|otto|could you|can you|in parallel)\b[,:!]?\s*/i;
const BEFORE_TASK = /^(?:[\s,:]+|in parallel|at once|to do the following|do the following|to\b)+/i;
const ITEM = String.raw`(?:\uE000\d+\uE000|${PATH.source}|\p{Lu}[\p{L}'-]*(?:\s+\p{Lu}[\p{L}'-]*)*)`;
const LIST = new RegExp(`${ITEM}(?:(?:,\\s*(?:and\\s+)?|\\s+and\\s+)${ITEM})+`, "u");
const FOR_EACH = new RegExp(`^for each of\\s+(${LIST.source})(.*)$`, "su");
const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, m: 60, h: 3_600 };
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** `lastPath` is the file that "it" means at the beginning. */
export function readPlan(message: string, lastPath: string | null): Plan {
  const marks: string[] = [];
  const mark = (text: string): string => `\uE000${marks.push(text) - 1}\uE000`;
  const text = message
    .slice(0, MAX_CHARACTERS)
    .replaceAll("\uE000", "")
    .replaceAll(QUOTED, (_, ...groups: (string | undefined)[]) =>
      mark(groups.slice(0, 4).find((group) => group !== undefined) ?? ""),
    )
    .replaceAll(URL_TEXT, mark)
    .replaceAll(LISTED, (_, head: string, lines: string) => {
      const items = lines.split(/\n\s*(?:[-*•]|\d{1,2}[.)])\s+/).slice(1);
      return `${head} ${items.map((item) => mark(restore(item.replace(/[\s.,;]+$/, ""), marks))).join(" ")}.`;
    });
  const planned: Planned[] = [];
  const unknown: string[] = [];
  let path = lastPath;
  for (const { words, isAfter } of toClauses(text)) {
    const actions = readClause(words, marks, path);
    if (actions === null || planned.length + actions.length > MAX_ACTIONS) unknown.push(restore(words, marks));
    for (const [index, action] of (actions ?? []).entries()) {
      if ("path" in action && action.kind !== "list") path = action.path;
      const waits = index === 0 ? isAfter : action.kind !== "dispatch";
      if (planned.length < MAX_ACTIONS) planned.push({ action, isAfter: waits });
    }
  }
  return { planned, unknown };
}

/** What is delegated to subagents stays one clause up to the end of its sentence. */
function toClauses(text: string): { readonly words: string; readonly isAfter: boolean }[] {
  const clauses: { words: string; isAfter: boolean }[] = [];
  const parts = text.split(SENTENCE);
  let isAfter = false;
  for (const [index, part = ""] of parts.entries()) {
    if (index % 2 === 1) {
      isAfter ||= part !== "";
      continue;
    }
    const at = part.search(SUBAGENTS);
    const pieces = at < 0 ? part.split(JOINT) : [...part.slice(0, at).split(JOINT), part.slice(at)];
    for (const piece of pieces) {
      let words = piece.trim();
      for (let filler = FILLER.exec(words); filler !== null; filler = FILLER.exec(words))
        words = words.slice(filler[0].length);
      words = words.replace(/[\s,:]+(?:and)?$/, "");
      if (words === "") continue;
      clauses.push({ words, isAfter });
      isAfter = false;
    }
  }
  return clauses;
}

/** Null if it is not understood. */
function readClause(words: string, marks: readonly string[], lastPath: string | null): Action[] | null {
  const texts = Array.from(words.matchAll(MARK), ([, at]) => marks[Number(at)] ?? "");
  const url = texts.find((text) => /^https?:\/\//i.test(text)) ?? null;
  const named = PATH.exec(words)?.[0] ?? texts.find((text) => new RegExp(`^${PATH.source}$`).test(text)) ?? null;
  const quote = texts.find((text) => text !== url && text !== named) ?? null;
  const path = named ?? lastPath;
  const verb = (/^\w+/.exec(words)?.[0] ?? "").toLowerCase();
  const restored = restore(words, marks);
  if (words.search(SUBAGENTS) === 0) return readTasks(words, marks);
  if (verb === "ask") return [readQuestion(restored, quote)];
  if (/^(?:wait|sleep|pause)$/.test(verb)) return [{ kind: "wait", seconds: readSeconds(words) }];
  if (/^(?:attach|deliver|send)$/.test(verb) && url === null) return path === null ? null : [{ kind: "attach", path }];
  if (/^(?:write|save|create|put)$/.test(verb)) return [readWrite(restored, quote, named)];
  if (url !== null || /^(?:fetch|download|get)\s+(?:it|that|the page)\b/i.test(words)) {
    const method = /^(?:post|put|patch|delete|head)$/.test(verb) ? verb.toUpperCase() : "GET";
    return [{ kind: "fetch", url, method, body: method === "GET" ? null : quote }];
  }
  if (/\bfiles\b|\bdirectory\b/i.test(words) && named === null) {
    return [{ kind: "list", path: /\b(?:in|of)\s+(?:the\s+)?([\w./-]+)/i.exec(words)?.[1] ?? "" }];
  }
  if (/^(?:read|open|show)$/.test(verb) && path !== null) return [{ kind: "read", path }];
  if (/\b(?:time|date|day|clock)\b/i.test(words)) return [{ kind: "clock", place: readPlace(words) }];
  return /^(?:tell me|report|say|answer|thanks|done|summari[sz]e)\b/i.test(words) ? [] : null;
}

/** The tasks of "…: one to A, one to B", of quoted texts, of a list of places or files, or the one that is given. */
function readTasks(words: string, marks: readonly string[]): Action[] | null {
  const head = SUBAGENTS.exec(words)?.[0] ?? "";
  const rest = words.slice(head.length).replace(BEFORE_TASK, "");
  if (rest === "") return null;
  const quotes = /^(?:\uE000\d+\uE000(?:,?\s*(?:and\s+)?|$))+$/.test(rest) ? (rest.match(MARK) ?? []) : [];
  if (quotes.length > 0 && !/https?:/.test(restore(rest, marks))) {
    return quotes.map((quote) => ({ kind: "dispatch", task: (marks[Number(quote.slice(1, -1))] ?? "").trim() }));
  }
  const written = /\b(?:\d{1,2}|two|three|four|five|six|seven|eight|nine)\b/i.exec(head)?.[0].toLowerCase() ?? "1";
  const count = NUMBERS.includes(written) ? NUMBERS.indexOf(written) : Number(written);
  const parts = rest.split(/(?:^|,?\s+(?:and\s+)?)(?:one|another)\s+(?:to|for)\s+/i);
  const tasks = parts[0] === "" ? parts.slice(1) : (splitList(rest, head) ?? Array.from({ length: count }, () => rest));
  return tasks.slice(0, MAX_ACTIONS + 1).map((task) => {
    const plain = restore(task, marks)
      .trim()
      .replace(/[\s.,]+$/, "");
    return { kind: "dispatch", task: `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.` };
  });
}

/** "for each of A and B do it", or "do it in A and B" for more than one subagent: a task for each. */
function splitList(rest: string, head: string): string[] | null {
  const each = FOR_EACH.exec(rest);
  const list = each?.[1] ?? (/s$/i.test(head) ? LIST.exec(rest)?.[0] : undefined);
  if (list === undefined) return null;
  const items = list.match(new RegExp(ITEM, "gu")) ?? [];
  const task = (each?.[2] ?? rest).replace(BEFORE_TASK, "");
  if (each === null) return items.map((item) => task.replace(list, item));
  return items.map((item) => {
    const named = task.replace(/\bit\b/, item).replace(/\bthere\b/, `in ${item}`);
    return named === task ? `${task} in ${item}` : named;
  });
}

/** With quoted texts in quotation marks. */
function restore(text: string, marks: readonly string[]): string {
  return text.replaceAll(MARK, (_, at: string) => {
    const marked = marks[Number(at)] ?? "";
    return /^https?:/i.test(marked) ? marked : `“${marked}”`;
  });
}

function readQuestion(words: string, quote: string | null): Action {
  const [, person = null, rest = ""] =
    /^ask\s+(?:(?:me|us|a human|somebody)\b|(\p{Lu}[\p{L}'-]*))?[,:]?\s*(.*)$/isu.exec(words) ?? [];
  return { kind: "ask", question: quote ?? toQuestion(rest), person };
}

/** "which city I live in" becomes "Which city do you live in?". */
export function toQuestion(wanted: string): string {
  const text = wanted
    .replace(/[\s.?!]+$/, "")
    .replaceAll(/\bmy\b/gi, "your")
    .replaceAll(/\bme\b/gi, "you");
  const phrased = text
    .replace(/^for your /i, "what is your ")
    .replace(/^(?:if|whether) I (can|could|should|will)\b/i, "$1 you")
    .replace(/^(?:if|whether) I /i, "do you ")
    .replace(/^(what) (your .+) (is|are)$/i, "$1 $3 $2")
    .replace(/^((?:which|what|where|when|who|how|why)\b.*?) I am\b/i, "$1 are you")
    .replace(/^((?:which|what|where|when|who|how|why)\b.*?) I /i, "$1 do you ");
  if (!/^(?:which|what|where|when|who|how|why|do|are|is|can)\b/i.test(phrased))
    return `Please tell me: ${phrased || "anything"}`;
  return `${phrased.charAt(0).toUpperCase()}${phrased.slice(1)}?`;
}

function readSeconds(words: string): number {
  const [, amount = "1", unit = "s"] = /\b(\d+(?:\.\d+)?|one|two|three|four|five|ten)\s*(ms|s|m|h)?/i.exec(words) ?? [];
  const count = NUMBERS.includes(amount.toLowerCase()) ? NUMBERS.indexOf(amount.toLowerCase()) : Number(amount);
  return count * (getOwn(UNIT_SECONDS, unit.toLowerCase()) ?? 1);
}

function readWrite(words: string, quote: string | null, named: string | null): Action {
  const spelled = /\b(?:with the text|with|saying|containing):?\s+(.+)$/is.exec(words)?.[1] ?? null;
  const isNote = /\b(?:note|summary|report|memo)\b/i.test(words);
  return { kind: "write", path: named ?? "notes/note.md", text: quote ?? spelled, isNote: isNote && quote === null };
}

function readPlace(words: string): string | null | undefined {
  if (/\bthere\b/i.test(words)) return null;
  return /\b([A-Z][a-z]+\/[A-Za-z_]+|UTC)\b|\b(?:in|at|for)\s+(\p{Lu}[\p{L}'-]*(?:\s+\p{Lu}[\p{L}'-]*)*)/u
    .exec(words)
    ?.slice(1)
    .find((place) => place !== undefined);
}
