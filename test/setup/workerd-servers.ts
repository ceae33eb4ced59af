/**
 * Starts the servers for the workerd suite once, since tests in workerd cannot start servers. Every test creates its own tenant.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { hashKey, createKey, OPERATOR } from "../../core/tenant/keys.ts";
import { parseEgressAllow } from "../../adapters/egress/address.ts";
import { startDemoApps } from "../../scripts/demo-apps/server.ts";
import { startTestDatabase } from "../../scripts/database/test-database.ts";
import { buildConsole } from "../../scripts/supervisor/console-build.ts";
import { makeSidecar } from "../../sidecar/app.ts";
import { getIsolation } from "../../sidecar/cage/cages.ts";
import { endConverters } from "../../sidecar/documents/pandoc.ts";
import { endPageRenderer } from "../../sidecar/web/page-renderer.ts";
import { makeSystemEgress } from "../../sidecar/egress.ts";
import { makeJobKinds } from "../../sidecar/jobs/kinds.ts";
import { closeServer, listenOnLoopback } from "../mock-servers/listen.ts";
import { startMcpProcesses } from "../mock-servers/mcp-sidecar.ts";
import { startMailProviders } from "../mock-servers/mail-providers.ts";
import { startMcpServers } from "../mock-servers/mcp-servers.ts";
import { startOAuthApp } from "../mock-servers/oauth-app.ts";
import { followTaskScript } from "../mock-servers/model-script.ts";
import { type ModelServer, startModelServer } from "../mock-servers/model-server.ts";
import { type Recorder, startRecorder } from "../mock-servers/recorder.ts";
import { getOrdersUrls, startOrders } from "../mock-servers/orders-database.ts";
import { startSlackServer } from "../mock-servers/slack-server.ts";
import { startSshServer } from "../mock-servers/ssh-server.ts";
import { startWebhookReceiver } from "../mock-servers/webhook-receiver.ts";
import type { WorkerdServers } from "./provided-context.ts";

const DEMO_KEY = "canary-key-of-the-demo-apps";

export default async function startServers(project: TestProject): Promise<() => Promise<void>> {
  await buildConsole(fileURLToPath(new URL("../../", import.meta.url)), (message) => console.log(message));
  const [database, model, mcp, processes, ssh, receiver, mail, slack, app, countedApp, demoApps, postgres] =
    await Promise.all([
      startTestDatabase(),
      startModelServer({ script: followTaskScript }),
      startMcpServers(),
      startMcpProcesses(),
      startSshServer(),
      startWebhookReceiver(),
      startMailProviders(),
      startSlackServer(),
      startOAuthApp(),
      startOAuthApp(),
      startDemoApps({ port: 0, apiKey: DEMO_KEY, isControlled: true }),
      startOrders(),
    ]);
  const recorder = await startReadableRecorder(model);
  const outside = `${recorder.host},${mcp.host},${receiver.host},127.0.0.1:${ssh.port},${app.host},${countedApp.host},${URL.parse(demoApps.url)?.host},127.0.0.1:${postgres.port}`;
  const egress = makeSystemEgress(parseEgressAllow(outside));
  const sidecarSecret = randomBytes(32).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "otto-workerd-"));
  // The users of caged programs must be able to enter it.
  chmodSync(folder, 0o711);
  const sidecar = makeSidecar(sidecarSecret, egress, {
    kinds: makeJobKinds({ egress }),
    folder: join(folder, "jobs"),
    isolation: getIsolation,
    mcp: processes.keeper,
  });
  const sidecarUrl = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const operatorKey = createKey(OPERATOR, randomBytes(64));
  const servers: WorkerdServers = {
    databaseUrl: database.url,
    databaseOwnerUrl: database.ownerUrl,
    databaseEndpoint: database.endpoint,
    modelUrl: model.url,
    recorderUrl: recorder.url,
    mcpUrl: `http://${mcp.host}`,
    oauthApp: app.url,
    countedOAuthApp: countedApp.url,
    demoApps: { url: demoApps.url, apiKey: DEMO_KEY },
    receiverUrl: receiver.url,
    slackUrl: slack.url,
    ssh: { port: ssh.port, fingerprint: ssh.fingerprint },
    postgres: getOrdersUrls(postgres),
    mail: {
      url: mail.url,
      smtpPort: mail.smtpPort,
      strictSmtpPort: mail.strictSmtpPort,
      plainSmtpPort: mail.plainSmtpPort,
      upgradingSmtpPort: mail.upgradingSmtpPort,
      secureSmtpPort: mail.secureSmtpPort,
      otherNameSmtpPort: mail.otherNameSmtpPort,
      oddSmtpPort: mail.oddSmtpPort,
      muteSmtpPort: mail.muteSmtpPort,
    },
    operatorKey,
    variables: {
      OTTO_MODE: "test",
      // Tests of the catalogue count its apps. Those of the directory set it.
      OTTO_APP_DIRECTORY: "no",
      // Tasks of other tests may still run, but take no slots of this tenant.
      OTTO_SHARED_RUNNING_TASKS: "10000",
      DATABASE_URL: database.url,
      OTTO_DATABASE_ENDPOINT: database.endpoint,
      SIDECAR_URL: sidecarUrl,
      SIDECAR_SECRET: sidecarSecret,
      OTTO_EGRESS_ALLOW: outside,
      OTTO_SECRET_KEY: randomBytes(32).toString("base64"),
      OTTO_OPERATOR_KEY_HASH: await hashKey(operatorKey),
      OPENAI_API_KEY: "mock-key",
      OPENAI_BASE_URL: model.url,
      OTTO_MODEL: "mock-model",
      SLACK_API_URL: `${slack.url}/api/`,
      SLACK_SIGNING_SECRET: "canary-signing-secret",
      SLACK_CLIENT_ID: "1111.2222",
      SLACK_CLIENT_SECRET: "canary-client-secret",
      SMTP_URL: `smtp://127.0.0.1:${mail.smtpPort}`,
      OTTO_MAIL_FROM: "Otto <otto@mail.test>",
      OTTO_MAIL_DOMAIN: "mail.test",
    },
  };
  project.provide("servers", servers);
  return async () => {
    const doubles = [model, recorder, mcp, processes, ssh, receiver, mail, slack, app, countedApp, demoApps, postgres];
    await Promise.all([database, ...doubles].map((one) => one.close()));
    await closeServer(sidecar);
    endConverters();
    endPageRenderer();
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * An outside service that egress allows. `GET /records` lists received requests, and `GET /prompts?…` counts model requests with that
 * text. An address returns what a test has put there; otherwise the last part of the path selects the answer.
 */
