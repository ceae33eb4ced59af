/** Whether a tenant's request can be sent as it is written: judged when it is registered, before any argument is there. */
import { isReading } from "../web/http-method.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";
import type { HttpTemplate } from "../tool/source.ts";
import { isMethodOverride } from "../web/method-override.ts";
import {
  listFixedParameters,
  hasControls,
  listPlaceholders,
  getPlace,
  removeReferences,
} from "../gateway/http-template.ts";
import { isHeaderName, isHeaderValue, isOfTheConnection } from "../web/headers.ts";

/** A field at fault. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

/** Headers that say who asks: they are the tenant's to set, and no argument. */
const CREDENTIALS = new Set(["authorization", "cookie"]);
const MAX_HEADERS = 64;

/** What is at fault, in the names of the API's body. */
export function checkTemplate(template: HttpTemplate, input: JsonSchema): Fault[] {
  return [...urlFaults(template.url), ...headerFaults(template), ...placeFaults(template, input)];
}

/** The address has one host, of its own; arguments stand in its path, secrets in its path and query. */
function urlFaults(url: string): Fault[] {
  const refuse = (message: string): Fault[] => [{ field: "request.url", message }];
  const [, authority = "", rest = ""] = /^https?:\/\/([^/?#\\]+)(.*)$/is.exec(url) ?? [];
  if (authority === "") return refuse("has to be an address, https://… or http://…");
  if (/[{}]|%7[bd]/i.test(authority)) return refuse("neither an argument nor a secret can be in the host");
  if (authority.includes("@")) return refuse("holds a name or a password; use a header with a secret");
  if (url.includes("#")) return refuse("has a fragment, which is never sent");
  if (rest.includes("\\") || url.includes(" ") || hasControls(url))
    return refuse("holds characters that no address can");
  const plain = removeReferences(rest);
  const [path = "", query = ""] = plain.split(/\?(.*)/s);
  if (/[{}]/.test(query)) return refuse("arguments stand in the path; name those of the query in places");
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return refuse("holds . or .. as a segment");
  const names = listPlaceholders(rest);
  if (/[{}]/.test(path.replace(/\{[^{}/?#]{1,200}\}/g, ""))) return refuse("has braces that name no argument");
  if (new Set(names).size < names.length) return refuse("names an argument twice");
  if (URL.parse(`http://${authority}${plain.replace(/[{}]/g, "")}`) === null) return refuse("is no valid address");
  return [];
}

function headerFaults({ headers, method }: HttpTemplate): Fault[] {
  const entries = Object.entries(headers);
  const faults = entries.flatMap(([name, value]): Fault[] => {
    const field = `request.headers.${name}`;
    if (!isHeaderName(name)) return [{ field, message: "is no header name" }];
    if (isOfTheConnection(name)) return [{ field, message: "cannot be set" }];
    if (isReading(method) && isMethodOverride(name))
      return [{ field, message: `a ${method} request cannot ask for another method` }];
    return isHeaderValue(value) ? [] : [{ field, message: "holds characters that no header can" }];
  });
  if (entries.length > MAX_HEADERS) faults.push({ field: "request.headers", message: `more than ${MAX_HEADERS}` });
  if (isReading(method) && Object.hasOwn(headers, "content-type"))
    faults.push({ field: "request.headers.content-type", message: `a ${method} request has no body` });
  return faults;
}

/** Every place is of an argument that there is, and can be filled by this method. */
function placeFaults(template: HttpTemplate, input: JsonSchema): Fault[] {
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
        return inPath.includes(place.name) ? [] : refuse(`{${place.name}} is not in the address`);
      case "header": {
        const name = place.name.toLowerCase();
        if (!isHeaderName(name)) return refuse("is no header name");
        if (isOfTheConnection(name) || CREDENTIALS.has(name)) return refuse("no argument can be this header");
        if (isReading(method) && isMethodOverride(name))
          return refuse(`a ${method} request cannot ask for another method`);
        return Object.hasOwn(headers, name) ? refuse("request.headers has this header already") : [];
      }
      case "body":
      case "payload":
        return isReading(method) ? refuse(`a ${method} request has no body`) : [];
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
