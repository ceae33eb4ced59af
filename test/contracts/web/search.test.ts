/** The search engines, each against a mock server of its API on loopback, and the fake in memory: one contract. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSearch, type SearchProvider } from "../../../adapters/search/search.ts";
import type { SearchHit, SearchPort, SearchRequest } from "../../../core/ports/search.ts";
import { fakeSearch } from "../../fakes/search.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";

const KEY = "canary-key";

function ask(more: Partial<SearchRequest> = {}): SearchRequest {
  return { query: "wörld & more", maxResults: 5, timeoutMs: 20_000, signal: new AbortController().signal, ...more };
}

const PAGES: readonly SearchHit[] = Array.from({ length: 25 }, (_, at) => ({
  title: `Page ${at + 1}`,
  url: `https://example.com/${at + 1}`,
  snippet: `What page ${at + 1} says.`,
}));

/** An engine under test: `finds` sets its pages. */
interface EngineUnderTest {
  readonly search: SearchPort;
  close(): Promise<void>;
}

function searchContract(name: string, open: (pages: readonly SearchHit[]) => Promise<EngineUnderTest>): void {
  describe(`search: ${name}`, () => {
    it("returns the first pages in their order, up to the requested number", async () => {
      const { search, close } = await open(PAGES);
      expect(await search.search(ask({ maxResults: 3 }))).toEqual({ ok: true, value: PAGES.slice(0, 3) });
      expect(await search.search(ask({ maxResults: 20 }))).toEqual({ ok: true, value: PAGES.slice(0, 20) });
      await close();
    });

    it("returns an empty list when nothing is found", async () => {
      const { search, close } = await open([]);
      expect(await search.search(ask())).toEqual({ ok: true, value: [] });
      await close();
    });

    it("fails when it is given up", async () => {
      const { search, close } = await open(PAGES);
      expect(await search.search(ask({ signal: AbortSignal.abort() }))).toMatchObject({
        ok: false,
        error: { code: "timeout" },
      });
      await close();
    });
  });
}

searchContract("the fake in memory", (pages) =>
  Promise.resolve({ search: fakeSearch(pages), close: () => Promise.resolve() }),
);

/** How each engine writes its pages, and what it reads of a request. */
const ENGINES: Readonly<
  Record<
    SearchProvider,
    {
      write(pages: readonly SearchHit[]): unknown;
      read(request: IncomingMessage, body: string): { path: string; query: string; key: string; count?: number };
    }
  >
> = {
  tavily: {
    write: (pages) => ({
      query: "q",
      results: pages.map(({ title, url, snippet }) => ({ title, url, content: snippet, score: 0.9 })),
      response_time: 1.2,
    }),
    read: (request, body) => {
      const { query, max_results } = JSON.parse(body) as { query: string; max_results: number };
      return {
        path: `${request.method} ${request.url}`,
        query,
        key: request.headers.authorization ?? "",
        count: max_results,
      };
    },
  },
  brave: {
    write: (pages) => ({
      type: "search",
      query: { original: "q" },
      ...(pages.length === 0
        ? {}
        : {
            web: {
              type: "search",
              results: pages.map(({ title, url, snippet }) => ({ title, url, description: snippet })),
            },
          }),
    }),
    read: (request) => {
      const url = new URL(request.url ?? "", "http://x");
      return {
        path: `${request.method} ${url.pathname}`,
        query: url.searchParams.get("q") ?? "",
        key: String(request.headers["x-subscription-token"]),
        count: Number(url.searchParams.get("count")),
      };
    },
  },
  searxng: {
    write: (pages) => ({
      query: "q",
      number_of_results: pages.length,
      results: pages.map(({ title, url, snippet }) => ({ title, url, content: snippet, engine: "a" })),
      unresponsive_engines: [],
    }),
    read: (request) => {
      const url = new URL(request.url ?? "", "http://x");
      expect(url.searchParams.get("format")).toBe("json");
      return {
        path: `${request.method} ${url.pathname}`,
        query: url.searchParams.get("q") ?? "",
        key: request.headers.authorization ?? "",
      };
    },
  },
};

const PATHS = { tavily: "POST /search", brave: "GET /res/v1/web/search", searxng: "GET /search" } as const;
const KEYS = { tavily: `Bearer ${KEY}`, brave: KEY, searxng: `Bearer ${KEY}` } as const;

