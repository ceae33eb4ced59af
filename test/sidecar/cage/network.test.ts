/** A program that may reach some hosts: those it reaches by the proxy, and nothing else. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { buildConnector } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { makeConnections } from "../../../sidecar/connections.ts";
import { type EgressDeps, makeLookup } from "../../../sidecar/egress.ts";
import { openTestCages, type TestCages } from "./caged.ts";

let test: TestCages;
let upstream: Server;
let echo: TcpServer;
let hits: IncomingMessage[] = [];
let dialled: string[] = [];
let echoed = 0;

/** Names made up here; every connection is led to a listener of this test. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "open.example.com": ["93.184.215.14"],
  "other.example.com": ["93.184.215.15"],
  "inward.example.com": ["10.0.0.1"],
  "mixed.example.com": ["93.184.215.14", "127.0.0.1"],
};

function outside(): EgressDeps {
  return {
    allow: parseEgressAllow(""),
    resolve: async (hostname) => {
      const known = NAMES[hostname];
      if (known === undefined) throw new Error("no such name");
      return known;
    },
    connectTo: (addresses) => {
      const connect = buildConnector({ lookup: makeLookup(["127.0.0.1"]), allowH2: false });
      return (options, callback) => {
        dialled.push(`${addresses.join()}:${options.port}`);
        const { port } = (options.port === "443" ? echo : upstream).address() as AddressInfo;
        connect({ ...options, hostname: "upstream.example", port: String(port) }, callback);
      };
    },
    connections: makeConnections(),
  };
}

beforeAll(async () => {
  test = await openTestCages();
  upstream = createServer((request, response) => {
    hits.push(request);
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => response.end(`seen ${request.method} ${request.headers.host} ${request.url} ${bytes}`));
  });
  echo = createTcpServer((socket) => {
    echoed += 1;
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  for (const server of [upstream, echo]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  upstream.closeAllConnections();
  for (const server of [upstream, echo]) server.close();
  await test.close();
});

beforeEach(() => {
  [hits, dialled, echoed] = [[], [], 0];
});

async function sh(program: string, hosts: readonly string[] = ["open.example.com"]) {
  const before = await test.remains();
  const run = await test.run("sh", program, { network: { hosts, egress: outside() } });
  expect(await test.remains()).toEqual(before);
  return run;
}

/** Bytes as they are, to the proxy that the environment names. */
const raw = (text: string) => `python3 -c '
import os, socket
host, port = os.environ["HTTP_PROXY"].removeprefix("http://").split(":")
s = socket.create_connection((host, int(port)))
s.settimeout(3)
s.sendall(${JSON.stringify(text)}.encode())
said = b""
try:
    while True:
        more = s.recv(4096)
        if not more: break
        said += more
except OSError: pass
print(said.decode())
'`;

describe("a listed host", () => {
  it.each([
    ["curl", "curl -s http://open.example.com/page?q=1 -d 12345"],
    [
      "python",
      `python3 -c 'import urllib.request as r; print(r.urlopen("http://open.example.com/page?q=1", b"12345").read().decode())'`,
    ],
    [
      "node",
      `node -e 'require("http").request("http://open.example.com/page?q=1", { method: "POST" }, (r) => r.pipe(process.stdout)).end("12345")'`,
    ],
  ])("is reached by %s through the proxy", async (_what, program) => {
    expect((await sh(program)).stdout).toContain("seen POST open.example.com /page?q=1 5");
    expect(dialled).toEqual(["93.184.215.14:"]);
  });

  it("is reached by a tunnel to the port of TLS", async () => {
    const run = await sh(`${raw("CONNECT open.example.com:443 HTTP/1.1\r\nHost: open.example.com:443\r\n\r\nping")} `);
    expect(run.stdout).toMatch(/^HTTP\/1.1 200 /);
    expect(run.stdout).toContain("ping");
    expect(dialled).toEqual(["93.184.215.14:443"]);
  });

  it("is reached by clients that tunnel plain http too", async () => {
    const program = `node -e 'fetch("http://open.example.com/page").then((r) => r.text()).then(console.log)'`;
    expect((await sh(program)).stdout).toContain("seen GET open.example.com /page");
    expect((await sh("curl -sp http://open.example.com/page")).stdout).toContain("seen GET open.example.com /page");
    expect(dialled).toEqual(["93.184.215.14:80", "93.184.215.14:80"]);
  });

  it("is reached at a port that is listed, and at no other", async () => {
    await sh("curl -s http://open.example.com:8080/", ["open.example.com:8080"]);
    expect(hits).toHaveLength(1);
    await sh("curl -s http://open.example.com:8081/; curl -s http://open.example.com/", ["open.example.com:8080"]);
    expect(hits).toHaveLength(1);
  });

  it("is any public one for *", async () => {
    const run = await sh("curl -s http://other.example.com/; curl -s http://inward.example.com/", ["*"]);
    expect(run.stdout).toContain("seen GET other.example.com");
    expect(hits).toHaveLength(1);
  });

  it("keeps the program's output, exit and end as without a network", async () => {
    expect(await sh("echo out; echo err >&2; exit 7")).toMatchObject({ exitCode: 7, stdout: "out\n", stderr: "err\n" });
    expect(await sh("(setsid sleep 300 &) ; kill -ABRT $$")).toMatchObject({ exitCode: 128 + 6, timedOut: false });
  });
});

