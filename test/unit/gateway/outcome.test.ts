import { describe, expect, test } from "vitest";
import { type ErrorCode, ERRORS, type Failure, type FailureCause } from "../../../core/base/errors.ts";
import {
  canRetry,
  chooseAfterFailure,
  decideAfterFailure,
  type FailedAttempt,
  chooseRecovery,
  isAnswerLost,
  type Recovery,
} from "../../../core/gateway/outcome.ts";
import { DEFAULT_KEYED_FOR_MS, type IdempotentHost, getKeyLifetime } from "../../../core/web/idempotent-hosts.ts";
import type { EffectTerms } from "../../../core/tool/tool.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const DAY = 24 * HOUR;
const START = 1_800_000_000_000;

describe("an effect that was cut off", () => {
  test.each<[string, EffectTerms, number | null, Recovery]>([
    ["that changes nothing", { effect: "none" }, null, "run"],
    ["that can be looked up", { effect: "probe" }, 0, "probe"],
    ["that is neither keyed nor looked up", { effect: "once" }, 0, "unknown"],
    ["under a key of a day, at once", { effect: "keyed", keyedForMs: DAY }, 0, "run"],
    ["under a key of a day, hours later", { effect: "keyed", keyedForMs: DAY }, 23 * HOUR, "run"],
    ["under a key of a day, 25 hours later", { effect: "keyed", keyedForMs: DAY }, 25 * HOUR, "unknown"],
    ["just before its key expires", { effect: "keyed", keyedForMs: DAY }, DAY - 4 * MINUTE, "unknown"],
    ["under a key of an hour, within its last tenth", { effect: "keyed", keyedForMs: HOUR }, 56 * MINUTE, "unknown"],
    ["under a key of no stated lifetime, soon", { effect: "keyed" }, 26 * MINUTE, "run"],
    ["under a key of no stated lifetime, later", { effect: "keyed" }, DEFAULT_KEYED_FOR_MS, "unknown"],
    ["under a key of unknown age", { effect: "keyed", keyedForMs: DAY }, null, "unknown"],
    ["after its key, by a tool that looks up", { effect: "keyed", keyedForMs: DAY, canProbe: true }, DAY, "probe"],
  ])("%s", (_, terms, age, recovery) => {
    const sent = age === null ? {} : { sentAt: START - age };
    expect(chooseRecovery({ ...terms, ...sent }, START)).toBe(recovery);
  });
});

test.each([
  ["never left, and can go again", { mayHaveHappened: false, isTransient: true }, "retry"],
  ["never left, and cannot", { mayHaveHappened: false, isTransient: false }, "dead"],
  ["may have left, and its key is remembered", { mayHaveHappened: true, isTransient: true }, "retry"],
  ["may have left, and cannot go again", { mayHaveHappened: true, isTransient: false }, "unknown"],
] as const)("an attempt under a key that %s", (_, how, after) => {
  expect(chooseAfterFailure({ effect: "keyed", keyedForMs: HOUR, sentAt: START, ...how }, START + MINUTE)).toBe(after);
});

test("an attempt that may have left is unknown when its key expires before the next one", () => {
  const how = { effect: "keyed", keyedForMs: HOUR, sentAt: START, mayHaveHappened: true, isTransient: true } as const;
  expect(chooseAfterFailure(how, START + 53 * MINUTE)).toBe("retry");
  expect(chooseAfterFailure(how, START + HOUR)).toBe("unknown");
  expect(chooseAfterFailure({ ...how, mayHaveHappened: false }, START + HOUR)).toBe("retry");
});

test("an answer is lost unless the request was not sent or was answered", () => {
  const lost = { code: "upstream_failed", message: "" } as const;
  expect(isAnswerLost(lost)).toBe(true);
  expect(isAnswerLost({ ...lost, happened: "no" })).toBe(false);
  expect(isAnswerLost({ ...lost, cause: { kind: "answered" } })).toBe(false);
  expect(isAnswerLost({ code: "invalid_input", message: "" })).toBe(false);
});

