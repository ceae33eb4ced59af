/**
 * Every tool that takes a URL, through the adapter and the sidecar, with names that are made up here and a connection that
 * would lead to a listener on loopback of any purpose: a request that gets by the guard is a hit.
 */
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { buildConnector } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import type { WebPort } from "../../../core/ports/web.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeConnections } from "../../../sidecar/connections.ts";
import { type EgressDeps, makeLookup } from "../../../sidecar/egress.ts";
import httpGet from "../../../tools/http/get.ts";
import httpPost from "../../../tools/http/post.ts";
import httpRequest from "../../../tools/web/http-request.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { runTool } from "../../tools/run-tool.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";

const PUBLIC = "93.184.215.14";

const TOOLS: readonly (readonly [string, Tool, object])[] = [
  ["http_request", httpRequest, {}],
  ["http_request by POST", httpRequest, { method: "POST", body: "x" }],
  ["http.get", httpGet, {}],
  ["http.post", httpPost, { body: "x" }],
];

/** Loopback and the metadata service in every spelling, and IPv6 addresses that hold them. */
const FORMS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "017700000001",
  "0177.0.0.01",
  "0177.0x0.0.1",
  "127.0.0.1.",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "%31%32%37.0.0.1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "168.63.129.16",
  "224.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "[2001:0:53aa:64c:0:fb:80ff:fffe]",
  "[2001:470:1::5efe:7f00:1]",
  "[fe80::1]",
  "[fd00:ec2::254]",
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "metadata",
  "metadata.google.internal",
  "metadata.google.internal.",
  "instance-data.ec2.internal",
  "router.lan",
];

/** Those that a `Location` can hold. */
const IN_A_HEADER = FORMS.filter((form) => /^[\x21-\x7e]+$/.test(form));

/** Addresses that a name may not lead to. */
const INWARD = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "168.63.129.16"];
const INWARD_V6 = [
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "fd00:ec2::254",
  "fe80::1",
];

let listener: Server;
let port: number;
let sidecars: Server[];
let hits: string[];
/** What the listener answers with a redirect; null: with its own text. */
let redirectTo: string | null;
/** The addresses of each name, by the number of the look-up. */
let names: Record<string, (lookup: number) => readonly string[]>;
let lookups: string[];

beforeAll(async () => {
  sidecars = [];
  listener = createServer((request, response) => {
    hits.push(`${request.method} ${request.headers.host}${request.url}`);
    if (redirectTo === null || hits.length > 1) response.end("inside");
    else response.writeHead(302, { location: redirectTo }).end();
  });
  port = await listenOnLoopback(listener, 0);
});
afterAll(async () => {
  await Promise.all([listener, ...sidecars].map(closeServer));
});
beforeEach(() => {
  hits = [];
  lookups = [];
  redirectTo = null;
  names = { "public.example.com": () => [PUBLIC] };
});

async function webWith(allow: string): Promise<WebPort> {
  const deps: EgressDeps = {
    allow: parseEgressAllow(allow),
    resolve: (name) => {
      lookups.push(name);
      return Promise.resolve(names[name]?.(lookups.filter((one) => one === name).length) ?? []);
    },
    connectTo: () => {
      const connect = buildConnector({ lookup: makeLookup(["127.0.0.1"]), allowH2: false });
      return (options, callback) =>
        connect({ ...options, protocol: "http:", hostname: "listener.example", port: String(port) }, callback);
    },
    connections: makeConnections(),
  };
  const secret = randomBytes(32).toString("hex");
  const sidecar = makeSidecar(secret, deps);
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  sidecars.push(sidecar);
  return openWeb({ sidecar: connectSidecar(url, secret), allow: deps.allow, tenant: "t1", secrets: fakeSecrets() });
}

