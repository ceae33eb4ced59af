/** MCP servers that the sidecar runs as processes in real cages: their isolation, and the failures of bad ones. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { McpServers } from "../../../adapters/mcp/mcp.ts";
import type { Result } from "../../../core/base/errors.ts";
import type { McpCall, McpReply } from "../../../core/ports/mcp.ts";
import type { StartProgram } from "../../../sidecar/mcp/server-process.ts";
import { callOf } from "../../contracts/mcp/suite.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { type McpSidecar, SHARED, startMcpSidecar } from "../../mock-servers/mcp-sidecar.ts";
import { parseOfferedFolders } from "../../../sidecar/mcp/in-cage.ts";
import { openServerPool } from "../../../sidecar/mcp/server-pool.ts";
import { MAX_CONCURRENT_PER_TENANT } from "../../../sidecar/mcp/route.ts";

const UNRULY = `${SHARED}/stdio-unruly.mjs`;
const CANARY = "canary-77e1b0";
/** Leaves time for a busy machine. */
const LONG = { timeout: 20_000 } as const;
let sidecar: McpSidecar | null = null;

afterEach(async () => {
  await sidecar?.close();
  sidecar = null;
});

const start = async (settings: Parameters<typeof startMcpSidecar>[0] = {}) =>
  (sidecar = await startMcpSidecar({ restartMs: 10, ...settings }));

/** Creates a port to the misbehaving server in one of its modes. */
const unruly = (mood = "", more: Record<string, unknown> = {}) => ({ one: { args: [UNRULY, mood], ...more } });

const call = async (mcp: McpServers, tool: string, more: Partial<McpCall> = {}) =>
  await mcp.call(callOf({ server: "one", tool, ...more }));

function textIn(replied: Result<McpReply>): string {
  if (!replied.ok) return `${replied.error.code}: ${replied.error.message}`;
  const [first] = replied.value.kind === "result" ? replied.value.content : [];
  return first?.type === "text" ? first.text : "";
}

const ask = async (mcp: McpServers, tool: string, given: Record<string, unknown> = {}) =>
  textIn(await call(mcp, tool, { arguments: given }));

async function eventually(what: () => boolean): Promise<void> {
  for (let tries = 0; !what() && tries < 800; tries += 1) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(what()).toBe(true);
}

/** Waits until the server has received this many calls of `hang`. */
async function untilHanging(mcp: McpServers, count: number, server = "one"): Promise<void> {
  await expect.poll(async () => textIn(await call(mcp, "hanging", { server })), LONG).toBe(String(count));
}

