import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { toSpec } from "../../core/steps/toolset.ts";
import type { ToolPorts } from "../../core/ports/tool-ports.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { fakeResults } from "../fakes/results.ts";
import { freshPorts, runTool } from "./run-tool.ts";

/** Files, and a result of an earlier call, that the examples speak of. */
async function portsWithFiles(): Promise<ToolPorts> {
  const results = fakeResults({ call_01hzy3v7k4m8n2p6q9rstvwxyz_3_0: "checked 12\n1 Failed: a timeout\n" });
  const ports = { ...freshPorts(), results };
  for (const path of ["notes/plan.md", "notes/old.md", "src/main.ts", "vitest.config.ts", "inbox/report.docx"]) {
    await ports.files.write(path, new TextEncoder().encode("# Plan\n"), { key: path });
  }
  return ports;
}

describe.each(catalogue.map((tool) => [tool.name, tool] as const))("%s", (_, tool) => {
  let ports: ToolPorts;
  beforeAll(async () => {
    ports = await portsWithFiles();
  });

  it.each(tool.examples.map((example) => [example.note, example.given] as const))(
    "runs its example: %s",
    async (_note, given) => {
      const ran = await runTool(tool, given, ports);
      expect(ran.failure).toBeUndefined();
      if (tool.steers) expect(ran.control).toBeDefined();
      else expect(ran.shown).not.toBe("");
    },
  );

  it("can be shown to a model: an object of JSON Schema that takes no other field", () => {
    const { parameters, description } = toSpec(tool, tool.name, null);
    expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
    expect(description).toContain(tool.summary);
    expect(() => z.toJSONSchema(tool.output)).not.toThrow();
  });

  it("refuses an argument that it does not know", async () => {
    const ran = await runTool(tool, { ...(tool.examples[0]?.given as object), no_such_argument: 1 }, ports);
    expect(ran.failure).toMatchObject({ code: "invalid_input", field: "no_such_argument" });
  });

  it("is frozen", () => {
    expect(Object.isFrozen(tool)).toBe(true);
    expect(Object.isFrozen(tool.permissions)).toBe(true);
  });
});

describe("the catalogue", () => {
  it("holds the tools with what each promises the gateway", () => {
    const asked = {
      given: { method: "POST", url: "https://api.example.com/x" } as never,
      facts: { idempotentHosts: [], skills: [], mailKeyedForMs: 86_400_000 },
    };
    const promises = catalogue.map(({ name, permissions, security, effect }) => [
      name,
      permissions.join(" "),
      typeof security === "function" ? security(asked.given, asked.facts) : security,
      typeof effect === "function" ? effect(asked.given, asked.facts) : effect,
    ]);
    expect(promises).toEqual([
      ["ask_human", "", "safe", "none"],
      ["attach_file", "read", "safe", "none"],
      ["call_tool", "", "safe", "none"],
      ["convert_markdown_to_docx", "write", "cautious", "keyed"],
      ["convert_markdown_to_pptx", "write", "cautious", "keyed"],
      ["create_directory", "write", "cautious", "keyed"],
      ["create_docx", "write", "cautious", "keyed"],
      ["create_pdf", "write", "cautious", "keyed"],
      ["create_pptx", "write", "cautious", "keyed"],
      ["create_xlsx", "write", "cautious", "keyed"],
      ["delete_file", "write", "dangerous", "keyed"],
      ["dispatch_subagent", "", "safe", "none"],
      ["evaluate_expression", "", "safe", "none"],
      ["execute_command", "exec", "dangerous", "once"],
      ["expand_result", "", "safe", "none"],
      ["find_files", "read", "safe", "none"],
      ["find_tools", "", "safe", "none"],
      ["finished", "", "safe", "none"],
      ["fs.read", "read", "safe", "none"],
      ["fs.write", "write", "cautious", "keyed"],
      ["get_current_datetime", "", "safe", "none"],
      ["grep", "read", "safe", "none"],
      ["http.get", "network", "cautious", "none"],
      ["http.post", "network", "dangerous", "once"],
      ["http_request", "network", "dangerous", "once"],
      ["json.parse", "read", "safe", "none"],
      ["list_directory", "read", "safe", "none"],
      ["load_skill", "", "safe", "none"],
      ["memory_save", "write", "cautious", "keyed"],
      ["memory_search", "read", "safe", "none"],
      ["read_document", "read", "safe", "none"],
      ["read_file", "read", "safe", "none"],
      ["run_command", "exec", "dangerous", "once"],
      ["run_skill_script", "exec", "dangerous", "once"],
      ["search_in_files", "read", "safe", "none"],
      ["send_email", "network", "dangerous", "keyed"],
      ["set_reminder", "write", "cautious", "keyed"],
      ["slack.notify", "network", "dangerous", "probe"],
      ["solve_equation", "", "safe", "none"],
      ["ssh_execute", "exec network", "critical", "once"],
      ["statistics_summary", "", "safe", "none"],
      ["test.run", "exec", "dangerous", "none"],
      ["unit_convert", "", "safe", "none"],
      ["wait", "", "safe", "none"],
      ["web_search", "network", "cautious", "none"],
      ["write_file", "write", "cautious", "keyed"],
      ["yaml.parse", "read", "safe", "none"],
    ]);
  });
});
