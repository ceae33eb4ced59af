import { describe, expect, it } from "vitest";
import askHuman from "../../../tools/people/ask-human.ts";
import getCurrentDatetime from "../../../tools/time/get-current-datetime.ts";
import wait from "../../../tools/time/wait.ts";
import { runTool } from "../run-tool.ts";

describe("wait", () => {
  it.each([1, 30, 300])("puts the task to sleep for %i seconds", async (seconds) => {
    expect(await runTool(wait, { seconds })).toEqual({ control: { kind: "sleep", seconds } });
  });

  it.each([0, -1, 301, 1.5, "half a minute", null, undefined])("refuses %j seconds", async (seconds) => {
    expect((await runTool(wait, { seconds })).failure).toMatchObject({ code: "invalid_input", field: "seconds" });
  });
});

describe("get_current_datetime", () => {
  const summer = { nowMs: Date.UTC(2026, 6, 1, 22, 30, 15, 999) };

  it("is in UTC when no zone is given", async () => {
    expect((await runTool(getCurrentDatetime, {}, {}, summer)).result).toEqual({
      iso: "2026-07-01T22:30:15Z",
      date: "2026-07-01",
      time: "22:30:15",
      timezone: "UTC",
    });
  });

  it.each([
    ["Europe/Berlin", "2026-07-02T00:30:15+02:00"],
    ["America/New_York", "2026-07-01T18:30:15-04:00"],
    ["Asia/Kolkata", "2026-07-02T04:00:15+05:30"],
    ["Asia/Kathmandu", "2026-07-02T04:15:15+05:45"],
    ["Pacific/Marquesas", "2026-07-01T13:00:15-09:30"],
    ["Pacific/Kiritimati", "2026-07-02T12:30:15+14:00"],
    ["Etc/GMT+12", "2026-07-01T10:30:15-12:00"],
  ])("returns the time of %s", async (timezone, iso) => {
    expect((await runTool(getCurrentDatetime, { timezone }, {}, summer)).result).toMatchObject({ iso, timezone });
  });

  it.each([
    [Date.UTC(2026, 2, 29, 0, 59, 59), "2026-03-29T01:59:59+01:00"],
    [Date.UTC(2026, 2, 29, 1, 0, 0), "2026-03-29T03:00:00+02:00"],
    [Date.UTC(2026, 9, 25, 0, 59, 59), "2026-10-25T02:59:59+02:00"],
    [Date.UTC(2026, 9, 25, 1, 0, 0), "2026-10-25T02:00:00+01:00"],
    [Date.UTC(2028, 1, 29, 12, 0, 0), "2028-02-29T13:00:00+01:00"],
  ])("follows the clocks of Berlin at %i", async (nowMs, iso) => {
    expect((await runTool(getCurrentDatetime, { timezone: "Europe/Berlin" }, {}, { nowMs })).result).toMatchObject({
      iso,
    });
  });

  it.each(["Mars/Olympus", "", "+01:00", "Europe/Berlin; DROP", "../etc", "\0", "GMT+1"])(
    "refuses %j as a zone",
    async (timezone) => {
      const { failure } = await runTool(getCurrentDatetime, { timezone });
      expect(failure).toMatchObject({ code: "invalid_input", field: "timezone" });
      expect(failure?.message).toContain("Unknown time zone");
    },
  );
});

describe("ask_human", () => {
  const base = { kind: "ask", person: null, choices: null, wait: true, deadlineSeconds: null, defaultAnswer: null };

  it("asks and waits", async () => {
    expect(await runTool(askHuman, { query: "Which region?" })).toEqual({
      control: { ...base, query: "Which region?" },
    });
  });

  it("hands on the person, the choices, the deadline and the default", async () => {
    const given = {
      query: "Go?",
      human_name: "Ana",
      choices: ["Yes", "No"],
      deadline_seconds: 60,
      default_answer: "No",
    };
    expect(await runTool(askHuman, given)).toEqual({
      control: {
        ...base,
        query: "Go?",
        person: "Ana",
        choices: ["Yes", "No"],
        deadlineSeconds: 60,
        defaultAnswer: "No",
      },
    });
  });

  it("notifies without waiting", async () => {
    expect(await runTool(askHuman, { query: "Half done.", wait_for_answer: false })).toEqual({
      control: { ...base, query: "Half done.", wait: false },
    });
  });

  it.each([
    ["no question", {}, "query"],
    ["an empty question", { query: " " }, "query"],
    ["a question of 10,001 characters", { query: "a".repeat(10_001) }, "query"],
    ["no choice", { query: "?", choices: [] }, "choices"],
    ["equal choices", { query: "?", choices: ["a", "a"] }, "choices"],
    ["21 choices", { query: "?", choices: Array.from({ length: 21 }, (_, i) => `${i}`) }, "choices"],
    ["an empty choice", { query: "?", choices: [""] }, "choices.0"],
    ["a default without a deadline", { query: "?", default_answer: "a" }, "default_answer"],
    ["a deadline of zero seconds", { query: "?", deadline_seconds: 0 }, "deadline_seconds"],
    ["a notification with choices", { query: "?", wait_for_answer: false, choices: ["a"] }, "wait_for_answer"],
    ["a name that is a number", { query: "?", human_name: 5 }, "human_name"],
  ])("refuses %s", async (_, given, field) => {
    expect((await runTool(askHuman, given)).failure).toMatchObject({ code: "invalid_input", field });
  });

  it.each([
    [{ answer: "North", answered_by: "Ana" }, "North"],
    [{ answer: "No", expired: true }, "No"],
    [{ answer: null, expired: true }, "Nobody answered in time."],
    [{ delivered: true, person: null }, "The message was delivered."],
  ])("has a result of the form %j", (result, output) => {
    const parsed = askHuman.output.parse(result);
    expect(parsed).toEqual(result);
    expect(askHuman.show(parsed as never)).toBe(output);
  });
});
