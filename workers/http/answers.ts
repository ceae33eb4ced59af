/** The replies that a route declares: its own successes, and problems of one form. */
import type { RouteConfig } from "@hono/zod-openapi";
import { problemSchema } from "./schemas.ts";
import { z } from "zod";

type Responses = RouteConfig["responses"];
type Successes = Readonly<Record<number, Success>>;

/**
 * The successes of a route as its handler's type reads them (workers/http/replies.ts). Problems are thrown instead of
 * returned.
 */
type Declared<S extends Successes> = { [Status in keyof S]: DeclaredSuccess<S[Status]> };

type DeclaredSuccess<S> = S extends { readonly json: infer Schema }
  ? {
      description: string;
      content: { "application/json": { schema: Schema } } & DeclaredTexts<S>;
    } & (S extends { readonly mayBeEmpty: true } ? { "x-body-optional": true } : unknown)
  : S extends { readonly other: readonly string[] }
    ? { description: string; content: DeclaredTexts<S> }
    : { description: string };

type DeclaredTexts<S> = S extends { readonly other: readonly (infer Type extends string)[] }
  ? Record<Type, { schema: { type: "string" } }>
  : unknown;

/** What a status means, for every route. */
const PROBLEMS = {
  401: "No valid API key was sent.",
  403: "The key lacks the scope for this.",
  404: "Not found, or it belongs to another tenant.",
  409: "The current state does not allow this.",
  410: "This has ended or expired.",
  413: "The body is too large.",
  415: "The body's content type is not supported.",
  422: "The input is invalid; `errors` names each field.",
  429: "Too many requests; `Retry-After` says how long to wait.",
  500: "Otto failed.",
  503: "A service that Otto needs is unavailable; `Retry-After` says how long to wait.",
} as const;
type ProblemStatus = keyof typeof PROBLEMS;

/** Problems of every route that needs a key. */
const COMMON_PROBLEMS: readonly ProblemStatus[] = [401, 403, 429, 500, 503];

/** One success: a JSON body with its schema, or bodies of other media types. */
export interface Success {
  readonly description: string;
  readonly json?: z.ZodType;
  readonly other?: readonly string[];
  /** True if the body can be absent. */
  readonly mayBeEmpty?: true;
}

/** The responses of a route that needs a key. */
export function answers<const S extends Successes>(successes: S, problems: readonly ProblemStatus[] = []): Declared<S> {
  return { ...successResponses(successes), ...problemResponses([...COMMON_PROBLEMS, ...problems]) };
}

/** The responses of a route that needs no key. */
export function openAnswers<const S extends Successes>(
  successes: S,
  problems: readonly ProblemStatus[] = [],
): Declared<S> {
  return { ...successResponses(successes), ...problemResponses([500, ...problems]) };
}

/**
 * The problems that the middleware returns for every route. It refuses a query that is not valid text and, where a
 * key is needed, a body that is too large or not valid JSON, even if the route reads none. A route with another kind
 * of body checks it itself.
 */
export function middlewareAnswers({ method, path, security = [], request }: RouteConfig): Responses {
  const types = Object.keys(request?.body?.content ?? { "application/json": {} });
  const judgesBody = security.length > 0 && method !== "get" && types.includes("application/json");
  // The state of a task can be lost (workers/tasks/lost.ts).
  const ofTask: readonly ProblemStatus[] = path.startsWith("/v1/tasks/{id}") ? [410] : [];
  return problemResponses(judgesBody ? [...ofTask, 413, 415, 422] : [...ofTask, 422]);
}

function successResponses<S extends Successes>(successes: S): Declared<S> {
  const responses = Object.fromEntries(
    Object.entries(successes).map(([status, { description, json, other = [], mayBeEmpty }]) => {
      const texts = other.map((type) => [type, { schema: { type: "string" as const } }] as const);
      const content = {
        ...(json === undefined ? {} : { "application/json": { schema: json } }),
        ...Object.fromEntries(texts),
      };
      const extra = mayBeEmpty === true ? { "x-body-optional": true } : {};
      return [status, json === undefined && other.length === 0 ? { description } : { description, content, ...extra }];
    }),
  );
  return responses as Declared<S>;
}

function problemResponses(statuses: readonly ProblemStatus[]): Responses {
  const content = { "application/problem+json": { schema: problemSchema } };
  return Object.fromEntries(statuses.map((status) => [status, { description: PROBLEMS[status], content }]));
}

/** The body of a request without fields: absent, or an empty object. */
export const emptyBody = {
  required: false,
  content: { "application/json": { schema: z.strictObject({}).meta({ id: "EmptyInput" }) } },
} as const;

/** Declares that a route needs a key. Spread it into the route's declaration. */
export const withKey = { security: [{ key: [] as string[] }] };
