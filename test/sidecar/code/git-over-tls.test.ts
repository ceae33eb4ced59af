/** A repository behind TLS whose server wants credentials: the proxy adds both, since the cage has neither. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConnector } from "undici";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { makeConnections } from "../../../sidecar/connections.ts";
import { makeLookup } from "../../../sidecar/egress.ts";
import { LOOPBACK_CERTIFICATE } from "../../mock-servers/certificates.ts";
import { type GitMockServer, startGitServer } from "../../mock-servers/git-server.ts";
import { type CodeWorld, failureOf, openCodeWorld, valueOf } from "./world.ts";

const AUTHORIZATION = "Basic eC1hY2Nlc3MtdG9rZW46Y2FuYXJ5";
const dialled: string[] = [];
let addresses: readonly string[] = ["93.184.215.14"];
let git: GitMockServer;
let world: CodeWorld;

beforeAll(async () => {
  git = await startGitServer({ isTls: true, authorization: AUTHORIZATION });
  git.commit("a", { "a.py": "def a(): pass\n" });
  world = await openCodeWorld({
    allow: parseEgressAllow(""),
    resolve: () => Promise.resolve(addresses),
    connectTo: (to) => {
      const connect = buildConnector({
        lookup: makeLookup(["127.0.0.1"]),
        allowH2: false,
        ca: LOOPBACK_CERTIFICATE.cert,
      });
      return (options, callback) => {
        dialled.push(`${options.protocol}//${options.hostname}:${options.port || "443"} ${to.join()}`);
        const here = { hostname: "127.0.0.1", port: String(git.port), servername: "127.0.0.1" };
        connect({ ...options, ...here }, callback);
      };
    },
    connections: makeConnections(),
  });
});
afterAll(async () => {
  await world.close();
  await git.close();
});

const source = { kind: "git", url: "https://code.example.com/a/.git", ref: null, authorization: AUTHORIZATION };

it("is fetched over TLS from the address that was judged", { timeout: 60_000 }, async () => {
  expect(valueOf(await world.read(source)).files.size).toBe(1);
  expect(new Set(dialled)).toEqual(new Set(["https://code.example.com:443 93.184.215.14"]));
});

it("is not fetched when its name leads to a private address", { timeout: 60_000 }, async () => {
  addresses = ["93.184.215.14", "10.0.0.7"];
  dialled.length = 0;
  expect(failureOf(await world.read(source))).toMatchObject({
    code: "blocked_by_policy",
    message: expect.stringContaining("10.0.0.7"),
  });
  expect(dialled).toEqual([]);
});
