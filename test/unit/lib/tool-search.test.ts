import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { madeRequests, madeTools } from "../../../bench/tool-search/made-tools.ts";
import { findTools } from "../../../core/steps/find-tools.ts";
import { readRequest } from "../../../core/lib/tool-search/request.ts";
import { searchTools } from "../../../core/lib/tool-search/search.ts";
import { type SearchableTool, type Segment, SegmentBuilder } from "../../../core/lib/tool-search/segment.ts";
import { createToolList } from "../../../core/lib/tool-search/tool-list.ts";
import { toTerms, splitWords } from "../../../core/lib/tool-search/words.ts";

function toolOf(name: string, change: Partial<SearchableTool> = {}): SearchableTool {
  return { name, summary: "", toolbox: "", category: "", parameters: [], ...change };
}

function indexOf(tools: readonly SearchableTool[], portion = tools.length): Segment {
  const builder = new SegmentBuilder(tools.length, (number) => tools[number] ?? null);
  while (!builder.add(portion));
  return builder.build();
}

function find(tools: readonly SearchableTool[], request: string, limit = 10): string[] {
  const found = searchTools([{ segment: indexOf(tools), admitted: null }], request, limit);
  return found.map(({ tool }) => tools[tool]?.name ?? "");
}

describe("the words of a text", () => {
  test.each([
    ["getHTTPReply2", ["get", "http", "reply2"]],
    ["read_file", ["read", "file"]],
    ["URLs of IDs, listAPIsNow", ["urls", "of", "ids", "list", "apis", "now"]],
    ["list-all.things/of it", ["list", "all", "things", "of", "it"]],
    ["Überweisung an Zoë", ["überweisung", "an", "zoë"]],
    ["获取天气 now", ["获取", "取天", "天气", "now"]],
    ["", []],
    ["🙂 !!", []],
  ])("%s", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  test("are the same in singular and plural, present and past", () => {
    for (const group of [
      "city cities",
      "box boxes",
      "plan plans planned planning",
      "create created creates creating",
    ]) {
      expect(new Set(toTerms(group)).size).toBe(1);
    }
    expect(toTerms("the status of this bus")).toEqual(["status", "bus"]);
  });

  test("are bounded, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
        for (const word of splitWords(text)) expect(word.length).toBeLessThanOrEqual(32);
      }),
    );
  });
});

describe("a request", () => {
  test("is read clause by clause", () => {
    const clauses = readRequest("Find a hotel in Oslo, book it and then send me a message.").map(({ terms }) => terms);
    expect(clauses).toEqual([["find", "hotel", "oslo"], ["book"], ["send", "messag"]]);
  });

  test("says by a path what kind of file is meant, and nothing by the path's own words or a URL's", () => {
    expect(readRequest("Save it to /srv/oslo/plan.xlsx")[0]?.terms).toEqual(toTerms("save excel sheet file"));
    expect(readRequest("What is in ~/oslo/trips?")[0]?.terms).toEqual(toTerms("directory file"));
    expect(readRequest("Read https://example.com/oslo/weather")[0]?.terms).toEqual(toTerms("read url"));
    expect(readRequest("either/or and 24/7")[0]?.terms).toEqual(["either"]);
  });

  test("of any text is read in bounds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 4000 }), (text) => {
        const clauses = readRequest(text);
        expect(clauses.length).toBeLessThanOrEqual(12);
        for (const { terms } of clauses) expect(terms.length).toBeLessThanOrEqual(40);
      }),
    );
    expect(readRequest(`${"a/".repeat(100_000)}!`).length).toBeLessThanOrEqual(1);
  });
});

