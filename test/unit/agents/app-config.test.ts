import { expect, test } from "vitest";
import { agentConfigSchema } from "../../../core/agents/agent.ts";

const CONNECTION = "con_00000000000000000000000001";

function judge(app_config: unknown): string {
  const parsed = agentConfigSchema.safeParse({
    name: "a",
    instructions: "",
    tools: [],
    permissions: [],
    app_config,
  });
  return parsed.success ? "valid" : parsed.error.issues.map(({ path }) => path.join(".")).join(" ");
}

test.each([
  ["no apps", {}, "valid"],
  ["a connection", { crm: { connection: CONNECTION } }, "valid"],
  ["whose accounts may be used", { crm: { owner: "shared" }, mail: { owner: "person" } }, "valid"],
  ["an id of another kind", { crm: { connection: "per_00000000000000000000000001" } }, "app_config.crm.connection"],
  ["an unknown rule", { crm: { owner: "anybody" } }, "app_config.crm.owner"],
  ["a person to act for", { crm: { acts_for: "per_1" } }, "app_config.crm"],
  ["too many apps", Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`app${at}`, {}])), "app_config"],
])("an agent's apps: %s", (_, given, verdict) => {
  expect(judge(given)).toBe(verdict);
});

test("a configuration without apps has no field for them, so its version stays the same", () => {
  const parsed = agentConfigSchema.parse({ name: "a", instructions: "", tools: [], permissions: [] });
  expect(Object.keys(parsed)).not.toContain("app_config");
});
