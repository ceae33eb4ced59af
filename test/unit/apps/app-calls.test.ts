/** Calls of apps' actions through both halves of the gateway: what follows a lost, refused or limited reply. */
import { describe, expect, test } from "vitest";
import { linearPatterns } from "../../../adapters/re2/patterns.ts";
import { createAppCaller } from "../../../core/apps/calls/call.ts";
import { maybeSent, notSent, ok, type Result } from "../../../core/base/errors.ts";
import { startActors } from "../../../core/connections/actors.ts";
import { createOutsideTools } from "../../../core/gateway/outside-tool.ts";
import { BY_PRINCIPAL } from "../../../core/model/label-messages.ts";
import type { AppLookupRequest, AppRequest } from "../../../core/ports/app-calls.ts";
import type { AppRightsPort } from "../../../core/ports/app-rights.ts";
import type { AppProbe, AppReply } from "../../../core/ports/apps.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { judgeCarryOut } from "../../../core/provenance/carry-out.ts";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import { performCalls } from "../../../core/steps/perform.ts";
import { prepareCalls } from "../../../core/steps/prepare.ts";
import { buildToolset } from "../../../core/steps/toolset.ts";
import type { PreparedCall } from "../../../core/task/commands.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import type { EffectClass } from "../../../core/tool/tool.ts";
import { fakeConnections } from "../../fakes/connections.ts";
import { fakeTimer } from "../../fakes/timer.ts";
import { agent, depsFor } from "../steps/play-gateway.ts";
import { factsOf } from "../task/world.ts";

const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;
const LOST = maybeSent("timeout", "Composio did not reply in time.");
const SENT = ok({ data: { id: "msg_1" }, logId: "log_1" });
const FACTS = factsOf({
  ...agent({ approval: { dangerous: "allow" }, capability_gate: "off" }),
  actsFor: { person: "per_ana" },
});
const RIGHTS: AppRightsPort = {
  read: async () =>
    ok({
      assignments: [],
      permissions: new Map(),
      added: new Map([["gmail", new Set(["GMAIL_SEND_EMAIL"])]]),
      overrides: new Map(),
    }),
};
const SEND = { to: "tom@acme.example" };

const [limited, refused] = [
  notSent("rate_limited", "Later.", { retryAfterMs: 1 }),
  notSent("not_found", "gmail refused it (HTTP 404).", { cause: { kind: "answered" } }),
];

function describeTool(effect: EffectClass, change: Partial<OutsideTool> = {}): OutsideTool {
  return {
    name: "composio_GMAIL_SEND_EMAIL",
    summary: "Send a mail.",
    toolbox: "app:gmail",
    category: "api",
    permissions: ["network"],
    security: "dangerous",
    effect,
    timeoutMs: 5_000,
    input: {
      type: "object",
      properties: { to: { type: "string" }, attachment: { type: "object", file_uploadable: true } },
      required: ["to"],
    },
    output: { type: "object", properties: { data: { type: "object" } }, required: ["data"] },
    origin: {
      kind: "app",
      provider: "composio",
      app: "gmail",
      action: "GMAIL_SEND_EMAIL",
      version: "20261105_00",
      capabilities: ["email.send"],
      isDestructive: false,
    },
    app: { app: "gmail", provider: "composio", owner: "either", scopes: [] },
    ...change,
  };
}

interface Script {
  /** One for each request; the last is repeated. */
  readonly replies?: readonly Result<AppReply>[];
  readonly found?: readonly AppProbe[];
  /** Of the account. */
  readonly consent?: number;
  /** At the effect. */
  readonly rights?: AppRightsPort;
}

