import { describe, expect, test } from "vitest";
import { getSkillInstructions, toSkillSlug, splitSkill } from "../../../core/skills/skill.ts";
import { checkSkill, skillMd } from "./packages.ts";

describe("the name of a skill's tool", () => {
  test.each([
    ["web-search", "web_search"],
    ["Web  Search!", "web_search"],
    ["--a--b--", "a_b"],
    ["Ärger", "rger"],
    ["日本", ""],
  ])("of %s is %s", (name, slug) => {
    expect(toSkillSlug(name)).toBe(slug);
  });
});

describe("a SKILL.md", () => {
  test("is split at its two lines of hyphens, with any line ending and byte order mark", () => {
    expect(splitSkill("---\nname: a\n---\n\nbody\n---\nmore")).toEqual({
      head: "name: a",
      body: "body\n---\nmore",
      bodyLine: 4,
    });
    expect(splitSkill("\uFEFF---\r\nname: a\r\n---  \r\nbody")?.body).toBe("body");
    expect(splitSkill("---\nname: a")).toBeNull();
    expect(splitSkill("name: a\n---\n")).toBeNull();
    expect(getSkillInstructions("no head")).toBe("no head");
  });

  test("returns its head, flat or with lists, each value as written", async () => {
    const { skill, problems, warnings } = await checkSkill(
      skillMd([
        "category: data",
        "version: 1.0",
        "author: A. Person",
        "tags: one, two words,three",
        "license: MIT",
        "compatibility: Needs Python 3",
        "metadata:",
        '  owner: "team"',
        "  since: 2024-01-01",
        "allowed-tools: read_file, web_* grep",
      ]),
    );
    expect([problems, warnings]).toEqual([[], []]);
    expect(skill).toMatchObject({
      name: "sample",
      slug: "sample",
      description: "Does it.",
      category: "data",
      version: "1.0",
      author: "A. Person",
      tags: ["one", "two words", "three"],
      license: "MIT",
      compatibility: "Needs Python 3",
      metadata: { owner: "team", since: "2024-01-01" },
      allowedTools: ["read_file", "web_*", "grep"],
      scripts: [],
    });
    expect(skill?.hash).toMatch(/^[0-9a-f]{64}$/);
    const listed = await checkSkill(skillMd(["tags:", "  - one", "  - two", "allowed-tools: [read_file, web_*]"]));
    expect(listed.skill).toMatchObject({ tags: ["one", "two"], allowedTools: ["read_file", "web_*"] });
  });

  test("may have version and author among its metadata, and restricts nothing without a list", async () => {
    const { skill } = await checkSkill(skillMd(["metadata:", "  version: 2.10", "  author: Ana"]));
    expect(skill).toMatchObject({ version: "2.10", author: "Ana", allowedTools: null });
  });

  test.each([
    ["no head", "# Only text", ["SKILL.md:1: the head is missing"]],
    ["a head that does not end", "---\nname: a\n# Text", ["SKILL.md:1: the head is not closed"]],
    ["an empty head", "---\n---\n", ["SKILL.md:1: name is missing", "SKILL.md:1: description is missing"]],
    ["a head that is a list", "---\n- name\n---\n", ["SKILL.md:2: the head must consist of names with values"]],
    ["an empty description", skillMd(["description: "]), ["SKILL.md:3: description is empty"]],
    ["a list for a text", skillMd(["license: [a]"]), ["SKILL.md:4: license is a list: it has to be a text"]],
    ["a field twice", skillMd(["license: a", "license: b"]), ['SKILL.md:5: "license" appears twice']],
    ["an alias", skillMd(["author: &a me", "license: *a"]), ["SKILL.md:4: the head has an anchor or an alias"]],
    ["a tag for metadata", skillMd(["metadata: text"]), ["SKILL.md:4: metadata is a text"]],
    ["tools as a map", skillMd(["allowed-tools: {a: b}"]), ["SKILL.md:4: allowed-tools is a map"]],
    ["tabs", "---\nname: a\n\tdescription: b\n---\n", ["SKILL.md:3: the head is not valid YAML"]],
    ["NUL", "---\nname: a\0\n---\n", ["SKILL.md:1: contains a NUL character"]],
    [
      "a name of 65 characters",
      skillMd([`name: ${"a".repeat(65)}`]),
      ["SKILL.md:2: name has 65 characters: at most 64"],
    ],
    ["a list that is not closed", "---\nname: a\ndescription: [\n---\n", ["the head is not valid YAML"]],
    ["a map that is not closed", skillMd(["description: {Reads a PDF"]), ["the head is not valid YAML"]],
    ["a long compatibility", skillMd([`compatibility: ${"x".repeat(501)}`]), ["SKILL.md:4: compatibility has 501"]],
    ["deep nesting", skillMd([`metadata: ${"{a: ".repeat(20)}b${"}".repeat(20)}`]), ["SKILL.md:4: the head is nested"]],
    [
      "very deep nesting",
      skillMd([`metadata: ${"[".repeat(9_000)}`]),
      ["SKILL.md:1: the head has more than 200 brackets"],
    ],
    ["lists without an end", `---\n${"- ".repeat(9_000)}\n---\n`, ["SKILL.md:2: the head is nested too deep"]],
    ["a large head", skillMd([`license: ${"x".repeat(20_000)}`]), ["SKILL.md:1: the head has 2"]],
  ])("is rejected with the position: %s", async (_, text, begins) => {
    const { skill, problems } = await checkSkill(text);
    expect(skill).toBeNull();
    expect(problems).toHaveLength(begins.length);
    begins.forEach((start, index) => expect(problems[index]).toContain(start));
  });

  test.each([
    ["PDF Processing", "pdf-processing"],
    ["-pdf", "pdf"],
    ["pdf--processing", "pdf-processing"],
    ["my_skill", "my-skill"],
    ["group:part", "group-part"],
    ["café", "cafe"],
  ])("is rejected for the name %s, with a suggestion", async (name, better) => {
    const { problems } = await checkSkill(skillMd([`name: "${name}"`]));
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^SKILL\\.md:2: name is .*; write ${better}$`))]);
  });

  test("reports all errors at once", async () => {
    const { problems } = await checkSkill("---\nname: Bad\ntags: {}\nscripts:\n  - nowhere.py\n---\n");
    expect(problems.map((problem) => problem.slice(0, problem.indexOf(" ")))).toEqual([
      "SKILL.md:1:",
      "SKILL.md:2:",
      "SKILL.md:3:",
      "SKILL.md:5:",
    ]);
  });

  test("is read with a warning when a text lacks its quotes", async () => {
    const { skill, problems, warnings } = await checkSkill(
      "---\nname: pdf\ndescription: Use it when: it's a PDF\nargument-hint: [file] [--fast]\n---\nRead it.\n",
    );
    expect(problems).toEqual([]);
    expect(skill?.description).toBe("Use it when: it's a PDF");
    expect(warnings.filter((warning) => warning.includes("quotes"))).toHaveLength(2);
  });

  test("has the start of a description that is too long, with a warning", async () => {
    const { skill, problems, warnings } = await checkSkill(skillMd([`description: ${"ab ".repeat(400)}`]));
    expect(problems).toEqual([]);
    expect(skill?.description).toBe("ab ".repeat(342).slice(0, 1_024).trimEnd());
    expect(warnings).toEqual(["SKILL.md:3: description has 1199 characters: only the first 1024 are used"]);
  });

  test("warns about unused fields, and stores them", async () => {
    const { skill, warnings } = await checkSkill(
      skillMd(["model: large", "allowed_tools: [read_file]", 'metadata: {"x": {"bins": ["jq"]}}'], ""),
    );
    expect(skill?.metadata).toEqual({ x: '{"bins":["jq"]}' });
    expect(warnings).toEqual([
      "SKILL.md:4: model is not a field that Otto uses: it is stored and ignored.",
      "SKILL.md:5: allowed_tools is not a field that Otto uses: it is stored and ignored. Did you mean allowed-tools?",
      "SKILL.md:6: metadata has a map at x, where texts are expected: it is stored as JSON",
      "SKILL.md:8: there are no instructions below the head",
    ]);
  });

  test("warns about tools of other programs and suggests ours, without translating them", async () => {
    const list = "allowed-tools: Bash(git add:*), Read WebFetch mcp__notes__find Read_File grep Nothing";
    const { skill, warnings } = await checkSkill(skillMd([list]));
    expect(skill?.allowedTools).toEqual([
      "Bash(git add:*)",
      "Read",
      "WebFetch",
      "mcp__notes__find",
      "Read_File",
      "grep",
      "Nothing",
    ]);
    const hints = warnings.map((warning) => /mean (\S+)\?/.exec(warning)?.[1] ?? null);
    expect(hints).toEqual(["run_command", "read_file", "http.get", "notes_find", "read_file", null]);
  });

  test.each(["allowed-tools: []", "allowed-tools:", 'allowed-tools: ""'])(
    "that lists no tools allows no tool: %s",
    async (line) => {
      const { skill, warnings } = await checkSkill(skillMd([line]));
      expect(skill?.allowedTools).toEqual([]);
      expect(warnings).toEqual([expect.stringContaining("a task may use only ask_human")]);
    },
  );

  test("warns when its list names foreign tools only", async () => {
    const { warnings } = await checkSkill(skillMd(["allowed-tools: Read Write"]));
    expect(warnings.at(-1)).toContain("no entry names a tool here");
  });
});
