/** The fake in memory, and the adapter towards a server of SSH on loopback by way of the sidecar: one contract; and its secrets. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openSsh } from "../../../adapters/ssh/ssh.ts";
import type { TenantSecret } from "../../../core/ports/secrets.ts";
import type { SshPort, SshRequest } from "../../../core/ports/ssh.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { FAKE_FINGERPRINT, fakeSsh } from "../../fakes/ssh.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback, findUnusedPort } from "../../mock-servers/listen.ts";
import {
  startSshServer,
  type SshMockServer,
  type SshMockServerOptions,
  makeSshKey,
} from "../../mock-servers/ssh-server.ts";
import { sshContract } from "./suite.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { defineSshJob } from "../../../sidecar/ssh/ssh-job.ts";

const HOST = "127.0.0.1";

sshContract("the fake in memory", (answer) => {
  const server = answer === null ? {} : { "host.example.com:2222": { fingerprint: FAKE_FINGERPRINT, answer } };
  const place = { host: "host.example.com", port: 2222, fingerprint: FAKE_FINGERPRINT };
  return Promise.resolve({ ssh: fakeSsh(server), ...place, close: () => Promise.resolve() });
});

sshContract("the adapter", async (answer) => {
  if (answer === null) {
    const port = await findUnusedPort();
    const { ssh, close } = await openTo(port);
    return { ssh, host: HOST, port, fingerprint: FAKE_FINGERPRINT, close };
  }
  const server = await startSshServer({
    run(command, channel) {
      const { stdout = "", stderr = "", exitCode = 0, signal = null } = answer(command);
      channel.write(stdout);
      channel.stderr.write(stderr);
      if (signal === null) channel.exit(exitCode ?? 0);
      else channel.exit(signal.replace(/^SIG/, ""));
      channel.end();
    },
  });
  const { port, fingerprint } = server;
  const { ssh, close } = await openTo(port);
  const closeBoth = async () => {
    await close();
    await server.close();
  };
  return { ssh, host: HOST, port, fingerprint, close: closeBoth };
});

/** The adapter, with a sidecar that may reach a port of this machine. */
async function openTo(
  port: number,
  secrets: readonly TenantSecret[] = [],
): Promise<{ readonly ssh: SshPort; close(): Promise<void> }> {
  const allow = parseEgressAllow(`${HOST}:${port}`);
  const folder = mkdtempSync(join(tmpdir(), "ssh-"));
  const egress = makeSystemEgress(allow);
  const secret = randomBytes(32).toString("hex");
  const isolation = () => Promise.resolve({ level: "none", reason: "There are no cages here." } as const);
  const sidecar = makeSidecar(secret, egress, { kinds: [defineSshJob(egress)], folder, isolation });
  const url = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const ssh = openSsh({ sidecar: connectSidecar(url, secret), allow, tenant: "t1", secrets: fakeSecrets(secrets) });
  const close = async () => {
    await closeServer(sidecar);
    rmSync(folder, { recursive: true, force: true });
  };
  return { ssh, close };
}

