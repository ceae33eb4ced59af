/**
 * The shared setup of the console suite: the system as `npm start` runs it, a model that follows the script in a task's input, an outside
 * service, and Chromium. Every test creates its own tenant.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startSystem } from "../drill/started-system.ts";
import { type GitMockServer, startGitServer } from "../mock-servers/git-server.ts";
import { startMcpServers } from "../mock-servers/mcp-servers.ts";
import { startModelServer } from "../mock-servers/model-server.ts";
import { followTaskScript } from "../mock-servers/model-script.ts";
import { startOAuthApp } from "../mock-servers/oauth-app.ts";
import { type Recorder, startRecorder } from "../mock-servers/recorder.ts";
import { startSlackServer } from "../mock-servers/slack-server.ts";
import { getOrdersUrls, startOrders } from "../mock-servers/orders-database.ts";
import { startChromium } from "./chromium.ts";
import "./provided-context.ts";

/** The token of the repository `vault`. */
const TOKEN = "canary-token-of-a-repository";
const AUTHORIZATION = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`;

export default async function startConsole(project: TestProject): Promise<() => Promise<void>> {
  const [model, browser] = await Promise.all([startModelServer({ script: followTaskScript }), startChromium()]);
  const recorder: Recorder = await startRecorder({
    reply: ({ method, path }) => {
      if (path === "/never-answered") return { fault: "hang" };
      if (path === "/records") return { status: 200, body: JSON.stringify(recorder.requests) };
      const put =
        method === "GET" ? recorder.requests.findLast((one) => one.method === "PUT" && one.path === path) : null;
      return put == null ? undefined : { status: 200, body: put.body };
    },
  });
  const [mcp, slack, app, postgres, git] = await Promise.all([
    startMcpServers(),
    startSlackServer(),
    startOAuthApp(),
    startOrders(),
    startRepositories(),
  ]);
  const closeAll = async (): Promise<void> => {
    await Promise.all([model, recorder, mcp, slack, app, postgres, git, browser].map((one) => one.close()));
  };
  try {
    const system = await startSystem({
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "console",
      OTTO_MODEL: "scripted",
      OTTO_EGRESS_ALLOW: `${recorder.host},${mcp.host},${app.host},127.0.0.1:${postgres.port},127.0.0.1:${git.port}`,
      SLACK_API_URL: `${slack.url}/api/`,
      SLACK_SIGNING_SECRET: "console",
    });
    project.provide("console", {
      url: system.url,
      stateFolder: system.stateFolder,
      key: system.key,
      operatorKey: readFileSync(join(system.stateFolder, "operator-key"), "utf8").trim(),
      browser: browser.address,
      recorderUrl: recorder.url,
      mcpUrl: `http://${mcp.host}`,
      oauthApp: app.url,
      slackUrl: slack.url,
      postgres: getOrdersUrls(postgres),
      git: { url: git.origin, token: TOKEN },
    });
    return async () => {
      await system.stop();
      await closeAll();
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Two repositories with a function each. */
async function startRepositories(): Promise<GitMockServer> {
  const git = await startGitServer({
    intercept: ({ url, headers }, response) => {
      if (url?.startsWith("/vault/") !== true || headers.authorization === AUTHORIZATION) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    },
  });
  git.commit("open", { "src/till.ts": "export function openTill(): void {\n  ring();\n}\n" });
  git.commit("vault", { "src/vault.ts": "export function openVault(): void {\n  turn();\n}\n" });
  return git;
}
