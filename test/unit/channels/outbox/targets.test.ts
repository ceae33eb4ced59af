import { describe, expect, test } from "vitest";
import {
  MAX_TARGETS,
  resolveDeliver,
  type Destinations,
  resolveTargets,
} from "../../../../core/channels/outbox/targets.ts";
import { resolveSlackDestination, type SlackWorkspaces } from "../../../../core/channels/slack/resolve-destination.ts";
import type { DeliverTo } from "../../../../core/task/source.ts";
import { failed, ok } from "../../../../core/base/errors.ts";
import { resolveAddresses } from "../../../../core/channels/mail/resolve-addresses.ts";

const AWAY = failed("upstream_failed", "The database did not answer.");

/** The destinations of a tenant that is connected to these workspaces. */
function createDestinations(teams: readonly string[], home: string | null = null): Destinations {
  return openDestinations(() => Promise.resolve(ok(teams.map((team) => ({ team, teamName: `Team ${team}` })))), home);
}

function openDestinations(active: SlackWorkspaces["active"], home: string | null): Destinations {
  return {
    channels: ["slack", "email", "webhook"],
    async resolve(channel, to) {
      if (channel === "slack") return await resolveSlackDestination(to, { home, active });
      if (channel === "email") return resolveAddresses(to);
      if (channel !== "webhook") return null;
      return to === "whk_1" ? ok([to]) : failed("not_found", "is not an endpoint of this tenant");
    },
    person(id) {
      if (id === "away") return Promise.resolve(AWAY);
      if (id === "Bob") return Promise.resolve(ok({ id: "per_bob", targets: [] }));
      if (id !== "Ann" && id !== "per_ann")
        return Promise.resolve(failed("not_found", `There is nobody called "${id}". There are: Ann, Bob.`));
      const targets = [
        { channel: "slack", to: "T1/U1" },
        { channel: "email", to: "ann@example.com" },
      ] as const;
      return Promise.resolve(ok({ id: "per_ann", targets }));
    },
  };
}

const resolve = async (places: Destinations, ...deliver: readonly DeliverTo[]) => await resolveDeliver(deliver, places);
const slack = (to: string): DeliverTo => ({ channel: "slack", to });

describe("a Slack destination", () => {
  test.each([
    ["#general", "T1/#general"],
    ["#Général_2", "T1/#général_2"],
    ["C024BE91L", "T1/C024BE91L"],
    ["D024BE91L", "T1/D024BE91L"],
    ["C024BE91L/1503435956.000247", "T1/C024BE91L/1503435956.000247"],
    ["U012A3CDE", "T1/U012A3CDE"],
    ["@U012A3CDE", "T1/U012A3CDE"],
    [" T1/C024BE91L ", "T1/C024BE91L"],
    ["T1/#general", "T1/#general"],
    ["T1/C024BE91L/1503435956.000247", "T1/C024BE91L/1503435956.000247"],
  ])("is stored in full: %s", async (to, whole) => {
    expect(await resolve(createDestinations(["T1"]), slack(to))).toEqual(ok([slack(whole)]));
  });

  test.each([
    "general",
    "#",
    "#two words",
    "C024BE91L/now",
    "C024BE91L/1.2/3",
    "U012A3CDE/1.2",
    "@ann",
    "T1/",
    "T1",
    "",
    "../T2/C1",
  ])("is rejected: %s", async (to) => {
    const refused = await resolve(createDestinations(["T1"]), slack("C1"), slack(to));
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field: "deliver.1.to" } });
  });

  test("is rejected where Otto is not installed, with instructions", async () => {
    for (const [teams, to] of [
      [[], "#general"],
      [["T1"], "T2/C1"],
      [[], "T2/C1"],
    ] as const) {
      const refused = await resolve(createDestinations(teams), slack(to));
      expect(refused).toMatchObject({ ok: false, error: { code: "not_available", field: "deliver.0.to" } });
      if (!refused.ok) expect(refused.error.message).toContain("POST /v1/slack/authorize");
    }
  });

  test("without a workspace is rejected when there are several, which are listed", async () => {
    const refused = await resolve(createDestinations(["T1", "T2"]), slack("#general"));
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field: "deliver.0.to" } });
    if (!refused.ok) expect(refused.error.message).toMatch(/T1 \(Team T1\), T2 \(Team T2\)/);
  });

  test("of a task from Slack is in the task's workspace, without a database query", async () => {
    const places = openDestinations(() => Promise.resolve(AWAY), "T9");
    expect(await resolve(places, slack("T9/C1/1.2"), slack("#general"))).toEqual(
      ok([slack("T9/C1/1.2"), slack("T9/#general")]),
    );
    expect(await resolve(places, slack("T8/C1"))).toEqual(AWAY);
  });
});

