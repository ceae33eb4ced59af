import { afterAll, expect, test } from "vitest";
import { startRecorder } from "../../mock-servers/recorder.ts";

let now = 0;
const recorder = await startRecorder({ keys: { lifetimeMs: 60_000, now: () => now } });
afterAll(() => recorder.close());

test("the recorder drops a repeat while it remembers the key, counted from the first request, and acts again after it", async () => {
  const send = async (at: number, key: string | null) => {
    now = at;
    await fetch(recorder.url, { method: "POST", headers: key === null ? {} : { "idempotency-key": key } });
  };
  for (const at of [0, 30_000, 59_999, 60_000, 100_000]) await send(at, "a");
  await send(100_000, "b");
  for (const at of [100_000, 100_001]) await send(at, null);
  expect(recorder.requests.map(({ acted }) => acted)).toEqual([true, false, false, true, false, true, true, true]);
});