/** Finds processes whose command contains a word. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}

describe("a server that is a process", () => {
  it("is started by the first call, serves all calls, and keeps its state", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly());
    expect(await ask(mcp, "count")).toBe("1");
    expect(await ask(mcp, "count")).toBe("2");
    const listed = await mcp.list("one", new AbortController().signal);
    expect(listed).toMatchObject({ ok: true, value: { protocolVersion: "2025-11-25" } });
    expect(await ask(mcp, "count")).toBe("3");
  });

  it("answers concurrent calls, each its own", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly());
    const asked = Array.from({ length: 12 }, (_, at) =>
      ask(mcp, "late", { text: `number ${at}`, ms: (at * 37) % 200 }),
    );
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 12 }, (_, at) => `number ${at}`));
  });

  it("has its own environment only", async () => {
    const { portOf } = await start();
    const env = JSON.parse(await ask(portOf("t1", unruly("", { env: [["API_KEY", CANARY]] })), "env"));
    expect(env).toMatchObject({ API_KEY: CANARY, HOME: "/work" });
    expect(Object.keys(env).sort()).toEqual(["API_KEY", "HOME", "LANG", "PATH", "PWD", "TMPDIR"]);
  });

  it("has an empty folder of its own, no network, and sees no other process", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly());
    const files = JSON.parse(await ask(mcp, "files"));
    expect(files.work).toEqual([]);
    expect(files.root).not.toContain("root");
    expect(await ask(mcp, "write", { text: "mine" })).toBe("written");
    expect(JSON.parse(await ask(mcp, "files")).work).toEqual(["mine.txt"]);
    const outside = createServer((_request, response) => response.end("reached"));
    const url = `http://127.0.0.1:${await listenOnLoopback(outside, 0)}/`;
    expect(await (await fetch(url)).text()).toBe("reached");
    expect(await ask(mcp, "network", { url })).toMatch(/^no: E/);
    await closeServer(outside);
  });

  it("reaches the hosts that it may, and no others", async () => {
    const outside = createServer((_request, response) => response.end("reached"));
    const host = `127.0.0.1:${await listenOnLoopback(outside, 0)}`;
    const { portOf } = await start({ allow: host });
    const url = `http://${host}/`;
    expect(await ask(portOf("t1", unruly("", { network: [host] })), "network", { url })).toBe("reached");
    expect(await ask(portOf("t1", unruly("", { network: ["a.example.com"] })), "network", { url })).not.toBe("reached");
    await closeServer(outside);
  });

  it("is separate for another tenant, which sees nothing of the first", async () => {
    const { portOf } = await start();
    const [one, two] = ["t1", "t2"].map((tenant) =>
      portOf(tenant, unruly("", { env: [["API_KEY", `${CANARY}-${tenant}`]] })),
    ) as [McpServers, McpServers];
    await ask(one, "write", { text: "of the first" });
    expect(await ask(one, "count")).toBe("1");
    expect(await ask(two, "count")).toBe("1");
    expect(JSON.parse(await ask(two, "files")).work).toEqual([]);
    const seen = await ask(two, "environments");
    expect(seen).toContain(`${CANARY}-t2`);
    expect(seen).not.toContain(`${CANARY}-t1`);
    for (const tenant of ["t3", "t4"]) expect(await ask(portOf(tenant, unruly()), "count")).toBe("1");
  });

  it("is replaced for another configuration", async () => {
    const { portOf } = await start();
    const before = portOf("t1", unruly("first-configuration"));
    expect(await ask(before, "count")).toBe("1");
    expect(processesWith("first-configuration")).not.toEqual([]);
    expect(await ask(portOf("t1", unruly("second-configuration")), "count")).toBe("1");
    await eventually(() => processesWith("first-configuration").length === 0);
  });

  it("gets its requests refused, and the call continues", async () => {
    const { portOf } = await start();
    expect(JSON.parse(await ask(portOf("t1", unruly()), "asks"))).toMatchObject({ code: -32601 });
  });

  it("reports progress to the right call", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly());
    await ask(mcp, "count");
    const [stuck, done] = await Promise.all([
      call(mcp, "progress", { timeoutMs: 3_000 }),
      call(mcp, "progress", { arguments: { end: true } }),
    ]);
    expect(textIn(done)).toBe("done");
    expect(textIn(stuck)).toMatch(/^timeout: .*It was at 1 of 3/);
  });

  it("reports a changed list of tools with a call", async () => {
    const { portOf } = await start();
    expect(await call(portOf("t1", unruly()), "changes")).toMatchObject({ ok: true, value: { listChanged: true } });
  });

  it("is notified of a cancelled call", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly());
    await ask(mcp, "count");
    expect(await call(mcp, "hang", { timeoutMs: 2_000 })).toMatchObject({ ok: false, error: { code: "timeout" } });
    await expect.poll(async () => JSON.parse(await ask(mcp, "cancelled")) as unknown[], LONG).toHaveLength(1);
  });

  it.each(["banner", "slow", "strict"])("may start like this: %s", async (mood) => {
    const { portOf } = await start();
    expect(await ask(portOf("t1", unruly(mood)), "count")).toBe("1");
  });

  it("may write invalid messages, and the call continues", async () => {
    const { portOf } = await start();
    expect(await ask(portOf("t1", unruly()), "garbage")).toBe("after the garbage");
  });
});

describe("a process that fails", () => {
  it("reports why it does not start, with redacted values, and certainly nothing was sent", async () => {
    const { portOf } = await start();
    const secrets = [{ name: "KEY", hosts: ["a.example.com"], value: "secret-canary-9" }];
    for (const [value, shown] of [
      [CANARY, "{{secret.API_KEY}}"],
      ["{{secret.KEY}}", "{{secret."],
    ] as const) {
      const replied = await call(portOf("t1", unruly("fails", { env: [["API_KEY", value]] }), secrets), "count");
      expect(replied).toMatchObject({ ok: false, error: { code: "upstream_failed", happened: "no" } });
      expect(textIn(replied)).toContain(`cannot start with ${shown}`);
      expect(textIn(replied)).toContain("exit code 3");
      expect(textIn(replied)).not.toMatch(/canary/);
    }
  });

  it("does not exist", async () => {
    const { portOf } = await start();
    const replied = await call(portOf("t1", { one: { command: "no-such-program" } }), "count");
    expect(textIn(replied)).toMatch(/no-such-program/);
    expect(replied).toMatchObject({ error: { happened: "no" } });
  });

  it("dies during a call: the outcome is unknown, and the next call restarts it", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly("", { env: [["API_KEY", CANARY]] }));
    await ask(mcp, "count");
    const other = ask(mcp, "hang");
    await untilHanging(mcp, 1);
    const died = await call(mcp, "die");
    expect(died).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    expect(died.ok || died.error.happened).not.toBe("no");
    expect(textIn(died)).toMatch(/ended \(exit code 7\), and had written: dying with \{\{secret\.API_KEY\}\}/);
    expect(await other).toMatch(/ended \(exit code 7\)/);
    expect(await ask(mcp, "count")).toBe("1");
  });

  it("is lost when the sidecar dies during a call: the outcome is unknown", async () => {
    const dying = await start();
    const mcp = dying.portOf("t1", unruly());
    await ask(mcp, "count");
    const lost = call(mcp, "hang");
    await untilHanging(mcp, 1);
    dying.breakOff();
    const replied = await lost;
    expect(replied).toMatchObject({ ok: false, error: { code: "upstream_failed", retryAfterMs: 1_000 } });
    expect(textIn(replied)).toMatch(/the connection to the sidecar was lost/);
    expect(replied.ok || replied.error.happened).toBe("unknown");
    expect(await ask(mcp, "count")).toBe("2");
  });

  it("dies repeatedly: it is not restarted for a while, and the message has its last output", async () => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly("fails"));
    for (let tries = 0; tries < 5; tries += 1) expect(await ask(mcp, "count")).toMatch(/exit code 3/);
    const startedAt = performance.now();
    expect(await ask(mcp, "count")).toMatch(/died 5 times in a row and is not started for 5 min; .*cannot start with/);
    expect(performance.now() - startedAt).toBeLessThan(9_000);
  });

  it.each(["flood", "endless"])("is killed for endless output: %s", async (tool) => {
    const { portOf } = await start();
    const mcp = portOf("t1", unruly(tool));
    expect(await ask(mcp, tool)).toMatch(
      /wrote (more than \d+ bytes that answer no request|a line of more than \d+ bytes)/,
    );
    await eventually(() => processesWith(`stdio-unruly.mjs\0${tool}`).length === 0);
    expect(await ask(mcp, "count")).toBe("1");
  });

  it("leaves no child process behind", async () => {
    const { portOf } = await start({ idleMs: 50 });
    const mcp = portOf("t1", unruly("with-a-daemon"));
    expect(Number(await ask(mcp, "daemon"))).toBeGreaterThan(0);
    await eventually(() => processesWith("with-a-daemon").length === 0 && processesWith("sleep\x00300").length === 0);
  });
});

describe("folders for all processes", () => {
  it("are read from the operator's list", () => {
    expect(parseOfferedFolders("/srv/mcp:/data/packages=/opt/packages:")).toEqual([
      { from: "/srv/mcp", at: "/srv/mcp", writable: false },
      { from: "/data/packages", at: "/opt/packages", writable: false },
    ]);
  });

  it.each(["relative", "/a=b", "/", "/a=/tmp", "/a=/usr/lib/x", "/a=/opt/../etc", "/a=/b=/c"])(
    "are not %s",
    (entry) => {
      expect(() => parseOfferedFolders(entry)).toThrow(/SIDECAR_MCP_PATHS/);
    },
  );
});

describe("processes", () => {
  it("end when idle, and are restarted by the next call", async () => {
    const { portOf } = await start({ idleMs: 50 });
    const mcp = portOf("t1", unruly("idle-one"));
    expect(await ask(mcp, "count")).toBe("1");
    await eventually(() => processesWith("idle-one").length === 0);
    expect(await ask(mcp, "count")).toBe("1");
  });

  it("end when their server is removed or their tenant is stopped, after pending calls; those of others continue", async () => {
    const { portOf, endOf } = await start();
    const servers = { one: { args: [UNRULY, "gone-one"] }, two: { args: [UNRULY, "gone-two"] } };
    const [own, other] = [portOf("t1", servers), portOf("t2", servers)];
    const countOf = async (mcp: McpServers, server: string) => textIn(await call(mcp, "count", { server }));
    for (const server of ["one", "two"]) for (const mcp of [own, other]) expect(await countOf(mcp, server)).toBe("1");
    const slow = ask(own, "late", { text: "heard out", ms: 500 });
    await eventually(() => processesWith("gone-one").length > 0);
    await endOf("t1", "one");
    expect(await slow).toBe("heard out");
    expect(await countOf(own, "one")).toBe("1");
    expect(await countOf(own, "two")).toBe("2");
    expect(await countOf(other, "one")).toBe("2");
    await endOf("t1", null);
    await endOf("t2", null);
    await eventually(() => processesWith("gone-").length === 0);
  });

  it("are limited per tenant: the one that has been idle longest is stopped, a busy one is not", async () => {
    const { portOf } = await start({ maxPerTenant: 2, maxProcesses: 3 });
    const mcp = portOf("t1", { one: { args: [UNRULY] }, two: { args: [UNRULY] }, three: { args: [UNRULY] } });
    const count = async (server: string) => textIn(await call(mcp, "count", { server }));
    expect([await count("one"), await count("two"), await count("one"), await count("three")]).toEqual([
      "1",
      "1",
      "2",
      "1",
    ]);
    expect([await count("one"), await count("two")]).toEqual(["3", "1"]);
    const enough = new AbortController();
    const hang = { timeoutMs: 25_000, signal: enough.signal };
    const busy = ["one", "two"].map((server) => call(mcp, "hang", { server, ...hang }));
    for (const server of ["one", "two"]) await untilHanging(mcp, 1, server);
    const refused = await call(mcp, "count", { server: "three" });
    expect(refused).toMatchObject({ ok: false, error: { code: "rate_limited", happened: "no" } });
    expect(textIn(refused)).toMatch(/2 MCP servers of one tenant run already/);
    expect(await ask(portOf("t2", unruly()), "count")).toBe("1");
    enough.abort();
    await Promise.all(busy);
  });

  it("do not count if they cannot be started", async () => {
    const starts: ReturnType<StartProgram>[] = [];
    const keeper = openServerPool(
      () => {
        const failing: Awaited<ReturnType<StartProgram>> = { ok: false, code: "not_available", message: "no cages" };
        starts.push(starts.length === 0 ? Promise.reject(new Error("ENOSPC")) : Promise.resolve(failing));
        return starts.at(-1) as ReturnType<StartProgram>;
      },
      { maxPerTenant: 1, restartMs: 1 },
    );
    const order = { server: "one", command: "node", args: [], env: [], network: [], channel: "c", timeout_ms: 1_000 };
    const lease = async (server: string) =>
      await keeper.lease("t1", { ...order, server }, new AbortController().signal);
    expect(await lease("one")).toMatchObject({ ok: false, failure: { code: "not_available" } });
    expect(await lease("two")).toEqual({ ok: false, failure: { code: "not_available", message: "no cages" } });
    keeper.end();
  });

  it("limit the concurrent messages of a tenant, and other tenants continue", async () => {
    const { portOf } = await start();
    const [one, two] = ["t1", "t2"].map((tenant) => portOf(tenant, unruly())) as [McpServers, McpServers];
    await ask(one, "count");
    const enough = new AbortController();
    const held: Promise<unknown>[] = [];
    // In sequence, since each takes several messages before it waits.
    const oneMore = async () => {
      held.push(call(one, "hang", { timeoutMs: 60_000, signal: enough.signal }));
      return await ask(one, "count");
    };
    let said = await oneMore();
    while (!said.startsWith("rate_limited") && held.length < 2 * MAX_CONCURRENT_PER_TENANT) said = await oneMore();
    expect(said).toMatch(/^rate_limited: .*64 messages/);
    expect(await ask(two, "count")).toBe("1");
    enough.abort();
    await Promise.all(held);
  }, 60_000);

  it("end with the sidecar, and so do their folders", async () => {
    const { portOf, keeper, ownFolders } = await start();
    await ask(portOf("t1", unruly("ends-with-it")), "write", { text: "x" });
    expect(processesWith("ends-with-it")).not.toEqual([]);
    expect(ownFolders()).toHaveLength(1);
    keeper.end();
    await eventually(() => processesWith("ends-with-it").length === 0 && ownFolders().length === 0);
  });
});
