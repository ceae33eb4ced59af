import { expect, test } from "vitest";
import { factsOf, ledgerOf, start, until } from "./task-client.ts";

test("a call that hop one made was attempted once", async () => {
  const facts = factsOf([{ calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] }, { text: "Done." }]);
  await start(facts);
  await until(facts, ({ status }) => status === "completed");
  expect((await ledgerOf(facts)).map(({ state, attempts }) => [state, attempts])).toEqual([["confirmed", 1]]);
});
