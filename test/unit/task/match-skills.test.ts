import { describe, expect, test } from "vitest";
import { matchSkills, getSkillCeiling } from "../../../core/task/match-skills.ts";
import { findFittingSkills } from "../../../core/skills/similarity.ts";
import type { Skill } from "../../../core/skills/skill.ts";
import { makeSkill } from "../../fakes/skill-texts.ts";
import requests from "../__fixtures__/skill-requests.json" with { type: "json" };

const SKILLS = requests.skills.map(({ name, description }) => makeSkill(name, { description }));
const AGENT = { config: { name: "a" } };

/** What a task of these words works under, and how. */
function matched(
  input: string | { role: "user" | "assistant"; content: string }[],
  skills?: string[],
  config: { match?: "auto" | "explicit"; names?: string[] } = {},
): [string, string][] {
  const found = matchSkills({ input, skills }, { skills: SKILLS, agent: { config: { name: "a", skills: config } } });
  if (!found.ok) throw new Error(found.error.message);
  return found.value.map(({ name, how }) => [name, how]);
}

describe("a skill that is named", () => {
  test("is in force by its name or its slug in the request, each once", () => {
    expect(matched("do it", ["pdf-forms", "pdf_forms", "weekly-status"])).toEqual([
      ["pdf-forms", "request"],
      ["weekly-status", "request"],
    ]);
  });

  test("that is not there is refused with those that are", () => {
    const found = matchSkills({ input: "x", skills: ["no-such"] }, { skills: SKILLS.slice(0, 2), agent: AGENT });
    expect(found).toMatchObject({
      error: { code: "invalid_input", field: "skills", message: expect.stringContaining("data-report, meeting-notes") },
    });
    expect(matchSkills({ input: "x", skills: ["a"] }, { skills: [], agent: AGENT })).toMatchObject({ ok: false });
  });

  test.each([
    ["/pdf-forms do it", ["pdf-forms"]],
    ["please /pdf_forms, then /weekly-status.", ["pdf-forms", "weekly-status"]],
    ["(/pdf-forms)", ["pdf-forms"]],
    ["read /pdf-forms/SKILL.md", []],
    ["a/pdf-forms", []],
    ["/pdf-formsx", []],
    ["/PDF-FORMS", []],
    ["/etc or /tmp", []],
    ["/no-such-skill", []],
  ])("as a word with a slash is in force, and nothing else with a slash is: %s", (input, names) => {
    expect(matched(input, undefined, { match: "explicit" })).toEqual(names.map((name) => [name, "mention"]));
  });

  test("by the agent is in force for all of its tasks; without it, no task is created", () => {
    expect(matched("What time is it?", undefined, { names: ["brand-guidelines"] })).toEqual([
      ["brand-guidelines", "agent"],
    ]);
    const agent = { config: { name: "a", skills: { names: ["gone"] } } };
    expect(matchSkills({ input: "x" }, { skills: SKILLS, agent })).toMatchObject({
      error: { code: "invalid_input", field: "agent", message: expect.stringContaining("gone") },
    });
  });

  test("is chosen from the agent's skills, and one beyond them is refused by name", () => {
    const names = ["brand-guidelines", "pdf-forms"];
    const all = names.map((name) => [name, "agent"]);
    expect(matched("do it", undefined, { names })).toEqual(all);
    expect(matched("/pdf-forms do it", undefined, { names })).toEqual([["pdf-forms", "mention"]]);
    expect(matched("do it", ["pdf-forms"], { names })).toEqual([["pdf-forms", "request"]]);
    const agent = { config: { name: "a", skills: { names } } };
    for (const request of [{ input: "/weekly-status" }, { input: "x", skills: ["weekly-status"] }])
      expect(matchSkills(request, { skills: SKILLS, agent })).toMatchObject({
        error: { code: "invalid_input", field: "skills", message: expect.stringContaining("weekly-status cannot") },
      });
  });

  test("leaves the task no tool that the agent's skills together do not list", () => {
    const skills = [makeSkill("narrow", { allowedTools: ["read_file"] }), makeSkill("open", {})];
    const agent = { config: { name: "a", skills: { names: ["narrow", "open"] } } };
    expect(getSkillCeiling({ skills, agent })).toEqual(["ask_human", "read_file"]);
    expect(getSkillCeiling({ skills, agent: AGENT })).toBeNull();
  });

  test("in text that may not instruct chooses nothing, and no description is compared with it", () => {
    const input = "A webhook came in: /pdf-forms Fill in the fields of this PDF form";
    const given = { skills: SKILLS, agent: AGENT };
    expect(matchSkills({ input, instructions: "" }, given)).toEqual({ ok: true, value: [] });
    expect(matchSkills({ input, instructions: "/weekly-status" }, given)).toMatchObject({
      value: [{ name: "weekly-status", how: "mention" }],
    });
  });

  test("is one of at most 20, however they are named", () => {
    const [first = "", ...rest] = SKILLS.slice(0, 21).map(({ name }) => name);
    expect(matched("x", rest)).toHaveLength(20);
    for (const found of [
      matchSkills({ input: `/${first}`, skills: rest }, { skills: SKILLS, agent: AGENT }),
      matchSkills({ input: [first, ...rest].map((name) => `/${name}`).join(" ") }, { skills: SKILLS, agent: AGENT }),
    ])
      expect(found).toMatchObject({
        error: { code: "invalid_input", field: "skills", message: expect.stringContaining("21") },
      });
  });

  test("prevents others from being matched by their descriptions", () => {
    const text = "Write the release notes for version 2.4 from the merged pull requests since the last tag";
    expect(matched(text)).toEqual([["release-notes", "similarity"]]);
    expect(matched(text, ["pdf-forms"])).toEqual([["pdf-forms", "request"]]);
    expect(matched(`/pdf-forms ${text}`)).toEqual([["pdf-forms", "mention"]]);
    expect(matched(text, undefined, { names: ["pdf-forms"] })).toEqual([["pdf-forms", "agent"]]);
    expect(matched(text, [])).toEqual([]);
    expect(matched(text, undefined, { match: "explicit" })).toEqual([]);
    expect(matched(`${text} /pdf-forms`, undefined, { match: "explicit" })).toEqual([["pdf-forms", "mention"]]);
  });

  test("earlier in a conversation is ignored", () => {
    const said = (content: string) => ({ role: "user" as const, content });
    expect(matched([said("/pdf-forms go"), said("thanks")])).toEqual([]);
    expect(matched([said("thanks"), said("/pdf-forms go")])).toEqual([["pdf-forms", "mention"]]);
  });
});

