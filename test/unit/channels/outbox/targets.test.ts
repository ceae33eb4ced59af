import { describe, expect, test } from "vitest";
import { MAX_TARGETS, type Places, resolveDeliver, targetsOf } from "../../../../core/channels/outbox/targets.ts";
import { resolveSlackPlace, type SlackWorkspaces } from "../../../../core/channels/slack/resolve-place.ts";
import type { DeliverTo } from "../../../../core/task/source.ts";
import { failed, ok } from "../../../../core/base/errors.ts";
import { resolveAddresses } from "../../../../core/channels/mail/resolve-addresses.ts";

const AWAY = failed("upstream_failed", "The database did not answer.");

/** What a tenant has that is connected to these workspaces. */
function placesWith(teams: readonly string[], home: string | null = null): Places {
  return placesOf(() => Promise.resolve(ok(teams.map((team) => ({ team, teamName: `Team ${team}` })))), home);
}

function placesOf(active: SlackWorkspaces["active"], home: string | null): Places {
  return {
    channels: ["slack", "email", "webhook"],
    async resolve(channel, to) {
      if (channel === "slack") return await resolveSlackPlace(to, { home, active });
      if (channel === "email") return resolveAddresses(to);
      if (channel !== "webhook") return null;
      return to === "whk_1" ? ok([to]) : failed("not_found", "is no endpoint of this tenant");
    },
    person(asked) {
      if (asked === "away") return Promise.resolve(AWAY);
      if (asked === "Bob") return Promise.resolve(ok({ id: "per_bob", targets: [] }));
      if (asked !== "Ann" && asked !== "per_ann")
        return Promise.resolve(failed("not_found", `There is nobody called "${asked}". There are: Ann, Bob.`));
      const targets = [
        { channel: "slack", to: "T1/U1" },
        { channel: "email", to: "ann@example.com" },
      ] as const;
      return Promise.resolve(ok({ id: "per_ann", targets }));
    },
  };
}

const resolve = async (places: Places, ...deliver: readonly DeliverTo[]) => await resolveDeliver(deliver, places);
const slack = (to: string): DeliverTo => ({ channel: "slack", to });

describe("a place in Slack", () => {
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
  ])("is kept whole: %s", async (to, whole) => {
    expect(await resolve(placesWith(["T1"]), slack(to))).toEqual(ok([slack(whole)]));
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
  ])("is none: %s", async (to) => {
    const refused = await resolve(placesWith(["T1"]), slack("C1"), slack(to));
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field: "deliver.1.to" } });
  });

  test("is refused where Otto is not installed, and says how to connect", async () => {
    for (const [teams, to] of [
      [[], "#general"],
      [["T1"], "T2/C1"],
      [[], "T2/C1"],
    ] as const) {
      const refused = await resolve(placesWith(teams), slack(to));
      expect(refused).toMatchObject({ ok: false, error: { code: "not_available", field: "deliver.0.to" } });
      if (!refused.ok) expect(refused.error.message).toContain("POST /v1/slack/authorize");
    }
  });

  test("of no named workspace is refused where there are several, which are named", async () => {
    const refused = await resolve(placesWith(["T1", "T2"]), slack("#general"));
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field: "deliver.0.to" } });
    if (!refused.ok) expect(refused.error.message).toMatch(/T1 \(Team T1\), T2 \(Team T2\)/);
  });

  test("of a task that came from Slack is in the workspace that it came from, which nobody has to be asked for", async () => {
    const places = placesOf(() => Promise.resolve(AWAY), "T9");
    expect(await resolve(places, slack("T9/C1/1.2"), slack("#general"))).toEqual(
      ok([slack("T9/C1/1.2"), slack("T9/#general")]),
    );
    expect(await resolve(places, slack("T8/C1"))).toEqual(AWAY);
  });
});

describe("other places", () => {
  test("are addresses of mail, each of a list, with domains in lower case and each once", async () => {
    const to = "Ann@Example.com, bob@example.com,Ann@example.com";
    expect(await resolve(placesWith([]), { channel: "email", to })).toEqual(
      ok([
        { channel: "email", to: "Ann@example.com" },
        { channel: "email", to: "bob@example.com" },
      ]),
    );
    for (const wrong of ["ann", "ann@example.com,", "a@b.example\r\nBcc: c@d.example", ""]) {
      const refused = await resolve(placesWith([]), { channel: "email", to: wrong });
      expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input", field: "deliver.0.to" } });
    }
  });

  test("are of a channel that there is", async () => {
    expect(await resolve(placesWith([]), { channel: "fax", to: "1" })).toMatchObject({
      error: {
        code: "invalid_input",
        field: "deliver.0.channel",
        message: expect.stringContaining("slack, email, webhook"),
      },
    });
  });

  test("are endpoints of the tenant", async () => {
    expect(await resolve(placesWith([]), { channel: "webhook", to: "whk_1" })).toMatchObject({ ok: true });
    expect(await resolve(placesWith([]), { channel: "webhook", to: "whk_2" })).toMatchObject({
      error: { code: "invalid_input", field: "deliver.0.to" },
    });
  });

  test("are people, kept by their id, and those who are unknown come with a list of who there is", async () => {
    expect(await resolve(placesWith([]), { channel: "person", to: "Ann" })).toEqual(
      ok([{ channel: "person", to: "per_ann" }]),
    );
    const refused = await resolve(placesWith([]), { channel: "person", to: "Eve" });
    expect(refused).toMatchObject({ error: { code: "invalid_input", field: "deliver.0.to" } });
    if (!refused.ok) expect(refused.error.message).toContain("Ann, Bob");
    expect(await resolve(placesWith([]), { channel: "person", to: "Bob" })).toMatchObject({
      error: { code: "not_available", field: "deliver.0.to" },
    });
    expect(await resolve(placesWith([]), { channel: "person", to: "away" })).toEqual(AWAY);
  });

  test("are not more than fifty", async () => {
    const to = Array.from({ length: 20 }, (_, index) => `a${index}@example.com`);
    const lists = [0, 1, 2].map(
      (list): DeliverTo => ({ channel: "email", to: to.map((one) => `${list}${one}`).join(",") }),
    );
    expect(MAX_TARGETS).toBe(50);
    expect(await resolve(placesWith([]), ...lists.slice(0, 2))).toMatchObject({ ok: true });
    expect(await resolve(placesWith([]), ...lists)).toMatchObject({ error: { field: "deliver" } });
  });
});

test("a person's places are tried in the order in which they are preferred; any other place is itself", async () => {
  expect(await targetsOf({ channel: "person", to: "per_ann" }, placesWith([]))).toEqual(
    ok([
      { channel: "slack", to: "T1/U1" },
      { channel: "email", to: "ann@example.com" },
    ]),
  );
  expect(await targetsOf({ channel: "slack", to: "T1/C1" }, placesWith([]))).toEqual(
    ok([{ channel: "slack", to: "T1/C1" }]),
  );
  expect(await targetsOf({ channel: "person", to: "per_gone" }, placesWith([]))).toMatchObject({ ok: false });
});
