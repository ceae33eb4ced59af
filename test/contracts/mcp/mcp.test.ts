/** The fake in memory, and the adapter towards a server of each revision in use, by way of the real egress: one contract. */
import { randomBytes } from "node:crypto";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import { openMcp } from "../../../adapters/mcp/mcp.ts";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import { notSent, ok } from "../../../core/base/errors.ts";
import type { McpAnswer, McpContent, McpQuestion } from "../../../core/ports/mcp.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { fakeMcp, type FakeMcpServer, noProcesses } from "../../fakes/mcp.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";
import { startMcpServer, type McpMockServerOptions } from "../../mock-servers/mcp-server.ts";
import { SHARED, startMcpSidecar } from "../../mock-servers/mcp-sidecar.ts";
import { startStdioServer } from "../../mock-servers/stdio-server.ts";
import { callOf, mcpContract, type OpenServers } from "./suite.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

mcpContract(
  "the fake in memory",
  (servers) => Promise.resolve({ mcp: fakeMcp(servers), close: () => Promise.resolve() }),
  {
    asks: true,
  },
);

for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const) {
  for (const asEvents of [false, true]) {
    const how = asEvents ? "events" : "JSON";
    mcpContract(`the adapter, ${revision}, ${how}`, overLoopback({ revision, asEvents }), {
      asks: revision === "2026-07-28",
    });
  }
}

for (const isModern of [true, false]) {
  mcpContract(`the adapter, a process of ${isModern ? "2026-07-28" : "before"}`, asProcesses(isModern), {
    asks: isModern,
  });
}

/** The servers as processes in the cages of a sidecar. */
function asProcesses(isModern: boolean): OpenServers {
  return async (servers) => {
    const sidecar = await startMcpSidecar();
    const started = await Promise.all(
      Object.entries(servers).map(async ([name, server]) => {
        if (server.away === true) return { name, args: ["no-such-program.mjs"], close: async () => {} };
        const { tools } = server;
        const options = {
          isModern,
          tools,
          answer: (params: Readonly<Record<string, unknown>>) => wireOf(server, params),
        };
        return { name, ...(await startStdioServer(sidecar.folder, SHARED, options)) };
      }),
    );
    return {
      mcp: sidecar.portOf("t1", Object.fromEntries(started.map(({ name, args }) => [name, { args }]))),
      close: async () => {
        await sidecar.close();
        await Promise.all(started.map(({ close }) => close()));
      },
    };
  };
}

/** The servers as mock servers on loopback, reached through the sidecar. */
function overLoopback(options: McpMockServerOptions): OpenServers {
  return async (servers) => {
    const started = await Promise.all(
      Object.entries(servers).map(async ([name, server]) => {
        if (server.away === true)
          return { name, url: `http://127.0.0.1:${await findUnusedPort()}/mcp`, close: async () => {} };
        const mockServer = await startMcpServer({
          ...options,
          tools: () => server.tools,
          answer: (params) => wireOf(server, params),
        });
        return { name, url: mockServer.url, close: mockServer.close };
      }),
    );
    const allow = parseEgressAllow(started.map(({ url }) => new URL(url).host).join(","));
    const secret = randomBytes(32).toString("hex");
    const sidecar = makeSidecar(secret, makeSystemEgress(allow));
    const sidecarUrl = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
    const web = openWeb({ sidecar: connectSidecar(sidecarUrl, secret), allow, tenant: "t1", secrets: fakeSecrets() });
    const find = async (name: string) => {
      const found = started.find((one) => one.name === name);
      if (found === undefined) return notSent("not_found", "There is no such server.");
      const server: McpServer = {
        name,
        url: found.url,
        headers: [],
        version: 1,
        prior: null,
        process: null,
        oauth: null,
      };
      return await Promise.resolve(ok(server));
    };
    return {
      mcp: openMcp({
        web,
        processes: noProcesses,
        tenant: `t-${randomBytes(8).toString("hex")}`,
        find,
        consent: null,
        noteListChanged: async () => {},
        noteGrantEnded: async () => {},
      }),
      close: async () => {
        await Promise.all([closeServer(sidecar), ...started.map(({ close }) => close())]);
      },
    };
  };
}

/** The fake's answer as a server writes it. */
function wireOf(server: FakeMcpServer, params: Readonly<Record<string, unknown>>): unknown {
  const name = String(params["name"]);
  if (!server.tools.some((tool) => tool.name === name)) return { error: { code: -32602, message: `no tool ${name}` } };
  const answered = server.answer(
    callOf({
      tool: name,
      arguments: (params["arguments"] ?? {}) as Record<string, unknown>,
      answers: (params["inputResponses"] ?? {}) as Record<string, McpAnswer>,
      state: (params["requestState"] ?? null) as string | null,
    }),
  );
  if ("code" in answered) return { error: { code: -32603, message: answered.message } };
  if (answered.kind === "input_required") {
    const inputRequests = Object.fromEntries(
      Object.entries(answered.questions).map(([key, one]) => [key, requestOf(one)]),
    );
    return {
      resultType: "input_required",
      inputRequests,
      ...(answered.state === null ? {} : { requestState: answered.state }),
    };
  }
  const { content, structured, isError } = answered;
  return {
    resultType: "complete",
    content: content.map(blockOf),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    isError,
  };
}

function requestOf({ mode, message, schema, url }: McpQuestion): unknown {
  const params = mode === "url" ? { mode, message, url } : { mode, message, requestedSchema: schema };
  return { method: "elicitation/create", params };
}

function blockOf(part: McpContent): unknown {
  switch (part.type) {
    case "text":
      return part;
    case "media":
      return { type: "image", mimeType: part.mimeType, data: part.data };
    case "resource":
      return { type: "resource", resource: { uri: part.uri, text: part.text } };
    case "link":
      return { ...part, type: "resource_link" };
    case "other":
      return { type: part.kind };
  }
}
