import { expect, test } from "vitest";
import { getAllowedDomains, DEFAULT_AGENT, type PinnedAgent } from "../../../core/agents/agent.ts";

const agent = (id: string, allowed_domains?: string[]): PinnedAgent => {
  const config = { name: "a", instructions: "", tools: ["*"], permissions: [] };
  return { id, version: 1, config: allowed_domains === undefined ? config : { ...config, allowed_domains } };
};

test.each([
  ["with a list, what that names", agent("agent_x", ["example.com"]), ["example.com"]],
  ["with an empty list, nobody", agent("agent_x", []), []],
  ["without a list, what the operator opened", agent("agent_x"), null],
  ["that is built in, everybody", DEFAULT_AGENT, ["*"]],
  ["that is built in and was pinned before it had a list, everybody", agent(DEFAULT_AGENT.id), ["*"]],
])("an agent reaches, %s", (_, pinned, domains) => {
  expect(getAllowedDomains(pinned)).toEqual(domains);
});
