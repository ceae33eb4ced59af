import { readFileSync } from "node:fs";
import { expect, expectTypeOf, test } from "vitest";
import {
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

test("a reply of a runner of an earlier release is read as such", async () => {
  const old = failed("internal", "Otto failed.", { details: { unanswered: true } }).error;
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

test("an error code with the details of another does not compile", () => {
  const approval = { approval_id: "apr_1", task_id: "task_1", expires_at: null };
  expect(failed("needs_approval", "Approve it first.", { details: approval }).error.details).toEqual(approval);
  // @ts-expect-error -- an approval has no HTTP status
  const mixed = failed("needs_approval", "Approve it first.", { details: { status: 503 } });
  // @ts-expect-error -- only a conflict names who decided first
  const foreign = failed("timeout", "Late.", { details: { by: "ana" } });
  // @ts-expect-error -- this code has no details
  const none = failed("gone", "It has expired.", { details: { thrown: "Error" } });
  // @ts-expect-error -- the details of an approval are complete
  const partial = failed("needs_approval", "Approve it first.", { details: { approval_id: "apr_1" } });
  // @ts-expect-error -- only the functions that check the code create details
  const literal: Failure = { code: "conflict", message: "Late.", details: { by: "ana" } };
  expect([mixed, foreign, none, partial, literal]).toHaveLength(5);
});

test("no code can decide on a detail", () => {
  const { error } = notSent("conflict", "Late.", { details: { by: "ana" } });
  // @ts-expect-error -- `details` has no field that could be read
  const by: unknown = error.details?.["by"];
  // @ts-expect-error -- nor by its name
  const same: unknown = error.details?.by;
  expect([by, same]).toEqual(["ana", "ana"]);
  expect(toPublicDetails(error)).toEqual({ by: "ana" });
});