interface Labelled {
  readonly text: string;
  readonly skill: string | null;
}

/** How often what was found was meant, and what was meant was found. */
function measured(labelled: readonly Labelled[], skills: readonly Skill[]) {
  let right = 0;
  let wrong = 0;
  let meant = 0;
  for (const { text, skill } of labelled) {
    if (skills.some(({ name }) => name === skill)) meant += 1;
    for (const found of findFittingSkills(text, skills)) {
      if (found.skill.name === skill) right += 1;
      else wrong += 1;
    }
  }
  return { wrong, precision: right / (right + wrong), recall: right / meant, meant, others: labelled.length - meant };
}

describe("a skill whose description fits the task", () => {
  // What each set measures. The first three predict nothing about unseen requests, because the words and the weights
  // were set on all of them. The fourth was written without knowledge of the rule: 4 of its 40 matches were wrong, and
  // three words became required. The fifth, about the same subjects in the same words, then had 8 of 39 wrong, and a
  // word of the name became required. The sixth was written after that; one of its requests changed the rule about
  // handling an object, which changed no figure. A change of the rule needs a seventh set.
  const { first, second, third, fourth, fifth, sixth } = requests;
  const all = [...first, ...second, ...third, ...fourth, ...fifth, ...sixth];

  test("is nearly always one that was meant, of 28 skills and 616 requests", () => {
    const { meant, others, precision, recall } = measured(all, SKILLS);
    expect({ meant, others }).toEqual({ meant: 230, others: 386 });
    expect(precision).toBeGreaterThanOrEqual(0.98);
    expect(recall).toBeGreaterThanOrEqual(0.6);
  });

  test("is nearly always one that was meant where the rule was not set on the requests, and is missed more often", () => {
    for (const some of [fourth, sixth]) expect(measured(some, SKILLS).precision).toBeGreaterThanOrEqual(0.97);
    expect(measured(fifth, SKILLS).wrong).toBeLessThanOrEqual(2);
    expect(measured([...fourth, ...fifth, ...sixth], SKILLS).recall).toBeGreaterThanOrEqual(0.7);
  });

  test.each([3, 8, 14, 21])(
    "is brought into three of 616 tasks by mistake, at most, where there are %i skills",
    (count) => {
      for (const some of [SKILLS.slice(0, count), SKILLS.slice(-count)]) {
        expect(measured(all, some).wrong).toBeLessThanOrEqual(3);
      }
    },
  );

  test.each([
    ["no word of its name", "Timeline of the French revolution with causes and impact"],
    ["two words of it", "Press the release button of the camera remotely"],
    ["a question about it", "What is a PDF form?"],
    ["a thing to be sent as it is", "Send the meeting notes with the decisions and action items to Ana"],
  ])("is not brought in by %s", (_, text) => {
    expect(findFittingSkills(text, SKILLS)).toEqual([]);
  });

  test("has a figure from 0 to 1, is one of few, and is the same each time", () => {
    const text = "Write the minutes of the meeting from transcript.txt, with decisions and action items";
    const found = findFittingSkills(text, SKILLS);
    expect(found.map(({ skill }) => skill.name)).toEqual(["meeting-notes"]);
    expect(found[0]?.similarity).toBeGreaterThan(0.5);
    expect(found[0]?.similarity).toBeLessThanOrEqual(1);
    expect(findFittingSkills(text, [...SKILLS].reverse())).toEqual(found);
    expect(
      findFittingSkills(text, []).concat(findFittingSkills("", SKILLS), findFittingSkills("   …", SKILLS)),
    ).toEqual([]);
  });

  test("is matched by the start of the task: attached material matches no skill", () => {
    const filler = "lorem ".repeat(120);
    expect(findFittingSkills(`${filler} meeting notes minutes transcript decisions action items`, SKILLS)).toEqual([]);
  });

  test("takes no longer than it takes to read a task and 300 descriptions", () => {
    const many = Array.from({ length: 300 }, (_, n) => makeSkill(`skill-${n}`, { description: "word ".repeat(200) }));
    expect(findFittingSkills("x".repeat(200_000), many)).toEqual([]);
  });
});