describe("the key lifetime of a host", () => {
  test.each([
    ["that is not listed", "https://a.example/x", ["b.example"], null],
    ["of no URL", "no url", ["*"], null],
    ["that is listed by name alone", "https://a.example/x", ["a.example"], DEFAULT_KEYED_FOR_MS],
    ["with a lifetime", "https://a.example/x", [{ host: "a.example", keyed_for_s: 7200 }], 2 * HOUR],
    [
      "that several entries name",
      "https://a.example/x",
      ["a.example", { host: "*.example", keyed_for_s: 900 }, { host: "a.example", keyed_for_s: 7200 }],
      15 * MINUTE,
    ],
    ["that documents one", "https://api.stripe.com/v1/charges", ["api.stripe.com"], DAY],
    ["that documents one, under *", "https://API.Stripe.com/v1/charges", ["*"], DAY],
    ["that documents another than is stated", "https://api.stripe.com/", [{ host: "*", keyed_for_s: 60 }], MINUTE],
  ])("%s", (_, url, hosts, keyedForMs) => {
    expect(getKeyLifetime(url, { idempotentHosts: hosts })).toBe(keyedForMs);
  });

  test("that is Otto's own is that of its API, unless the agent states another", () => {
    const ownApi = { host: "otto.example:8443", keyedForMs: DAY };
    const url = "https://otto.example:8443/v1/tasks";
    const keyedFor = (at: string, entry: IdempotentHost) => getKeyLifetime(at, { idempotentHosts: [entry], ownApi });
    expect(keyedFor(url, "otto.example:8443")).toBe(DAY);
    expect(keyedFor(url, { host: "otto.example:8443", keyed_for_s: 900 })).toBe(15 * MINUTE);
    expect(keyedFor("https://otto.example/v1/tasks", "*")).toBe(DEFAULT_KEYED_FOR_MS);
    expect(getKeyLifetime(url, { idempotentHosts: [], ownApi })).toBeNull();
  });
});

const CODES = Object.keys(ERRORS) as ErrorCode[];
const CAUSES: readonly (FailureCause | undefined)[] = [
  undefined,
  { kind: "answered" },
  { kind: "sidecar_lost" },
  { kind: "tenant_stopped" },
  { kind: "lookup_failed" },
  { kind: "constraint", constraint: null },
];
const failures: readonly Failure[] = CODES.flatMap((code) =>
  CAUSES.flatMap((cause) =>
    (["no", "yes", "unknown", undefined] as const).flatMap((happened) =>
      [undefined, 1_000].map((retryAfterMs) => ({
        code,
        message: "",
        ...(cause && { cause }),
        ...(happened && { happened }),
        ...(retryAfterMs && { retryAfterMs }),
      })),
    ),
  ),
);
const attempts: readonly FailedAttempt[] = (["none", "keyed", "probe", "once"] as const).flatMap((effect) =>
  [true, false].map((mayHaveHappened) => ({ effect, mayHaveHappened, sentAt: START, retryAt: START + HOUR })),
);

test.each(["tool_call", "mail"] as const)(
  "for any failure, a %s is never sent twice and never wrongly given up",
  (place) => {
    for (const failure of failures)
      for (const attempt of attempts) {
        const { next, mayHaveHappened, isLost } = decideAfterFailure(place, failure, attempt);
        expect(mayHaveHappened).toBe(attempt.mayHaveHappened || isLost);
        if (failure.happened === "no") expect(isLost).toBe(false);
        if (next === "retry") expect(!mayHaveHappened || attempt.effect === "none").toBe(true);
        else expect(next).toBe(mayHaveHappened ? "unknown" : "dead");
      }
  },
);

test.each([
  ["slack_item", "needs_approval", false],
  ["mail_item", "needs_approval", true],
  ["mail_item", "invalid_input", false],
  ["webhook_item", "invalid_input", true],
  ["webhook_delivery", "not_found", true],
  ["slack_delivery", "not_found", false],
  ["schedule_message", "conflict", false],
  ["index_row", "internal", true],
] as const)("a %s that fails with %s is tried again: %s", (place, code, isRetried) => {
  expect(canRetry(place, { code, message: "" })).toBe(isRetried);
});

test("a cause decides where the code alone would decide otherwise", () => {
  const conflict = { code: "conflict", message: "" } as const;
  expect(canRetry("schedule_run", conflict)).toBe(false);
  expect(canRetry("schedule_run", { ...conflict, cause: { kind: "tenant_stopped" } })).toBe(true);
  const refused = { code: "upstream_failed", message: "" } as const;
  expect(canRetry("index_row", refused)).toBe(true);
  expect(canRetry("index_row", { ...refused, cause: { kind: "constraint", constraint: null } })).toBe(false);
  const gone = { code: "not_found", message: "", cause: { kind: "lookup_failed" } } as const;
  expect(decideAfterFailure("slack_delivery", gone).next).toBe("unknown");
});
