/** Reads what a message asks for, clause by clause, by its verbs. */
import { type Clause, marksIn, restore, splitClauses } from "./clauses.ts";
import { tasksOf } from "./delegation.ts";
import type { Action, Content, Planned, Understood } from "./intent.ts";
import { toQuestion } from "./question.ts";
import { COUNTS, PATH_SOURCE } from "./words.ts";

/** Actions of one message that are carried out. */
const MAX_ACTIONS = 20;
const PATH = new RegExp(PATH_SOURCE, "u");
const WHOLE_PATH = new RegExp(`^${PATH.source}$`, "u");
const BACK_REFERENCE =
  /^(?:it|that|this|them|these|everything|(?:all\s+)?(?:of\s+)?(?:the|my|your|his|her|their|whatever|all)\s+(?:\w+\s+)?(?:answers?|results?|reply|replies|responses?|findings|times?|dates?|pages?|contents?|output|listing|list of files)|what(?:ever)?\s+(?:they|he|she|it|each|the\s+sub-?agents?)\s+(?:\w+\s+)?(?:found|find|say|said|tell|told|report|reported|answer|answered|learned|brought))\b/i;
/** What one clause came to. */
type Reading =
  /** `together`: none of them has to wait for the one before. */
  | { readonly kind: "actions"; readonly actions: readonly Action[]; readonly together: boolean }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "closing" }
  | { readonly kind: "unknown" };

/** Reads one message. `lastPath` is the file that "it" means at its beginning. */
export function understand(message: string, lastPath: string | null): Understood {
  const planned: Planned[] = [];
  const says: string[] = [];
  const unknown: string[] = [];
  let path = lastPath;
  for (const clause of splitClauses(message)) {
    const reading = readClause(clause, path);
    if (reading.kind === "unknown") unknown.push(clause.original);
    if (reading.kind === "say") says.push(reading.text);
    if (reading.kind !== "actions") continue;
    for (const [index, action] of reading.actions.entries()) {
      if ("path" in action && action.kind !== "list") path = action.path;
      if (planned.length < MAX_ACTIONS) planned.push({ action, after: index === 0 ? clause.after : !reading.together });
      else if (!unknown.includes(clause.original)) unknown.push(clause.original);
    }
  }
  return { planned, says, unknown };
}

function readClause(clause: Clause, lastPath: string | null): Reading {
  const { words } = clause;
  const marks = marksIn(words, clause.marks);
  const quotes = marks.filter((mark) => mark.kind === "quote").map((mark) => mark.text);
  const url = marks.find((mark) => mark.kind === "url")?.text ?? null;
  const path = pathIn(words, quotes);

  const tasks = tasksOf(words, (mark) => marksIn(mark, clause.marks)[0]?.kind === "quote");
  if (tasks !== null) return readDelegation(tasks, clause);
  if (/^ask\b/i.test(words)) return one(readAsk(clause, quotes));
  if (/^(?:wait|sleep|pause)\b/i.test(words)) return readWait(words);
  if (
    /^(?:attach|deliver)\b|^(?:send|give)\s+(?:me\s+)?(?:it|the file|that file)\b/i.test(words) ||
    (/^(?:send|give)\b/i.test(words) && path !== null)
  ) {
    const attached = path ?? lastPath;
    return attached === null ? { kind: "unknown" } : one({ kind: "attach", path: attached });
  }
  if (url !== null && !/^(?:write|put)\b/i.test(words)) {
    const fetched = readFetch(words, url, quotes, path);
    return path === null ? one(fetched) : several([fetched, { kind: "write", path, content: { kind: "results" } }]);
  }
  if (/^(?:write|save|store|create|put|make|draft|compose|record)\b/i.test(words))
    return one(readWrite(clause, quotes, path));
  if (
    /^(?:fetch|download|open|request|get)\s+(?:it|that|this|that page|the page|the url|the address|the link)\b/i.test(
      words,
    )
  ) {
    return one({ kind: "fetch", url: null, method: "GET", body: null });
  }
  if (/\blist\b|\b(?:which|what|all|the|my)\s+files\b|\bdirectory\b/i.test(words) && path === null) {
    return one({
      kind: "list",
      path:
        /\b(?:in|of|inside|under)\s+(?:the\s+)?([\w.-]+(?:\/[\w.-]+)*)\/?(?:\s+(?:folder|directory))?$/i.exec(
          words,
        )?.[1] ?? "",
    });
  }
  if (/^(?:read|open|show|print|display|look at|check)\b/i.test(words)) {
    if (path !== null) return one({ kind: "read", path });
    if (lastPath !== null && /\b(?:it|file|back|again)\b/i.test(words)) return one({ kind: "read", path: lastPath });
  }
  if (/\b(?:time|date|day|clock)\b/i.test(words)) return one(readClock(words));
  const [quote] = quotes;
  if (/^(?:say|answer|reply|tell|report)\b/i.test(words) && quote !== undefined) return { kind: "say", text: quote };
  if (
    /^(?:summari[sz]e|answer|reply|tell me|report|say|give me|finish|done|thanks?|thank you|that'?s (?:all|it)|let me know)\b/i.test(
      words,
    )
  ) {
    return { kind: "closing" };
  }
  return { kind: "unknown" };
}

