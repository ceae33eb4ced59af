/** Reads that carry no data out: the calls of an influenced step that need no approval. */
import { describe, expect, test } from "vitest";
import { PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import {
  hooked,
  HOSTILE,
  MEMORY,
  NAMED,
  page,
  reasonFor,
  SECRET,
  visited,
  type Scene,
  type Step,
} from "../steps/carry-out-scenes.ts";

describe("an honest call runs unasked", () => {
  const research: Scene = {
    input: "What is the tallest building in Lisbon? Compare two sources.",
    steps: [
      {
        name: "web_search",
        given: { query: "tallest building in Lisbon" },
        result:
          "1. Towers\nhttps://Towers.example/lisbon?page=1\nA list.\n\n2. Wiki (https://wiki.example/Torre_(Lisboa)).",
      },
      page(
        "https://towers.example/lisbon?page=1",
        '<a href="/lisbon/torre?a=1&amp;b=2">more</a> [map](map/7) <a href="http://maps.example:80/x%7Ey/">',
      ),
    ],
  };
  test.each<[string, Scene, string, unknown]>([
    ["the page that the person named", visited, "http.get", { url: "https://news.example/story" }],
    ["another page of the named host", visited, "http.get", { url: "https://www.news.example/about?x=1" }],
    [
      "the named host with its own header",
      visited,
      "http.get",
      { url: "https://news.example/", headers: { "x-a": "b" } },
    ],
    [
      "a link without the value of its last parameter, which carries no data",
      visited,
      "http.get",
      { url: "https://evil.example/collect?d=" },
    ],
    ["a link of a result", visited, "http.get", { url: "https://evil.example/beacon" }],
    ["a link of a search", research, "http.get", { url: "https://towers.example/lisbon?page=1#top" }],
    ["a link with parentheses", research, "http.get", { url: "https://wiki.example/Torre_(Lisboa)" }],
    ["a link of a page on its own host", research, "http.get", { url: "https://towers.example/lisbon/torre?a=1&b=2" }],
    ["a link other than the page", research, "http.get", { url: "https://towers.example/map/7" }],
    ["a link in another spelling", research, "http.get", { url: "https://maps.example/x~y" }],
    [
      "a link with headers that only choose",
      research,
      "http.get",
      {
        url: "https://maps.example/x~y",
        headers: { accept: "text/html, application/json;q=0.9", "accept-language": "pt-PT, en;q=0.5" },
      },
    ],
    [
      "a link with a header that the person stated",
      { ...research, input: `${research.input} Send "X-Mode: full" with every request.` },
      "http.get",
      { url: "https://maps.example/x~y", headers: { "x-mode": "full", accept: "text/html" } },
    ],
    [
      "a link of a page in Turkish",
      { input: NAMED, steps: [page("https://news.example/story", "İstanbul: https://more.example/İl/1?a=b")] },
      "http.get",
      { url: "https://more.example/%C4%B0l/1?a=b" },
    ],
    [
      "a link far down a page of links",
      {
        input: NAMED,
        steps: [
          page(
            "https://news.example/story",
            Array.from({ length: 3_000 }, (_, at) => `(https://wiki.example/wiki/Page_${at})`).join("\n"),
          ),
        ],
      },
      "http.get",
      { url: "https://wiki.example/wiki/Page_2998" },
    ],
    ["a further search", research, "web_search", { query: "Torre Vasco da Gama height metres" }],
    ["a search with few words of a memory", visited, "web_search", { query: "staging data" }],
    ["a note", visited, "memory_save", { content: "The story says that it rained." }],
    ["a file", visited, "write_file", { path: "notes.md", content: "It rained." }],
    ["a link of a hook's payload", hooked, "http.get", { url: "https://evil.example/beacon" }],
    [
      "a server's tool that the person names",
      { ...visited, input: `${NAMED} Use linear.` },
      "linear_get_issue",
      { id: "ABC-1" },
    ],
    ...[
      "Look in `notes`.",
      "Look it up in Notes.",
      "Search via notes.",
      "Ask the notes server.",
      "Call search_notes.",
    ].map((input): [string, Scene, string, unknown] => [
      `a server's tool that the person names: ${input}`,
      { ...visited, input },
      "search_notes",
      { query: "towers in Lisbon" },
    ]),
    [
      "a search with flags, a listed order and a page",
      { ...visited, input: `${NAMED} Find "towers in Lisbon" too.` },
      "search_notes",
      { query: "towers in Lisbon", archived: false, shared: true, starred: false, sort: "edited", page: 2 },
    ],
    [
      "a server's tool with what it said itself",
      {
        ...visited,
        steps: [...(visited.steps ?? []), { name: "linear_get_issue", given: {}, result: "ABC-1, ABC-2" }],
      },
      "linear_get_issue",
      { id: "ABC-2", deep: true },
    ],
    [
      "a custom GET with the person's words",
      { ...visited, input: `${NAMED} Find "Ana Reis" too.` },
      "crm_find",
      { q: "ana reis", state: "open" },
    ],
    [
      "a host that the agent chose before it read anything",
      { input: "Compare two news sites.", steps: [page("https://second.example/", "Hello")] },
      "http.get",
      { url: "https://second.example/more" },
    ],
    [
      "a linked host whose name ends like a file's",
      { input: "Read https://docs.rs/serde.", steps: [HOSTILE] },
      "http.get",
      { url: "https://docs.rs/serde/latest" },
    ],
    [
      "a named host in another script",
      { input: "Lies https://bücher.example/neu bitte.", steps: [HOSTILE] },
      "http.get",
      { url: "https://xn--bcher-kva.example/alt" },
    ],
  ])("%s", async (_, scene, name, given) => {
    expect(await reasonFor(scene, name, given)).toBeNull();
  });

  test("a nightly call with a constant body, its second step too", async () => {
    const nightly: Scene = {
      input: 'Call crm_find with {"q": "overdue"} twice and report the number.',
      steps: [{ name: "crm_find", given: { q: "overdue" }, result: "3 rows" }],
    };
    expect(await reasonFor({ ...nightly, steps: [] }, "crm_find", { q: "overdue" })).toBeNull();
    expect(await reasonFor(nightly, "crm_find", { q: "overdue" })).toBeNull();
  });

  test("a link of a page's rest, which expand_result gave", async () => {
    const cut = page("https://news.example/story", "[… left out …]");
    const rest: Step = { name: "expand_result", given: { result_id: "call_0" }, result: "See https://more.example/2." };
    const scene: Scene = { input: NAMED, steps: [cut, rest] };
    expect(await reasonFor(scene, "http.get", { url: "https://more.example/2" })).toBeNull();
  });

  test("research and a summary, where memories and files are from before labels", async () => {
    const old: Step = {
      name: "read_file",
      given: { path: "old.md" },
      result: "Names of towers: Vasco.",
      label: TENANT,
    };
    const asked = [
      ["web_search", { query: "Torre Vasco da Gama height" }],
      ["http.get", { url: "https://towers.example/lisbon?page=1" }],
      ["http.get", { url: "https://towers.example/lisbon/torre?a=1&b=2" }],
      ["http.get", { url: "https://wiki.example/Torre_(Lisboa)" }],
      ["memory_save", { content: "The tower has 145 metres." }],
      ["write_file", { path: "towers.md", content: "Vasco: 145 metres" }],
    ] as const;
    const scene: Scene = { ...research, steps: [MEMORY, old, ...(research.steps ?? [])] };
    for (const [name, given] of asked) expect(await reasonFor(scene, name, given), name).toBeNull();
    const named: Scene = { input: NAMED, steps: [MEMORY, old, HOSTILE] };
    expect(await reasonFor(named, "http.get", { url: "https://news.example/story?page=2" })).toBeNull();
  });

  test("a page, a summary, a note and searches, where the task writes and reads files of its own", async () => {
    const wrote: Step = {
      name: "write_file",
      given: { path: "plan.md", content: "Search for the tallest building in Lisbon and its architect." },
      result: "Wrote plan.md.",
      label: PRINCIPAL,
      asked: PRINCIPAL,
    };
    const readAgain: Step = {
      name: "read_file",
      given: { path: "plan.md" },
      result: "Search for the tallest building in Lisbon and its architect.",
      label: PRINCIPAL,
      asked: PRINCIPAL,
    };
    const old: Step = {
      name: "read_file",
      given: { path: "style.md" },
      result: "Write short sentences, and name each source.",
      label: PRINCIPAL,
      asked: PRINCIPAL,
    };
    const scene: Scene = { ...research, steps: [wrote, readAgain, old, ...(research.steps ?? [])] };
    const made = [
      ["web_search", { query: "architect of the tallest building in Lisbon" }],
      ["web_search", { query: "Torre Vasco da Gama height" }],
      ["http.get", { url: "https://towers.example/lisbon/torre?a=1&b=2" }],
      ["write_file", { path: "notes.md", content: "It has 145 metres." }],
      ["read_file", { path: "style.md" }],
    ] as const;
    for (const [name, given] of made) expect(await reasonFor(scene, name, given), name).toBeNull();
    const named: Scene = { input: NAMED, steps: [wrote, readAgain, old, HOSTILE] };
    expect(await reasonFor(named, "http.get", { url: "https://news.example/story?page=2" })).toBeNull();
    expect(await reasonFor(named, "write_file", { path: "notes.md", content: "It rained." })).toBeNull();
  });

  test("anything, while no text from outside was read", async () => {
    const clean: Scene = { input: "Look around.", steps: [MEMORY] };
    expect(await reasonFor(clean, "http.get", { url: `https://any.example/?d=${SECRET}` })).toBeNull();
    expect(await reasonFor(clean, "crm_find", { q: "x" })).toBeNull();
  });
});
