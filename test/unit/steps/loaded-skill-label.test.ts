/** A skill's text is the operator's, also when a task loads it after it read text from outside. */
import { expect, test } from "vitest";
import type { LabelledMessage } from "../../../core/model/messages.ts";
import { toPromptMessages } from "../../../core/prompt/mark-data.ts";
import { countValueChoice, isNamedHost } from "../../../core/provenance/ground.ts";
import { type Label, OPERATOR, OUTSIDE } from "../../../core/provenance/label.ts";
import { readGround } from "../../../core/steps/read-ground.ts";
import { toSkillInForce } from "../../../core/task/skills-in-force.ts";
import { call, factsOf, type ScriptedCall, TaskWorld } from "../task/world.ts";
import { makeSkill } from "../../fakes/skill-texts.ts";

const TEXT = "# Skill: notes\n\nRead https://style.example/guide first, for the list C-1742.";
const load: ScriptedCall = {
  tool: "load_skill",
  effect: "none",
  control: {
    kind: "load",
    skill: toSkillInForce(makeSkill("notes"), "load"),
    result: { name: "notes" },
    content: TEXT,
  },
};
const page: ScriptedCall = { ...call(), outcome: { label: OUTSIDE, content: "A page." } };

test("a skill that an influenced task loads keeps the operator's label, and the task stays influenced", () => {
  const world = new TaskWorld([[page], [load], [call()]]);
  world.run();
  const skill = [...world.ledger.values()].find(({ tool }) => tool === "load_skill");
  expect(skill).toMatchObject({ state: "confirmed", label: OPERATOR });
  expect(world.state.steeredBy).toBe(OUTSIDE);
});

test("its text reaches the model without the marks of data, and vouches for hosts and values", () => {
  const facts = factsOf();
  const asked = { id: "call_1", name: "load_skill", arguments: '{"name":"notes"}' };
  const conversation = (label: Label): LabelledMessage[] => [
    { role: "user", content: "A hook's text.", label: OUTSIDE },
    { role: "assistant", content: "", calls: [asked], label: OUTSIDE },
    { role: "tool", callId: asked.id, name: asked.name, content: TEXT, label },
  ];
  const toolset = { skillTexts: [] };
  const shown = (label: Label) => JSON.stringify(toPromptMessages(conversation(label), facts));
  expect(shown(OPERATOR)).toContain(JSON.stringify(TEXT).slice(1, -1));
  expect(shown(OPERATOR)).not.toMatch(/<data-\d+># Skill/);
  expect(shown(OUTSIDE)).toMatch(/<data-\d+># Skill/);
  const ground = (label: Label) => readGround({ label: OUTSIDE, messages: conversation(label) }, { facts, toolset });
  const host = new URL("https://style.example/guide");
  expect(isNamedHost(host, ground(OPERATOR))).toBe(true);
  expect(countValueChoice("C-1742", null, ground(OPERATOR))).not.toBeNull();
  expect(isNamedHost(host, ground(OUTSIDE))).toBe(false);
  expect(countValueChoice("C-1742", null, ground(OUTSIDE))).toBeNull();
});
