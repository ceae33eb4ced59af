/** The adapter and a server that others wrote, the public `@modelcontextprotocol/server-everything`, over either way to it. */
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpServers, openMcp } from "../../../adapters/mcp/mcp.ts";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import { ok } from "../../../core/base/errors.ts";
import { readToolList } from "../../../core/mcp/tool-list.ts";
import { noProcesses } from "../../fakes/mcp.ts";
import { startMcpSidecar } from "../../mock-servers/mcp-sidecar.ts";
import { callOf } from "./suite.ts";
import { makeDirectWeb } from "../../mock-servers/direct-web.ts";
import { findUnusedPort } from "../../mock-servers/listen.ts";

const ROOT = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json");
const NAME = "everything";
/** Where the cages have the packages. */
const PACKAGES = "/opt/packages";

let opened: { readonly mcp: McpServers; close(): Promise<void> };

/** As a process of its own, which listens. */
async function overHttp(): Promise<typeof opened> {
  const port = await findUnusedPort();
  const guard = new URL("../../mock-servers/only-loopback.mjs", import.meta.url).pathname;
  const program = new URL("dist/index.js", `file://${ROOT}`).pathname;
  const child = spawn(process.execPath, ["--import", guard, program, "streamableHttp"], {
    env: { PATH: process.env["PATH"] ?? "", PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (said: Buffer) => {
      if (said.includes("listening on port")) resolve();
    });
    child.once("exit", () => reject(new Error("the server ended")));
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const server: McpServer = { name: NAME, url, headers: [], version: 1, prior: null, process: null, oauth: null };
  const mcp = openMcp({
    web: makeDirectWeb(),
    processes: noProcesses,
    tenant: "t1",
    find: () => Promise.resolve(ok(server)),
    consent: null,
    noteListChanged: () => Promise.resolve(),
    noteGrantEnded: () => Promise.resolve(),
  });
  return { mcp, close: async () => void (await Promise.resolve(child.kill("SIGKILL"))) };
}

/** As a process in a cage, which sees the packages because the operator offers them. */
async function inACage(): Promise<typeof opened> {
  const packages = realpathSync(ROOT.slice(0, ROOT.indexOf("/@modelcontextprotocol/")));
  const at = `${PACKAGES}/node_modules`;
  const sidecar = await startMcpSidecar({ offered: [{ from: packages, at, writable: false }] });
  const args = [`${at}/@modelcontextprotocol/server-everything/dist/index.js`, "stdio"];
  return { mcp: sidecar.portOf("t1", { [NAME]: { args } }), close: sidecar.close };
}

const call = async (tool: string, given: Record<string, unknown> = {}, more = {}) =>
  await opened.mcp.call(callOf({ server: NAME, tool, arguments: given, ...more }));

describe.each([
  ["over HTTP", overHttp],
  ["as a process in a cage", inACage],
] as const)("the public server, %s", (_how, open) => {
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened.close();
  });

  it("lists tools that all are within Otto's bounds", async () => {
    const listed = await opened.mcp.list(NAME, new AbortController().signal);
    if (!listed.ok) throw new Error(listed.error.message);
    const read = await readToolList(listed.value.tools);
    if (!read.ok) throw new Error(read.error.message);
    expect(read.value.refused).toEqual([]);
    expect(read.value.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]),
    );
    expect(read.value.tools.length).toBeGreaterThan(8);
  });

  it("answers calls, in one session for a task", async () => {
    expect(await call("echo", { message: "Grüße" })).toMatchObject({
      ok: true,
      value: { content: [{ type: "text", text: "Echo: Grüße" }], isError: false },
    });
    expect(await call("get-sum", { a: 2, b: 40 })).toMatchObject({
      value: { content: [{ text: expect.stringContaining("42") }] },
    });
  });

  it("gives images, links and structured results", async () => {
    const image = await call("get-tiny-image");
    expect(image.ok && image.value.kind === "result" ? image.value.content : []).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "media", mimeType: "image/png" })]),
    );
    const links = await call("get-resource-links", { count: 2 });
    expect(links.ok && links.value.kind === "result" ? links.value.content : []).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "link" })]),
    );
    expect(await call("get-structured-content", { location: "New York" })).toMatchObject({
      value: { structured: { temperature: expect.any(Number) } },
    });
  });

  it("says which arguments do not fit", async () => {
    const wrong = await call("get-sum", { a: "two" });
    const said = wrong.ok ? JSON.stringify(wrong.value) : wrong.error.message;
    expect(said).toMatch(/invalid/i);
  });

  it("is given up during a long call, with the progress so far", async () => {
    const late = await call("trigger-long-running-operation", { duration: 20, steps: 40 }, { timeoutMs: 5_000 });
    expect(late).toMatchObject({
      ok: false,
      error: { code: "timeout", message: expect.stringMatching(/It was at \d+ of 40/) },
    });
  });
});
