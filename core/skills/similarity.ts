/**
 * How well the descriptions of skills fit a task, by the words that they share. A word says the more the fewer of the
 * skills have it; words of every kind of work say little. A skill that fits by mistake takes tools away, so it has to share
 * several words that say something, one of its name among them, which are a good part of what is asked. One that is missed
 * costs little: the model can load it.
 */
import { stem, toTerms, splitWords } from "../lib/tool-search/words.ts";
import type { Skill } from "./skill.ts";

/** A skill that fits a task, and how well, from 0 to 1. */
export interface FittingSkill {
  readonly skill: Skill;
  readonly similarity: number;
}

/** Characters of a task that are looked at: what is asked stands at its beginning, and material behind that. */
const MAX_LOOKED_AT = 600;
/** Words that a task of any kind has, and what they weigh. */
const COMMON_WEIGHT = 0.3;
/** What a word of a skill's name weighs more. */
const NAME_FACTOR = 1.5;
/** What it weighs that the task has all words of a skill's name one after the other, when there are several. */
const NAME_PHRASE = 1.5;
/** How many words have to be shared that are not of any kind of work, beside one of the skill's name: fewer meet by chance. */
const MIN_SHARED = 3;
/** What shared words have to weigh together, at which it is as good as certain, and which share of the task's words they are. */
const ENOUGH = 2.7;
const CERTAIN = 5;
const ENOUGH_SHARE = 0.25;
/** What less they have to weigh when they are more than half of the task's words. */
const HALF = 0.5;
const LESS_FOR_SHARE = 1;
/** Several skills fit when they fit nearly as well as the best. */
const NEARLY = 0.85;
const MAX_FITTING = 3;

const COMMON = new Set(
  `write draft create make new build prepare add change improve check review read extract find show list put plan work task
  file document text data report page table name user team company person people customer product number name date day
  week month year question content example result part thing place point word line color colour ask answer tell say know
  look see come go take set start next last first good right wrong long short summary summarise summarize explain describe
  analyse analyze compare fix test run open close send message mail email reply note folder web site search code program
  language style order price time total case version project service job role goal follow mark piece full whole own
  between without before after while mention want excel`
    .split(/\s+/)
    .flatMap(toTerms),
);

/**
 * Beginnings of tasks that handle a thing, ask for it, or ask about it, as it is: the minutes are sent, not written. No skill
 * fits these, however many words they share, but one that says of itself that it does just that.
 */
const HANDLING = new Set(
  `send forward share post publish delete remove move rename copy open close download upload print attach find search list
  count read run execute call pay buy order cancel schedule remind book fix show tell store save load install push pull
  who where when whose ask what which how why is are was were does did do has have will`
    .split(/\s+/)
    .map(stem),
);

/** Behind it a description says when a skill is used, not what it does. */
const WHEN = /\buse (?:this |it |this skill )?(?:when|whenever|for|if)\b/i;

/** The skills that fit a task, the best first; usually none. The same for the same texts. */
export function fittingSkills(text: string, skills: readonly Skill[]): FittingSkill[] {
  const words = toTerms(text.slice(0, MAX_LOOKED_AT));
  if (words.length === 0) return [];
  const asked = new Set(words);
  const start = stem(startOf(text));
  const phrases = ` ${words.join(" ")} `;
  const described = skills.map((skill) => {
    const name = toTerms(skill.name);
    const isPhrase = name.length > 1 && phrases.includes(` ${name.join(" ")} `);
    const terms = new Set(toTerms(`${skill.name} ${skill.description}`));
    const does = new Set(toTerms(skill.description.split(WHEN, 1)[0] ?? ""));
    return { skill, name: new Set(name), terms, does, phrase: isPhrase ? NAME_PHRASE : 0 };
  });
  const weightOf = (term: string): number => {
    const known = described.filter(({ terms }) => terms.has(term)).length;
    return (COMMON.has(term) ? COMMON_WEIGHT : 1) / Math.sqrt(Math.max(1, known));
  };
  const weights = new Map(Array.from(asked, (term) => [term, weightOf(term)]));
  const all = sum(weights.values());
  const fitting = described.flatMap(({ skill, name, terms, does, phrase }) => {
    const shared = [...weights].filter(([term]) => terms.has(term));
    const evidence = phrase + sum(shared.map(([term, weight]) => weight * (name.has(term) ? NAME_FACTOR : 1)));
    if (HANDLING.has(start) && !does.has(start)) return [];
    if (!shared.some(([term]) => name.has(term))) return [];
    if (shared.filter(([term]) => !COMMON.has(term)).length < MIN_SHARED) return [];
    const share = sum(shared.map(([, weight]) => weight)) / all;
    if (evidence < ENOUGH - LESS_FOR_SHARE * Math.max(0, share - HALF) || share < ENOUGH_SHARE) return [];
    return [{ skill, similarity: Math.round(100 * Math.min(1, evidence / CERTAIN)) / 100, evidence }];
  });
  fitting.sort((one, other) => other.evidence - one.evidence || (one.skill.name < other.skill.name ? -1 : 1));
  const best = fitting[0]?.evidence ?? 0;
  return fitting
    .filter(({ evidence }) => evidence >= NEARLY * best)
    .slice(0, MAX_FITTING)
    .map(({ skill, similarity }) => ({ skill, similarity }));
}

/** The first word of a task that says something. */
function startOf(text: string): string {
  const polite = new Set(["please", "can", "could", "would", "will", "you", "kindly", "hi", "hello", "now", "then"]);
  return splitWords(text.slice(0, MAX_LOOKED_AT)).find((word) => !polite.has(word)) ?? "";
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
