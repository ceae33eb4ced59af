/** What the demo model says: always with a word that it is no language model. */
import { TASK_FIELD } from "./words.ts";
import { zoneOf } from "./zones.ts";
import type { Action } from "./intent.ts";
import { hasStopped, type MadeCall, type Progress } from "./progress.ts";

/** Begins every answer. */
const LABEL = "I am Otto's demo model: I follow plain rules and am not a language model.";
/** Ends every question and every note, where a whole sentence would be in the way. */
const SHORT_LABEL = "Otto's demo model, which is not a language model";
/** How the result of a call begins that a person did not allow. */
const REFUSED = /^Error \(permission_denied\): A person refused this(?::\s*(.*)|\.)?$/s;
/** Characters of a result that an answer repeats. */
const MAX_REPEAT = 600;

/** A question as a person gets it. */
export function labelledQuestion(question: string): string {
  return `${question} (Asked by ${SHORT_LABEL}.)`;
}

/** What it says while it works. */
export function workingText(actions: readonly Action[]): string {
  return `Demo model, no language model. Next: ${actions.map(intention).join("; ")}.`;
}

function intention(action: Action): string {
  switch (action.kind) {
    case "ask":
      return `ask ${action.person ?? "you"} “${action.question}”`;
    case "write":
      return `write ${action.path}`;
    case "read":
      return `read ${action.path}`;
    case "attach":
      return `attach ${action.path}`;
    case "list":
      return `list the files${action.path === "" ? "" : ` in ${action.path}`}`;
    case "wait":
      return `wait ${action.seconds} s`;
    case "clock":
      return "look up the date and the time";
    case "dispatch":
      return `have a subagent do “${action.task}”`;
    case "fetch":
      return `${action.method} ${action.url ?? "the address that I was given"}`;
  }
}

/** The closing answer. `missing` are actions that no tool was there for; null: the last call, which has no tools at all. */
export function answerText(progress: Progress, missing: readonly Action[] | null): string {
  const sentences = progress.made.map(outcome);
  if (hasStopped(progress.made) && missing !== null) sentences.push("I stopped there.");
  for (const text of progress.says) sentences.push(text);
  if (missing === null) {
    const open = progress.planned.length - progress.made.length;
    if (open > 0) sentences.push(`I have no step left for the rest (${open} of ${progress.planned.length} actions).`);
  } else {
    for (const action of missing) sentences.push(`I cannot ${intention(action)}: I was given no tool for that.`);
    if (progress.planned.length > 0)
      for (const clause of progress.unknown) sentences.push(`I did not understand “${clause.slice(0, 200)}”.`);
  }
  if (progress.planned.length === 0 && progress.says.length === 0) sentences.push(HELP);
  return [LABEL, ...sentences].join(" ");
}

const HELP =
  "I understand requests such as: “Ask me which city I live in, then write a short note about it to notes/city.md and attach it.” I can ask a person, dispatch subagents (“Dispatch two subagents: one to read a.txt, one to find the time in Lisbon. Then write what they found to notes/found.md.”), write, read, list and attach files, wait, tell the time in a place, and fetch a URL. To work with a language model, set OPENAI_API_KEY or OPENAI_BASE_URL.";

function outcome(call: MadeCall): string {
  const result = repeat(call.content ?? "");
  if (call.content === null) return `${call.name} has no result yet.`;
  const refused = REFUSED.exec(result);
  if (refused !== null) return `I did not call ${call.name}: a person refused it${toldWhy(refused[1] ?? "")}.`;
  if (call.changed !== null) return `${call.name}: ${call.changed}. ${result}`;
  if (call.failed && call.kind !== "dispatch") return `${call.name} did not work: ${result}`;
  const path = stringOf(call, /file|path|document|dir|folder/i);
  switch (call.kind) {
    case "ask":
      return `I asked and was told: “${result}”.`;
    case "write":
      return `I wrote ${path ?? "the file"}.`;
    case "read":
      return `${path ?? "The file"} says:\n${result}\n`;
    case "attach":
      return `I attached ${path ?? "the file"}.`;
    case "list":
      return `The files:\n${result}\n`;
    case "wait":
      return "I waited.";
    case "clock":
      return `The clock says ${result}.`;
    case "fetch":
      return `${stringOf(call, /ur[li]$/i) ?? "The address"} answered:\n${result}\n`;
    case "dispatch":
      return `A subagent on “${taskOf(call)}”: ${repeat(findings(call))}`;
    case null:
      return `${call.name}: ${result}`;
  }
}

