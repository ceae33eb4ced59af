/** The tools of a tenant's own, as tests make and call them over the API. */
import { expect } from "vitest";
import type { Caller } from "../http/entry.ts";

/** A tool that reads from an address, `safe` so that no policy asks. */
export function definition(name: string, url: string, change: Record<string, unknown> = {}) {
  return {
    name,
    summary: `Read ${name}.`,
    security: "safe",
    input: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
    request: { url: `${url}/{city}` },
    ...change,
  };
}

export async function register(caller: Caller, body: unknown) {
  const made = await caller.send("POST", "/v1/tools", body);
  expect(made.status, made.text).toBe(201);
  return made.json;
}

export const callTool = (caller: Caller, name: string, given: unknown, more = {}) =>
  caller.send("POST", `/v1/tools/${name}/call`, { arguments: given, ...more });
export const namesOf = async (caller: Caller, query = "") =>
  (await caller.send("GET", `/v1/tools${query}`)).json.data.map(({ name }: { name: string }) => name) as string[];