async function startReadableRecorder(model: Pick<ModelServer, "requests">): Promise<Recorder> {
  const recorder: Recorder = await startRecorder({
    reply(record) {
      const { pathname, search } = new URL(record.path, "http://recorder");
      if (pathname === "/records") return json(recorder.requests);
      if (pathname === "/prompts") {
        const text = decodeURIComponent(search.slice(1));
        return json(model.requests.filter(({ body }) => JSON.stringify(body).includes(text)).length);
      }
      const kept = recorder.requests.findLast(({ method, path }) => method === "PUT" && path === record.path);
      if (record.method === "GET" && kept !== undefined) return { status: 200, body: kept.body };
      switch (pathname.slice(pathname.lastIndexOf("/") + 1)) {
        case "echo":
          return { ...json(record), headers: { "x-echo": record.headers["x-key"] ?? "" } };
        case "moved":
          return { status: 307, headers: { location: `${pathname.replace(/moved$/, "echo")}${search}&moved=1` } };
        case "away":
          return { status: 307, headers: { location: `http://localhost:${recorder.port}${pathname}${search}` } };
        case "reset":
          return { fault: "reset" };
        default:
          return json({ ok: true, path: record.path });
      }
    },
  });
  return recorder;
}

function json(value: unknown): { readonly status: number; readonly body: string } {
  return { status: 200, body: JSON.stringify(value) };
}