/** A mock server that answers by a function, and what it got. */
async function mockServer(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  const port = await listenOnLoopback(server, 0);
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

for (const provider of ["tavily", "brave", "searxng"] as const) {
  const { write, read } = ENGINES[provider];

  searchContract(provider, async (pages) => {
    const { baseUrl, close } = await mockServer((_request, response) => sendJson(response, write(pages)));
    return { search: openSearch({ provider, baseUrl, apiKey: KEY }), close };
  });

  describe(`${provider} over HTTP`, () => {
    let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
    let search: SearchPort;
    let close: () => Promise<void>;
    beforeEach(async () => {
      const server = await mockServer((...of) => answer(...of));
      search = openSearch({ provider, baseUrl: server.baseUrl, apiKey: KEY });
      close = server.close;
    });
    afterEach(() => close());

    it("is called as its documentation says", async () => {
      let asked: ReturnType<typeof read> | null = null;
      answer = (request, response, body) => {
        asked = read(request, body);
        sendJson(response, write(PAGES));
      };
      await search.search(ask({ maxResults: 7 }));
      expect(asked).toEqual({
        path: PATHS[provider],
        query: "wörld & more",
        key: KEYS[provider],
        ...(provider === "searxng" ? {} : { count: 7 }),
      });
    });

    it("gives plain text, in bounds, and no address but of the web", async () => {
      answer = (_request, response) =>
        sendJson(
          response,
          write([
            {
              title: "<strong>Tom</strong> &amp; Jerry&#39;s\n\n2 &lt; 3",
              url: "https://a.example/x?y=1",
              snippet: "1 < 2",
            },
            { title: "script", url: "javascript:alert(1)", snippet: "" },
            { title: "no address", url: "", snippet: "" },
            { title: "long".repeat(1_000), url: "http://b.example/", snippet: "🦦".repeat(5_000) },
          ]),
        );
      const found = await search.search(ask());
      expect(found.ok && found.value.map(({ url }) => url)).toEqual(["https://a.example/x?y=1", "http://b.example/"]);
      expect(found.ok && found.value[0]).toMatchObject({ title: "Tom & Jerry's 2 < 3", snippet: "1 < 2" });
      expect(found.ok && found.value[1]?.title).toHaveLength(300);
      expect(found.ok && found.value[1]?.snippet.isWellFormed()).toBe(true);
    });

    it.each<[string, (response: ServerResponse) => void, string]>([
      ["429", (response) => response.writeHead(429, { "retry-after": "9" }).end("{}"), "rate_limited"],
      ["401", (response) => response.writeHead(401).end(`no ${KEY}`), "upstream_failed"],
      ["403", (response) => response.writeHead(403).end(), "upstream_failed"],
      ["500", (response) => response.writeHead(500).end("<html>"), "upstream_failed"],
      ["503", (response) => response.writeHead(503).end(), "upstream_failed"],
      [
        "a redirect away",
        (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
        "upstream_failed",
      ],
      ["no JSON", (response) => response.end("<html>hello</html>"), "upstream_failed"],
      ["cut JSON", (response) => response.end('{"results": [{"title": "a'), "upstream_failed"],
      ["JSON of another kind", (response) => response.end('{"hello": "you"}'), "upstream_failed"],
      ["a list", (response) => response.end("[1]"), "upstream_failed"],
      ["results of a wrong type", (response) => response.end('{"results": 7, "web": 7}'), "upstream_failed"],
      ["a huge body", (response) => response.end("x".repeat(3_000_000)), "upstream_failed"],
      ["a reset", (response) => response.destroy(), "upstream_failed"],
      ["a cut body", (response) => cutBody(response), "upstream_failed"],
      ["silence", () => undefined, "timeout"],
      ["silence in the body", (response) => void response.write("{"), "timeout"],
    ])("fails after %s, and reveals no key and no query", async (_, reply, code) => {
      answer = (_request, response) => reply(response);
      const found = await search.search(ask({ timeoutMs: code === "timeout" ? 500 : 30_000 }));
      expect(found).toMatchObject({ ok: false, error: { code } });
      expect(JSON.stringify(found)).not.toMatch(/canary|wörld|w%C3%B6rld/);
    });

    it("sends its key to no other address: a redirect is not followed", async () => {
      const paths: string[] = [];
      answer = (request, response) => {
        paths.push(request.url ?? "");
        if (paths.length === 1) response.writeHead(302, { location: "/elsewhere" }).end();
        else sendJson(response, write(PAGES));
      };
      expect(await search.search(ask())).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
      expect(paths).toHaveLength(1);
    });

    it("fails when no server listens", async () => {
      const gone = openSearch({ provider, baseUrl: `http://127.0.0.1:${await findUnusedPort()}`, apiKey: KEY });
      expect(await gone.search(ask())).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    });
  });
}

function cutBody(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100" });
  response.write('{"results": [');
  setTimeout(() => response.destroy(), 50);
}

describe("no search engine", () => {
  it("says what to set", async () => {
    const found = await openSearch(null).search(ask());
    expect(found).toMatchObject({ ok: false, error: { code: "not_available" } });
    expect(!found.ok && found.error.message).toMatch(/SEARCH_PROVIDER.*SEARCH_API_KEY.*SEARCH_BASE_URL/);
  });
});
