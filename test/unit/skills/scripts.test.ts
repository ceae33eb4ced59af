import { describe, expect, test } from "vitest";
import { findInterpreter } from "../../../core/skills/interpreter.ts";
import { listScripts } from "../../../core/skills/find-scripts.ts";
import { readPackage, writePackage } from "../../../core/skills/package.ts";
import { packageFrom, checkSkill, skillMd } from "./packages.ts";

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
    const { skill, problems, warnings } = await checkSkill(skillMd(lines), {
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
    expect((await checkSkill(head("true"), files)).skill?.scripts).toMatchObject([{ name: "a.py", readOnly: true }]);
    expect((await checkSkill(head("false"), files)).skill?.scripts[0]).not.toHaveProperty("readOnly");
    expect((await checkSkill(head("maybe"), files)).problems[0]).toContain("read_only is");
  });

  test.each([
    ["scripts: a.py, b.py", ["a.py", "b.py"]],
    ["scripts: {a.py: Makes it, b.py: {timeout: 3}}", ["a.py", "b.py"]],
    ["scripts:", []],
  ])("may be written flat: %s", async (line, names) => {
    const { skill } = await checkSkill(skillMd([line]), { "scripts/a.py": PYTHON, "scripts/b.py": PYTHON });
    expect(skill?.scripts.map(({ name }) => name)).toEqual(names);
  });

  test("produce a warning when others are declared: they cannot be run", async () => {
    const { skill, warnings } = await checkSkill(skillMd(["scripts: [a.py]"]), {
      "scripts/a.py": PYTHON,
      "scripts/lib.py": "x = 1\n",
    });
    expect(skill).not.toBeNull();
    expect(warnings).toEqual(["scripts/lib.py: is not declared in scripts, which lists others, so it cannot be run"]);
  });

  test.each([
    ["is not there", "[b.py]", PYTHON, "SKILL.md:4: scripts: b.py is not in scripts/"],
    [
      "has a shell's first line with the line ends of Windows",
      "[a.py]",
      "#!/bin/sh\r\necho\r\n",
      "Windows line endings",
    ],
    ["names no program", "[a.py]", "#! \n", "without a program's full path"],
    ["is declared twice", "[a.py, scripts/a.py]", PYTHON, "a.py is declared twice"],
    ["leads out of the folder", "[../SKILL.md]", PYTHON, "../SKILL.md is not in scripts/"],
    ["runs for too long", "[{name: a.py, timeout: 3601}]", PYTHON, 'timeout is "3601": seconds, from 1 to 3600'],
    ["has an invalid time", "[{name: a.py, timeout: soon}]", PYTHON, 'timeout is "soon"'],
    ["asks for the network in other words", "[{name: a.py, network: maybe}]", PYTHON, 'network is "maybe"'],
    ["has no name", "[{timeout: 3}]", PYTHON, "SKILL.md:4: scripts: name is missing"],
    ["is a list", "[[a.py]]", PYTHON, "an entry is a list"],
  ])("are rejected where one %s", async (_, declared, script, said) => {
    const { skill, problems } = await checkSkill(skillMd([`scripts: ${declared}`]), { "scripts/a.py": script });
    expect(skill).toBeNull();
    expect(problems).toEqual([expect.stringContaining(said)]);
  });

  test("are all that something can run where none is declared", async () => {
    const { skill, problems, warnings } = await checkSkill(skillMd(), {
      "scripts/fill.py": "print(1)\n",
      "scripts/office/pack.ts": "export {};\n",
      "scripts/run": "#!/bin/bash -e\necho\n",
      "scripts/schema.xsd": "<xsd/>\n",
      "tools/check.js": "1;\n",
      "fill.py": "print(2)\n",
      "bin/start": "#!/usr/bin/env node\n1;\n",
      "references/form.md": "# Form\n",
    });
    expect([problems, warnings]).toEqual([[], []]);
    expect(skill?.scripts.map(({ name, path }) => [name, path])).toEqual([
      ["fill.py", "scripts/fill.py"],
      ["office/pack.ts", "scripts/office/pack.ts"],
      ["run", "scripts/run"],
      ["bin/start", "bin/start"],
      ["./fill.py", "fill.py"],
      ["tools/check.js", "tools/check.js"],
    ]);
    expect(skill?.scripts.every(({ network, timeoutS }) => !network && timeoutS === null)).toBe(true);
  });

  test("are none where an empty declaration says so, and found for a version that an earlier release stored", async () => {
    const files = { "scripts/a.py": "print(1)\n" };
    const opened = (text: string) => readPackage(writePackage(packageFrom({ "SKILL.md": text, ...files }).files));
    expect((await checkSkill(skillMd(["scripts: []"]), files)).skill?.scripts).toEqual([]);
    expect((await checkSkill(skillMd(["scripts: []"]), files)).skill?.declaresNoScripts).toBe(true);
    expect((await checkSkill(skillMd(), files)).skill).not.toHaveProperty("declaresNoScripts");
    const flow = "---\n{name: pdf-forms, description: Fills forms., scripts: []}\n---\nFill.\n";
    const { skill, problems } = await checkSkill(flow, files);
    expect([problems, skill === null ? null : listScripts(skill, opened(flow))]).toEqual([[], []]);
    expect(listScripts({ scripts: [] }, opened(skillMd(["scripts: []"])))).toEqual([]);
    expect(listScripts({ scripts: [] }, opened(skillMd()))).toMatchObject([{ name: "a.py", path: "scripts/a.py" }]);
  });

  test("may be named without an extension when that is unique", async () => {
    const two = { "scripts/a.py": PYTHON, "scripts/a.sh": "#!/bin/sh\n" };
    const { problems } = await checkSkill(skillMd(["scripts: [a]"]), two);
    expect(problems).toEqual(["SKILL.md:4: scripts: a could be scripts/a.py or scripts/a.sh"]);
  });
});

