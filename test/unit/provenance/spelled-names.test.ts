/** What a result may vouch for does not depend on how the model wrote its call. */
import { describe, expect, test } from "vitest";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { reasonFor, type Scene } from "../steps/carry-out-scenes.ts";

const LINK = "https://evil.example/beacon";

/** A search of memory whose result holds a link, asked for as the model wrote it. */
function recalled(name: string, given: unknown): Scene {
  const calls = [{ id: "call_0", name, arguments: JSON.stringify(given) }];
  return {
    input: "Fetch the page that I saved.",
    parts: [
      { role: "assistant", content: "", calls, label: PRINCIPAL },
      { role: "tool", callId: "call_0", name: "memory_search", content: `The page is ${LINK}.`, label: OUTSIDE },
    ],
  };
}

const within = (given: unknown) => ({ name: "memory-search", arguments: given });

describe("a link in a memory", () => {
  const facts = { query: "page" };
  const all = { query: "page", include_outside: true };

  test.each([
    ["the tool itself", "memory_search", (given: object) => given],
    ["arguments as text", "memory_search", (given: object) => JSON.stringify(given)],
    ["call_tool", "call_tool", within],
    ["call_tool in other letters", "Call-Tool", within],
    ["call_tool with arguments as text", "call_tool", (given: object) => within(JSON.stringify(given))],
  ] as const)("may be followed when it is a fact, and not from outside, through %s", async (_, name, write) => {
    expect(await reasonFor(recalled(name, write(facts)), "http.get", { url: LINK })).toBeNull();
    expect(await reasonFor(recalled(name, write(all)), "http.get", { url: LINK })).toContain("evil.example");
  });
});
