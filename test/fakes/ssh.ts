/** Servers of SSH in memory: each place has a key and what it answers commands. */
import { failed, ok } from "../../core/errors.ts";
import type { SshPort, SshRun } from "../../core/ssh/port.ts";

/** A server. Every credential logs in but the password `wrong`. */
export interface FakeSshServer {
  readonly fingerprint: string;
  readonly answer: (command: string) => Partial<SshRun>;
}

/** A key that nobody has. */
export const FAKE_FINGERPRINT = `SHA256:${"A".repeat(43)}`;

const ECHO: FakeSshServer = { fingerprint: FAKE_FINGERPRINT, answer: (command) => ({ stdout: `ran ${command}\n` }) };

/** By `host:port`; null: every host is there, is known, and says what it was told. */
export function fakeSsh(servers: Readonly<Record<string, FakeSshServer>> | null = null): SshPort {
  return {
    async run({ host, port, credential, command, fingerprints, allowedDomains, maxOutputBytes, signal }) {
      await Promise.resolve();
      const no = { details: { sent: false } };
      const names = [host, "*", ...(port === 22 ? [] : [`${host}:${port}`])];
      const isOpen = allowedDomains?.some((entry) => names.includes(entry)) === true;
      if (!isOpen) return failed("blocked_by_policy", `The host ${host} is not on the list.`, { field: "host", ...no });
      if (signal.aborted) return failed("timeout", "It was given up.", no);
      const server = servers === null ? ECHO : servers[`${host}:${port}`];
      if (server === undefined) return failed("upstream_failed", `${host}:${port} was not reached.`, no);
      if (servers !== null && !fingerprints.includes(server.fingerprint)) {
        const message = `${host}:${port} showed the key ${server.fingerprint}, which is not known.`;
        return failed("blocked_by_policy", message, { field: "host", ...no });
      }
      if (credential.kind === "password" && credential.password === "wrong")
        return failed("permission_denied", `${host}:${port} refused the login.`, no);
      const ran = { exitCode: 0, signal: null, stdout: "", stderr: "", ...server.answer(command) };
      const [stdout, stderr] = [ran.stdout, ran.stderr].map((text) => text.slice(0, maxOutputBytes)) as [
        string,
        string,
      ];
      const truncated = stdout !== ran.stdout || stderr !== ran.stderr;
      return ok({ truncated, durationMs: 1, ...ran, stdout, stderr });
    },
  };
}
