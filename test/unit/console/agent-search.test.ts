import { expect, test } from "vitest";
import { isFound } from "../../../web/src/pages/agents/agent-search.ts";

const agent = { name: "support_de", instructions: "Answer the questions of our Customers." };

test.each([
  ["", true],
  ["SUPPORT", true],
  ["customers  de", true],
  [" questions", true],
  ["support fr", false],
])("an agent is found by %j: %s", (query, found) => {
  expect(isFound(agent, query)).toBe(found);
});
