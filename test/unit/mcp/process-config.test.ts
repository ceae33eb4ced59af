import { describe, expect, it } from "vitest";
import { isSameAccess, readServer } from "../../../core/mcp/config.ts";
import { fillProcess, processRefersToSecrets, readProcess } from "../../../core/mcp/process-config.ts";
import { isPatternCovered } from "../../../core/web/host-pattern.ts";

const read = (given: Parameters<typeof readServer>[0]) => {
  const config = readServer(given, "");
  if (!config.ok) throw new Error(config.error.message);
  return config.value;
};

describe("a server that is a process", () => {
  it("is stored with its arguments, and with the names of its environment next to sealed values", () => {
    const { settings, secrets } = read({
      command: "node",
      args: ["server.js", "--key=${KEY}"],
      env: { TOKEN: "Bearer ${TOKEN_1}", PLAIN: "$HOME" },
      network: ["API.Example.com", "*.example.org:8443"],
    });
    expect(settings).toMatchObject({
      url: null,
      process: {
        command: "node",
        args: ["server.js", "--key=${KEY}"],
        envNames: ["TOKEN", "PLAIN"],
        network: ["api.example.com", "*.example.org:8443"],
      },
    });
    expect(JSON.stringify(settings)).not.toContain("Bearer");
    expect(secrets.env).toEqual([
      ["TOKEN", "Bearer {{secret.TOKEN_1}}"],
      ["PLAIN", "$HOME"],
    ]);
  });

  it("is the same with another environment, and a different one with other arguments", () => {
    const settingsOf = (more: Record<string, unknown>) => read({ command: "node", args: ["a"], ...more }).settings;
    expect(isSameAccess(settingsOf({}), settingsOf({ env: { A: "b" }, network: ["a.example.com"] }))).toBe(true);
    expect(isSameAccess(settingsOf({}), settingsOf({ args: ["b"] }))).toBe(false);
    expect(isSameAccess(settingsOf({}), read({ url: "https://example.com/" }).settings)).toBe(false);
  });

  it("is the same as one that was stored before there were processes", () => {
    const { process: _, ...before } = read({ url: "https://example.com/" }).settings;
    expect(isSameAccess(before, read({ url: "https://example.com/" }).settings)).toBe(true);
  });

  it.each([
    [{}, "command"],
    [{ command: "  " }, "command"],
    [{ command: "a", env: { LD_PRELOAD: "x" } }, "env.LD_PRELOAD"],
    [{ command: "a", env: { Home: "x" } }, "env.Home"],
    [{ command: "a", network: ["*.com"] }, "network.0"],
  ])("is rejected as %j, by %s", (given, field) => {
    expect(readProcess(given)).toMatchObject({ ok: false, error: { field } });
  });
});

describe("secrets of a process", () => {
  const secret = (name: string, hosts: readonly string[], value: string | null = `value of ${name}`) => ({
    name,
    hosts,
    value,
  });
  const process = {
    command: "node",
    args: ["{{secret.A}}"],
    env: [["B", "x{{secret.B}}"]] as const,
    network: ["a.example.com"],
  };

  it("are filled in where each is bound to every host of the process", () => {
    expect(processRefersToSecrets(process)).toBe(true);
    const filled = fillProcess(process, [secret("A", ["*.example.com"]), secret("B", ["a.example.com"])]);
    expect(filled).toMatchObject({ ok: true, value: { args: ["value of A"], env: [["B", "xvalue of B"]] } });
    const alone = fillProcess({ ...process, network: [] }, [
      secret("A", ["b.example.com"]),
      secret("B", ["c.example.com"]),
    ]);
    expect(alone.ok).toBe(true);
  });

  it.each([
    [[secret("A", ["a.example.com"])], "not_found"],
    [[secret("A", ["a.example.com"]), secret("B", ["b.example.com"])], "blocked_by_policy"],
    [[secret("A", ["a.example.com"]), secret("B", ["a.example.com"], null)], "not_available"],
    [[secret("A", ["a.example.com"]), { ...secret("B", ["a.example.com"]), methods: ["GET"] }], "blocked_by_policy"],
    [[secret("A", ["a.example.com"]), { ...secret("B", ["a.example.com"]), refusal: "No." }], "blocked_by_policy"],
    [[secret("A", ["a.example.com"]), secret("B", ["a.example.com"], "a\0b")], "invalid_input"],
    [[secret("A", ["a.example.com"]), secret("B", ["a.example.com"], "v".repeat(200_000))], "too_large"],
  ])("prevent the start when one is invalid (%#)", (secrets, code) => {
    const filled = fillProcess(process, secrets);
    expect(filled).toMatchObject({ ok: false, error: { code, happened: "no" } });
    expect(JSON.stringify(filled)).not.toContain("value of");
  });
});

it.each([
  ["a.example.com", ["a.example.com"], true],
  ["a.example.com", ["*.example.com"], true],
  ["A.example.com.", ["a.EXAMPLE.com"], true],
  ["*.example.com", ["a.example.com"], false],
  ["*.example.com", ["*.example.com"], true],
  ["*.a.example.com", ["*.example.com"], true],
  ["*.example.com", ["*.a.example.com"], false],
  ["*", ["*.example.com"], false],
  ["*", ["*"], true],
  ["example.com", ["*.example.com"], false],
  ["a.example.com:8443", ["a.example.com"], true],
  ["a.example.com", ["a.example.com:8443"], false],
  ["a.example.com:8443", ["a.example.com:8443"], true],
  ["badexample.com", ["*.example.com"], false],
])("%s is covered by %j: %s", (pattern, entries, is) => {
  expect(isPatternCovered(pattern, entries)).toBe(is);
});
