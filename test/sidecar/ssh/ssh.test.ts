/** Tests which addresses the job kind `ssh` connects to. `test/contracts/ssh/ssh.test.ts` tests its commands. */
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { runCommand } from "../../../sidecar/ssh/run-command.ts";
import { startSshServer, type SshMockServer } from "../../mock-servers/ssh-server.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";

let server: SshMockServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** A network in which a name has addresses, and every connection ends at the mock server. */
async function world(addresses: (asked: number) => readonly string[], port?: number) {
  const here = (server = await startSshServer());
  const dialled: (readonly string[])[] = [];
  let asked = 0;
  const real = makeSystemEgress(parseEgressAllow(""));
  const ways = {
    allow: parseEgressAllow(""),
    resolve: () => Promise.resolve(addresses(asked++)),
    connectTo: (to: readonly string[]): ReturnType<typeof real.connectTo> => {
      dialled.push(to);
      const connect = real.connectTo(["127.0.0.1"]);
      return (options, callback) => connect({ ...options, port: String(port ?? here.port) }, callback);
    },
  };
  const run = (more: Record<string, unknown> = {}) =>
    runCommand(
      {
        host: "web1.example.com",
        port: 22,
        username: "ana",
        password: "right",
        command: "id",
        fingerprints: [here.fingerprint],
        port_is_listed: false,
        timeout_ms: 20_000,
        max_output_bytes: 100,
        ...more,
      },
      ways,
      new AbortController().signal,
    );
  return { run, dialled, here };
}

it("connects to the addresses that it judged", async () => {
  const { run, dialled } = await world(() => ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]);
  expect(await run()).toMatchObject({ kind: "ran", exit_code: 0 });
  expect(dialled).toEqual([["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]]);
});

it.each([
  [["127.0.0.1"]],
  [["93.184.215.14", "10.0.0.1"]],
  [["::ffff:127.0.0.1"]],
  [["169.254.169.254"]],
  [["100.64.0.1"]],
])("does not connect for a name that resolves to %j", async (addresses) => {
  const { run, dialled } = await world(() => addresses);
  expect(await run()).toMatchObject({ kind: "failed", code: "blocked_by_policy", sent: false });
  expect(dialled).toEqual([]);
});

it("asks for a name once for each command, so that an answer that changes leads nowhere", async () => {
  const { run, dialled } = await world((asked) => (asked === 0 ? ["93.184.215.14"] : ["127.0.0.1"]));
  expect(await run()).toMatchObject({ kind: "ran" });
  expect(await run()).toMatchObject({ kind: "failed", code: "blocked_by_policy" });
  expect(dialled).toHaveLength(1);
});

it("goes to port 22, and to another one only where that is listed", async () => {
  const { run } = await world(() => ["93.184.215.14"]);
  expect(await run({ port: 2222 })).toMatchObject({ kind: "failed", code: "blocked_by_policy" });
  expect(await run({ port: 80 })).toMatchObject({ kind: "failed", code: "blocked_by_policy" });
  expect(await run({ port: 2222, port_is_listed: true })).toMatchObject({ kind: "ran" });
});

it("gives a host up that says nothing, and surely ran nothing", async () => {
  const silent = createServer((socket) => void socket.resume());
  const port = await new Promise<number>((resolve) => {
    silent.listen(0, "127.0.0.1", () => resolve((silent.address() as AddressInfo).port));
  });
  const { run } = await world(() => ["93.184.215.14"], port);
  expect(await run({ timeout_ms: 300 })).toMatchObject({ kind: "failed", code: "timeout", sent: false });
  await new Promise((resolve) => silent.close(resolve));
});
