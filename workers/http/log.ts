/** Writes log lines. Removes keys, tokens, connect links, and the credentials and queries of URLs from every text. */
import { OttoError } from "../../core/base/errors.ts";
import type { AppCallLine } from "../../core/ports/app-calls.ts";

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/otto[sl]?_[a-z0-9]{1,40}_[0-9A-Za-z]{10,}/g, "otto_[key]"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 [token]"],
  [/\b(sk|rk|pk)-[\w-]{8,}/g, "[key]"],
  [/\/connect\/(?!callback\b)[\w-]{20,}/g, "/connect/[link]"],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1[credentials]@"],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s"'<>?#\\]+)[?#][^\s"'<>\\]+/gi, "$1?[query]"],
];

/** Returns the text without anything that looks like a secret. */
export function redact(text: string): string {
  return SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}

/** Writes one JSON line for an unexpected failure of a request. `path` is without its query. */
export function logFailure(request: { id: string; method: string; path: string }, thrown: unknown): void {
  const failure = thrown instanceof OttoError ? thrown.failure : null;
  write({
    request,
    ...describeError(thrown),
    outcome: failure?.happened,
    cause: failure?.cause,
    details: failure?.details,
  });
}

/** Writes one JSON line for an error that a tool threw. */
export function logDefect(tool: string, task: string, thrown: unknown): void {
  write({ tool, task, ...describeError(thrown) });
}

/** Writes one JSON line for a request to an app's action. It has no arguments and no result. */
export function logAppCall({ id, tenant }: { readonly id: string; readonly tenant: string }, line: AppCallLine): void {
  console.log(JSON.stringify({ level: "info", tenant, task: id, app_call: line }));
}

/** Writes one JSON line for the choice of a task's actions. It has no word of the request. */
export function logResolution(entry: {
  readonly tenant: string;
  readonly task: string;
  readonly strategy: string;
  readonly ms: number;
  readonly actions: number;
  readonly apps: number;
  readonly shown: number;
}): void {
  console.log(JSON.stringify({ level: "info", event: "apps.resolved", ...entry }));
}

function describeError(thrown: unknown): { error: string; stack: string } {
  if (!(thrown instanceof Error)) return { error: String(thrown), stack: "" };
  return { error: `${thrown.name}: ${thrown.message}`, stack: thrown.stack ?? "" };
}

function write(entry: Readonly<Record<string, unknown>>): void {
  console.error(redact(JSON.stringify({ level: "error", ...entry })));
}
