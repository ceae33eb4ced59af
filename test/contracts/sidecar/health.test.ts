/** What the Worker's /health makes of the sidecar's, whatever the sidecar says. */
import { expect, it } from "vitest";
import { readSidecarHealth } from "../../../adapters/sidecar/health.ts";
import type { Sidecar } from "../../../adapters/sidecar/sidecar.ts";

const saying = (reply: () => Response, isAsleep = false): Sidecar => ({
  secret: "",
  fetch: async () => reply(),
  isAsleep: async () => isAsleep,
  patienceMs: 0,
});
const json = (body: unknown, status = 200) => Response.json(body, { status });

it.each(["bubblewrap", "container", "none"])("reports %s as the cage of programs", async (level) => {
  const reply = () => json({ ok: true, isolation: { level, reason: "so it is" } });
  expect(await readSidecarHealth(saying(reply))).toEqual({ sidecar: "ok", isolation: level });
});

it.each([
  ["says nothing of it", () => json({ ok: true })],
  ["says what nobody knows", () => json({ ok: true, isolation: { level: "prayer" } })],
  ["says no JSON", () => new Response("<html>")],
])("does not know the isolation of a sidecar that %s", async (_case, reply) => {
  expect(await readSidecarHealth(saying(reply))).toEqual({ sidecar: "ok", isolation: "unknown" });
});

it("reports a sidecar that is unavailable, asleep or absent", async () => {
  const dead = (): Response => {
    throw new Error("refused");
  };
  expect(await readSidecarHealth(saying(dead))).toEqual({ sidecar: "away", isolation: "unknown" });
  expect(await readSidecarHealth(saying(() => json({}, 500)))).toEqual({ sidecar: "away", isolation: "unknown" });
  expect(await readSidecarHealth(saying(dead, true))).toEqual({ sidecar: "asleep", isolation: "unknown" });
  expect(await readSidecarHealth(null)).toEqual({ sidecar: "off", isolation: "unknown" });
});
