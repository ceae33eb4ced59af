/** Calls of actions for one tenant: the fake in memory, and the port over Composio's adapter and the demo apps. */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAppCalls } from "../../../adapters/apps/open-calls.ts";
import { openComposio } from "../../../adapters/composio/composio.ts";
import { failed, notSent, ok } from "../../../core/base/errors.ts";
import { getField, getTextField } from "../../../core/base/json-fields.ts";
import { unwrap } from "../../../core/base/unwrap.ts";
import type { Account } from "../../../core/connections/account.ts";
import type { AppCallLine, AppCallsPort, AppRequest } from "../../../core/ports/app-calls.ts";
import type { AppLinks } from "../../../core/ports/apps.ts";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import { openWeb } from "../../../adapters/egress/web.ts";
import { connectSidecar } from "../../../adapters/sidecar/sidecar.ts";
import { makeSidecar } from "../../../sidecar/app.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { fakeSecrets } from "../../fakes/secrets.ts";
import { closeServer, listenOnLoopback } from "../../mock-servers/listen.ts";
import { startDemoApps } from "../../../scripts/demo-apps/server.ts";
import { fakeAppCalls } from "../../fakes/app-calls.ts";
import { controlDemoApps, followLink } from "../../mock-servers/demo-apps.ts";
import { connect, toCall } from "./suite.ts";

const KEY = "canary-key";
const DRIVE = "con_drive";

interface CallsUnderTest {
  readonly calls: AppCallsPort;
  /** Returns a link to a file with this content. */
  link(content: string): Promise<string>;
  readonly links: AppLinks;
  consent(url: string, isGiven: boolean): Promise<void>;
  /** From now on the connection has this account of the provider; null: it has ended. */
  bind(connection: string, providerId: string | null): void;
  loseNextReply(): Promise<void>;
  expire(providerId: string): Promise<void>;
  close(): Promise<void>;
}

function toAccount(connection: string): Account {
  const owner = { kind: "person", id: "per_1", name: "Ana" } as const;
  return { connection, app: "gmail", provider: "composio", owner, label: null, consent: 1, delegates: false };
}

function toRequest(connection: string | null, more: Partial<AppRequest> = {}): AppRequest {
  const { account: _, ...call } = toCall(null);
  return { ...call, account: connection === null ? null : toAccount(connection), ...more };
}

function toLookup({ app, action, account, signal, requestId }: AppRequest, since: number) {
  return { app, action, account, signal, since, requestIds: [requestId] };
}

function openFake(): Promise<CallsUnderTest> {
  const calls = fakeAppCalls();
  const { provider } = calls;
  return Promise.resolve({
    calls,
    link: (content) => {
      const url = `https://storage.example/${crypto.randomUUID()}?signature=canary-signature`;
      calls.links.set(url, new TextEncoder().encode(content));
      return Promise.resolve(url);
    },
    links: provider.links,
    consent: (url, isGiven) => Promise.resolve(provider.consent(url, isGiven)),
    bind(connection, providerId) {
      if (providerId === null) calls.disconnect({ connection });
      else calls.connect({ connection }, providerId);
    },
    loseNextReply: () => Promise.resolve(provider.loseNextReply()),
    expire: (id) => Promise.resolve(provider.expire(id)),
    close: () => Promise.resolve(),
  });
}

interface Noted {
  readonly lines: AppCallLine[];
  readonly refused: string[];
}