describe("the interpreter of a script", () => {
  const argvOf = (path: string, text: string) => {
    const found = findInterpreter(path, new TextEncoder().encode(text));
    return found.ok ? found.argv : found.why;
  };

  test.each([
    ["a.py", "print(1)", ["python3"]],
    ["a.py", "#!/usr/bin/python -u\n", ["python3", "-u"]],
    ["a", "#!/usr/bin/env python\r\nprint(1)\r\n", ["python3"]],
    ["a", "#!/usr/bin/env -S uv run --script\n", ["python3"]],
    ["a.py", "#!/usr/bin/env -S PYTHONPATH=x python3.11 -B\n", ["python3.11", "-B"]],
    ["a.ts", "1;", ["node"]],
    ["a.ts", "#!/usr/bin/env bun\n", ["node"]],
    ["a.mjs", "#!/usr/local/bin/node --no-warnings\n", ["node", "--no-warnings"]],
    ["A.SH", "echo", ["bash"]],
    ["a.sh", "#!/bin/sh -e\necho", ["sh", "-e"]],
    ["a.rb", "#!/usr/bin/env ruby\n", ["ruby"]],
  ])("of %s with %j is %j", (path, text, argv) => {
    expect(argvOf(path, text)).toEqual(argv);
  });

  test.each([
    ["a.xsd", "<x/>", "has none of the extensions"],
    ["a", "#! \n", "without a program's full path"],
    ["a", "#!python3\n", "without a program's full path"],
    ["a", "#!/usr/bin/env\n", "names no program"],
    ["a.sh", "#!/bin/bash\r\necho\r\n", "Windows line endings"],
    ["a", `#!/bin/${"x".repeat(300)}`, "more than 200 bytes"],
  ])("is missing for %s with %j", (path, text, why) => {
    expect(argvOf(path, text)).toContain(why);
  });
});
