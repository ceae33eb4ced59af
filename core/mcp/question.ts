/**
 * Formats a server's question for a person, and the person's answer for the server (form and URL mode of
 * https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation). One answer is one text, so a form of
 * several fields is answered by JSON or by lines of `name: value`; a form of one field by its value.
 */
import { getOwn } from "../base/own-field.ts";
import type { McpAnswer, McpQuestion } from "../ports/mcp.ts";
import { type Field, parseFields, readValue, formatField } from "./question-fields.ts";
import { cleanText } from "./tool-list.ts";

const MAX_MESSAGE = 2_000;
const MAX_URL = 2_000;
/** As many as `ask_human` offers. */
const MAX_CHOICES = 20;

const DECLINE = "Decline";
const CANCEL = "Cancel";
const ACCEPT = "Accept";
const DONE = "Done";

/** The question as a person reads it. `choices` null: any text. */
export interface FormattedQuestion {
  readonly query: string;
  readonly choices: readonly string[] | null;
}

/** A parsed question; null for a form with other than flat, simple fields, or a URL that is not on the web. */
export type QuestionForm =
  | { readonly kind: "url"; readonly url: URL }
  | { readonly kind: "form"; readonly fields: readonly Field[] };

export function readQuestion({ mode, schema, url }: McpQuestion): QuestionForm | null {
  if (mode === "url") {
    const parsed = url === null || url.length > MAX_URL ? null : URL.parse(url);
    return parsed !== null && /^https?:$/.test(parsed.protocol) ? { kind: "url", url: parsed } : null;
  }
  const fields = parseFields(schema ?? {});
  return fields === null ? null : { kind: "form", fields };
}

/** Formats the question with the server, the tool and how to answer. `problem`: why the last answer was invalid. */
export function formatQuestion(
  server: string,
  tool: string,
  question: McpQuestion,
  form: QuestionForm,
  problem: string | null,
): FormattedQuestion {
  const asks = `The MCP server “${server}” asks, for its tool ${tool}: ${cleanText(question.message, MAX_MESSAGE)}`;
  const again = problem === null ? [] : [`That answer is not valid: ${problem}`];
  const { how, choices } = form.kind === "url" ? explainUrl(form.url) : explainForm(form.fields);
  return { query: [...again, asks, ...how].join("\n"), choices };
}

interface How {
  readonly how: readonly string[];
  readonly choices: readonly string[] | null;
}

function explainUrl(url: URL): How {
  return {
    how: [
      `It asks you to open a page of ${url.host}: ${url.href}`,
      `Open it only if you know that site. Answer “${DONE}” when you have finished there, or “${DECLINE}”.`,
    ],
    choices: [DONE, DECLINE],
  };
}

function explainForm(fields: readonly Field[]): How {
  const [only] = fields;
  if (only === undefined) return { how: [], choices: [ACCEPT, DECLINE] };
  const refuse = `Answer “${DECLINE}” to refuse. Do not send it passwords or keys.`;
  if (fields.length > 1) {
    const form = `Answer with one JSON object, or with a line “name: value” for each of these:`;
    return { how: [form, ...fields.map(formatField), refuse], choices: null };
  }
  const values =
    only.kind === "boolean" ? ["Yes", "No"] : only.kind === "choice" ? only.options.map(({ title }) => title) : [];
  const isList = values.length > 0 && values.length < MAX_CHOICES && new Set(values).size === values.length;
  return { how: [formatField(only), refuse], choices: isList ? [...values, DECLINE] : null };
}

/** Converts the answer for the server, or returns why it is invalid. No answer is a cancellation. */
export function readAnswer(
  form: QuestionForm,
  answer: string | null,
): { readonly ok: true; readonly answer: McpAnswer } | { readonly ok: false; readonly problem: string } {
  if (answer === null || isWord(answer, CANCEL)) return { ok: true, answer: { action: "cancel" } };
  if (isWord(answer, DECLINE)) return { ok: true, answer: { action: "decline" } };
  if (form.kind === "url") {
    return isWord(answer, DONE, ACCEPT, "Yes", "OK")
      ? { ok: true, answer: { action: "accept" } }
      : { ok: false, problem: `answer “${DONE}” or “${DECLINE}”.` };
  }
  return readForm(form.fields, answer);
}

function readForm(fields: readonly Field[], answer: string): ReturnType<typeof readAnswer> {
  const [only] = fields;
  if (only === undefined) {
    return isWord(answer, ACCEPT, "Yes", "OK")
      ? { ok: true, answer: { action: "accept", content: {} } }
      : { ok: false, problem: `answer “${ACCEPT}” or “${DECLINE}”.` };
  }
  const given = parseObject(answer) ?? (fields.length === 1 ? { [only.name]: answer.trim() } : parseLines(answer));
  const stranger = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  if (stranger !== undefined) return { ok: false, problem: `it has no field “${stranger.slice(0, 100)}”.` };
  const content: [name: string, value: unknown][] = [];
  for (const field of fields) {
    const value = getOwn(given, field.name) ?? field.fallback;
    if (value === undefined || (value === "" && !field.required)) {
      if (field.required) return { ok: false, problem: `“${field.name}” is missing.` };
      continue;
    }
    const read = readValue(field, value);
    if (!read.ok) return { ok: false, problem: `“${field.name}” ${read.problem}.` };
    content.push([field.name, read.value]);
  }
  return { ok: true, answer: { action: "accept", content: Object.fromEntries(content) } };
}

function isWord(answer: string, ...words: readonly string[]): boolean {
  const text = answer.trim().toLowerCase();
  return words.some((word) => word.toLowerCase() === text);
}

function parseObject(answer: string): Readonly<Record<string, unknown>> | null {
  if (!answer.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function parseLines(answer: string): Readonly<Record<string, unknown>> {
  const lines = answer.split("\n").flatMap((line) => {
    const at = line.indexOf(":");
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(lines);
}