function toldWhy(reason: string): string {
  const words = reason.trim().replace(/\.$/, "");
  return words === "" ? "" : `, saying “${words}”`;
}

function taskOf(call: MadeCall): string {
  return (stringOf(call, TASK_FIELD) ?? "its task").replace(/\.$/, "");
}

/** What a subagent said, without the words by which the demo model says what it is: they are said once for all. */
function findings(call: MadeCall): string {
  return (call.content ?? "").replaceAll(`${LABEL} `, "").trim();
}

/** What all subagents said, those that failed too. */
function allFindings(made: readonly MadeCall[]): string[] {
  return made.filter((call) => call.kind === "dispatch").map((call) => `- ${taskOf(call)}: ${findings(call)}`);
}

function stringOf(call: MadeCall, field: RegExp): string | null {
  for (const [name, value] of Object.entries(call.arguments))
    if (field.test(name) && typeof value === "string") return value;
  return null;
}

function repeat(content: string): string {
  const trimmed = content.trim();
  return trimmed.length <= MAX_REPEAT ? trimmed : `${trimmed.slice(0, MAX_REPEAT)} …`;
}

/** The words that "it" and "the answer" stand for: the last thing that was found out, or what all subagents did. */
export function resultsText(made: readonly MadeCall[]): string {
  const told = made.filter(
    (call) =>
      call.content !== null && !call.failed && call.kind !== "write" && call.kind !== "attach" && call.kind !== "wait",
  );
  if (told.at(-1)?.kind === "dispatch") return [...allFindings(made), "", `By ${SHORT_LABEL}.`, ""].join("\n");
  return told.at(-1)?.content ?? "";
}

/** A note about what was found out. `topic` null: about the last answer. */
export function noteText(topic: string | null, made: readonly MadeCall[]): string {
  const told = made.filter((call) => call.content !== null && !call.failed);
  const asked = told.filter((call) => call.kind === "ask");
  const found = allFindings(made);
  const answer = asked.at(-1)?.content?.trim().split("\n", 1)[0]?.slice(0, 80);
  const subject = topic ?? answer ?? (found.length > 0 ? "What the subagents found" : "");
  const title = subject === "" ? "Note" : subject.charAt(0).toUpperCase() + subject.slice(1);
  const lines = [`# ${title}`, ""];
  for (const call of told) {
    const content = repeat(call.content ?? "");
    if (call.kind === "ask")
      lines.push(
        `- Asked: ${unlabelled(stringOf(call, /query|question|message|prompt|text/i) ?? "a question")}`,
        `- Answer: ${content}`,
      );
    if (call.kind === "read" || call.kind === "fetch" || call.kind === "list") lines.push("", content, "");
  }
  lines.push(...found);
  const date = told.find((call) => call.kind === "clock")?.content?.trim();
  if (date !== undefined) lines.push(`- Written: ${date}`);
  lines.push("", `By ${SHORT_LABEL}.`, "");
  return lines.join("\n");
}

function unlabelled(question: string): string {
  return question.replace(` (Asked by ${SHORT_LABEL}.)`, "");
}

/** The last URL that anybody mentioned in a result. */
export function urlIn(made: readonly MadeCall[]): string | null {
  for (const call of [...made].reverse()) {
    const url = /https?:\/\/[^\s"'<>]+/i.exec(call.content ?? "")?.[0].replace(/[.,;:!?)\]]+$/, "");
    if (url !== undefined) return url;
  }
  return null;
}

/** The place that somebody named in an answer: one that has a time zone. */
export function placeIn(made: readonly MadeCall[]): string | null {
  for (const call of [...made].reverse()) {
    if (call.kind !== "ask" || call.content === null) continue;
    const answer = call.content.trim().slice(0, 200);
    const words = answer.split(/[^\p{L}_/-]+/u).filter((word) => word !== "");
    const pairs = words.flatMap((word, index) => (index + 1 < words.length ? [`${word} ${words[index + 1]}`] : []));
    const place = [answer, ...pairs, ...words].find((candidate) => candidate.length > 2 && zoneOf(candidate) !== null);
    if (place !== undefined) return place;
  }
  return null;
}
