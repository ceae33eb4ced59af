/** The key ring: one key seals, all open, and a start without a needed key fails. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openReseal, ResealedValues } from "../../../adapters/secrets/resealing.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import { fromBase64, toBase64 } from "../../../core/base/base64.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import { findMissingKeys, parseKeyRing, getHeaderText, describeMissingKeys } from "../../../core/secrets/key-ring.ts";
import type { RecordedKey, SealedColumn } from "../../../core/ports/sealed-values.ts";

const [A, B, C] = [newKey(), newKey(), newKey()] as const;
const SECRET = new TextEncoder().encode("a secret");
const HEADER = 12;

function newKey(): string {
  return randomBytes(32).toString("base64");
}

function headerOf(key: string): string {
  return getHeaderText(parseKeyRing(key, null)[0]);
}

/** Bytes as a release without headers sealed them. */
async function sealedBefore(key: string): Promise<Uint8Array> {
  return (await openSealing(key).seal(SECRET, "here")).subarray(HEADER);
}

describe("a key ring", () => {
  it("seals with its first member and opens with every member, in any order of the earlier ones", async () => {
    const [byA, byB] = [await openSealing(A).seal(SECRET, "here"), await openSealing(B).seal(SECRET, "here")];
    for (const old of [`${A},${B}`, ` ${B} , ${A},`]) {
      const ring = openSealing(C, old);
      expect(await ring.open(byA, "here")).toEqual(SECRET);
      expect(await ring.open(byB, "here")).toEqual(SECRET);
      const byC = await ring.seal(SECRET, "here");
      expect(await openSealing(C).open(byC, "here")).toEqual(SECRET);
      await expect(openSealing(A, B).open(byC, "here")).rejects.toThrow(/does not open/);
    }
  });

  it("opens a value without a header with the member that sealed it, and with no other key", async () => {
    const sealed = await sealedBefore(A);
    expect(await openSealing(A).open(sealed, "here")).toEqual(SECRET);
    expect(await openSealing(C, `${B},${A}`).open(sealed, "here")).toEqual(SECRET);
    await expect(openSealing(C, B).open(sealed, "here")).rejects.toThrow(/OTTO_SECRET_KEYS_OLD/);
    await expect(openSealing(A).open(sealed, "elsewhere")).rejects.toThrow(/does not open/);
  });

  it("writes the key's header into the first sixteen characters of the base64", async () => {
    const text = toBase64(await openSealing(A).seal(SECRET, "here"));
    expect(text.slice(0, 16)).toBe(headerOf(A));
    expect(text.slice(0, 4)).toBe("b3Rr");
    expect(headerOf(A)).not.toBe(headerOf(B));
  });

  it("recognises what another key sealed, if there is another key", async () => {
    const [byA, byB, before] = [
      await openSealing(A).seal(SECRET, "here"),
      await openSealing(B).seal(SECRET, "here"),
      await sealedBefore(B),
    ];
    const ring = openSealing(B, A);
    expect([byA, byB, before].map((sealed) => ring.isStale(sealed))).toEqual([true, false, true]);
    // A single key re-seals nothing, so the release before this one can read it after a rollback.
    expect(openSealing(B).isStale(before)).toBe(false);
  });

  it("derives with its first member, and with each for values that were issued before", async () => {
    const seed = new Uint8Array(32).fill(7);
    const ring = openSealing(B, A);
    const [byB, byA] = await ring.deriveEach(seed, "p", 32);
    expect(byB).toEqual(await openSealing(B).derive(seed, "p", 32));
    expect(byB).toEqual(await ring.derive(seed, "p", 32));
    expect(byA).toEqual(await openSealing(A).derive(seed, "p", 32));
  });

  it("has each key once", () => {
    expect(parseKeyRing(A, `${B},${A},${B}`).map(getHeaderText)).toEqual([headerOf(A), headerOf(B)]);
  });

  it.each([
    ["OTTO_SECRET_KEY", "canary", null],
    ["OTTO_SECRET_KEY", "Y2FuYXJ5", null],
    ["OTTO_SECRET_KEYS_OLD", A, "canary!"],
    ["OTTO_SECRET_KEYS_OLD", A, `${B},Y2FuYXJ5`],
    ["OTTO_SECRET_KEYS_OLD", A, Array.from({ length: 16 }, newKey).join(",")],
  ])("is rejected by the variable's name, never quoted: %s", (name, present, old) => {
    expect(() => parseKeyRing(present, old)).toThrow(new RegExp(`^${name}\\b(?!.*canary)`));
  });
});

/** The record of keys in the database. `used`: headers that rows still have. */
function recordOf(rows: readonly RecordedKey[], used: readonly string[]) {
  let stored = [...rows];
  return {
    rows: () => stored,
    listRecorded: async () => ok(stored),
    async setFirst(header: string) {
      stored = stored.map((row) => (row.header === "" && row.member === null ? { header: "", member: header } : row));
      return ok(undefined);
    },
    async forget(header: string) {
      if (used.includes(header)) return ok(false);
      stored = stored.filter((row) => row.header !== header);
      return ok(true);
    },
  };
}

