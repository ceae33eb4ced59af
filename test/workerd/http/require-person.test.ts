/** What a request knows of its person: `getPerson`, `getAuthor` and `requirePerson`. */
import { expect, it } from "vitest";
import { OttoError } from "../../../core/base/errors.ts";
import type { KeyPerson, KeyRecord } from "../../../core/tenant/rpc.ts";
import type { AppContext, Principal } from "../../../workers/http/context.ts";
import { getAuthor, getPerson } from "../../../workers/http/principal.ts";
import { requirePerson } from "../../../workers/http/require-person.ts";

const ANA: KeyPerson = { id: "per_1", name: "Ana", timeZone: "UTC" };
const KEY: KeyRecord = { id: "key_1", tenant: "ten_1", name: "reports", scopes: [], expiresAt: null };

/** The context of a request by this caller. */
function contextOf(principal: Principal): AppContext {
  return { get: () => principal } as unknown as AppContext;
}

const withPerson = (person: KeyPerson | null) =>
  contextOf({ kind: "tenant", tenant: "ten_1", key: { ...KEY, person } });

function failureOf(work: () => unknown) {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof OttoError) return thrown.failure;
  }
  return null;
}

it("gives the person of the key", () => {
  expect(getPerson(withPerson(ANA))).toEqual(ANA);
  expect(requirePerson(withPerson(ANA))).toEqual(ANA);
  expect(getAuthor(withPerson(ANA))).toEqual({ person: "per_1", name: "Ana" });
});

it("refuses a key without a person with what to do", () => {
  expect(getPerson(withPerson(null))).toBeNull();
  expect(getAuthor(withPerson(null))).toEqual({ person: null, name: "API key reports" });
  for (const context of [withPerson(null), contextOf({ kind: "operator" })])
    expect(failureOf(() => requirePerson(context))).toMatchObject({
      code: "invalid_input",
      message: "This key belongs to no person. Bind it under Settings, Keys.",
    });
});

it("does not say that a key has no person while nobody could read it", () => {
  const context = contextOf({ kind: "tenant", tenant: "ten_1", key: KEY });
  expect(failureOf(() => requirePerson(context))).toMatchObject({ code: "upstream_failed" });
  expect(getPerson(context)).toBeNull();
});
