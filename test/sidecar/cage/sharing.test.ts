/** That one tenant's slow requests do not take the sidecar away from the others. */
import { createHmac, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { afterEach, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

const SECRET = "a-secret-for-this-test-of-32-characters";
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

it("a tenant has 128 requests under way at most, and the others go on", async () => {
  const held: ServerResponse[] = [];
  const { promise: allAreThere, resolve } = Promise.withResolvers<void>();
  const outside = createServer((request, response) => {
    if (request.url !== "/slow") return void response.end("quick");
    held.push(response);
    if (held.length === 128) resolve();
  });
  const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
  closing.push(() => closeServer(outside));
  const sidecar = makeSidecar(SECRET, makeSystemEgress(parseEgressAllow(host)));
  const port = await listenOnLoopback(sidecar, 0);
  closing.push(() => closeServer(sidecar));

  async function ask(tenant: string, path: string): Promise<number> {
    const order = {
      purpose: "egress",
      exp: Math.floor(Date.now() / 1_000) + 30,
      jti: randomUUID(),
      tenant,
      method: "GET",
      url: `http://${host}${path}`,
      headers: [],
      timeout_ms: 60_000,
      max_bytes: 1_000,
    };
    const payload = Buffer.from(JSON.stringify(order)).toString("base64url");
    const token = `${payload}.${createHmac("sha256", SECRET).update(payload).digest("base64url")}`;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}/egress`, { method: "POST", headers });
    await response.text();
    return response.status;
  }

  const slow = Array.from({ length: 128 }, () => ask("first", "/slow"));
  await allAreThere;
  expect(await ask("first", "/quick")).toBe(503);
  expect(await ask("second", "/quick")).toBe(200);
  for (const response of held) response.end("late");
  expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
  expect(await ask("first", "/quick")).toBe(200);
});
