import { describe, expect, test } from "vitest";
import { toSessionKey } from "../../../adapters/mcp/sessions.ts";
import type { Account } from "../../../core/connections/account.ts";
import { isPerPerson, isSameAccess, type McpSettings, readServer, serverSchema } from "../../../core/mcp/config.ts";
import { getServerApp, toOutsideTools } from "../../../core/mcp/outside-tools.ts";

const URL_OF = "https://notes.example/mcp";
const settingsOf = (oauth: unknown): McpSettings => {
  const read = readServer(serverSchema.parse({ url: URL_OF, oauth }), "");
  if (!read.ok) throw new Error(read.error.message);
  return read.value.settings;
};
/** As a release before accounts of people stored it. */
const STORED: McpSettings = {
  url: URL_OF,
  headerNames: [],
  oauth: { grant: "authorization_code", clientId: null, scope: null },
  process: null,
  trusted: false,
  timeoutMs: 60_000,
};

describe("a server's setting", () => {
  test("`shared` is stored as before there were accounts of people, so that a stored server is the same one", () => {
    for (const oauth of [{}, { per: "shared" }]) {
      expect(JSON.stringify(settingsOf(oauth))).toBe(JSON.stringify(STORED));
      expect(isSameAccess(STORED, settingsOf(oauth))).toBe(true);
    }
    expect(isPerPerson(STORED)).toBe(false);
  });

  test("`person` makes it another server", () => {
    const settings = settingsOf({ per: "person" });
    expect(settings.oauth).toEqual({ grant: "authorization_code", clientId: null, scope: null, per: "person" });
    expect([isPerPerson(settings), isSameAccess(STORED, settings)]).toEqual([true, false]);
  });

  test("`person` is refused with client_credentials, because no person consents", () => {
    const oauth = { grant: "client_credentials", client_id: "otto", client_secret: "s", per: "person" };
    const parsed = serverSchema.safeParse({ url: URL_OF, oauth });
    expect(parsed.error?.issues).toMatchObject([{ path: ["oauth", "per"] }]);
  });
});

test("tools of a server with OAuth act through a person's account or the one grant, and those of another one through none", async () => {
  const app = { app: "notes", provider: "mcp", scopes: [] };
  expect(getServerApp("notes", settingsOf({ per: "person" }))).toEqual({ ...app, owner: "person" });
  expect(getServerApp("notes", STORED)).toEqual({ ...app, owner: "shared" });
  expect(getServerApp("notes", settingsOf(undefined))).toBeNull();
  const tool = { name: "read", description: "", input: {}, output: null, readOnly: true, idempotent: true };
  const trust = { trusted: false, timeoutMs: 60_000, app: getServerApp("notes", STORED) };
  expect((await toOutsideTools("notes", [tool], trust, () => false))[0]?.app).toEqual({ ...app, owner: "shared" });
  const [none] = await toOutsideTools("notes", [tool], { ...trust, app: null }, () => false);
  expect(none).not.toHaveProperty("app");
});

test("no session is shared between accounts, or consents of one account", () => {
  const server = { name: "notes", version: 1 };
  const account = (connection: string, consent: number): Account => ({
    connection,
    app: "notes",
    provider: "mcp",
    owner: { kind: "person", id: "per_ana", name: "Ana" },
    label: null,
    consent,
    delegates: false,
  });
  const accounts = [null, account("con_1", 1), account("con_1", 2), account("con_2", 1)];
  const keys = accounts.map((one) => toSessionKey("t1", server, { task: "task_1", account: one }));
  expect(new Set(keys).size).toBe(accounts.length);
  expect(keys[1]).toBe(toSessionKey("t1", server, { task: "task_1", account: account("con_1", 1) }));
});
