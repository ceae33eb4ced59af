import { describe, expect, test } from "vitest";
import { toCanonicalJson } from "../../../core/base/canonical-json.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";

const GIVEN = { to: "bo@example.com", count: 2 };

describe("the hash of a call", () => {
  test("covers the tool and the arguments alone without an account, in the same bytes as ever", async () => {
    expect(await hashArguments("send", GIVEN)).toBe(await sha256Hex(toCanonicalJson(["send", GIVEN])));
    expect(await hashArguments("send", GIVEN)).toBe("10e5df8fd82c18174d85555f1c07299210a6d708cba9e8b1f68c68879cee3d24");
  });

  test("covers the connection and its consent with an account", async () => {
    const account = { connection: "con_1", consent: 1 };
    const hashes = await Promise.all(
      [undefined, account, { ...account, consent: 2 }, { ...account, connection: "con_2" }].map(
        async (one) => await hashArguments("send", GIVEN, one),
      ),
    );
    expect(new Set(hashes).size).toBe(4);
    expect(hashes[1]).toBe(await sha256Hex(toCanonicalJson(["send", GIVEN, "con_1", 1])));
  });
});
