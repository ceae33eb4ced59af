import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toConnectionStatus } from "../../../core/connections/connection.ts";
import {
  cleanLabel,
  cleanReason,
  findAliasProblem,
  findScopesProblem,
  findTokensProblem,
  getRevocationDelay,
  GIVEN_UP_TRIES,
  isRevocationOpen,
  MAX_ALIAS,
  MAX_LABEL,
  MAX_REVOCATION_TRIES,
  MAX_SCOPES,
  MAX_TOKEN_BYTES,
} from "../../../core/connections/rules.ts";
import { changeStatus, type ConnectionEvent, getChange, type StoredStatus } from "../../../core/connections/states.ts";

const HOUR_MS = 3_600_000;
const STATUSES: readonly StoredStatus[] = ["new", "active", "expired", "revoked", "failed"];

describe("a state", () => {
  test.each<[ConnectionEvent, readonly StoredStatus[]]>([
    ["consent", ["active", "active", "active", "active", "active"]],
    ["fail", ["failed", "active", "failed", "revoked", "failed"]],
    ["expire", ["new", "expired", "expired", "revoked", "failed"]],
    ["revoke", ["revoked", "revoked", "revoked", "revoked", "revoked"]],
    ["renew", ["new", "active", "active", "revoked", "active"]],
  ])("after %s, from new, active, expired, revoked and failed, is %j", (event, expected) => {
    expect(STATUSES.map((status) => changeStatus(status, event))).toEqual(expected);
  });

  test("leaves revoked by a consent alone, after any events", () => {
    const events = fc.array(fc.constantFrom<ConnectionEvent>("fail", "expire", "renew", "revoke"));
    fc.assert(
      fc.property(events, (happened) => {
        expect(happened.reduce<StoredStatus>(changeStatus, "revoked")).toBe("revoked");
      }),
    );
    expect(getChange("consent").from).toContain("revoked");
  });

  test("is shown as pending until its link expires, and new ones are not shown", () => {
    for (const status of STATUSES) {
      expect(toConnectionStatus({ status, pendingUntil: 10 }, 9)).toBe("pending");
      for (const pendingUntil of [null, 10])
        expect(toConnectionStatus({ status, pendingUntil }, 10)).toBe(status === "new" ? null : status);
    }
  });
});

describe("a revocation", () => {
  test("is tried at 0 s, 1, 5 and 30 minutes, 2 hours, then every 12 hours for a week", () => {
    const times = [0];
    for (let attempt = 1; attempt < MAX_REVOCATION_TRIES; attempt += 1)
      times.push((times.at(-1) ?? 0) + getRevocationDelay(attempt));
    const minutes = times.map((ms) => ms / 60_000);
    expect(minutes.slice(0, 7)).toEqual([0, 1, 5, 30, 120, 840, 1_560]);
    expect(times.at(-1)).toBeLessThanOrEqual(7 * 24 * HOUR_MS);
    expect((times.at(-1) ?? 0) + getRevocationDelay(MAX_REVOCATION_TRIES)).toBeGreaterThan(7 * 24 * HOUR_MS);
  });

  test("is open until it is given up", () => {
    expect(isRevocationOpen({ nextAt: 0, tries: MAX_REVOCATION_TRIES })).toBe(true);
    expect(isRevocationOpen({ nextAt: 0, tries: GIVEN_UP_TRIES })).toBe(false);
  });
});

describe("a bound", () => {
  test.each(["", "  ", "x".repeat(MAX_ALIAS + 1), "\0", "\uD800"])(
    "refuses the alias %j, and names the field",
    (alias) => {
      expect(findAliasProblem(alias)).toMatchObject({ error: { code: "invalid_input", field: "alias" } });
    },
  );

  test("holds an alias, scopes and tokens that fit", () => {
    expect(findAliasProblem("x".repeat(MAX_ALIAS))).toBeNull();
    expect(findScopesProblem(null)).toBeNull();
    expect(findScopesProblem(Array.from({ length: MAX_SCOPES }, () => "s"))).toBeNull();
    expect(findScopesProblem(Array.from({ length: MAX_SCOPES + 1 }, () => "s"))).toMatchObject({
      error: { code: "too_large", field: "scopes" },
    });
    expect(findScopesProblem(["s".repeat(501)])).toMatchObject({ error: { code: "too_large", field: "scopes" } });
    expect(findTokensProblem("x".repeat(MAX_TOKEN_BYTES))).toBeNull();
    expect(findTokensProblem("é".repeat(MAX_TOKEN_BYTES / 2 + 1))).toMatchObject({ error: { code: "too_large" } });
  });

  test("cuts a label and takes line breaks, control and direction characters out of it", () => {
    expect(cleanLabel(" Ana \r\n\u202e<a@b.example>\0 ")).toBe("Ana <a@b.example>");
    expect(cleanLabel(" \n ")).toBeNull();
    expect(cleanLabel(null)).toBeNull();
    expect(cleanReason("x".repeat(600))).toHaveLength(500);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (label) => {
        const cleaned = cleanLabel(label) ?? "";
        expect(cleaned.length).toBeLessThanOrEqual(MAX_LABEL);
        expect(cleaned.isWellFormed()).toBe(true);
        expect(cleaned).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      }),
    );
  });
});