describe("anything else", () => {
  it.each([
    ["another host", "curl -s http://other.example.com/"],
    ["a host that is not there", "curl -s http://nowhere.example.com/"],
    ["the machine by number", "curl -s http://127.0.0.1:PORT/"],
    ["the machine by another number", "curl -s http://2130706433:PORT/"],
    ["the machine by name", "curl -s http://localhost:PORT/"],
    ["an inward name", "curl -s http://inward.example.com/"],
    ["a name with one inward address", "curl -s http://mixed.example.com/"],
    ["metadata", "curl -s http://169.254.169.254/latest/"],
    ["another port", "curl -s http://open.example.com:22/"],
    ["no proxy at all", "curl -s --noproxy '*' http://93.184.215.14/ || true"],
    ["a tunnel to another port", "curl -sp http://open.example.com:22/; curl -sp http://open.example.com:8080/"],
    [
      "a tunnel to a host that is not listed",
      "curl -sp http://other.example.com/; curl -sk https://other.example.com/",
    ],
    ["a tunnel to the machine", "curl -sk https://127.0.0.1:PORT/; curl -sk https://localhost/"],
    ["a tunnel to an inward name", "curl -sk https://inward.example.com/"],
  ])("is not reached: %s", async (_what, program) => {
    const { port } = upstream.address() as AddressInfo;
    const hosts = [
      "open.example.com",
      "inward.example.com",
      "mixed.example.com",
      "nowhere.example.com",
      "127.0.0.1",
      "localhost",
      "169.254.169.254",
    ];
    await sh(program.replaceAll("PORT", String(port)), hosts);
    expect([hits.length, echoed, dialled]).toEqual([0, 0, []]);
  });

  it.each([
    ["two hosts", "GET http://open.example.com/ HTTP/1.1\r\nHost: open.example.com\r\nHost: other.example.com\r\n\r\n"],
    ["a host that the URL does not have", "GET http://open.example.com/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n"],
    ["a URL that the host does not have", "GET http://other.example.com/ HTTP/1.1\r\nHost: open.example.com\r\n\r\n"],
    ["no whole URL", "GET /health HTTP/1.1\r\nHost: open.example.com\r\n\r\n"],
    ["a user in the URL", "GET http://open.example.com@other.example.com/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n"],
    [
      "two lengths",
      "POST http://open.example.com/ HTTP/1.1\r\nHost: open.example.com\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://other.example.com/ HTTP/1.1\r\nHost: other.example.com\r\n\r\n",
    ],
    ["another scheme", "GET https://open.example.com/ HTTP/1.1\r\nHost: open.example.com\r\n\r\n"],
    ["a tunnel with a path", "CONNECT open.example.com:443/x HTTP/1.1\r\nHost: open.example.com\r\n\r\n"],
    ["a tunnel with a user", "CONNECT x@open.example.com:443 HTTP/1.1\r\nHost: open.example.com\r\n\r\n"],
    ["a tunnel without a port", "CONNECT open.example.com HTTP/1.1\r\nHost: open.example.com\r\n\r\n"],
  ])("is not smuggled: %s", async (_what, text) => {
    const run = await sh(raw(text));
    expect(run.stdout).toMatch(/^HTTP\/1.1 (400|403)/);
    expect([hits.length, echoed]).toEqual([0, 0]);
  });

  it("follows a second request on the same connection, judged again", async () => {
    const first = "GET http://open.example.com/1 HTTP/1.1\r\nHost: open.example.com\r\n\r\n";
    const second = "GET http://other.example.com/2 HTTP/1.1\r\nHost: other.example.com\r\n\r\n";
    const run = await sh(raw(first + second));
    expect(hits.map(({ url }) => url)).toEqual(["/1"]);
    expect(run.stdout).toContain("403");
  });
});

describe("a program whose requests are replaced", () => {
  const replace = (method: string, url: URL) =>
    method === "GET" && url.pathname === "/allowed"
      ? { url: new URL("http://open.example.com/real"), headers: ["authorization", "Basic canary"] }
      : null;
  const run = async (program: string) =>
    await test.run("sh", program, { network: { hosts: ["open.example.com"], egress: outside(), replace } });

  it("sends what replaces them, with credentials that it does not have", async () => {
    const { stdout } = await run("curl -s -H 'Authorization: mine' http://open.example.com/allowed; env");
    expect(stdout).toContain("seen GET open.example.com /real");
    expect(stdout).not.toContain("canary");
    expect(hits.map(({ headers }) => headers.authorization)).toEqual(["Basic canary"]);
  });

  it("sends nothing else, and opens no tunnel", async () => {
    const { stdout } = await run(
      "curl -s http://open.example.com/other; curl -s -X POST http://open.example.com/allowed -d 1; curl -sp http://open.example.com/allowed",
    );
    expect(stdout).not.toContain("seen");
    expect([hits, dialled]).toEqual([[], []]);
  });
});
