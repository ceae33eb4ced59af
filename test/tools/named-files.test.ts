/** Which tools bring files of the sandbox to the world, and whether an approval of theirs covers the content. */
import { describe, expect, test } from "vitest";
import type { Tool } from "../../core/tool.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";

/** Ports by which something leaves the sandbox. */
const OUTSIDE_PORTS: ReadonlySet<string> = new Set(["web", "search", "mail", "mcp", "ssh", "slack", "memory"]);
/** Programs read what they like: their arguments are words, of which nobody knows whether they name files. */
const PROGRAMS = ["execute_command", "run_command", "run_skill_script", "test.run"];

const brings = ({ needs, steers }: Tool) =>
  needs.includes("files") && (steers || needs.includes("scripts") || needs.some((port) => OUTSIDE_PORTS.has(port)));

describe("tools that read files and bring them out of the sandbox", () => {
  test("declare the arguments that name them, or are programs", () => {
    const names = catalogue.filter(brings).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["attach_file", ...PROGRAMS, "send_email"].toSorted());
    const undeclared = catalogue.filter((tool) => brings(tool) && tool.refersTo === undefined).map(({ name }) => name);
    expect(undeclared.toSorted()).toEqual(PROGRAMS);
  });
});
