import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeCommand } from "../../../core/lib/shell/command-policy.ts";

const GIT = ["git"];

/** What `/bin/sh` is to be given, or why it is given nothing. */
function judged(command: string, allowed: readonly string[] = GIT): string {
  const result = judgeCommand(command, allowed);
  return result.ok ? result.value : result.error.message;
}

describe("a command that begins with a listed program", () => {
  it.each([
    ["git", "'git'"],
    ["git status", "'git' 'status'"],
    ["  git   status  ", "'git' 'status'"],
    ["git log --oneline | git cat-file -p HEAD~1", "'git' 'log' '--oneline' | 'git' 'cat-file' '-p' 'HEAD~1'"],
    ["git add a&&git commit||git reset;git gc", "'git' 'add' 'a' && 'git' 'commit' || 'git' 'reset' ; 'git' 'gc'"],
    ["git status;", "'git' 'status'"],
    [`git commit -m 'it works; rm -rf . $(x) > y'`, `'git' 'commit' '-m' 'it works; rm -rf . $(x) > y'`],
    [`git commit -m "a \\"b\\" \\$5 \\\\ \\n"`, `'git' 'commit' '-m' 'a "b" $5 \\ \\n'`],
    [`git commit -m "it's"`, `'git' 'commit' '-m' 'it'\\''s'`],
    ["git commit -m \\$HOME\\;\\ x", "'git' 'commit' '-m' '$HOME; x'"],
    [`g"i"'t' \\status`, "'git' 'status'"],
    ["\\git status", "'git' 'status'"],
    ["git add '' \"\"", "'git' 'add' '' ''"],
    ["git add *.md src/?.ts [a-c]*.txt [!x]", "'git' 'add' *'.md' 'src/'?'.ts' [a-c]*'.txt' [!x]"],
    ["git add '*'.md \\*", "'git' 'add' '*.md' '*'"],
    ["git log a#b x=y !", "'git' 'log' 'a#b' 'x=y' '!'"],
    ["git add 日本語.txt", "'git' 'add' '日本語.txt'"],
    ["git if then", "'git' 'if' 'then'"],
  ])("%s runs as %s", (command, expected) => {
    expect(judged(command)).toBe(expected);
  });
});