describe.each(TOOLS)("%s", (_, tool, needed) => {
  const call = async (web: WebPort, url: string) => await runTool(tool, { ...needed, url }, { web });

  it("reaches a public address", async () => {
    const ran = await call(await webWith(""), "http://public.example.com/");
    expect(ran.result).toMatchObject({ body: "inside" });
    expect(hits).toHaveLength(1);
  });

  it("reaches nothing inward by any spelling of it, with the listener's port or the web's", async () => {
    const web = await webWith("");
    for (const form of FORMS) {
      for (const url of [`http://${form}/`, `http://${form}:${port}/`, `https://${form}/`]) {
        expect((await call(web, url)).failure, url).toMatchObject({ code: "blocked_by_policy" });
      }
    }
    expect([hits, lookups]).toEqual([[], []]);
  });

  it("reaches no inward address by a name that resolves to one, even together with a public address", async () => {
    const web = await webWith("");
    for (const address of [...INWARD, ...INWARD_V6]) {
      names["inward.example.com"] = (lookup) => (lookup % 2 === 0 ? [PUBLIC, address] : [address]);
      for (let times = 0; times < 2; times += 1) {
        const ran = await call(web, "http://inward.example.com/");
        expect(ran.failure, address).toMatchObject({ code: "blocked_by_policy" });
      }
    }
    expect(hits).toEqual([]);
  });

  it("reaches nothing inward by a redirect", async () => {
    const web = await webWith("");
    names["inward.example.com"] = () => ["127.0.0.1"];
    for (const place of [...IN_A_HEADER, "inward.example.com"]) {
      hits = [];
      redirectTo = `http://${place}/inside`;
      const ran = await call(web, "http://public.example.com/start");
      expect(JSON.stringify(ran), place).not.toContain('"inside"');
      expect(hits, place).toEqual([expect.stringContaining("public.example.com/start")]);
    }
  });

  it("reaches nothing inward by a name that changes its address from one hop to the next", async () => {
    const web = await webWith("");
    names["changing.example.com"] = (lookup) => (lookup === 1 ? [PUBLIC] : ["127.0.0.1"]);
    redirectTo = "http://changing.example.com/inside";
    await call(web, "http://changing.example.com/start");
    expect(hits).toEqual([expect.stringContaining("/start")]);
    expect(lookups).toEqual(["changing.example.com", "changing.example.com"]);
    expect((await call(web, "http://changing.example.com/again")).failure).toMatchObject({ code: "blocked_by_policy" });
    expect(hits).toHaveLength(1);
  });

  it("reaches a port that the agent's list names with the host, at public addresses only", async () => {
    const web = await webWith("");
    names["inward.example.com"] = () => ["127.0.0.1"];
    const requestUrl = async (url: string, allowedDomains: string[]) =>
      await runTool(tool, { ...needed, url }, { web }, { allowedDomains });
    for (const [url, ...listed] of [
      ["http://public.example.com:8443/", "*"],
      ["http://public.example.com:8443/", "public.example.com"],
      ["http://public.example.com:8443/", "*:8443"],
      ["http://public.example.com:8443/", "public.example.com:8444", "*"],
      ["http://inward.example.com:8443/", "inward.example.com:8443"],
      [`http://127.0.0.1:${port}/`, `127.0.0.1:${port}`],
      [`http://localhost:${port}/`, `localhost:${port}`],
    ] as const) {
      expect((await requestUrl(url, listed)).failure, `${url} ${listed.join(" ")}`).toMatchObject({
        code: "blocked_by_policy",
      });
    }
    expect(hits).toEqual([]);
    const ran = await requestUrl("http://public.example.com:8443/", ["*.example.com:8443"]);
    expect(ran.result).toMatchObject({ body: "inside" });
  });

  it("reaches exactly what OTTO_EGRESS_ALLOW names", async () => {
    const web = await webWith(`127.0.0.1:${port},mock.internal:${port}`);
    names["mock.internal"] = () => ["10.0.0.1"];
    names["other.example.com"] = () => ["127.0.0.1"];
    for (const open of [`127.0.0.1:${port}`, `0x7f000001:${port}`, `mock.internal:${port}`]) {
      expect((await call(web, `http://${open}/`)).result, open).toMatchObject({ body: "inside" });
    }
    expect(hits).toHaveLength(3);
    for (const closed of [
      "127.0.0.1",
      `127.0.0.1:${port + 1}`,
      `127.0.0.2:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `other.example.com:${port}`,
      "other.example.com",
      "mock.internal",
      `a.mock.internal:${port}`,
    ]) {
      expect((await call(web, `http://${closed}/`)).failure, closed).toMatchObject({ code: "blocked_by_policy" });
    }
    expect(hits).toHaveLength(3);
  });
});