async function play(outside: OutsideTool, { replies = [SENT], found = [], consent = 1, rights = RIGHTS }: Script = {}) {
  const [executed, probed]: [AppRequest[], AppLookupRequest[]] = [[], []];
  const apps = {
    execute: (request: AppRequest) => {
      executed.push(request);
      return Promise.resolve(replies[executed.length - 1] ?? replies.at(-1) ?? SENT);
    },
    probe: (request: AppLookupRequest) => {
      probed.push(request);
      return Promise.resolve(ok(found[probed.length - 1] ?? NO_ENTRY));
    },
  };
  const pauses = fakeTimer();
  const tools = createOutsideTools([{ source: "app:gmail", tool: outside }], [], {
    callers: { app: createAppCaller(pauses.timer) },
    patterns: linearPatterns,
  });
  const toolset = await buildToolset(tools, FACTS);
  const connections = fakeConnections();
  connections.set(
    "con_ana",
    { kind: "person", id: "per_ana", name: "Ana" },
    { app: "gmail", provider: "composio", consent },
  );
  const actors = startActors("per_ana", "per_ana");
  const prepare = async (name: string, given: object): Promise<PreparedCall> => {
    const known = { facts: FACTS, step: 1, toolset, repeat: null, context: BY_PRINCIPAL, connections, actors };
    const request = { name, arguments: JSON.stringify(given) };
    const [call] = await prepareCalls([request], { ...known, appRights: RIGHTS });
    if (call === undefined) throw new Error("a call is missing");
    return call;
  };
  const perform = async (change: Partial<RunnableCall> = {}) => {
    const { id, approval: _, outcome: __, connect: ___, ...rest } = await prepare(outside.name, SEND);
    const call: RunnableCall = {
      ...rest,
      callId: id,
      key: id,
      mode: "run",
      attempt: 1,
      intendedAt: 1_000,
      label: PRINCIPAL,
      ...change,
    };
    const ports = { apps, patterns: linearPatterns } as unknown as ToolPorts;
    const deps = { ...depsFor(tools), connections, appRights: rights, ports };
    const job = { facts: FACTS, step: 1, calls: [call], actors, timeoutMs: 20_000 };
    const { value } = await performCalls(job, deps, new AbortController().signal).next(true);
    if (value?.type !== "settled") throw new Error("the call did not settle");
    return value.outcome;
  };
  return { executed, probed, pauses: pauses.set, prepare, perform };
}

const NO_ENTRY: AppProbe = { kind: "cannot_tell", why: "There is no entry.", isEarly: true };
const NO_PAYLOAD: AppProbe = { kind: "cannot_tell", why: "The entry has no reply.", isEarly: false };
const HAPPENED: AppProbe = { kind: "happened", reply: { data: { id: "msg_1" }, logId: "log_1" } };
const REFUSED: AppProbe = { kind: "not_happened", failure: refused.error };