describe("what a list does not admit", () => {
  it.each([
    ["gitfoo", '"gitfoo" is not in allowed_commands'],
    ["git-foo", '"git-foo" is not in allowed_commands'],
    ["Git", '"Git" is not in allowed_commands'],
    ["rm -rf .", '"rm" is not in allowed_commands'],
    ["git; rm -rf .", '"rm" is not in allowed_commands'],
    ["git && rm -rf .", '"rm" is not in allowed_commands'],
    ["git || rm -rf .", '"rm" is not in allowed_commands'],
    ["git | sh", '"sh" is not in allowed_commands'],
    ["git ;rm", '"rm" is not in allowed_commands'],
    ["/usr/bin/git status", '"/usr/bin/git" is not in allowed_commands'],
    ["./git status", '"./git" is not in allowed_commands'],
    ["'git status'", '"git status" is not in allowed_commands'],
    ["'' git", '"" is not in allowed_commands'],
    ["g?t status", "the name of a program must not hold a glob"],
    ["* status", "the name of a program must not hold a glob"],
    ["$(rm -rf .)", "an expansion ($)"],
    ["git $(rm -rf .)", "an expansion ($)"],
    ['git "$(rm -rf .)"', "an expansion ($) in quotes"],
    ['git "`rm -rf .`"', "command substitution (`) in quotes"],
    ["git `rm -rf .`", "command substitution (`)"],
    ["git $HOME", "an expansion ($)"],
    ["git ${HOME}", "an expansion ($)"],
    ["git $((1+1))", "an expansion ($)"],
    ["git $'\\n'", "an expansion ($)"],
    ["$GIT status", "an expansion ($)"],
    ["git > out", "a redirection or process substitution (>)"],
    ["git 2>&1", "a redirection or process substitution (>)"],
    ["git >> out", "a redirection or process substitution (>)"],
    ["git < in", "a redirection, here-document or process substitution (<)"],
    ["git << END", "a redirection, here-document or process substitution (<)"],
    ["git <(rm x)", "a redirection, here-document or process substitution (<)"],
    ["git >(rm x)", "a redirection or process substitution (>)"],
    ["(git status)", "a subshell or function (parenthesis)"],
    ["git() { rm x; }", "a subshell or function (parenthesis)"],
    ["{ git status; }", "a group or brace expansion ({)"],
    ["git {a,b}", "a group or brace expansion ({)"],
    ["git a}", "a group or brace expansion (})"],
    ["git & rm x", "a command in the background (&)"],
    ["git &", "a command in the background (&)"],
    ["git &> out", "a command in the background (&)"],
    ["git |& rm", "a command in the background (&)"],
    ["git &&& rm", "a command in the background (&)"],
    ["git\nrm x", "a line break"],
    ["git\r\nrm x", "a line break"],
    ["git\rrm x", "a line break"],
    ["git commit -m 'two\nlines'", "a line break"],
    ["git\u2028rm x", "a line break"],
    ["git\tstatus", "a control character"],
    ["git\0rm", "a control character"],
    ["git \u001b[31m", "a control character"],
    ["git \ud800", "half of a surrogate pair"],
    ["PATH=. git status", "an assignment before a command"],
    ["A+=b git", "an assignment before a command"],
    ["A='b' git", "an assignment before a command"],
    ["git && GIT_PAGER=sh git log", "an assignment before a command"],
    ["if git; then git; fi", "the reserved word if"],
    ["git; done", "the reserved word done"],
    ["while git; do git; done", "the reserved word while"],
    ["function git", "the reserved word function"],
    ["! git", "a negation (!)"],
    ["git # and more", "a comment (#)"],
    ["git ~/x", "tilde expansion (~)"],
    ["~/git", "tilde expansion (~)"],
    ["git [a", "a bracket ([) other than a plain set or range"],
    ["git [[:alpha:]]", "a bracket ([) other than a plain set or range"],
    ["git ['a']", "a bracket ([) other than a plain set or range"],
    ["[ -f x ]", "a bracket ([) other than a plain set or range"],
    ["git 'open", "a quote (') that is not closed"],
    ['git "open', 'a quote (") that is not closed'],
    ['git "open\\"', 'a quote (") that is not closed'],
    ["git \\", "a backslash at the end"],
    ["", "an empty command"],
    ["   ", "an empty command"],
    [";", "an operator without a command on both sides"],
    ["; git", "an operator without a command on both sides"],
    ["git;;", "a double semicolon (;;)"],
    ["git; ;", "an operator without a command on both sides"],
    ["git |", "an operator without a command on both sides"],
    ["git &&", "an operator without a command on both sides"],
    ["git ||| git", "an operator without a command on both sides"],
    [`git ${"x".repeat(8_000)}`, "a command of more than 8000 characters"],
  ])("%j is not permitted: %s", (command, reason) => {
    const message = judged(command);
    expect(message).toMatch(/^Command not permitted: /);
    expect(message).toContain(reason);
  });

  it("is any path except one that the list contains literally", () => {
    expect(judged("/usr/bin/git x", ["/usr/bin/git"])).toBe("'/usr/bin/git' 'x'");
    expect(judged("git x", ["/usr/bin/git"])).toContain("not permitted");
  });

  it.each(["eval", "exec", ".", "source", "command", "builtin", "alias", "export", "set", "trap"])(
    "is %s, also when the list has it",
    (builtin) => {
      expect(judged(`${builtin} git`, [builtin, "git"])).toContain("not permitted");
      expect(judged(`git; \\${builtin} git`, [builtin, "git"])).toContain("not permitted");
    },
  );
});

describe("an entry of several words", () => {
  it.each([
    ["git status", true],
    ["git status --short", true],
    ["git 'status'", true],
    ["git log", true],
    ["git", false],
    ["git push", false],
    ["git -C x status", false],
    ["git statusx", false],
    ["git statu?", false],
    ["git status; git push", false],
    ["git status && git log", true],
  ])("%s: %s", (command, isAllowed) => {
    expect(judgeCommand(command, ["git status", "git  log"]).ok).toBe(isAllowed);
  });
});

describe("without a list", () => {
  it("everything runs unchanged, unless no program can receive it", () => {
    expect(judged("cd x && (echo $HOME > y) & \n rm z", [])).toBe("cd x && (echo $HOME > y) & \n rm z");
    expect(judged("a\0b", [])).toContain("not permitted");
    expect(judged("a\ud800", [])).toContain("not permitted");
    expect(judged(" \n", [])).toContain("not permitted");
  });
});

/** Texts in which what means something to a shell is frequent. */
const shellText = fc
  .array(
    fc.oneof(fc.constantFrom("git", "rm", " ", " ", ...Array.from("'\"\\$`;|&<>(){}[]*?!~#=\n\r\t\0-a")), fc.string()),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(""));

describe("whatever the command is", () => {
  it("what runs holds nothing outside of quotes but globs, joints and blanks", () => {
    fc.assert(
      fc.property(shellText, (command) => {
        const result = judgeCommand(`git ${command}`, GIT);
        if (!result.ok) return;
        const bare = result.value.replaceAll(/'[^']*'|\\'/g, "");
        expect(bare).toMatch(/^(?: |\*|\?|\[!?[A-Za-z0-9_.-]+\]|\||&&|\|\||;)*$/);
        expect(result.value.startsWith("'git'")).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it("a rewritten command parses to the same segments", () => {
    fc.assert(
      fc.property(shellText, (command) => {
        const once = judgeCommand(command, GIT);
        expect(once.ok ? judgeCommand(once.value, GIT) : once).toEqual(once);
      }),
      { numRuns: 3_000 },
    );
  });
});
