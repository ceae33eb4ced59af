/** The limit of a tool's calls in one step: by the model's order alone, so that a repeated phase refuses the same calls. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tool } from "../../../core/tool/tool.ts";
import smartQueryDatabase from "../../../tools/database/smart-query-database.ts";
import { outside, prepare, send, toolOf } from "./play-gateway.ts";

const LIMIT = 2;
const limited: Tool = { ...toolOf(outside(), "none", "rare.send"), alsoNamed: ["old_send"], maxCallsPerStep: LIMIT };
const free = toolOf(outside(), "none", "send");

/** Calls of the limited tool, under each of its names and with arguments that are refused; and calls of the other one. */
const written = fc.constantFrom(
  { call: send("hi", "rare.send"), isLimited: true },
  { call: send("ho", "rare_send"), isLimited: true },
  { call: send("hi", "old_send"), isLimited: true },
  { call: { name: "rare.send", arguments: "{" }, isLimited: true },
  { call: { name: "rare.send", arguments: "{}" }, isLimited: true },
  { call: send("hi"), isLimited: false },
);

test("refuses every call of a tool after its most in a step, and no other call", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(written, { maxLength: 12 }), async (items) => {
      const requested = items.map(({ call }) => call);
      const prepared = await prepare([limited, free], requested);
      let count = 0;
      for (const [index, { isLimited }] of items.entries()) {
        if (isLimited) count += 1;
        const refused = prepared[index]?.outcome?.content.includes("at most 2 calls of rare.send") === true;
        expect(refused).toBe(isLimited && count > LIMIT);
      }
      expect(await prepare([limited, free], requested)).toEqual(prepared);
    }),
    { numRuns: 50 },
  );
});

test("says what to do, and counts each step for itself", async () => {
  const three = [send("a", "rare.send"), send("b", "rare.send"), send("c", "rare.send")];
  const prepared = await prepare([limited], three);
  expect(prepared.map(({ outcome }) => outcome?.state ?? "runs")).toEqual(["runs", "runs", "refused"]);
  expect(prepared[2]?.outcome?.result).toMatchObject({
    error: {
      code: "budget_exceeded",
      message: "One step makes at most 2 calls of rare.send. Read their results, then ask for more in the next step.",
    },
  });
  expect((await prepare([limited], three.slice(2)))[0]?.outcome).toBeNull();
});

test("a question to a database has two attempts in a step", () => {
  expect(smartQueryDatabase.maxCallsPerStep).toBe(2);
});
