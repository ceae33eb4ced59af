import { describe, expect, it } from "vitest";
import type { Failure } from "../../../core/base/errors.ts";
import webSearch from "../../../tools/web/web-search.ts";
import { fakeSearch } from "../../fakes/search.ts";
import { runTool } from "../run-tool.ts";

describe("web_search", () => {
  it("returns title, address and snippet of each page, five by default", async () => {
    const five = await runTool(webSearch, { query: " otters " }, { search: fakeSearch() });
    expect(five.result).toMatchObject({ query: "otters" });
    const { results } = five.result as { results: unknown[] };
    expect(results).toHaveLength(5);
    expect(results[0]).toEqual({ title: "Page 1", url: "https://example.com/1", snippet: "What page 1 says." });
    const two = await runTool(webSearch, { query: "otters", max_results: 2 }, { search: fakeSearch() });
    expect((two.result as { results: unknown[] }).results).toHaveLength(2);
    expect(two.output).toBe(
      "1. Page 1\nhttps://example.com/1\nWhat page 1 says.\n2. Page 2\nhttps://example.com/2\nWhat page 2 says.",
    );
  });

  it("says that nothing was found", async () => {
    const ran = await runTool(webSearch, { query: "otters" }, { search: fakeSearch([]) });
    expect(ran).toMatchObject({ result: { results: [] }, output: 'Nothing was found for "otters".' });
  });

  it.each<[Failure["code"], string]>([
    ["not_available", "Package not installed"],
    ["rate_limited", "Search error"],
    ["timeout", "Search error"],
    ["upstream_failed", "Search error"],
  ])("gives a failure of the kind %s as one row: %s", async (code, title) => {
    const search = fakeSearch({ code, message: "What to do." });
    const ran = await runTool(webSearch, { query: "otters" }, { search });
    expect(ran.result).toEqual({ results: [{ title, url: "", snippet: "What to do." }], query: "otters" });
    expect(ran.output).toBe(`1. ${title}\nWhat to do.`);
  });

  it.each([
    [{}, "query"],
    [{ query: "  " }, "query"],
    [{ query: "x".repeat(401) }, "query"],
    [{ query: "x", max_results: 0 }, "max_results"],
    [{ query: "x", max_results: 21 }, "max_results"],
  ])("refuses %j", async (given, field) => {
    expect((await runTool(webSearch, given)).failure).toMatchObject({ code: "invalid_input", field });
  });
});
