import { readFileSync } from "node:fs";
import { expect, expectTypeOf, test } from "vitest";
import {
  asNotSent,
  type Failure,
  failed,
  type Happened,
  maybeSent,
  notSent,
  type Result,
  failTenantStopped,
} from "../../../core/base/errors.ts";
import { attempt, isUnanswered } from "../../../core/base/unanswered.ts";
import { toPublicDetails, readFailure, readResult } from "../../../core/base/read-failure.ts";

interface Stored {
  readonly failure: Failure;
  readonly says: Pick<Failure, "happened" | "cause">;
}

/** Failures as the release before `happened` and `cause` wrote them. */
const earlier = JSON.parse(
  readFileSync(new URL("../__fixtures__/failures-before-happened.json", import.meta.url), "utf8"),
) as Stored[];

test.each(earlier)("an earlier release's $failure.details says $says", ({ failure, says }) => {
  expect(readFailure(failure)).toEqual({ ...failure, ...says });
  const result: Result<never> = { ok: false, error: failure };
  expect(readResult(result)).toEqual({ ok: false, error: { ...failure, ...says } });
});

test("what a failure of this release says is not read from its details", () => {
  const { error } = maybeSent("conflict", "Not made.", { details: { stopped: true } });
  expect(readFailure(error)).toBe(error);
});

test("what an earlier release decides on is still in the details", async () => {
  expect(failTenantStopped("It is stopped.").error.details).toEqual({ stopped: true });
  const lost = await attempt(() => Promise.reject(new Error("reset")));
  expect(lost).toMatchObject({ ok: false, error: { happened: "unknown", details: { unanswered: true } } });
  expect(!lost.ok && isUnanswered(lost.error)).toBe(true);
});

test("what comes back from a runner of an earlier release is read as such", async () => {
  const old: Failure = { code: "internal", message: "Otto failed.", details: { unanswered: true } };
  const read = await attempt(() => Promise.resolve({ ok: false, error: old }));
  expect(!read.ok && isUnanswered(read.error)).toBe(true);
});

test("a misspelt outcome, cause or detail does not compile", () => {
  expectTypeOf<Failure["happened"]>().toEqualTypeOf<Happened | undefined>();
  const failure: Failure = { code: "timeout", message: "Late." };
  // @ts-expect-error -- "snet" is no outcome
  const misspelt: Failure = { ...failure, happened: "snet" };
  // @ts-expect-error -- "lsot" is no cause
  const uncaused: Failure = { ...failure, cause: { kind: "lsot" } };
  // @ts-expect-error -- there is no such detail
  const unknown = notSent("timeout", "Late.", { details: { snet: false } });
  // @ts-expect-error -- only the name of the function says what happened
  const unnamed = failed("timeout", "Late.", { happened: "no" });
  expect([misspelt, uncaused, unknown, unnamed]).toHaveLength(4);
});

test("no code can decide on a detail", () => {
  const { error } = asNotSent({ code: "conflict", message: "Late.", details: { by: "ana" } });
  // @ts-expect-error -- `details` has no field that could be read
  const by: unknown = error.details?.["by"];
  // @ts-expect-error -- nor by its name
  const same: unknown = error.details?.by;
  expect([by, same]).toEqual(["ana", "ana"]);
  expect(toPublicDetails(error)).toEqual({ by: "ana" });
});