describe("a login over SSH", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function start(
    options: SshMockServerOptions,
    secrets: readonly TenantSecret[] = [],
  ): Promise<{ server: SshMockServer; run: (more?: Partial<SshRequest>) => ReturnType<SshPort["run"]> }> {
    const server = await startSshServer(options);
    const { ssh, close } = await openTo(server.port, secrets);
    closing.push(close, server.close);
    const request: SshRequest = {
      host: HOST,
      port: server.port,
      username: "ana",
      credential: { kind: "password", password: "right" },
      command: "id",
      fingerprints: [server.fingerprint],
      allowedDomains: ["*"],
      timeoutMs: 20_000,
      maxOutputBytes: 1_000,
      signal: new AbortController().signal,
    };
    return { server, run: async (more = {}) => await ssh.run({ ...request, ...more }) };
  }

  const hosts = [HOST];

  it("takes a password from a secret by its name, or by a reference, and gives it back nowhere", async () => {
    const value = "canary-5e1f";
    const options: SshMockServerOptions = {
      logins: [`password:${value}`],
      run(_command, channel) {
        channel.write(`it is ${value}, ${Buffer.from(value).toString("base64")}`);
        channel.stderr.write(value);
        channel.exit(0);
        channel.end();
      },
    };
    const { server, run } = await start(options, [{ name: "DEPLOY", hosts, value }]);
    for (const credential of [
      { kind: "secret", name: "DEPLOY" },
      { kind: "password", password: "{{secret.DEPLOY}}" },
    ] as const) {
      const ran = await run({ credential });
      expect(ran).toMatchObject({ ok: true, value: { stderr: "{{secret.DEPLOY}}" } });
      expect(JSON.stringify(ran)).not.toMatch(/canary|Y2FuYXJ5/);
    }
    expect(server.tried).toEqual([`password:${value}`, `password:${value}`]);
  });

  it("takes a private key from a secret, or by a reference", async () => {
    const { privateKey, publicKey } = makeSshKey();
    const login = `publickey:${publicKey.split(" ").slice(0, 2).join(" ")}`;
    const { run } = await start({ logins: [login] }, [{ name: "KEY", hosts, value: privateKey }]);
    for (const credential of [
      { kind: "secret", name: "KEY" },
      { kind: "private_key", privateKey: "{{secret.KEY}}" },
      { kind: "private_key", privateKey },
    ] as const)
      expect(await run({ credential })).toMatchObject({ ok: true, value: { exitCode: 0, stdout: "ran id\n" } });
  });

  it("answers a server that asks for the password by keyboard, once", async () => {
    const asks = { logins: ["keyboard:right"], ways: ["keyboard-interactive"] } as const;
    const { server, run } = await start(asks);
    expect(await run()).toMatchObject({ ok: true });
    expect(await run({ credential: { kind: "password", password: "wrong" } })).toMatchObject({
      error: { code: "permission_denied" },
    });
    expect(server.tried).toEqual(["keyboard:right", "keyboard:wrong"]);
  });

  it("tries a wrong password once, and does not reveal it", async () => {
    const { server, run } = await start({ ways: ["password", "keyboard-interactive"] });
    const refused = await run({ credential: { kind: "password", password: "canary-0b7d" } });
    expect(JSON.stringify(refused)).not.toContain("canary");
    expect(server.tried).toEqual(["password:canary-0b7d"]);
    expect(server.commands).toEqual([]);
  });

  it("sends no credential to a host with another key", async () => {
    const { server, run } = await start({});
    const name = `${HOST}:${server.port}`;
    expect(await run({ fingerprints: [] })).toMatchObject({
      error: { message: expect.stringContaining(`known_hosts = {"${name}": ["${server.fingerprint}"]}`) },
    });
    expect(server.tried).toEqual([]);
  });

  it.each([
    ["that is not bound to the host", { kind: "secret", name: "ELSEWHERE" }, "blocked_by_policy", "credential_id"],
    ["that another agent has", { kind: "secret", name: "REFUSED" }, "blocked_by_policy", "credential_id"],
    ["that is for HTTP alone", { kind: "password", password: "{{secret.READ}}" }, "blocked_by_policy", "password"],
    ["that is not there", { kind: "secret", name: "NOBODYS" }, "not_found", "credential_id"],
    ["that is not there", { kind: "password", password: "{{secret.NOBODYS}}" }, "not_found", "password"],
    ["that is no key", { kind: "private_key", privateKey: "canary-92" }, "invalid_input", "private_key"],
  ] as const)("refuses a secret %s, and connects nowhere", async (_what, credential, code, field) => {
    const secrets = [
      { name: "ELSEWHERE", hosts: ["a.example.com"], value: "canary-1f00" },
      { name: "REFUSED", hosts, value: "canary-1f01", refusal: "The secret REFUSED is for another agent." },
      { name: "READ", hosts, value: "canary-1f02", methods: ["GET"] },
    ];
    const { server, run } = await start({}, secrets);
    const refused = await run({ credential });
    expect(refused).toMatchObject({ ok: false, error: { code, field, happened: "no" } });
    expect(JSON.stringify(refused)).not.toContain("canary");
    expect(server.tried).toEqual([]);
  });

  it("asks for nothing but the command: no agent, no terminal, no environment", async () => {
    const { server, run } = await start({});
    await run();
    expect(server.channelRequests).toEqual([]);
  });

  it("gives a command up after its time, with an unknown effect", async () => {
    const { server, run } = await start({ run: () => undefined });
    const late = await run({ timeoutMs: 3_000 });
    expect(late).toMatchObject({ ok: false, error: { code: "timeout" } });
    expect(late).toMatchObject({ error: { happened: "unknown" } });
    expect(server.commands).toEqual(["id"]);
  });

  it.each([
    ["whose connection breaks", (_command: string, _channel: unknown, connection: { end(): void }) => connection.end()],
    ["of whose end nothing is said", (_command: string, channel: { end(): void }) => channel.end()],
  ])("does not know the effect of a command %s", async (_what, breaks) => {
    const { run } = await start({ run: breaks });
    const lost = await run();
    expect(lost).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    expect(lost).toMatchObject({ error: { happened: "unknown" } });
  });

  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "::1",
    "[::ffff:127.0.0.1]",
    "localhost",
    "0x7f.1",
    "a@b",
    "a/b",
    "",
  ])("does not reach %s", async (host) => {
    const { run } = await start({});
    expect(await run({ host, port: 22 })).toMatchObject({
      ok: false,
      error: { code: "blocked_by_policy", field: "host", happened: "no" },
    });
  });

  it("needs another port than 22 to be listed with its host", async () => {
    const { run } = await start({});
    const at = { host: "192.0.2.1", port: 2222 };
    expect(await run(at)).toMatchObject({
      error: { message: expect.stringMatching(/Port 2222 is not open: only 22 is/) },
    });
    expect(await run({ ...at, port: 443 })).toMatchObject({ error: { message: expect.stringMatching(/Port 443/) } });
  });
});
