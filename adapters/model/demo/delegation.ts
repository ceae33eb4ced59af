/**
 * Reads what a request hands to subagents: "three subagents: one to …, one to …", "a subagent for each of A, B and C …",
 * "three subagents to … in A, B and C", tasks in quotation marks, or a list with a task on each line.
 */
import { COUNTS, PATH_SOURCE } from "./words.ts";
import { zoneOf } from "./zones.ts";

const COUNT = `\\d{1,2}|${Object.keys(COUNTS).join("|")}`;
/** The words that hand work over, up to the word "subagents": they begin a clause. */
export const HANDING_OVER = `(?:dispatch|delegate|ask|have|let|get|use|using|with|send|start|spawn|launch|run|tell)\\s+(?:(?:${COUNT}|the|your|my|some|several|each|of|to|up|off|out|new|more|separate|parallel|different)\\s+){0,4}sub-?agents?\\b`;
const HEAD = new RegExp(`^${HANDING_OVER}`, "i");
const HEAD_ANYWHERE = new RegExp(`\\b${HANDING_OVER}`, "i");
/** Between "subagents" and what they are to do. */
const BETWEEN =
  /^(?:[\s,:;]+|(?:in parallel|at once|at the same time|together|one each|each|(?:to )?do (?:this|the following))\b)+/i;
/** What begins the part of one subagent among several. */
const PART =
  /(?:^|[,;]?\s+(?:and\s+)?)(?:one|another|the\s+(?:first|second|third|fourth|fifth|next|last|other))\s+(?:one\s+|sub-?agent\s+)?(?:to|should|for|which|that|who)\s+/gi;
const ONLY_QUOTES = /^(?:to\s+|do\s+)*(?:\uE000\d+\uE000(?:\s*,?\s*(?:and\s+)?|$))+$/i;
/** A mark, a path, or a name of words with a capital letter. */
const ITEM = `(?:\\uE000\\d+\\uE000|${PATH_SOURCE}|\\p{Lu}[\\p{L}'-]*(?:\\s+\\p{Lu}[\\p{L}'-]*)*)`;
const LIST = new RegExp(`${ITEM}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)${ITEM})+`, "u");
const FOR_EACH = new RegExp(
  `^(?:for|per)\\s+(?:each|every\\s+one)(?:\\s+one)?\\s+of\\s*:?\\s*(${LIST.source})(.*)$`,
  "su",
);
/** A line of a list below "subagents …:". */
const LISTED = /(\bsub-?agents?\b[^\n]{0,200}:)((?:[^\S\n]*(?:\n[^\S\n]*)+(?:[-*•]|\d{1,2}[.)])\s+[^\n]+)+)/gi;

/**
 * The tasks that a clause hands over, its marks in place; null when it hands nothing over, empty when it does not say
 * what is to be done. `isQuote` tells a quoted text from a URL by its mark.
 */
export function tasksOf(words: string, isQuote: (mark: string) => boolean): string[] | null {
  const head = HEAD.exec(words)?.[0];
  if (head === undefined) return null;
  const rest = words.slice(head.length).replace(BETWEEN, "").trim();
  const quoted = rest.match(/\uE000\d+\uE000/g) ?? [];
  if (ONLY_QUOTES.test(rest) && quoted.every(isQuote)) return quoted;
  return sharesOf(rest, head)
    .map(imperative)
    .filter((task) => task !== "");
}

/** True when a comma or an "and" at this place still belongs to what is handed over. `rest` is what follows it. */
export function handsOverMore(before: string, rest: string): boolean {
  const from = HEAD_ANYWHERE.exec(before)?.index;
  if (from === undefined) return false;
  const sentence = rest.split(/[.;!?](?:\s|$)|\n|\bthen\b/, 1)[0] ?? "";
  return sentence.search(PART) >= 0 || tasksOf(before.slice(from), () => true)?.length === 0;
}

/** Brings a list of tasks, one to a line, into one sentence. `quote` makes a task one of quoted words. */
export function inlineLists(text: string, quote: (task: string) => string): string {
  return text.replaceAll(LISTED, (_, head: string, lines: string) => {
    const items = lines.split(/\n\s*(?:[-*•]|\d{1,2}[.)])\s+/).slice(1);
    return `${head} ${items.map((item) => quote(imperative(item))).join(", ")}.`;
  });
}

/** What each subagent is to do. */
function sharesOf(rest: string, head: string): string[] {
  const parts = rest.split(PART);
  const introduced = /^$|^(?!.*\bsub-?agents?\b).*:$/is.test(parts[0] ?? "");
  if (parts.length > 1 && introduced) return parts.slice(1);
  const each = FOR_EACH.exec(rest);
  if (each !== null) {
    const task = imperative((each[2] ?? "").replace(BETWEEN, ""));
    return task === "" ? [] : itemsOf(each[1] ?? "").map((item) => about(task, item));
  }
  const one = /sub-?agent$/i.test(head) && !/\beach\b/i.test(head);
  const list = one ? null : LIST.exec(rest);
  if (list !== null) return itemsOf(list[0]).map((item) => rest.replace(list[0], () => item));
  const count = one ? 1 : (countIn(head) ?? 1);
  return Array.from({ length: count }, () => rest);
}

function itemsOf(list: string): string[] {
  return list.match(new RegExp(ITEM, "gu")) ?? [];
}

/** A task that is told once, for one of several places, files or pages. */
function about(task: string, item: string): string {
  const place = zoneOf(item) !== null;
  const there = task.replace(/\bthere\b/i, () => `in ${item}`);
  if (there !== task) return there;
  const named = task.replace(
    /(?<!\bis\s)\b(?:it|that (?:one|city|place|town|file|page)|the (?:city|place|town|file|page|address|url))\b/i,
    () => item,
  );
  return named === task ? `${task} ${place ? "in" : "for"} ${item}` : named;
}

function countIn(head: string): number | null {
  const written = new RegExp(`\\b(?:${COUNT})\\b`, "i").exec(head)?.[0].toLowerCase();
  return written === undefined ? null : (COUNTS[written] ?? Number(written));
}

/** "to find it," and "one to find it" become "find it". */
function imperative(words: string): string {
  return words
    .replace(/^\s*(?:one\s+to|to|should)\s+/i, "")
    .replace(/[\s.,;:]+$/, "")
    .trim();
}
