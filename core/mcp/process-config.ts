/**
 * MCP servers that are started as a process, `{command, args?, env?, network?}`. One runs inside the sidecar, by itself, in
 * an empty folder of its own, and reaches the hosts of `network` only. `${NAME}` in an argument or in a value of `env`
 * stands for the tenant's secret of that name.
 */
import { z } from "zod";
import { failed, notSent, ok, type Result } from "../base/errors.ts";
import { normalHostPattern, patternIsCovered } from "../web/host-pattern.ts";
import { findMethodRefusal } from "../secrets/secret-use.ts";
import type { TenantSecret } from "../ports/secrets.ts";
import { fillReferences, referencedNames } from "../web/secret-references.ts";

const MAX_COMMAND = 500;
const MAX_ARGS = 100;
const MAX_ENV = 50;
const MAX_VALUE = 4_096;
const MAX_NETWORK = 50;
/** Of all arguments and values together, with their secrets filled in. */
const MAX_FILLED_CHARACTERS = 128 * 1024;

/** What the process finds in its environment anyway, and what the way to its hosts is set by. */
const OWN_ENV = /^(?:HOME|PWD|TMPDIR|LD_.*|(?:https?|all|no|ftp)_proxy)$/i;

const textSchema = z
  .string()
  .max(MAX_VALUE)
  .refine((text) => !text.includes("\0"), "has a NUL in it");

/** The fields of a server that is a process. */
export const processFields = {
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND)
    .regex(/^[^\0\r\n]*$/, "has to be one line")
    .optional()
    .describe("A program that the sidecar has. It is started in an empty folder, without a shell."),
  args: z
    .array(textSchema)
    .max(MAX_ARGS)
    .optional()
    .describe("Answers show them; a secret stands in one as `${NAME}`."),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "has to be a variable's name"), textSchema)
    .optional()
    .describe("Sealed at once; answers show the names. `${NAME}` stands for the secret of that name."),
  network: z
    .array(z.string().min(1).max(260))
    .max(MAX_NETWORK)
    .optional()
    .describe(
      "Hosts that the process may reach: `api.example.com`, `*.example.com`, `*` for every public one. None, unless it says so.",
    ),
} as const;

/** What may be shown of a process. */
export interface McpProcessSettings {
  readonly command: string;
  /** As they were given: a secret stands in one as `${NAME}`. */
  readonly args: readonly string[];
  readonly envNames: readonly string[];
  /** Empty: it reaches nothing. */
  readonly network: readonly string[];
}

type Env = readonly (readonly [string, string])[];

/** A process as it is to be started. References in it have the form of `core/web/secret-references.ts`. */
export interface McpProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly network: readonly string[];
}

/** The given fields of a process; `field` of a failure is one of their names. */
export function readProcess(given: {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly network?: readonly string[] | undefined;
}): Result<{ readonly settings: McpProcessSettings; readonly env: Env }> {
  const { command, args = [], env: variables = {}, network = [] } = given;
  if (command === undefined || command.trim() === "") return wrong("command", "a server that is a process needs one");
  if (command.includes("${")) return wrong("command", "holds a reference to a secret; use args or env");
  const entries = Object.entries(variables);
  if (entries.length > MAX_ENV) return wrong("env", `a server has at most ${MAX_ENV} variables`);
  const own = entries.find(([name]) => OWN_ENV.test(name));
  if (own !== undefined) return wrong(`env.${own[0]}`, "is set by the sidecar itself");
  const texts = [
    ...args.map((arg, at) => [`args.${at}`, arg] as const),
    ...entries.map(([name, value]) => [`env.${name}`, value] as const),
  ];
  const broken = texts.find(([, text]) => hasBrokenReference(text));
  if (broken !== undefined) return wrong(broken[0], BROKEN_REFERENCE);
  const hosts: string[] = [];
  for (const [at, entry] of network.entries()) {
    const host = entry.trim() === "*" ? "*" : normalHostPattern(entry);
    if (host === null)
      return wrong(`network.${at}`, "has to be a host (api.example.com) or *.example.com, :port if wanted");
    hosts.push(host);
  }
  return ok({
    settings: { command, args: [...args], envNames: entries.map(([name]) => name), network: hosts },
    env: entries.map(([name, value]) => [name, asReferences(value)]),
  });
}

/** What is said of a `${` that begins no reference. */
export const BROKEN_REFERENCE = "a reference is ${NAME}, in capital letters, digits and _, without a default";

export function hasBrokenReference(text: string): boolean {
  return /\$\{(?![A-Z][A-Z0-9_]{0,63}\})/.test(text);
}

/** The text with each `${NAME}` as a reference that can be filled in. */
export function asReferences(text: string): string {
  return text.replace(/\$\{([A-Z][A-Z0-9_]*)\}/g, "{{secret.$1}}");
}

/** Whether the process cannot be started without the tenant's secrets. */
export function processRefersToSecrets({ args, env: variables }: McpProcess): boolean {
  return textsOf(args, variables).some((text) => referencedNames(text).length > 0);
}

/**
 * The process with its secrets. Each has to be bound to every host that the process may reach, since it can send there what
 * it has; one that reaches nothing may have any.
 */
export function fillProcess(program: McpProcess, secrets: readonly TenantSecret[]): Result<McpProcess> {
  const { args, env: variables, network } = program;
  const values = new Map<string, string>();
  for (const name of new Set(textsOf(args, variables).flatMap(referencedNames))) {
    const secret = secrets.find((one) => one.name === name);
    if (secret === undefined) return notStarted("not_found", `There is no secret named ${name}.`);
    const refusal = secret.refusal ?? findMethodRefusal(name, secret.methods ?? null, null);
    if (refusal !== null) return notStarted("blocked_by_policy", refusal);
    const open = network.find((pattern) => !patternIsCovered(pattern, secret.hosts));
    if (open !== undefined)
      return notStarted("blocked_by_policy", `The secret ${name} is not bound to ${open}, which the server may reach.`);
    if (secret.value === null)
      return notStarted("not_available", `The secret ${name} cannot be opened any more. Set it again.`);
    if (secret.value.includes("\0"))
      return notStarted("invalid_input", `The secret ${name} has a NUL in it, which no process can be given.`);
    values.set(name, secret.value);
  }
  let left = MAX_FILLED_CHARACTERS;
  const fill = (text: string): string => {
    const filled = fillReferences(text, "text", Math.max(0, left), (name) => values.get(name) ?? "");
    left -= filled?.length ?? Infinity;
    return filled ?? "";
  };
  const filled = {
    ...program,
    args: args.map(fill),
    env: variables.map(([name, value]) => [name, fill(value)] as const),
  };
  if (left < 0)
    return notStarted("too_large", `Its arguments and variables have more than ${MAX_FILLED_CHARACTERS} characters.`);
  return ok(filled);
}

function textsOf(args: readonly string[], variables: Env): string[] {
  return [...args, ...variables.map(([, value]) => value)];
}

function wrong(field: string, message: string): Result<never> {
  return failed("invalid_input", message, { field });
}

function notStarted(
  code: "not_found" | "blocked_by_policy" | "not_available" | "invalid_input" | "too_large",
  why: string,
): Result<never> {
  return notSent(code, `${why} Nothing was started.`);
}