async function openReal(noted: Noted = { lines: [], refused: [] }): Promise<CallsUnderTest> {
  const server = await startDemoApps({ port: 0, apiKey: KEY, isControlled: true });
  const { apps, links } = openComposio({ baseUrl: server.url, apiKey: KEY, keyOf: "operator" });
  const ids = new Map<string, string>();
  const allow = parseEgressAllow(new URL(server.url).host);
  const secret = randomBytes(32).toString("hex");
  const sidecar = makeSidecar(secret, makeSystemEgress(allow));
  const sidecarUrl = `http://127.0.0.1:${await listenOnLoopback(sidecar, 0)}`;
  const calls = openAppCalls({
    apps,
    web: openWeb({ sidecar: connectSidecar(sidecarUrl, secret), allow, tenant: "t1", secrets: fakeSecrets() }),
    md5: (bytes) => Promise.resolve(createHash("md5").update(bytes).digest("hex")),
    accounts: {
      find({ connection }) {
        const providerId = ids.get(connection);
        const cause = { kind: "connection_ended", connection } as const;
        return Promise.resolve(
          providerId === undefined
            ? notSent("permission_denied", "The access has ended.", { cause })
            : ok({ connection, providerId, entity: "t_1.per_1" }),
        );
      },
    },
    connections: {
      refused({ connection }, why = "") {
        noted.refused.push(`${connection}: ${why}`);
        return Promise.resolve();
      },
    },
    log: (line) => noted.lines.push(line),
    now: Date.now,
  });
  const consent = async (url: string, isGiven: boolean): Promise<void> => {
    await followLink(url, isGiven ? "ana@demo.example" : "");
  };
  return {
    calls,
    async link(content) {
      const account = toRequest(DRIVE, { app: "googledrive" }).account;
      if (!ids.has(DRIVE)) ids.set(DRIVE, await connect({ links, consent }, "googledrive"));
      const call = (action: string, given: object) =>
        calls.execute(toRequest(null, { app: "googledrive", action, arguments: { ...given }, account }));
      const given = { file_name: "a.txt", text_content: content };
      const made = unwrap(await call("GOOGLEDRIVE_CREATE_FILE_FROM_TEXT", given)).data;
      const found = unwrap(await call("GOOGLEDRIVE_DOWNLOAD_FILE", { file_id: getTextField(made, "id") })).data;
      return getTextField(getField(found, "downloaded_file_content"), "s3url") ?? "";
    },
    links,
    consent,
    bind(connection, providerId) {
      if (providerId === null) ids.delete(connection);
      else ids.set(connection, providerId);
    },
    loseNextReply: async () => {
      await controlDemoApps(server.url, { calls: { fault: "cut", times: 1 } });
    },
    expire: async (id) => {
      await controlDemoApps(server.url, { expire: id });
    },
    close: async () => {
      await server.close();
      await closeServer(sidecar);
    },
  };
}

describe.each([
  ["the fake in memory", openFake],
  ["the port over the demo apps", () => openReal()],
] as const)("calls of actions: %s", (_name, open) => {
  let at: CallsUnderTest;
  beforeAll(async () => {
    at = await open();
    at.bind("con_1", await connect(at));
  });
  afterAll(() => at.close());

  it("are made through the account that the provider has for the connection", async () => {
    const body = crypto.randomUUID();
    unwrap(await at.calls.execute(toRequest("con_1", { arguments: { recipient_email: "t@b.example", body } })));
    const read = async (connection: string) =>
      JSON.stringify(
        unwrap(await at.calls.execute(toRequest(connection, { action: "GMAIL_FETCH_EMAILS", arguments: {} }))),
      );
    expect(await read("con_1")).toContain(body);
  });

  it("whose reply was lost are found by their request id, and others are not", async () => {
    const [request, since] = [toRequest("con_1"), Date.now()];
    await at.loseNextReply();
    expect(await at.calls.execute(request)).toMatchObject({ ok: false, error: { happened: "unknown" } });
    expect(unwrap(await at.calls.probe(toLookup(request, since))).kind).toBe("happened");
    const equal = { ...request, requestId: crypto.randomUUID() };
    expect(unwrap(await at.calls.probe(toLookup(equal, since))).kind).toBe("cannot_tell");
  });

  it("are not sent once the connection has ended here or at the provider", async () => {
    const ended = (connection: string) => ({
      ok: false,
      error: { happened: "no", cause: { kind: "connection_ended", connection } },
    });
    expect(await at.calls.execute(toRequest("con_none"))).toMatchObject(ended("con_none"));
    expect(await at.calls.probe(toLookup(toRequest("con_none"), 0))).toMatchObject(ended("con_none"));
    const id = await connect(at);
    at.bind("con_3", id);
    await at.expire(id);
    expect(await at.calls.execute(toRequest("con_3"))).toMatchObject(ended("con_3"));
  });
});

