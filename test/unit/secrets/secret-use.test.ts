/** Which secrets a call may carry: by its agent, the source of its task, and the request's method. */
import { describe, expect, it } from "vitest";
import { DEFAULT_AGENT, type PinnedAgent } from "../../../core/agents/agent.ts";
import type { TaskSource } from "../../../core/task/source.ts";
import {
  findMethodRefusal,
  findUserRefusal,
  isBoundToAgent,
  SETUP,
  toSecretUser,
} from "../../../core/secrets/secret-use.ts";

const OWN: PinnedAgent = { id: "agent_own", version: 1, config: { ...DEFAULT_AGENT.config, name: "own" } };
const userOf = (agent: PinnedAgent, channel: TaskSource["channel"]) =>
  toSecretUser({ agent, via: { channel, id: channel === "api" ? null : "x" } });

describe("a secret and its user", () => {
  it.each<[string, readonly string[] | null, PinnedAgent, TaskSource["channel"], boolean]>([
    ["an own agent, without agents", null, OWN, "api", true],
    ["an own agent in a task from a hook, without agents", null, OWN, "webhook", true],
    ["an own agent in a task from mail, without agents", null, OWN, "email", true],
    ["the built-in agent, without agents", null, DEFAULT_AGENT, "api", true],
    ["the built-in agent in a task of a schedule, without agents", null, DEFAULT_AGENT, "schedule", true],
    ["the built-in agent in a task from Slack, without agents", null, DEFAULT_AGENT, "slack", true],
    ["the built-in agent in a task from a hook, without agents", null, DEFAULT_AGENT, "webhook", false],
    ["the built-in agent in a task from mail, without agents", null, DEFAULT_AGENT, "email", false],
    ["the built-in agent that it names, in a task from a hook", ["agent_default"], DEFAULT_AGENT, "webhook", true],
    ["an agent that it names", ["agent_other", "agent_own"], OWN, "webhook", true],
    ["an agent that it does not name", ["agent_other"], OWN, "api", false],
    ["the built-in agent, which it does not name", ["agent_own"], DEFAULT_AGENT, "api", false],
  ])("%s", (_, agents, agent, channel, may) => {
    const refusal = findUserRefusal("KEY", agents, userOf(agent, channel));
    if (may) expect(refusal).toBeNull();
    else expect(refusal).toMatch(/KEY.*(agents|agent_default)\.$/);
  });

  it("lets the tenant's setup use every secret", () => {
    expect(findUserRefusal("KEY", ["agent_own"], SETUP)).toBeNull();
    expect(isBoundToAgent(["agent_own"], SETUP)).toBe(false);
  });

  it("is bound to an agent that it names, and not to one that may merely use it", () => {
    expect(isBoundToAgent(["agent_own"], userOf(OWN, "api"))).toBe(true);
    expect(isBoundToAgent(["agent_other"], userOf(OWN, "api"))).toBe(false);
    expect(isBoundToAgent(null, userOf(OWN, "api"))).toBe(false);
  });
});

describe("a secret and a method", () => {
  it("allows the methods that it names, in any case, and all methods without a list", () => {
    expect(findMethodRefusal("KEY", null, "DELETE")).toBeNull();
    expect(findMethodRefusal("KEY", null, null)).toBeNull();
    expect(findMethodRefusal("KEY", ["GET"], "get")).toBeNull();
    expect(findMethodRefusal("KEY", ["GET", "HEAD"], "POST")).toBe(
      "The secret KEY is bound to GET, HEAD, and this is a POST request.",
    );
  });

  it("with methods is for HTTP requests only", () => {
    expect(findMethodRefusal("KEY", ["GET"], null)).toMatch(/HTTP requests only/);
  });
});