function one(action: Action): Reading {
  return several([action]);
}

function several(actions: readonly Action[]): Reading {
  return { kind: "actions", actions, together: false };
}

/** A quoted task is passed on word for word, any other as a sentence. */
function readDelegation(tasks: readonly string[], clause: Clause): Reading {
  const actions = tasks.map((task): Action => {
    const [mark] = marksIn(task, clause.marks);
    if (/^\uE000\d+\uE000$/.test(task) && mark !== undefined) return { kind: "dispatch", task: mark.text.trim() };
    const words = restore(task, clause.marks);
    return { kind: "dispatch", task: `${words.charAt(0).toUpperCase()}${words.slice(1)}.` };
  });
  const said = actions.filter((action) => action.kind === "dispatch" && action.task !== "");
  return said.length === 0 ? { kind: "unknown" } : { kind: "actions", actions: said, together: true };
}

/** The last path among the words, or a quoted text that is one. */
function pathIn(words: string, quotes: readonly string[]): string | null {
  const bare = words.match(new RegExp(PATH.source, "gu"))?.at(-1);
  return bare ?? quotes.find((quote) => WHOLE_PATH.test(quote)) ?? null;
}

function readAsk(clause: Clause, quotes: readonly string[]): Action {
  let rest = clause.words.replace(/^ask\s*/i, "");
  let person: string | null = null;
  const somebody = /^(?:me|us|the user|the person|a person|a human|someone|somebody)\b[,:]?\s*/i.exec(rest);
  const named =
    /^(\p{Lu}[\p{L}'-]*)(?=[,:]?\s+(?:which|what|where|when|who|how|why|if|whether|for|about|to|\uE000))[,:]?\s*/u.exec(
      rest,
    );
  if (somebody !== null) rest = rest.slice(somebody[0].length);
  else if (named !== null) {
    person = named[1] ?? null;
    rest = rest.slice(named[0].length);
  }
  const quote = quotes[0];
  if (quote !== undefined) return { kind: "ask", question: quote, person, choices: null };
  const choosing = /^(?:to\s+)?(?:choose|pick|select|decide)\s+(?:between|from|among|one of)?\s*(.+)$/i.exec(rest);
  if (choosing !== null) {
    const choices = (choosing[1] ?? "")
      .split(/\s*,\s*(?:and|or)?\s*|\s+(?:and|or)\s+/)
      .map((choice) => choice.trim())
      .filter((choice) => choice !== "");
    if (choices.length > 1)
      return { kind: "ask", question: "Which one do you choose?", person, choices: [...new Set(choices)].slice(0, 20) };
  }
  return { kind: "ask", question: toQuestion(restore(rest, clause.marks)), person, choices: null };
}

function readWait(words: string): Reading {
  const amount =
    /\b(\d+(?:\.\d+)?|[a-z]+)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|moment)\b/i.exec(words);
  if (amount === null) {
    const bare = /\d+(?:\.\d+)?/.exec(words);
    // "Wait for my answer" waits by itself: a question does.
    return bare === null ? { kind: "closing" } : one({ kind: "wait", seconds: Number(bare[0]) });
  }
  const count = COUNTS[(amount[1] ?? "").toLowerCase()] ?? Number(amount[1]);
  const unit = (amount[2] ?? "s").toLowerCase();
  const scale =
    unit.startsWith("ms") || unit.startsWith("milli")
      ? 0.001
      : unit === "moment"
        ? 1
        : unit.startsWith("m")
          ? 60
          : unit.startsWith("h")
            ? 3600
            : 1;
  return one({ kind: "wait", seconds: Number.isFinite(count) ? count * scale : 1 });
}

