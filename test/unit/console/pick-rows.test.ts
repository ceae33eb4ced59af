/** The rows of a long table that a search shows. */
import { expect, it } from "vitest";
import { pickRows } from "../../../web/src/ui/pick-rows.ts";

const ROWS = Array.from({ length: 100 }, (_, at) => [`P-${at}`, at % 2 === 0 ? "Lisbon" : "Porto"]);
const pick = (query: string, most = 3) => pickRows(ROWS, query, most).map(([name]) => name);

it("shows the rows with words of the query in their order, then the first", () => {
  expect(pick("what does P-77 cost?")).toEqual(["P-0", "P-1", "P-77"]);
  expect(pick("p-90 or P-7")).toEqual(["P-0", "P-7", "P-90"]);
  expect(pick("P-90 in Lisbon")).toEqual(["P-0", "P-2", "P-90"]);
  expect(pick("")).toEqual(["P-0", "P-1", "P-2"]);
});

it("leaves a short table as it is", () => {
  expect(pickRows(ROWS, "P-77", 100)).toBe(ROWS);
});
