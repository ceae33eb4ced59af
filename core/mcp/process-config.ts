/**
 * MCP servers that run as a process, `{command, args?, env?, network?}`. Each runs in the sidecar in an empty folder of
 * its own, and reaches only the hosts of `network`. `${NAME}` in an argument or a value of `env` refers to the tenant's
 * secret.
 */
import { z } from "zod";
import { failed, notSent, ok, type Result } from "../base/errors.ts";
import { normalizeHostPattern, isPatternCovered } from "../web/host-pattern.ts";
import { findMethodRefusal } from "../secrets/secret-use.ts";
import type { TenantSecret } from "../ports/secrets.ts";
import { fillReferences, findReferencedNames } from "../web/secret-references.ts";

const MAX_COMMAND = 500;
const MAX_ARGS = 100;
const MAX_ENV = 50;
const MAX_VALUE = 4_096;
const MAX_NETWORK = 50;
/** Characters of all arguments and values together, with secrets filled in. */
const MAX_FILLED_CHARACTERS = 128 * 1024;

/** Variables that the sidecar sets, for the environment and for the network. */
const OWN_ENV = /^(?:HOME|PWD|TMPDIR|LD_.*|(?:https?|all|no|ftp)_proxy)$/i;

const textSchema = z
  .string()
  .max(MAX_VALUE)
  .refine((text) => !text.includes("\0"), "contains a NUL");

/** The fields of a server that is a process. */
export const processFields = {
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND)
    .regex(/^[^\0\r\n]*$/, "has to be one line")
    .optional()
    .describe("A program of the sidecar. It starts in an empty folder, without a shell."),
  args: z.array(textSchema).max(MAX_ARGS).optional().describe("They are returned; `${NAME}` refers to a secret."),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "has to be a variable's name"), textSchema)
    .optional()
    .describe("Sealed at once; only the names are returned. `${NAME}` refers to the secret of that name."),
  network: z
    .array(z.string().min(1).max(260))
    .max(MAX_NETWORK)
    .optional()
    .describe(
      "Hosts that the process may reach: `api.example.com`, `*.example.com`, `*` for every public one. None by default.",
    ),
} as const;

/** The public part of a process's configuration. */
export interface McpProcessSettings {
  readonly command: string;
  /** As given, with `${NAME}` for a secret. */
  readonly args: readonly string[];
  readonly envNames: readonly string[];
  /** Empty: no network access. */
  readonly network: readonly string[];
}

type Env = readonly (readonly [string, string])[];

/** A process to start. Its references have the format of `core/web/secret-references.ts`. */
export interface McpProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly network: readonly string[];
}

/** Reads the given fields of a process; a failure's `field` is one of their names. */
export function readProcess(given: {
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly network?: readonly string[] | undefined;
}): Result<{ readonly settings: McpProcessSettings; readonly env: Env }> {
  const { command, args = [], env: variables = {}, network = [] } = given;
  if (command === undefined || command.trim() === "")
    return failField("command", "a server that is a process needs a command");
  if (command.includes("${")) return failField("command", "contains a reference to a secret; use args or env");
  const entries = Object.entries(variables);
  if (entries.length > MAX_ENV) return failField("env", `a server has at most ${MAX_ENV} variables`);
  const own = entries.find(([name]) => OWN_ENV.test(name));
  if (own !== undefined) return failField(`env.${own[0]}`, "is set by the sidecar");
  const texts = [
    ...args.map((arg, at) => [`args.${at}`, arg] as const),
    ...entries.map(([name, value]) => [`env.${name}`, value] as const),
  ];
  const broken = texts.find(([, text]) => hasBrokenReference(text));
  if (broken !== undefined) return failField(broken[0], BROKEN_REFERENCE);
  const hosts: string[] = [];
  for (const [at, entry] of network.entries()) {
    const host = entry.trim() === "*" ? "*" : normalizeHostPattern(entry);
    if (host === null)
      return failField(`network.${at}`, "has to be a host (api.example.com) or *.example.com, optionally with :port");
    hosts.push(host);
  }
  return ok({
    settings: { command, args: [...args], envNames: entries.map(([name]) => name), network: hosts },
    env: entries.map(([name, value]) => [name, toReferences(value)]),
  });
}

/** The error for a `${` that begins no reference. */
export const BROKEN_REFERENCE = "a reference is ${NAME}, in capital letters, digits and _, without a default";

export function hasBrokenReference(text: string): boolean {
  return /\$\{(?![A-Z][A-Z0-9_]{0,63}\})/.test(text);
}

/** The text with each `${NAME}` in the egress module's format. */
export function toReferences(text: string): string {
  return text.replace(/\$\{([A-Z][A-Z0-9_]*)\}/g, "{{secret.$1}}");
}

/** Whether the process needs secrets to start. */
export function processRefersToSecrets({ args, env: variables }: McpProcess): boolean {
  return listTexts(args, variables).some((text) => findReferencedNames(text).length > 0);
}

/**
 * Fills in the secrets. The process could send each of them to every host that it may reach, so the secret has to be
 * bound to all of them. A process without network access may have any secret.
 */
export function fillProcess(program: McpProcess, secrets: readonly TenantSecret[]): Result<McpProcess> {
  const { args, env: variables, network } = program;
  const values = new Map<string, string>();
  for (const name of new Set(listTexts(args, variables).flatMap(findReferencedNames))) {
    const secret = secrets.find((one) => one.name === name);
    if (secret === undefined) return failNotStarted("not_found", `There is no secret named ${name}.`);
    const refusal = secret.refusal ?? findMethodRefusal(name, secret.methods ?? null, null);
    if (refusal !== null) return failNotStarted("blocked_by_policy", refusal);
    const open = network.find((pattern) => !isPatternCovered(pattern, secret.hosts));
    if (open !== undefined)
      return failNotStarted(
        "blocked_by_policy",
        `The secret ${name} is not bound to ${open}, which the server may reach.`,
      );
    if (secret.value === null)
      return failNotStarted("not_available", `The secret ${name} cannot be opened any more. Set it again.`);
    if (secret.value.includes("\0"))
      return failNotStarted("invalid_input", `The secret ${name} contains a NUL, which a process cannot receive.`);
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
    return failNotStarted(
      "too_large",
      `Its arguments and variables have more than ${MAX_FILLED_CHARACTERS} characters.`,
    );
  return ok(filled);
}

function listTexts(args: readonly string[], variables: Env): string[] {
  return [...args, ...variables.map(([, value]) => value)];
}

function failField(field: string, message: string): Result<never> {
  return failed("invalid_input", message, { field });
}

function failNotStarted(
  code: "not_found" | "blocked_by_policy" | "not_available" | "invalid_input" | "too_large",
  why: string,
): Result<never> {
  return notSent(code, `${why} Nothing was started.`);
}
