import { expect, it } from "vitest";
import { openRegistry } from "../../../adapters/mcp/registry.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import { ok } from "../../../core/base/errors.ts";
import type { McpServerAccess } from "../../../core/ports/mcp-server-table.ts";

const keyOf = (byte: number) => btoa(String.fromCharCode(...Array.from({ length: 32 }, () => byte)));

/** The registry over a table with one row. */
function registryOver(row: McpServerAccess, key: string) {
  const stored = { ...row };
  const table = {
    access: () => Promise.resolve(ok(stored)),
    saveAuth: (_tenant: string, _name: string, auth: string, before?: string | null) => {
      const isStored = before === undefined || before === stored.auth;
      if (isStored) stored.auth = auth;
      return Promise.resolve(ok(isStored));
    },
    leaseAuth: (_tenant: string, _name: string, auth: string) => Promise.resolve(ok(auth === stored.auth)),
    endLease: () => Promise.resolve(ok(undefined)),
  };
  return {
    kept: stored,
    registry: openRegistry(table, { sealing: openSealing(key), reseal: () => Promise.resolve() }, "t1"),
  };
}

it("a server whose secrets were sealed with another key fails with a message, and its OAuth tokens count as lost", async () => {
  const settings = {
    url: "https://mcp.example.com/",
    headerNames: ["x"],
    oauth: null,
    trusted: false,
    timeoutMs: 1_000,
  };
  const row = { name: "notes", version: 1, settings, sealed: "", auth: null, prior: null };
  const before = registryOver(row, keyOf(1));
  const secrets = { headers: [["x", "value"]], clientSecret: null } as const;
  const sealed = await before.registry.sealSecrets("notes", secrets);
  await before.registry.authOf("notes").save({ verifier: "v" });
  const { auth } = before.kept;

  const same = registryOver({ ...row, sealed, auth }, keyOf(1)).registry;
  expect(await same.find("notes")).toMatchObject({ ok: true, value: { headers: [["x", "value"]] } });
  expect(await same.authOf("notes").load()).toEqual(ok({ verifier: "v" }));

  const other = registryOver({ ...row, sealed, auth }, keyOf(2)).registry;
  expect(await other.find("notes")).toMatchObject({
    ok: false,
    error: { code: "not_available", message: expect.stringMatching(/Set it again/), happened: "no" },
  });
  expect(await other.authOf("notes").load()).toEqual(ok({}));
});

it("leases what it loaded or saved last, so that no caller renews tokens that another one replaced", async () => {
  const settings = { url: "https://mcp.example.com/", headerNames: [], oauth: null, trusted: false, timeoutMs: 1_000 };
  const row = { name: "notes", version: 1, settings, sealed: "", auth: null, prior: null };
  const { registry } = registryOver(row, keyOf(1));
  const [one, other] = [registry.authOf("notes"), registry.authOf("notes")];
  expect(await one.lease(1_000)).toEqual(ok(false));
  await one.save({ tokens: 1 });
  await other.load();
  expect(await other.lease(1_000)).toEqual(ok(true));
  await one.save({ tokens: 2 });
  expect(await other.lease(1_000)).toEqual(ok(false));
  await other.load();
  expect(await other.lease(1_000)).toEqual(ok(true));
});

it("replaces what it loaded or saved last, so that a late renewal leaves a consent of meanwhile", async () => {
  const settings = { url: "https://mcp.example.com/", headerNames: [], oauth: null, trusted: false, timeoutMs: 1_000 };
  const row = { name: "notes", version: 1, settings, sealed: "", auth: null, prior: null };
  const { registry } = registryOver(row, keyOf(1));
  const [renewal, consent] = [registry.authOf("notes"), registry.authOf("notes")];
  await renewal.save({ tokens: "old" });
  await renewal.load();
  await consent.save({ tokens: "of the consent" });
  expect(await renewal.replace({ tokens: "renewed" })).toEqual(ok(false));
  expect(await renewal.load()).toEqual(ok({ tokens: "of the consent" }));
  expect(await renewal.replace({ tokens: "renewed" })).toEqual(ok(true));
});
