/** Which question a message in Slack answers. */
import { describe, expect, it } from "vitest";
import {
  chooseQuestion,
  isBefore,
  isOpenTo,
  type OpenQuestion,
  toAnswer,
} from "../../../../core/channels/slack/open-questions.ts";

const ANA = { id: "per_ana", mayAnswer: true, mayApprove: false };
const BOSS = { id: "per_boss", mayAnswer: true, mayApprove: true };
const BASE = { kind: "question", query: "Which?", choices: null, person: null, expires_at: null } as const;

function questionOf(id: string, personId?: string): OpenQuestion {
  return { ...BASE, id, ...(personId === undefined ? {} : { person_id: personId }) };
}

function open(id: string, personId?: string) {
  return { id, pending: questionOf(id, personId) };
}

describe("a message", () => {
  it("answers the only question that is open to its writer", () => {
    const mine = open("qst_1", "per_ana");
    expect(chooseQuestion(ANA, [mine, open("qst_2", "per_ben")])).toEqual({ kind: "one", question: mine });
    expect(chooseQuestion(ANA, [open("qst_1")])).toMatchObject({ kind: "one", question: { id: "qst_1" } });
  });

  it("answers none of several, not even when one has ended since it arrived", () => {
    const [one, two] = [open("qst_1"), open("qst_2", "per_ana")];
    expect(chooseQuestion(ANA, [one, two])).toEqual({ kind: "several", open: [one.pending, two.pending] });
    expect(chooseQuestion(ANA, [{ id: "qst_1", pending: null }, two])).toEqual({
      kind: "several",
      open: [two.pending],
    });
  });

  it("belongs to the question that ended while it waited, so that a repeat starts nothing", () => {
    const ended = { id: "qst_1", pending: null };
    expect(chooseQuestion(ANA, [ended])).toEqual({ kind: "one", question: ended });
  });

  it("answers nothing without a question, and none of another person, even if the writer may decide it", () => {
    expect(chooseQuestion(ANA, [])).toEqual({ kind: "none" });
    expect(chooseQuestion(BOSS, [open("qst_1", "per_ana")])).toEqual({ kind: "none" });
    expect(chooseQuestion({ ...ANA, mayAnswer: false }, [open("qst_1", "per_ana")])).toEqual({ kind: "none" });
    expect(isOpenTo({ ...BOSS, mayAnswer: false }, questionOf("qst_1"))).toBe(true);
  });
});

it("compares times of messages as numbers", () => {
  expect(isBefore("999999999.000001", "1700000000.000001")).toBe(true);
  expect(isBefore("1700000000.000002", "1700000000.000001")).toBe(false);
  expect(isBefore("1700000000.000001", "1700000000.000001")).toBe(false);
});

it("takes a text as a choice in any case, or as text", () => {
  expect(toAnswer(" lisbon ", ["Lisbon", "Porto"])).toEqual({ choice: "Lisbon" });
  expect(toAnswer("Braga", ["Lisbon", "Porto"])).toEqual({ text: "Braga" });
  expect(toAnswer("Braga", null)).toEqual({ text: "Braga" });
});
