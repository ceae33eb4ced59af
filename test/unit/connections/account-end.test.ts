/** What the provider's answer about an account says of its connection. */
import { describe, expect, test } from "vitest";
import { failed, ok } from "../../../core/base/errors.ts";
import { findAccountEnd } from "../../../core/connections/account-end.ts";
import type { ProviderAccount } from "../../../core/ports/apps.ts";

const WANTED = { providerId: "ca_1", entity: "ten_a.per_a" };
const ACCOUNT: ProviderAccount = { ...WANTED, app: "gmail", status: "active", label: null };
const judge = (change: Partial<ProviderAccount>) => findAccountEnd(ok({ ...ACCOUNT, ...change }), WANTED, "Gmail");

describe("an account", () => {
  test.each([
    ["active", null],
    ["pending", null],
    ["failed", "expired"],
    ["expired", "expired"],
    ["revoked", "revoked"],
  ] as const)("that is %s ends its connection as %s", (status, to) => {
    expect(judge({ status })).toEqual(ok(to === null ? null : { to, why: expect.stringContaining("Gmail") }));
  });

  test("of another owner ends its connection, and one that is gone too", () => {
    expect(judge({ entity: "ten_b.per_a" })).toMatchObject({ value: { to: "expired" } });
    expect(findAccountEnd(failed("not_found", "Gone."), WANTED, "Gmail")).toMatchObject({ value: { to: "revoked" } });
  });

  test("that the provider does not speak of says nothing", () => {
    for (const code of ["rate_limited", "upstream_failed", "timeout"] as const)
      expect(findAccountEnd(failed(code, "Later."), WANTED, "Gmail")).toMatchObject({ ok: false, error: { code } });
  });
});