function readFetch(words: string, url: string, quotes: readonly string[], path: string | null): Action {
  const verb =
    /^(post|put|patch|delete|head|options)\b|\b(?:with|by|using|an?|method)\s+(POST|PUT|PATCH|DELETE|HEAD)\b/i.exec(
      words,
    );
  const method = (
    verb?.[1] ??
    verb?.[2] ??
    (/^send\b/i.test(words) && quotes.length > 0 ? "POST" : "GET")
  ).toUpperCase();
  const body = method === "GET" || method === "HEAD" ? null : (quotes.find((quote) => quote !== path) ?? null);
  return { kind: "fetch", url, method, body };
}

function readWrite(clause: Clause, quotes: readonly string[], path: string | null): Action {
  const { words } = clause;
  const text = quotes.find((quote) => quote !== path);
  const object = restore(
    words
      .replace(/^\w+\s+/, "")
      .replace(
        new RegExp(
          `\\s*\\b(?:to|in|into|as|at|under|called|named)\\s+(?:a\\s+|the\\s+|new\\s+)*(?:file\\s+)?(?:called\\s+|named\\s+)?(?:${PATH.source}|\\uE000\\d+\\uE000)`,
          "u",
        ),
        "",
      )
      .replace(new RegExp(`^(?:an?\\s+|the\\s+|new\\s+)*(?:file\\s+)?${PATH.source}\\s*`, "u"), ""),
    clause.marks,
  ).trim();
  const target = (topic: string | null): string => path ?? `notes/${slug(topic ?? "note")}.md`;
  const said = (content: Content, topic: string | null = null): Action => ({
    kind: "write",
    path: target(topic),
    content,
  });

  if (text !== undefined) return said({ kind: "text", text });
  const spelled =
    /(?:\bwith\s+(?:the\s+)?(?:text|contents?|words?)|\bsaying|\bthat\s+says|\bcontaining)\s*:?\s+(.+)$/i.exec(
      object,
    )?.[1];
  if (spelled !== undefined)
    return said(BACK_REFERENCE.test(spelled) ? { kind: "results" } : { kind: "text", text: spelled });
  if (BACK_REFERENCE.test(object)) return said({ kind: "results" });
  if (
    object === "" ||
    /\b(?:note|notes|summary|report|text|file|document|memo|letter|list|story|poem|paragraph|page|line|sentence)\b/i.test(
      object,
    )
  ) {
    const topic = /\b(?:about|on|of)\s+(.+)$/i.exec(object)?.[1] ?? null;
    const refersBack = topic === null || BACK_REFERENCE.test(topic) || /^(?:what|who|where|me|my)\b/i.test(topic);
    return said({ kind: "note", topic: refersBack ? null : topic }, refersBack ? null : topic);
  }
  return said({ kind: "text", text: object });
}

function readClock(words: string): Action {
  const zone = /\b([A-Z][A-Za-z]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?|UTC|GMT)\b/.exec(words)?.[1];
  if (zone !== undefined) return { kind: "clock", place: zone, there: false };
  if (/\bthere\b|\bin (?:that|this) (?:city|place|town)\b/i.test(words))
    return { kind: "clock", place: null, there: true };
  const place = /\b(?:in|at|for)\s+(\p{Lu}[\p{L}'-]*(?:\s+\p{Lu}[\p{L}'-]*)*)/u.exec(words)?.[1];
  return { kind: "clock", place: place ?? null, there: false };
}

function slug(topic: string): string {
  const words = topic
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  return words.slice(0, 40) || "note";
}