describe.each([
  ["the fake in memory", openFake],
  ["the port over the demo apps", () => openReal()],
] as const)("files of actions: %s", (_name, open) => {
  let at: CallsUnderTest;
  beforeAll(async () => {
    at = await open();
  });
  afterAll(() => at.close());

  const { signal } = new AbortController();
  const toFile = (content: string) => {
    const bytes = new TextEncoder().encode(content);
    const of = { app: "googledrive", action: "GOOGLEDRIVE_UPLOAD_FILE", name: "a.txt", contentType: "text/plain" };
    return { ...of, size: bytes.length, read: () => Promise.resolve(ok(bytes)), signal };
  };

  it("are uploaded, each under a key of its own", async () => {
    const keys = [unwrap(await at.calls.upload(toFile("one"))).key, unwrap(await at.calls.upload(toFile("one"))).key];
    expect(keys[0]).toContain("a.txt");
    expect(keys[0]).not.toBe(keys[1]);
  });

  it("are not uploaded if they cannot be read, or once the call was given up", async () => {
    const gone = { ...toFile("x"), read: () => Promise.resolve(failed("not_found", "It is gone.")) };
    expect(await at.calls.upload(gone)).toMatchObject({ ok: false, error: { code: "not_found", happened: "no" } });
    const ended = { ...toFile("x"), signal: AbortSignal.abort() };
    expect(await at.calls.upload(ended)).toMatchObject({ ok: false, error: { code: "timeout", happened: "no" } });
  });

  it("are fetched up to the limit", async () => {
    const url = await at.link("hello");
    const got = unwrap(await at.calls.download({ url, maxBytes: 5, timeoutMs: 5_000, signal }));
    expect(new TextDecoder().decode(got.bytes)).toBe("hello");
    got.release();
    expect(await at.calls.download({ url, maxBytes: 4, timeoutMs: 5_000, signal })).toMatchObject({
      ok: false,
      error: { code: "too_large" },
    });
  });

  it.each(["https://10.0.0.1/a", "http://storage.example/a", "http://169.254.169.254/latest"])(
    "are not fetched from %s",
    async (url) => {
      expect(await at.calls.download({ url, maxBytes: 9, timeoutMs: 5_000, signal })).toEqual(
        failed("blocked_by_policy", "Otto may not reach its address"),
      );
    },
  );

  it("whose link has ended say so without the link", async () => {
    const url = (await at.link("x")).replace(/\/[\w-]+\?/, "/other?");
    const ended = await at.calls.download({ url, maxBytes: 9, timeoutMs: 5_000, signal });
    expect(ended).toMatchObject({ ok: false, error: { message: expect.stringContaining("HTTP 403") } });
    expect(JSON.stringify(ended)).not.toContain("http");
  });
});

describe("the port over the demo apps", () => {
  const noted: Noted = { lines: [], refused: [] };
  let at: CallsUnderTest;
  beforeAll(async () => {
    at = await openReal(noted);
  });
  afterAll(() => at.close());

  it("writes one line for each request, without arguments and results", async () => {
    at.bind("con_1", await connect(at));
    const secret = crypto.randomUUID();
    const request = toRequest("con_1", { arguments: { recipient_email: "t@b.example", body: secret } });
    await at.loseNextReply();
    await at.calls.execute(request);
    unwrap(await at.calls.probe(toLookup(request, Date.now() - 60_000)));
    await at.calls.probe(toLookup({ ...request, requestId: crypto.randomUUID() }, Date.now()));
    unwrap(await at.calls.execute(request));
    await at.calls.execute(toRequest("con_1", { action: "GMAIL_NO_SUCH" }));
    const of = { app: "gmail", action: "GMAIL_SEND_EMAIL", account: "con_1", ms: expect.any(Number) };
    const id = expect.any(String);
    expect(noted.lines).toEqual([
      {
        ...of,
        did: "execute",
        request_id: request.requestId,
        log_id: null,
        outcome: "unknown",
        code: "upstream_failed",
      },
      { ...of, did: "look_up", request_id: request.requestId, log_id: id, outcome: "happened" },
      { ...of, did: "look_up", request_id: id, log_id: null, outcome: "unknown" },
      { ...of, did: "execute", request_id: request.requestId, log_id: id, outcome: "happened" },
      {
        ...of,
        action: "GMAIL_NO_SUCH",
        did: "execute",
        request_id: id,
        log_id: null,
        outcome: "not_happened",
        code: "not_found",
      },
    ]);
    expect(JSON.stringify(noted.lines)).not.toContain(secret);
  });

  it("expires the connection that the provider says has ended", async () => {
    const id = await connect(at);
    at.bind("con_9", id);
    await at.expire(id);
    await at.calls.execute(toRequest("con_9"));
    expect(noted.refused).toEqual([expect.stringMatching(/^con_9: .*connect it again/)]);
  });
});
