import { describe, expect, test } from "vitest";
import { saidOf, skillMd } from "./packages.ts";

const PYTHON = "#!/usr/bin/env python3\nprint(1)\n";

describe("the scripts of a skill", () => {
  test("are the declared ones, with their permissions", async () => {
    const lines = [
      "scripts:",
      "  - name: report.py",
      "    description: Makes it.",
      "    timeout: 30",
      "    network: true",
      "  - name: scripts/sub/clean.sh",
      "    timeout: 5s",
      "  - check",
    ];
    const { skill, problems, warnings } = await saidOf(skillMd(lines), {
      "scripts/report.py": PYTHON,
      "scripts/sub/clean.sh": "#!/bin/sh\n",
      "scripts/check.mjs": "#!/usr/bin/env node\n",
    });
    expect([problems, warnings]).toEqual([[], []]);
    expect(skill?.scripts).toEqual([
      { name: "report.py", path: "scripts/report.py", description: "Makes it.", timeoutS: 30, network: true },
      { name: "sub/clean.sh", path: "scripts/sub/clean.sh", description: "", timeoutS: 5, network: false },
      { name: "check", path: "scripts/check.mjs", description: "", timeoutS: null, network: false },
    ]);
  });

  test("may be declared read-only", async () => {
    const head = (value: string) => skillMd(["scripts:", "  - name: a.py", `    read_only: ${value}`]);
    const files = { "scripts/a.py": PYTHON };
    expect((await saidOf(head("true"), files)).skill?.scripts).toMatchObject([{ name: "a.py", readOnly: true }]);
    expect((await saidOf(head("false"), files)).skill?.scripts[0]).not.toHaveProperty("readOnly");
    expect((await saidOf(head("maybe"), files)).problems[0]).toContain("read_only is");
  });

  test.each([
    ["scripts: a.py, b.py", ["a.py", "b.py"]],
    ["scripts: {a.py: Makes it, b.py: {timeout: 3}}", ["a.py", "b.py"]],
    ["scripts:", []],
  ])("may be written flat: %s", async (line, names) => {
    const { skill } = await saidOf(skillMd([line]), { "scripts/a.py": PYTHON, "scripts/b.py": PYTHON });
    expect(skill?.scripts.map(({ name }) => name)).toEqual(names);
  });

  test("produce a warning when undeclared: they cannot be run", async () => {
    const { skill, warnings } = await saidOf(skillMd(["scripts: [a.py]"]), {
      "scripts/a.py": PYTHON,
      "scripts/lib.py": "x = 1\n",
    });
    expect(skill).not.toBeNull();
    expect(warnings).toEqual(["scripts/lib.py: is not declared in scripts, so it cannot be run"]);
  });

  test.each([
    ["is not there", "[b.py]", PYTHON, "SKILL.md:4: scripts: b.py is not in scripts/"],
    ["has no first line that says what runs it", "[a.py]", "print(1)\n", "scripts/a.py does not begin with #!"],
    ["has the line ends of Windows", "[a.py]", "#!/usr/bin/env python3\r\nprint(1)\r\n", "Windows line endings"],
    ["names no program", "[a.py]", "#! \n", "without a program's full path"],
    ["is declared twice", "[a.py, scripts/a.py]", PYTHON, "a.py is declared twice"],
    ["leads out of the folder", "[../SKILL.md]", PYTHON, "../SKILL.md is not in scripts/"],
    ["runs for too long", "[{name: a.py, timeout: 3601}]", PYTHON, 'timeout is "3601": seconds, from 1 to 3600'],
    ["has an invalid time", "[{name: a.py, timeout: soon}]", PYTHON, 'timeout is "soon"'],
    ["asks for the network in other words", "[{name: a.py, network: maybe}]", PYTHON, 'network is "maybe"'],
    ["has no name", "[{timeout: 3}]", PYTHON, "SKILL.md:4: scripts: name is missing"],
    ["is a list", "[[a.py]]", PYTHON, "an entry is a list"],
  ])("are rejected where one %s", async (_, declared, script, said) => {
    const { skill, problems } = await saidOf(skillMd([`scripts: ${declared}`]), { "scripts/a.py": script });
    expect(skill).toBeNull();
    expect(problems).toEqual([expect.stringContaining(said)]);
  });

  test("may be named without an extension when that is unique", async () => {
    const two = { "scripts/a.py": PYTHON, "scripts/a.sh": "#!/bin/sh\n" };
    const { problems } = await saidOf(skillMd(["scripts: [a]"]), two);
    expect(problems).toEqual(["SKILL.md:4: scripts: a could be scripts/a.py or scripts/a.sh"]);
  });
});
