import { describe, expect, test } from "vitest";
import { toCanonicalJson } from "../../../core/base/canonical-json.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { type AppSettings, hashAppSettings } from "../../../core/connections/app-settings.ts";
import type { StoredStatus } from "../../../core/connections/states.ts";
import { decideGrant, type GrantFacts } from "../../../core/mcp/grant.ts";

const HASH = "h1";
const facts = (change: Partial<GrantFacts> = {}): GrantFacts => ({
  hasTokens: true,
  isNew: false,
  settingsHash: HASH,
  ...change,
});
const account = (status: StoredStatus, settingsHash = HASH) => ({ status, settingsHash });

describe("after a server accepted Otto, its account", () => {
  test("is made with the first tokens, and not for a server that asked for none", () => {
    expect(decideGrant(null, facts())).toBe("consent");
    expect(decideGrant(null, facts({ hasTokens: false }))).toBe("keep");
  });

  test("counts a consent once: a reload counts none", () => {
    expect(decideGrant(account("active"), facts({ isNew: true }))).toBe("consent");
    expect(decideGrant(account("expired"), facts({ isNew: true }))).toBe("consent");
    expect(decideGrant(account("active"), facts())).toBe("keep");
  });

  test("that stopped working is restored under the same consent", () => {
    expect(decideGrant(account("expired"), facts())).toBe("restore");
    expect(decideGrant(account("failed"), facts({ hasTokens: false }))).toBe("restore");
  });

  test("that was disconnected, or is of other settings, needs another consent", () => {
    expect(decideGrant(account("revoked"), facts())).toBe("consent");
    expect(decideGrant(account("active", "h0"), facts())).toBe("consent");
    expect(decideGrant(account("revoked"), facts({ hasTokens: false }))).toBe("keep");
    expect(decideGrant(account("active", "h0"), facts({ hasTokens: false }))).toBe("keep");
  });
});

test("the grant and its scope belong to the settings that a consent covers, and apps without them hash as before", async () => {
  const settings: AppSettings = {
    title: "notes",
    per: "shared",
    kind: "mcp",
    scopes: [],
    fields: [],
    params: {},
    hosts: ["notes.example"],
    header: "authorization",
    at: null,
    clientId: null,
  };
  const grants = [
    { kind: "authorization_code", scope: null },
    { kind: "authorization_code", scope: "read" },
    { kind: "client_credentials", scope: "read" },
  ];
  const hashes = await Promise.all([settings, ...grants.map((grant) => ({ ...settings, grant }))].map(hashAppSettings));
  expect(new Set(hashes).size).toBe(4);
  const covered = ["mcp", null, null, ["notes.example"], "authorization", null];
  expect(hashes[0]).toBe(await sha256Hex(toCanonicalJson(covered)));
});
