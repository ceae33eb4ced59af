/** The tools that bring files out of the sandbox, and whether an approval of their calls covers the content. */
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";

/** Ports by which something leaves the sandbox. */
const OUTSIDE_PORTS: ReadonlySet<string> = new Set(["web", "search", "mail", "mcp", "apps", "ssh", "slack", "memory"]);
/** Programs read what they like of the files that they are given: an approval covers all of these. */
const PROGRAMS = ["execute_command", "run_command", "run_skill_script", "test.run"];

/** Tools that write replies to files and read none: `test/tools/web/replies.test.ts` gives them a port that only writes. */
const WRITERS: ReadonlySet<string> = new Set(["http.get", "http.post", "http_request"]);

const brings = ({ name, needs, steers }: Tool) =>
  needs.includes("files") &&
  !WRITERS.has(name) &&
  (steers || needs.includes("scripts") || needs.some((port) => OUTSIDE_PORTS.has(port)));

const coversContent = ({ refersTo = {} }: Tool) => Object.values(refersTo).includes("file");

describe("tools that read files and bring them out of the sandbox", () => {
  test("declare the arguments that name them, or what they give a program", () => {
    const names = catalogue.filter(brings).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["attach_file", ...PROGRAMS, "send_email"].toSorted());
    const undeclared = catalogue.filter((tool) => brings(tool) && !coversContent(tool));
    expect(undeclared.map(({ name }) => name).toSorted()).toEqual(PROGRAMS);
    const given = { cwd: ".", files: ["x.py"] } as never;
    const scopes = undeclared.map(({ name, copies }) => [name, copies?.(given)?.only]);
    expect(Object.fromEntries(scopes)).toEqual({
      run_command: ["x.py"],
      execute_command: ["x.py"],
      run_skill_script: null,
      "test.run": null,
    });
  });
});