describe("the check at a start", () => {
  const named = (key: string): RecordedKey => ({ header: headerOf(key), member: null });

  it("passes when every key that sealed a row is in the ring, and when nothing was sealed", async () => {
    expect(await findMissingKeys(recordOf([], []), parseKeyRing(A, null))).toEqual(ok([]));
    const record = recordOf([named(A), named(B)], [headerOf(A), headerOf(B)]);
    expect(await findMissingKeys(record, parseKeyRing(B, A))).toEqual(ok([]));
    expect(await findMissingKeys(record, parseKeyRing(C, `${A},${B}`))).toEqual(ok([]));
  });

  it("names a missing key by its fingerprint, in one sentence", async () => {
    const record = recordOf([named(A), named(B)], [headerOf(A), headerOf(B)]);
    const missing = await findMissingKeys(record, parseKeyRing(B, null));
    expect(missing).toEqual(ok([headerOf(A)]));
    const problem = describeMissingKeys([headerOf(A)], " (or here)");
    expect(problem).toContain("as OTTO_SECRET_KEY (or here), or list");
    expect(problem).toMatch(
      /^The key with the fingerprint [0-9a-f]{18} .*OTTO_SECRET_KEY \(or here\), or list it in OTTO_SECRET_KEYS_OLD\.$/,
    );
    expect(problem).not.toContain(A);
    expect(problem.match(/[.!?](?=\s|$)/g)).toHaveLength(1);
  });

  it("deletes the record of a missing key that no row uses", async () => {
    const record = recordOf([named(A), named(B)], [headerOf(B)]);
    expect(await findMissingKeys(record, parseKeyRing(B, null))).toEqual(ok([]));
    expect(record.rows()).toEqual([named(B)]);
  });

  it("records the oldest member as the key of values without a header, once", async () => {
    const record = recordOf([{ header: "", member: null }], [""]);
    expect(await findMissingKeys(record, parseKeyRing(B, A))).toEqual(ok([]));
    expect(record.rows()).toEqual([{ header: "", member: headerOf(A) }]);
    expect(await findMissingKeys(record, parseKeyRing(B, null))).toEqual(ok([headerOf(A)]));
    expect(await findMissingKeys(record, parseKeyRing(C, A))).toEqual(ok([]));
  });

  it("reports no missing key while the database is away", async () => {
    const record = { ...recordOf([], []), listRecorded: async () => failed("upstream_failed", "away") };
    expect(await findMissingKeys(record, parseKeyRing(A, null))).toMatchObject({ ok: false });
  });
});

describe("re-sealing", () => {
  function play(old: string | null) {
    const written: { column: SealedColumn; sealed: string; by: string }[] = [];
    const world = { now: 1_000, isAway: false };
    const reseal = openReseal({
      sealing: openSealing(B, old),
      values: {
        async replace(_tenant, column, { sealed, by }) {
          if (world.isAway) return failed("upstream_failed", "away");
          written.push({ column, sealed, by });
          return ok(undefined);
        },
      },
      resealed: new ResealedValues(),
      clock: { now: () => world.now },
    });
    const value = (sealed: Uint8Array) =>
      ({ tenant: "t", column: "secrets.sealed", sealed: toBase64(sealed), context: "here" }) as const;
    return { reseal, written, world, value };
  }

  it("replaces a value of an earlier key by one of the present key, once", async () => {
    const { reseal, written, value } = play(A);
    const before = value(await openSealing(A).seal(SECRET, "here"));
    await reseal(before);
    await reseal(before);
    expect(written).toHaveLength(1);
    const [{ by, ...rest } = { by: "" }] = written;
    expect(rest).toEqual({ column: "secrets.sealed", sealed: before.sealed });
    expect(await openSealing(B).open(fromBase64(by), "here")).toEqual(SECRET);
  });

  it("leaves values of the present key, values that do not open, and everything with a single key", async () => {
    const { reseal, written, value } = play(A);
    await reseal(value(await openSealing(B).seal(SECRET, "here")));
    await reseal(value(await openSealing(C).seal(SECRET, "here")));
    const alone = play(null);
    await alone.reseal(alone.value(await sealedBefore(B)));
    expect([...written, ...alone.written]).toEqual([]);
  });

  it("retries a minute after a failure", async () => {
    const { reseal, written, world, value } = play(A);
    const before = value(await openSealing(A).seal(SECRET, "here"));
    world.isAway = true;
    await reseal(before);
    world.isAway = false;
    await reseal(before);
    expect(written).toEqual([]);
    world.now += 60_000;
    await reseal(before);
    expect(written).toHaveLength(1);
  });
});