describe("a call of an action", () => {
  test("is sent with its account, its key and an id of its attempt; its result is the app's data, from outside", async () => {
    const { executed, perform } = await play(describeTool("probe"));
    const outcome = await perform();
    expect(outcome).toMatchObject({
      state: "confirmed",
      result: { ok: true, result: { id: "msg_1" } },
      label: OUTSIDE,
    });
    expect(executed).toMatchObject([
      {
        app: "gmail",
        action: "GMAIL_SEND_EMAIL",
        version: "20261105_00",
        arguments: SEND,
        account: { connection: "con_ana", consent: 1 },
        requestId: expect.stringMatching(UUID),
      },
    ]);
    expect(executed[0]?.key).toBe(
      (await play(describeTool("probe")).then(({ prepare }) => prepare("GMAIL_SEND_EMAIL", SEND))).id,
    );
  });

  test("has another request id in each attempt, and the same one when it is derived again", async () => {
    const { executed, perform } = await play(describeTool("none"));
    for (const attempt of [1, 2, 2]) await perform({ attempt });
    const [first, second, again] = executed.map(({ requestId }) => requestId);
    expect(second).toBe(again);
    expect(first).not.toBe(second);
  });

  test("is repeated after a lost reply if it reads, or if a repeat changes nothing more", async () => {
    for (const effect of ["none", "keyed"] as const) {
      const { executed, probed, perform } = await play(describeTool(effect), { replies: [LOST, SENT] });
      expect((await perform()).state).toBe("confirmed");
      expect([executed.length, probed.length]).toEqual([2, 0]);
      // The first one leaves time for the second.
      expect(executed[0]?.timeoutMs).toBeLessThanOrEqual(2_500);
    }
  });

  test("is looked up after a lost reply, and never sent again", async () => {
    const { executed, probed, perform } = await play(describeTool("probe"), {
      replies: [LOST],
      found: [NO_ENTRY, HAPPENED],
    });
    expect(await perform()).toMatchObject({ state: "confirmed", result: { ok: true, result: { id: "msg_1" } } });
    expect(executed).toHaveLength(1);
    expect(probed.map(({ requestIds }) => requestIds)).toEqual([[executed[0]?.requestId], [executed[0]?.requestId]]);
    expect(probed[0]).toMatchObject({ since: 1_000, account: { connection: "con_ana" } });
  });

  test("fails with the app's refusal if the log has that", async () => {
    const { executed, perform } = await play(describeTool("probe"), { replies: [LOST], found: [REFUSED] });
    expect(await perform()).toMatchObject({ state: "failed", result: { ok: false, error: { code: "not_found" } } });
    expect(executed).toHaveLength(1);
  });

  test("stays unknown if the log cannot tell, and if an earlier attempt may have happened", async () => {
    const unsure = await play(describeTool("probe"), { replies: [LOST], found: [NO_PAYLOAD] });
    expect((await unsure.perform()).state).toBe("unknown");
    expect([unsure.executed.length, unsure.probed.length]).toEqual([1, 1]);
    // The log may be late: it is read again after pauses.
    const late = await play(describeTool("probe"), { replies: [LOST], found: [] });
    expect((await late.perform()).state).toBe("unknown");
    expect([late.executed.length, late.probed.length]).toEqual([1, 4]);
    expect(late.pauses).toEqual([500, 1_500, 4_000]);
    // A person let it run once more.
    const again = await play(describeTool("probe"), { replies: [LOST], found: [REFUSED] });
    expect((await again.perform({ attempt: 2, isRetry: true })).state).toBe("unknown");
    expect(again.probed[0]?.requestIds).toHaveLength(2);
  });

  test("of class once is unknown after a lost reply", async () => {
    const { executed, probed, perform } = await play(describeTool("once"), { replies: [LOST] });
    expect((await perform()).state).toBe("unknown");
    expect([executed.length, probed.length]).toEqual([1, 0]);
  });

  test("waits as long as the provider says, and then is sent once more under the same id", async () => {
    const { executed, probed, perform } = await play(describeTool("probe"), { replies: [limited, SENT] });
    expect((await perform()).state).toBe("confirmed");
    expect(new Set(executed.map(({ requestId }) => requestId)).size).toBe(1);
    expect([executed.length, probed.length]).toEqual([2, 0]);
  });

  test("that the app refused fails at once", async () => {
    const { executed, perform } = await play(describeTool("probe"), { replies: [refused] });
    expect((await perform()).state).toBe("failed");
    expect(executed).toHaveLength(1);
  });

  test("asks for the account to be connected again once it has ended", async () => {
    const cause = { kind: "connection_ended", connection: "con_ana" } as const;
    const ended = notSent("permission_denied", "The account is no longer connected.", { cause });
    for (const effect of ["none", "probe"] as const) {
      const { perform } = await play(describeTool(effect), { replies: [ended] });
      expect((await perform()).control).toEqual({ kind: "connect", app: "gmail", reason: "expired" });
    }
  });

  test("that was cut off is looked up by the ids of its attempts, the latest first, and is not sent", async () => {
    const { executed, probed, perform } = await play(describeTool("probe"), { found: [HAPPENED] });
    expect((await perform({ mode: "probe", attempt: 3 })).state).toBe("confirmed");
    expect(executed).toHaveLength(0);
    const sent = await play(describeTool("probe"));
    for (const attempt of [2, 1]) await sent.perform({ attempt });
    expect(probed[0]?.requestIds).toEqual(sent.executed.map(({ requestId }) => requestId));
  });

  test("that was cut off is looked up although rights cannot be read, or were taken away", async () => {
    const away: AppRightsPort = { read: async () => notSent("upstream_failed", "The database is away.") };
    const none: AppRightsPort = {
      read: async () => ok({ assignments: [], permissions: new Map(), added: new Map(), overrides: new Map() }),
    };
    for (const rights of [away, none]) {
      const { executed, perform } = await play(describeTool("probe"), { found: [HAPPENED], rights });
      expect((await perform({ mode: "probe", attempt: 2 })).state).toBe("confirmed");
      expect((await perform()).state).toBe("refused");
      expect(executed).toHaveLength(0);
    }
  });

  test("that was cut off ends with the app's refusal, or as unknown, without a second request", async () => {
    for (const [found, state] of [
      [REFUSED, "failed"],
      [NO_PAYLOAD, "unknown"],
    ] as const) {
      const { executed, perform } = await play(describeTool("probe"), { found: [found] });
      expect((await perform({ mode: "probe", attempt: 2 })).state).toBe(state);
      expect(executed).toHaveLength(0);
    }
  });

  test("has other request ids under another consent", async () => {
    const [first, other] = [await play(describeTool("none")), await play(describeTool("none"), { consent: 2 })];
    await first.perform();
    await other.perform();
    expect(other.executed[0]?.requestId).not.toBe(first.executed[0]?.requestId);
  });
});

