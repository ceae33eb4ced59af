/** The page at the root: what this is, and how to begin. */
import { createRoute } from "@hono/zod-openapi";
import { openAnswers } from "../answers.ts";
import type { App } from "../context.ts";
import { escaped, page, PAGE_HEADERS } from "../page.ts";

const welcome = createRoute({
  method: "get",
  path: "/",
  tags: ["System"],
  summary: "Say what this is",
  responses: openAnswers({ 200: { description: "The page.", other: ["text/html"] } }),
});

export function welcomeRoutes(app: App): void {
  app.openapi(welcome, (c) => c.html(welcomePage(new URL(c.req.url).origin), 200, PAGE_HEADERS));
}

function welcomePage(origin: string): string {
  const first = `curl -s ${origin}/v1/tasks?wait=30 \\
  -H "Authorization: Bearer $OTTO_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"input": "Write a short plan for a picnic into plan.md and attach it."}'`;
  return page(
    "Otto",
    `<h1>Otto</h1>
<p>An agent platform: a task comes in, an agent works on it step by step with tools, asks a person when it must, and hands over an answer and files. Every call that changes something is written down before and after, so a crash repeats nothing.</p>
<ul><li><a href="/docs">The API, for people</a></li><li><a href="/openapi.json">The API, for programs</a></li><li><a href="/health">Health</a></li></ul>
<p>A first task. Put your API key into <code>OTTO_KEY</code>; when Otto runs on your own machine, it was printed at the start and stands in <code>dev-key</code> in the state folder.</p>
<pre>${escaped(first)}</pre>
<p>Follow one with <code>GET /v1/tasks/{id}/events</code>.</p>`,
  );
}
