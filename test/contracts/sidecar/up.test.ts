/** How long a sidecar is waited for that does not answer. */
import { expect, it } from "vitest";
import { isUp, type Sidecar } from "../../../adapters/sidecar/sidecar.ts";

const CALLER = new AbortController().signal;

/** A sidecar that gives these answers, one a request; null: nobody is there. */
function giving(statuses: readonly (number | null)[], patienceMs = 30_000) {
  let requests = 0;
  const sidecar: Sidecar = {
    secret: "",
    patienceMs,
    isAsleep: async () => false,
    async fetch() {
      const status = statuses[requests] ?? null;
      requests += 1;
      if (status === null) throw new Error("refused");
      return new Response(null, { status });
    },
  };
  return { sidecar, requests: () => requests };
}

it.each([
  ["is up when it answers", [200], true, 1],
  ["is waited for while nobody answers, as it is started again", [null, null, 200], true, 3],
  ["that answers that it cannot is not waited for", [503, 200], false, 1],
] as const)("one that %s", async (_what, statuses, up, times) => {
  const { sidecar, requests } = giving(statuses);
  expect([await isUp(sidecar, CALLER), requests()]).toEqual([up, times]);
});

it("is not waited for beyond the patience that there is with it", async () => {
  const { sidecar, requests } = giving([null, 200], 0);
  expect([await isUp(sidecar, CALLER), requests()]).toEqual([false, 1]);
});

it("is not waited for when the caller has gone", async () => {
  const { sidecar, requests } = giving([null, 200]);
  expect([await isUp(sidecar, AbortSignal.abort()), requests()]).toEqual([false, 1]);
});
