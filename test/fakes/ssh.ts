/** Fake SSH servers: each address has a host key and answers commands. */
import { notSent, ok } from "../../core/base/errors.ts";
import type { SshPort, SshRun } from "../../core/ports/ssh.ts";

/** A server. It accepts every credential but the password `wrong`. */
export interface FakeSshServer {
  readonly fingerprint: string;
  readonly answer: (command: string) => Partial<SshRun>;
}

/** A key that no server has. */
export const FAKE_FINGERPRINT = `SHA256:${"A".repeat(43)}`;

const ECHO: FakeSshServer = { fingerprint: FAKE_FINGERPRINT, answer: (command) => ({ stdout: `ran ${command}\n` }) };

/** By `host:port`. Null means that every host exists, is known, and echoes the command. */
export function fakeSsh(servers: Readonly<Record<string, FakeSshServer>> | null = null): SshPort {
  return {
    async run({ host, port, credential, command, fingerprints, allowedDomains, maxOutputBytes, signal }) {
      await Promise.resolve();
      const names = [host, "*", ...(port === 22 ? [] : [`${host}:${port}`])];
      const isOpen = allowedDomains?.some((entry) => names.includes(entry)) === true;
      if (!isOpen) return notSent("blocked_by_policy", `The host ${host} is not on the list.`, { field: "host" });
      if (signal.aborted) return notSent("timeout", "It was cancelled.");
      const server = servers === null ? ECHO : servers[`${host}:${port}`];
      if (server === undefined) return notSent("upstream_failed", `${host}:${port} was not reached.`);
      if (servers !== null && !fingerprints.includes(server.fingerprint)) {
        const message = `${host}:${port} presented the key ${server.fingerprint}, which is unknown.`;
        return notSent("blocked_by_policy", message, { field: "host" });
      }
      if (credential.kind === "password" && credential.password === "wrong")
        return notSent("permission_denied", `${host}:${port} refused the login.`);
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