describe("other destinations", () => {
  test("are mail addresses, each of a list, with lower-case domains and each once", async () => {
    const to = "Ann@Example.com, bob@example.com,Ann@example.com";
    expect(await resolve(createDestinations([]), { channel: "email", to })).toEqual(
      ok([
        { channel: "email", to: "Ann@example.com" },
        { channel: "email", to: "bob@example.com" },
      ]),
    );
    for (const wrong of ["ann", "ann@example.com,", "a@b.example\r\nBcc: c@d.example", ""]) {
      const refused = await resolve(createDestinations([]), { channel: "email", to: wrong });
      expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field: "deliver.0.to" } });
    }
  });

  test("are of a known channel", async () => {
    expect(await resolve(createDestinations([]), { channel: "fax", to: "1" })).toMatchObject({
      error: {
        code: "invalid_input",
        field: "deliver.0.channel",
        message: expect.stringContaining("slack, email, webhook"),
      },
    });
  });

  test("are endpoints of the tenant", async () => {
    expect(await resolve(createDestinations([]), { channel: "webhook", to: "whk_1" })).toMatchObject({ ok: true });
    expect(await resolve(createDestinations([]), { channel: "webhook", to: "whk_2" })).toMatchObject({
      error: { code: "invalid_input", field: "deliver.0.to" },
    });
  });

  test("are people, stored by id; the error for an unknown one lists the known ones", async () => {
    expect(await resolve(createDestinations([]), { channel: "person", to: "Ann" })).toEqual(
      ok([{ channel: "person", to: "per_ann" }]),
    );
    const refused = await resolve(createDestinations([]), { channel: "person", to: "Eve" });
    expect(refused).toMatchObject({ error: { code: "invalid_input", field: "deliver.0.to" } });
    if (!refused.ok) expect(refused.error.message).toContain("Ann, Bob");
    expect(await resolve(createDestinations([]), { channel: "person", to: "Bob" })).toMatchObject({
      error: { code: "not_available", field: "deliver.0.to" },
    });
    expect(await resolve(createDestinations([]), { channel: "person", to: "away" })).toEqual(AWAY);
  });

  test("are at most fifty", async () => {
    const to = Array.from({ length: 20 }, (_, index) => `a${index}@example.com`);
    const lists = [0, 1, 2].map(
      (list): DeliverTo => ({ channel: "email", to: to.map((one) => `${list}${one}`).join(",") }),
    );
    expect(MAX_TARGETS).toBe(50);
    expect(await resolve(createDestinations([]), ...lists.slice(0, 2))).toMatchObject({ ok: true });
    expect(await resolve(createDestinations([]), ...lists)).toMatchObject({ error: { field: "deliver" } });
  });
});

test("a person's targets are in order of preference; another destination is its own target", async () => {
  expect(await resolveTargets({ channel: "person", to: "per_ann" }, createDestinations([]))).toEqual(
    ok([
      { channel: "slack", to: "T1/U1" },
      { channel: "email", to: "ann@example.com" },
    ]),
  );
  expect(await resolveTargets({ channel: "slack", to: "T1/C1" }, createDestinations([]))).toEqual(
    ok([{ channel: "slack", to: "T1/C1" }]),
  );
  expect(await resolveTargets({ channel: "person", to: "per_gone" }, createDestinations([]))).toMatchObject({
    ok: false,
  });
});
