/** The folders of skills in the cage, and the links to their entries. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestCages, type TestCages } from "./caged.ts";

let test: TestCages;
let own = 0;

beforeAll(async () => {
  test = await openTestCages();
});

afterAll(async () => {
  await test.close();
});

type Texts = Readonly<Record<string, string>>;

/** Runs a program of `sh` on files of the sandbox and of skills, by path. */
async function run(
  program: string,
  { work = {}, skill = {}, cwd = "" }: { work?: Texts; skill?: Texts; cwd?: string },
) {
  const folder = join(test.folder, `skills-${(own += 1)}`);
  for (const [top, files] of [
    ["work", work],
    ["skill", skill],
  ] as const) {
    await mkdir(join(folder, top), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, top, path)), { recursive: true });
      await writeFile(join(folder, top, path), text);
    }
  }
  const placed = (files: Texts) => Object.keys(files).map((path) => ({ path }));
  return await test.run("sh", program, { folder, cwd, work: placed(work), skill: placed(skill) });
}

const PDF = { "pdf/SKILL.md": "pdf", "pdf/scripts/x.py": "print('x of pdf')", "pdf/references/a.md": "a" };
const DOCX = { "docx/SKILL.md": "docx", "docx/scripts/x.py": "print('x of docx')" };

describe("a loaded skill", () => {
  it("runs as its text says, in the working folder, by its own path and by /skill", async () => {
    const program =
      "python scripts/x.py; python3 /skill/pdf/scripts/x.py; python /skill/scripts/x.py; cat references/a.md";
    const { stdout, stderr, changes } = await run(program, { skill: PDF });
    expect([stdout, stderr]).toEqual(["x of pdf\nx of pdf\nx of pdf\na", ""]);
    expect(changes).toEqual({ written: [], removed: [], refused: [] });
  });

  it("has its links in the directory where the program runs, and none where the sandbox has the name", async () => {
    const work = { "sub/references/own.md": "own", "scripts/own.sh": "own" };
    const { stdout, changes } = await run("cat references/own.md; ls references; python scripts/x.py; ls ../scripts", {
      work,
      skill: PDF,
      cwd: "sub",
    });
    expect(stdout).toBe("ownown.md\nx of pdf\nown.sh\n");
    expect(changes).toEqual({ written: [], removed: [], refused: [] });
  });

  it("is linked alone when it was loaded last, and then nothing is linked into /skill", async () => {
    const program = "python scripts/x.py; ls /skill; ls references /skill/scripts";
    const { stdout, stderr } = await run(program, { skill: { ...PDF, ...DOCX } });
    expect(stdout).toBe("x of docx\ndocx\npdf\n");
    expect(stderr).toMatch(/references.*\n.*scripts/);
  });

  it("is read-only, and what replaces a link comes back", async () => {
    const program =
      "echo x >> scripts/x.py; rm scripts; mkdir scripts; echo own > scripts/x.py; rm SKILL.md; ln -s /etc SKILL.md";
    const { stderr, changes } = await run(program, { skill: PDF });
    expect(stderr).toMatch(/Permission denied|Read-only file system/);
    expect(changes.written.map(({ path }) => path)).toEqual(["scripts/x.py"]);
    expect(changes.refused).toEqual([{ path: "SKILL.md", why: "It is a link." }]);
  });

  it("of a worker of an earlier release is in /skill itself, without links", async () => {
    const { stdout } = await run("python /skill/scripts/x.py; ls", {
      skill: { "SKILL.md": "x", "scripts/x.py": "print(1)", "examples/SKILL.md": "y" },
    });
    expect(stdout).toBe("1\n");
  });
});

it("a skill is linked where the container is the boundary too", async () => {
  const container = await openTestCages({ chosen: "container" });
  try {
    const folder = join(container.folder, "linked");
    await mkdir(join(folder, "work"), { recursive: true });
    await mkdir(join(folder, "skill/pdf/scripts"), { recursive: true });
    for (const [path, text] of Object.entries(PDF).filter(([path]) => !path.includes("references")))
      await writeFile(join(folder, "skill", path), text);
    const skill = [{ path: "pdf/SKILL.md" }, { path: "pdf/scripts/x.py" }];
    const { stdout, changes } = await container.run("sh", "python3 scripts/x.py", { folder, skill });
    expect([stdout, changes.refused]).toEqual(["x of pdf\n", []]);
  } finally {
    await container.close();
  }
});

it("a skill's links are not committed by git add -A, and what takes their place is", async () => {
  const git = "git -c user.name=a -c user.email=a@example.com";
  const commit = `git add -A && ${git} commit -q -m one && git ls-files`;
  const made = await run(`git init -q . && echo a > 'a b.txt' && ${commit}`, { skill: PDF });
  expect([made.stdout, made.stderr]).toEqual(["a b.txt\n", ""]);
  const own = await run(`git init -q . && rm scripts && mkdir scripts && echo a > scripts/a.py && ${commit}`, {
    skill: PDF,
  });
  expect(own.stdout).toBe("scripts/a.py\n");
  const config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
  const work = { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": config, "scripts/b.py": "b", "sub/c.txt": "c" };
  const below = await run(commit, { work, cwd: "sub", skill: PDF });
  expect(below.stdout).toBe("c.txt\n");
  expect(below.changes.refused).toEqual([]);
});

it("a repository is one for git in the next command, which gets no empty folders", async () => {
  const git = "git -c user.name=a -c user.email=a@example.com";
  const first = await run(`git init -q . && rm -r .git/hooks; ls .git`, {});
  expect(first.stdout).toContain("refs");
  const config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
  const work = { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": config, "a.txt": "a" };
  const second = await run(`git add a.txt && ${git} commit -q -m one && git log --format=%s`, { work });
  expect([second.stdout, second.stderr]).toEqual(["one\n", ""]);
});

it.each(["pypdf", "openpyxl", "docx", "PIL", "lxml", "defusedxml", "pandas"])(
  "Python has the module %s",
  async (name) => {
    const { stderr, exitCode } = await run(`python -c 'import ${name}'`, {});
    expect([exitCode, stderr]).toEqual([0, ""]);
  },
  30_000,
);
