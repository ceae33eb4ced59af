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
      else expect(ran.output).not.toBe("");
    },
  );

  it("can be given to a model: an object of JSON Schema that accepts no other field", () => {
    const { parameters, description } = toSpec(tool, tool.name);
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