describe("a search", () => {
  const tools = [
    toolOf("weather_forecast", { summary: "The weather of the next days.", toolbox: "weather" }),
    toolOf("delete_file", { summary: "Remove a file permanently.", toolbox: "files" }),
    toolOf("write_file", { summary: "Write a text file.", toolbox: "files" }),
    toolOf("send_mail", {
      summary: "Send a message to somebody.",
      parameters: [{ name: "recipient", description: "An address" }],
    }),
    toolOf("obscure", {
      summary: "Does it.",
      parameters: [{ name: "iban", description: "Of the account to pay from" }],
    }),
  ];

  test("finds by name, summary, parameters, and words that mean the same", () => {
    expect(find(tools, "weather in Oslo")[0]).toBe("weather_forecast");
    expect(find(tools, "remove a file")[0]).toBe("delete_file");
    expect(find(tools, "pay from an account")[0]).toBe("obscure");
    expect(find(tools, "erase it")[0]).toBe("delete_file");
    expect(find(tools, "the recipient")[0]).toBe("send_mail");
    expect(find(tools, "writeFile")[0]).toBe("write_file");
  });

  test("finds a tool for each part of a request", () => {
    const found = find(tools, "Check the weather and send a message to Ana, then save it to /tmp/day.txt", 3);
    expect(new Set(found)).toEqual(new Set(["weather_forecast", "send_mail", "write_file"]));
  });

  test("finds nothing for words that no tool has, and for no words", () => {
    expect([find(tools, "zebra"), find(tools, ""), find(tools, "the of and"), find([], "weather")]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  test("returns at most the requested number, each once", () => {
    const found = find(tools, "weather file message account", 3);
    expect([found.length, new Set(found).size]).toEqual([3, 3]);
  });

  test("finds the same in an index that was built in portions", () => {
    const made = madeTools(500).map(({ input: _, ...tool }) => ({ ...tool, parameters: [] }));
    const [whole, inPortions] = [indexOf(made), indexOf(made, 7)];
    expect(inPortions.weights).toEqual(whole.weights);
    expect([...inPortions.terms]).toEqual([...whole.terms]);
    expect(inPortions.tools).toEqual(whole.tools);
  });

  test("through two lists finds what one list of both finds, within those that are admitted", () => {
    const made = madeTools(600).map(({ input: _, ...tool }) => ({ ...tool, parameters: [] }));
    const [first, second] = [made.slice(0, 250), made.slice(250)];
    for (const { text } of madeRequests(20, 7)) {
      const together = find(made, text, 40).toSorted();
      const apart = searchTools(
        [first, second].map((list) => ({ segment: indexOf(list), admitted: null })),
        text,
        40,
      );
      const names = apart.map(({ segment, tool }) => (segment === 0 ? first : second)[tool]?.name ?? "");
      // Toolboxes do not reach over lists, so the order may differ; what is found hardly does.
      expect(names.filter((name) => together.includes(name)).length).toBeGreaterThanOrEqual(together.length * 0.8);
      const odd = Uint8Array.from(made, (_, number) => number % 2);
      const admitted = searchTools([{ segment: indexOf(made), admitted: odd }], text, 40);
      expect(admitted.every(({ tool }) => tool % 2 === 1)).toBe(true);
    }
  });

  test("never throws, for any request", () => {
    const segment = indexOf(tools);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 0, max: 20 }), (text, limit) => {
        expect(searchTools([{ segment, admitted: null }], text, limit).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  test("finds more of what requests of the project's own making need than a search for single words would", async () => {
    const made = madeTools();
    const list = createToolList(made, ({ input }) => input);
    const reach = { resolve: () => ({}), names: made.map(({ name }) => name) };
    let met = 0;
    let needed = 0;
    for (const { text, groups } of madeRequests(60, 11)) {
      const found = new Set(await findTools([{ source: null, list }], reach, text, 10));
      met += groups.filter((group) => group.some((name) => found.has(name))).length;
      needed += groups.length;
    }
    // Plain BM25 finds a fifth of them (bench/tool-search).
    expect(met / needed).toBeGreaterThan(0.28);
  });
});

describe("a list", () => {
  test("is indexed once, also when several ask at the same time, and lets others have their turn", async () => {
    let reads = 0;
    const made = madeTools(1_000);
    const list = createToolList(made, ({ input }) => {
      reads += 1;
      return input;
    });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const [first, second] = await Promise.all([list.segment(), list.segment()]);
    clearInterval(timer);
    expect(second).toBe(first);
    expect(await list.segment()).toBe(first);
    expect([reads, turns > 0]).toEqual([1_000, true]);
  });

  test("says what its index takes, which is a fraction of the tools' own text", async () => {
    const made = madeTools(5_000);
    const { bytes } = await createToolList(made, ({ input }) => input).segment();
    expect(bytes).toBeLessThan(JSON.stringify(made).length / 2);
  });
});