describe("composio_execute", () => {
  const EXECUTE = { action: "GMAIL_SEND_EMAIL", params: SEND };

  test("is the call of the action in everything, also inside call_tool's name for it", async () => {
    const { prepare } = await play(describeTool("probe"));
    const direct = await prepare("composio_GMAIL_SEND_EMAIL", SEND);
    expect(direct).toMatchObject({ tool: "composio_GMAIL_SEND_EMAIL", effect: "probe", account: { app: "gmail" } });
    expect(await prepare("composio_execute", EXECUTE)).toEqual(direct);
    expect(await prepare("composio_execute", { ...EXECUTE, action: "composio_GMAIL_SEND_EMAIL" })).toEqual(direct);
    expect(await prepare("GMAIL_SEND_EMAIL", SEND)).toEqual(direct);
  });

  test("finds an action whose tool has a cut name, by both of its whole names", async () => {
    const { prepare } = await play(describeTool("probe", { name: "composio_GMAIL_SEND_0123456789" }));
    for (const action of ["GMAIL_SEND_EMAIL", "composio_GMAIL_SEND_EMAIL"])
      expect((await prepare("composio_execute", { action, params: SEND })).tool).toBe("composio_GMAIL_SEND_0123456789");
  });

  test("is refused for an action that is not there, and with other arguments", async () => {
    const { prepare } = await play(describeTool("probe"));
    expect((await prepare("composio_execute", { ...EXECUTE, action: "GMAIL_NO_SUCH" })).outcome).toMatchObject({
      state: "refused",
      result: { error: { code: "not_found", field: "action" } },
    });
    expect((await prepare("composio_execute", { ...EXECUTE, params: 1 })).outcome).toMatchObject({
      result: { error: { code: "invalid_input" } },
    });
  });
});

test("an approval says that a critical action cannot be undone", async () => {
  const asking = { security: "critical" } as const;
  const { prepare } = await play(describeTool("probe", asking));
  const { approval } = await prepare("GMAIL_SEND_EMAIL", SEND);
  expect(approval?.reason).toMatch(/is critical: .*It cannot be undone\.$/);
});

test("a call with a file takes a path, which is canonical, and has its file uploaded first", async () => {
  const { prepare } = await play(describeTool("probe"));
  const call = await prepare("GMAIL_SEND_EMAIL", { ...SEND, attachment: "./reports//a.pdf" });
  expect(call).toMatchObject({
    outcome: null,
    namesFiles: true,
    hasUploads: true,
    arguments: { attachment: "reports/a.pdf" },
  });
  expect(call.touches).toContainEqual({ resource: "files", mode: "write" });
  expect(await prepare("GMAIL_SEND_EMAIL", SEND)).not.toHaveProperty("hasUploads");
});

test.each([
  [{ name: "a.pdf", mimetype: "application/pdf", s3key: "of/another/tenant" }, "invalid_input"],
  ["../a.pdf", "sandbox_denied"],
])("a call with the file %j is refused before anybody is asked to approve it", async (attachment, code) => {
  const { prepare } = await play(describeTool("probe"));
  const call = await prepare("GMAIL_SEND_EMAIL", { ...SEND, attachment });
  expect(call).toMatchObject({
    approval: null,
    outcome: { state: "refused", result: { error: { code, field: "attachment" } } },
  });
});

test("a read that sends a file is asked about once text from outside is in the task", () => {
  const [tool] = createOutsideTools([{ source: "app:gmail", tool: describeTool("none") }], [], {
    callers: { app: createAppCaller(globalThis) },
    patterns: linearPatterns,
  });
  const carried = tool?.carries?.({ ...SEND, attachment: "a.pdf" } as never) ?? null;
  if (carried === null) throw new Error("the call carries nothing");
  expect(judgeCarryOut(carried, {} as never, { allowedDomains: null })).toContain("it sends the file");
});
