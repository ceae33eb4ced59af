/** What every `SshPort` does. */
import { afterEach, describe, expect, it } from "vitest";
import type { SshPort, SshRequest, SshRun } from "../../../core/ports/ssh.ts";

/** A port to one server, which runs commands by `answer`. */
export interface SshUnderTest {
  readonly ssh: SshPort;
  readonly host: string;
  readonly port: number;
  readonly fingerprint: string;
  close(): Promise<void>;
}

/** `answer` null: nothing listens there. */
export type OpenSsh = (answer: ((command: string) => Partial<SshRun>) | null) => Promise<SshUnderTest>;

const OTHER_FINGERPRINT = `SHA256:${"B".repeat(43)}`;

/** The password `right` logs in, and `wrong` does not. */
export function sshContract(name: string, open: OpenSsh): void {
  describe(`ssh: ${name}`, () => {
    let opened: SshUnderTest | null = null;
    const start = async (answer: Parameters<OpenSsh>[0] = (command) => ({ stdout: `ran ${command}` })) =>
      (opened = await open(answer));

    afterEach(async () => {
      await opened?.close();
      opened = null;
    });

    const request = ({ host, port, fingerprint }: SshUnderTest, more: Partial<SshRequest> = {}): SshRequest => ({
      host,
      port,
      username: "ana",
      credential: { kind: "password", password: "right" },
      command: "uptime",
      fingerprints: [fingerprint],
      allowedDomains: [`${host}:${port}`],
      timeoutMs: 20_000,
      maxOutputBytes: 1_000,
      signal: new AbortController().signal,
      ...more,
    });

    it("runs a command and gives what it printed", async () => {
      const under = await start(() => ({ stdout: "Grüße\n", stderr: "careful\n", exitCode: 3 }));
      expect(await under.ssh.run(request(under))).toEqual({
        ok: true,
        value: {
          exitCode: 3,
          signal: null,
          stdout: "Grüße\n",
          stderr: "careful\n",
          truncated: false,
          durationMs: expect.any(Number),
        },
      });
    });

    it("says which signal ended a command", async () => {
      const under = await start(() => ({ exitCode: null, signal: "SIGKILL" }));
      expect(await under.ssh.run(request(under))).toMatchObject({
        ok: true,
        value: { exitCode: null, signal: "SIGKILL" },
      });
    });

    it("returns the start of a long output, and marks it as cut", async () => {
      const under = await start(() => ({ stdout: "0123456789".repeat(50_000) }));
      const ran = await under.ssh.run(request(under, { maxOutputBytes: 1_005 }));
      expect(ran).toMatchObject({ ok: true, value: { truncated: true, stdout: `${"0123456789".repeat(100)}01234` } });
    });

    it.each([
      ["not known", []],
      ["another", [OTHER_FINGERPRINT]],
    ])("refuses a host whose key is %s, names it, and surely ran nothing", async (_what, fingerprints) => {
      const commands: string[] = [];
      const under = await start((command) => {
        commands.push(command);
        return {};
      });
      expect(await under.ssh.run(request(under, { fingerprints }))).toMatchObject({
        ok: false,
        error: {
          code: "blocked_by_policy",
          field: "host",
          message: expect.stringContaining(under.fingerprint),
          happened: "no",
        },
      });
      expect(commands).toEqual([]);
    });

    it.each([[["example.com"]], [[]], [null]])("refuses a host that is not among %j", async (allowedDomains) => {
      const under = await start();
      expect(await under.ssh.run(request(under, { allowedDomains, host: "192.0.2.1", port: 22 }))).toMatchObject({
        ok: false,
        error: { code: "blocked_by_policy", field: "host", happened: "no" },
      });
    });

    it("reports a login that is refused, and that nothing ran", async () => {
      const under = await start();
      const credential = { kind: "password", password: "wrong" } as const;
      expect(await under.ssh.run(request(under, { credential }))).toMatchObject({
        ok: false,
        error: { code: "permission_denied", happened: "no" },
      });
    });

    it("reports a host that is away, and that nothing ran", async () => {
      const under = await start(null);
      expect(await under.ssh.run(request(under))).toMatchObject({
        ok: false,
        error: { code: "upstream_failed", happened: "no" },
      });
    });

    it("runs nothing for a call that was given up before", async () => {
      const commands: string[] = [];
      const under = await start((command) => {
        commands.push(command);
        return {};
      });
      const given = await under.ssh.run(request(under, { signal: AbortSignal.abort() }));
      expect(given).toMatchObject({ ok: false, error: { happened: "no" } });
      expect(commands).toEqual([]);
    });
  });
}
