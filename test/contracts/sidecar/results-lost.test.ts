/** A job whose sidecar dies while its results come: what the gateway hears, so that it makes the call again where it may. */
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { openDocuments } from "../../../adapters/sidecar/documents.ts";
import { headBytes } from "../../../adapters/sidecar/packet.ts";
import { openScripts } from "../../../adapters/sidecar/scripts.ts";
import { type Sidecar, connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { documentOf } from "../documents/suite.ts";
import { shell } from "../scripts/script-request.ts";

const RAN = {
  exitCode: 0,
  timedOut: false,
  stdout: "",
  stderr: "",
  truncated: false,
  durationMs: 1,
  removed: [],
  refused: [],
};

it.each([
  ["a program", async (sidecar: Sidecar) => await openScripts({ sidecar, tenant: "t1" }).run(shell("echo")), "unknown"],
  ["a document", async (sidecar: Sidecar) => await openDocuments(sidecar, "t1").read(documentOf("a.md", "x")), "no"],
] as const)("of %s is tried again where that is safe, as it is after a reading", async (_what, order, happened) => {
  const server = createServer((incoming, response) => {
    if (incoming.url === "/health") return void response.end();
    incoming.resume().on("end", () => {
      const head = headBytes({ body: RAN, files: [{ path: "document.md", size: 10 }] });
      response.write(`${head.length}\n`);
      response.write(head, () => response.destroy());
    });
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server, 0)}`;
  try {
    const lost = await order(connectSidecar(url, "x".repeat(32)));
    expect(lost).toMatchObject({ ok: false, error: { code: "upstream_failed", retryAfterMs: 1_000 } });
    expect(lost).toMatchObject({ error: { happened } });
  } finally {
    await closeServer(server);
  }
});
