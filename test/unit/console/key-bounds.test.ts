/** The bounds of a key in the console: the fields of the form and the line in the list. */
import { expect, it } from "vitest";
import { describeKeyBounds, toKeyBounds } from "../../../web/src/pages/settings/key-bounds.ts";

it("leaves empty bounds out of the request", () => {
  expect(toKeyBounds("", " \n")).toEqual({});
  expect(toKeyBounds("sales\nsupport", "billing")).toEqual({ projects: ["sales", "support"], agents: ["billing"] });
});

it("says what a key is bound to", () => {
  const nameOf = (id: string) => (id === "agent_1" ? "billing" : id);
  expect(describeKeyBounds({ projects: null, agents: null }, nameOf)).toBeNull();
  expect(describeKeyBounds({ projects: ["sales", "support"], agents: ["agent_1"] }, nameOf)).toBe(
    "Only in sales, support; directs tasks of billing",
  );
});
