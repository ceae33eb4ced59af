import { describe, expect, it } from "vitest";
import type { SshRequest } from "../../../core/ports/ssh.ts";
import { ok } from "../../../core/base/errors.ts";
import tool from "../../../tools/ssh/ssh-execute.ts";
import { runTool } from "../run-tool.ts";

const KEY = `SHA256:${"x".repeat(43)}`;
const OTHER = `SHA256:${"y".repeat(43)}`;
const given = { host: "Web1.example.com.", command: "uptime", username: "deploy", credential_id: "DEPLOY_KEY" };

/** What the tool asks of its port. */
async function requestOf(more: Record<string, unknown> = {}, config: Record<string, unknown> = {}) {
  const requests: SshRequest[] = [];
  const ran = { exitCode: 0, signal: null, stdout: "up\n", stderr: "", truncated: false, durationMs: 3 };
  const ssh = {
    run: (request: SshRequest) => {
      requests.push(request);
      return Promise.resolve(ok(ran));
    },
  };
  const outcome = await runTool(tool, { ...given, ...more }, { ssh }, { config });
  return { request: requests[0], outcome };
}

describe("ssh_execute", () => {
  it("requests a command with the agent's known keys of the host", async () => {
    const known_hosts = { "web1.example.com": [KEY], "web1.example.com:2222": [OTHER] };
    const { request, outcome } = await requestOf({}, { known_hosts });
    expect(request).toMatchObject({
      fingerprints: [KEY],
      port: 22,
      timeoutMs: 60_000,
      maxOutputBytes: 500_000,
      credential: { kind: "secret", name: "DEPLOY_KEY" },
    });
    expect(outcome.result).toEqual({
      exit_code: 0,
      signal: null,
      stdout: "up\n",
      stderr: "",
      truncated: false,
      duration_ms: 3,
    });
    expect((await requestOf({ port: 2222 }, { known_hosts })).request?.fingerprints).toEqual([OTHER]);
    expect((await requestOf()).request?.fingerprints).toEqual([]);
  });

  it.each([
    [{ credential_id: undefined }],
    [{ password: "also" }],
    [{ credential_id: undefined, password: "one", private_key: "two" }],
  ])("takes exactly one credential, and not %j", async (more) => {
    const { request, outcome } = await requestOf(more);
    expect(request).toBeUndefined();
    expect(outcome.failure).toMatchObject({ code: "invalid_input", field: "credential_id" });
  });

  it.each([
    [{ timeout: 301 }, "timeout"],
    [{ port: 0 }, "port"],
    [{ username: "a\nb" }, "username"],
    [{ credential_id: "not a name" }, "credential_id"],
  ])("refuses %j by its field", async (more, field) => {
    expect((await requestOf(more)).outcome.failure).toMatchObject({ code: "invalid_input", field });
  });

  it.each([[{ known_hosts: { "a.example.com": ["MD5:aa:bb"] } }], [{ known_hosts: { "a.example.com": [] } }]])(
    "has no setting like %j",
    (config) => {
      expect(tool.settings?.safeParse(config).success).toBe(false);
    },
  );
});
