/** Checks a tenant's request template when it is registered, before there are arguments. */
import { isSafeMethod } from "../web/http-method.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { HttpTemplate } from "../tool/source.ts";
import { mentionsConnection } from "../web/connection-reference.ts";
import { isMethodOverride } from "../web/method-override.ts";
import {
  listFixedParameters,
  hasControls,
  listPlaceholders,
  getPlace,
  removeReferences,
} from "../gateway/http-template.ts";
import { isHeaderName, isHeaderValue, isOfTheConnection } from "../web/headers.ts";

/** An invalid field. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

/** Headers that identify the caller: the tenant sets them, never an argument. */
const CREDENTIALS = new Set(["authorization", "cookie"]);
const MAX_HEADERS = 64;

/** The invalid fields, by their names in the API's body. `hasAccount`: calls of the tool act through an account. */
export function checkTemplate(
  template: HttpTemplate,
  input: JsonSchema,
  { hasAccount = false }: { readonly hasAccount?: boolean } = {},
): Fault[] {
  const faults = [...findUrlFaults(template.url), ...findHeaderFaults(template), ...findPlaceFaults(template, input)];
  return hasAccount ? faults : [...faults, ...findAccountFaults(template)];
}

/** A tool without an account cannot refer to one. */
function findAccountFaults({ url, headers }: HttpTemplate): Fault[] {
  const message = "refers to an account, which only the tools of an import with connect have";
  const places = [
    ["request.url", url],
    ...Object.entries(headers).map(([name, value]) => [`request.headers.${name}`, value]),
  ];
  return places.flatMap(([field = "", text = ""]) => (mentionsConnection(text) ? [{ field, message }] : []));
}

/** The address has one fixed host. Arguments may be in its path, secrets in its path and query. */
function findUrlFaults(url: string): Fault[] {
  const refuse = (message: string): Fault[] => [{ field: "request.url", message }];
  const [, authority = "", rest = ""] = /^https?:\/\/([^/?#\\]+)(.*)$/is.exec(url) ?? [];
  if (authority === "") return refuse("has to be a URL, https://… or http://…");
  if (/[{}]|%7[bd]/i.test(authority)) return refuse("neither an argument nor a secret can be in the host");
  if (authority.includes("@")) return refuse("contains a name or a password; use a header with a secret");
  if (url.includes("#")) return refuse("has a fragment, which is never sent");
  if (rest.includes("\\") || url.includes(" ") || hasControls(url))
    return refuse("contains characters that a URL cannot");
  const plain = removeReferences(rest);
  const [path = "", query = ""] = plain.split(/\?(.*)/s);
  if (/[{}]/.test(query)) return refuse("arguments can be in the path only; name those of the query in places");
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return refuse("contains . or .. as a segment");
  const names = listPlaceholders(rest);
  if (/[{}]/.test(path.replace(/\{[^{}/?#]{1,200}\}/g, ""))) return refuse("has braces that name no argument");
  if (new Set(names).size < names.length) return refuse("names an argument twice");
  if (URL.parse(`http://${authority}${plain.replace(/[{}]/g, "")}`) === null) return refuse("is not a valid URL");
  return [];
}

function findHeaderFaults({ headers, method }: HttpTemplate): Fault[] {
  const entries = Object.entries(headers);
  const faults = entries.flatMap(([name, value]): Fault[] => {
    const field = `request.headers.${name}`;
    if (!isHeaderName(name)) return [{ field, message: "is not a header name" }];
    if (isOfTheConnection(name)) return [{ field, message: "cannot be set" }];
    if (isSafeMethod(method) && isMethodOverride(name))
      return [{ field, message: `a ${method} request cannot ask for another method` }];
    return isHeaderValue(value) ? [] : [{ field, message: "contains characters that a header cannot" }];
  });
  if (entries.length > MAX_HEADERS) faults.push({ field: "request.headers", message: `more than ${MAX_HEADERS}` });
  if (isSafeMethod(method) && Object.hasOwn(headers, "content-type"))
    faults.push({ field: "request.headers.content-type", message: `a ${method} request has no body` });
  return faults;
}

/** Each place belongs to an existing argument that this method can send. */
function findPlaceFaults(template: HttpTemplate, input: JsonSchema): Fault[] {
  const { url, method, headers, places } = template;
  const properties = Object.keys(isRecord(input["properties"]) ? input["properties"] : {});
  const required: readonly unknown[] = Array.isArray(input["required"]) ? input["required"] : [];
  const inPath = listPlaceholders(url);
  const fixed = listFixedParameters(url);
  const named = Object.entries(places);
  const faults = named.flatMap(([argument, place]): Fault[] => {
    const refuse = (message: string): Fault[] => [{ field: `request.places.${argument}`, message }];
    if (!properties.includes(argument)) return refuse("input.properties has no such argument");
    switch (place.in) {
      case "path":
        return inPath.includes(place.name) ? [] : refuse(`{${place.name}} is not in the URL`);
      case "header": {
        const name = place.name.toLowerCase();
        if (!isHeaderName(name)) return refuse("is not a header name");
        if (isOfTheConnection(name) || CREDENTIALS.has(name)) return refuse("no argument can be this header");
        if (isSafeMethod(method) && isMethodOverride(name))
          return refuse(`a ${method} request cannot ask for another method`);
        return Object.hasOwn(headers, name) ? refuse("request.headers has this header already") : [];
      }
      case "body":
      case "payload":
        return isSafeMethod(method) ? refuse(`a ${method} request has no body`) : [];
      case "query":
        return fixed.has(place.name) ? refuse("request.url has this parameter already") : [];
    }
  });
  for (const name of inPath) {
    const argument = named.find(([, place]) => place.in === "path" && place.name === name)?.[0] ?? name;
    const isThere = properties.includes(argument) && required.includes(argument);
    if (!isThere) faults.push({ field: "request.url", message: `{${name}} needs a required argument ${argument}` });
  }
  const inBody = properties.filter((argument) => ["body", "payload"].includes(getPlace(template, argument).in));
  if (named.some(([, place]) => place.in === "payload") && inBody.length > 1)
    faults.push({ field: "request.places", message: "one argument is the whole body, so no other can be in it" });
  return faults;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
