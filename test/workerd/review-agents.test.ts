import { expect, test } from "vitest";
import { keepAgent, knownAgent } from "../../workers/known-agents.ts";
import { DEFAULT_AGENT } from "../../core/agent.ts";

test("large agents of one tenant do not fill the isolate that all tenants share", () => {
  // A request body, and so an agent's `tool_config`, may have 1 MiB; the isolate has 128.
  const tenant = crypto.randomUUID();
  const config = { ...DEFAULT_AGENT.config, tool_config: { read_file: { note: "x".repeat(1_000_000) } } };
  for (let i = 0; i < 1000; i += 1) keepAgent(tenant, `a${i}`, "one", { ...DEFAULT_AGENT, config }, 0);
  let kept = 0;
  for (let i = 0; i < 1000; i += 1)
    kept += JSON.stringify(knownAgent(tenant, `a${i}`, "one", 0) ?? "").length;
  expect(kept).toBeLessThan(32_000_000);
});
