/** The arguments of an operation: its parameters and its body as one object schema, and where each of them goes. */
import { getOwn } from "../base/own-field.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { ArgumentPlace, HttpTemplate } from "../tool/source.ts";
import { isMethodOverride } from "../web/method-override.ts";
import { followReferences, isJson, type Json, getObject, getList, getText } from "./document.ts";
import type { PlainSchemas } from "./plain-schema.ts";

/** An operation's arguments and their places in the request. */
export interface OperationArguments {
  readonly input: JsonSchema;
  readonly places: Readonly<Record<string, ArgumentPlace>>;
  readonly contentType: HttpTemplate["contentType"];
}

/** The name of the argument that is the whole body. */
const BODY = "body";
/** Header parameters that are ignored (OpenAPI 3.1, section 4.8.12.2). */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);
/** The default style of parameters by place. */
const DEFAULT_STYLES: Readonly<Record<string, string>> = { path: "simple", query: "form", header: "simple" };

interface Parts {
  readonly properties: Map<string, JsonSchema>;
  readonly required: Set<string>;
  readonly places: Map<string, ArgumentPlace>;
}

/**
 * Reads the parameters (the path's, then the operation's) and the body. Fails with the reason when the operation cannot
 * be called.
 */
export function readArguments(
  root: Json,
  { path, operation }: { readonly path: Json; readonly operation: Json },
  schemas: PlainSchemas,
): Result<OperationArguments> {
  const parts: Parts = { properties: new Map(), required: new Set(), places: new Map() };
  for (const parameter of listParameters(root, path, operation)) {
    const reason = addParameter(parameter, parts, schemas);
    if (reason !== null) return failed("not_available", reason);
  }
  const body = followReferences(root, operation["requestBody"]);
  const contentType = body === null ? ok("application/json" as const) : addBody(root, body, parts, schemas);
  if (!contentType.ok) return contentType;
  const required = [...parts.required];
  return ok({
    input: {
      type: "object",
      properties: Object.fromEntries(parts.properties),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    places: Object.fromEntries(parts.places),
    contentType: contentType.value,
  });
}

/** An operation's parameter replaces the path's with the same name and place. */
function listParameters(root: Json, path: Json, operation: Json): Json[] {
  const found = new Map<string, Json>();
  for (const given of [...getList(path, "parameters"), ...getList(operation, "parameters")]) {
    const parameter = followReferences(root, given);
    if (parameter !== null) found.set(`${getText(parameter, "in")} ${getText(parameter, "name")}`, parameter);
  }
  return [...found.values()];
}

/** Adds one parameter. Returns why the operation cannot be called without it; an optional one is dropped. */
function addParameter(parameter: Json, parts: Parts, schemas: PlainSchemas): string | null {
  const [name, place] = [getText(parameter, "name"), getText(parameter, "in")];
  if (name === null || place === null) return "a parameter has no name or no location";
  const isRequired = parameter["required"] === true || place === "path";
  const leftOut = (reason: string) => (isRequired ? reason : null);
  if (place === "header" && IGNORED_HEADERS.has(name.toLowerCase())) return null;
  if (place === "header" && isMethodOverride(name))
    return leftOut(`the parameter ${name} asks for another method, which tools do not support`);
  if (place !== "path" && place !== "query" && place !== "header")
    return leftOut(`the parameter ${name} goes to the ${place}, which tools do not support`);
  if (!("schema" in parameter)) return leftOut(`the parameter ${name} has a media type of its own`);
  const schema = schemas.plain(parameter["schema"]);
  const isWhole = schema["type"] === "array" || schema["type"] === "object";
  const style = getText(parameter, "style") ?? getOwn(DEFAULT_STYLES, place);
  const explodes = parameter["explode"] ?? style === "form";
  const isUsual = style === getOwn(DEFAULT_STYLES, place) && (place !== "query" || explodes === true);
  if (isWhole && !(isUsual && place === "query" && schema["type"] === "array"))
    return leftOut(`the parameter ${name} is a list or an object in a style that tools do not support`);
  const argument = parts.properties.has(name) ? `${place}_${name}` : name;
  const description = getText(parameter, "description");
  parts.properties.set(
    argument,
    description === null ? schema : { description: description.slice(0, 1_000), ...schema },
  );
  parts.places.set(argument, { in: place, name });
  if (isRequired) parts.required.add(argument);
  return null;
}

/** Adds the body: its members as arguments when it is a plain object, otherwise one argument for all of it. */
function addBody(root: Json, body: Json, parts: Parts, schemas: PlainSchemas): Result<HttpTemplate["contentType"]> {
  const isRequired = body["required"] === true;
  const media = findMedia(getObject(body, "content"));
  if (media === null) {
    if (!isRequired) return ok("application/json");
    const types = Object.keys(getObject(body, "content")).join(", ") || "no media type";
    return failed("not_available", `its body is ${types}; tools send JSON or a form`);
  }
  const written = followReferences(root, media.schema) ?? {};
  const schema = schemas.plain(written);
  const { properties } = schema;
  const isPlain =
    isJson(properties) &&
    !["allOf", "anyOf", "oneOf", "not"].some((name) => name in schema) &&
    (schema["additionalProperties"] === undefined || schema["additionalProperties"] === false) &&
    Object.keys(properties).every((name) => !parts.properties.has(name));
  if (!isPlain) {
    const argument = parts.properties.has(BODY) ? "request_body" : BODY;
    parts.properties.set(argument, schema);
    parts.places.set(argument, { in: "payload", name: argument });
    if (isRequired) parts.required.add(argument);
    return ok(media.type);
  }
  for (const [name, member] of Object.entries(properties)) {
    parts.properties.set(name, isJson(member) ? member : {});
    parts.places.set(name, { in: "body", name });
  }
  if (isRequired) for (const name of getList(schema, "required")) parts.required.add(String(name));
  return ok(media.type);
}

function findMedia(content: Json): { type: HttpTemplate["contentType"]; schema: unknown } | null {
  const names = Object.keys(content);
  const json = names.find((name) => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(name));
  if (json !== undefined) return { type: "application/json", schema: getObject(content, json)["schema"] };
  const form = names.find((name) => /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(name));
  return form === undefined
    ? null
    : { type: "application/x-www-form-urlencoded", schema: getObject(content, form)["schema"] };
}
