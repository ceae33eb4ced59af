/**
 * Measures how well skills fit a task, by the words that their descriptions share with it. A word of fewer skills
 * weighs more; words of every kind of work weigh little. A wrong match takes tools away, so a skill has to share
 * several meaningful words, one of them from its name, and they have to be a good part of the task. A missed match
 * costs little: the model can load the skill.
 */
import { stem, toTerms, splitWords } from "../lib/tool-search/words.ts";
import type { Skill } from "./skill.ts";

/** A skill that fits a task, with its score from 0 to 1. */
export interface FittingSkill {
  readonly skill: Skill;
  readonly similarity: number;
}

/** Characters of a task that are compared: the request comes first, and material follows. */
const MAX_COMPARED = 600;
/** The weight of words that occur in any task. */
const COMMON_WEIGHT = 0.3;
/** The factor for a word of a skill's name. */
const NAME_FACTOR = 1.5;
/** The extra weight when the task contains a name of several words in order. */
const NAME_PHRASE = 1.5;
/** Shared words that are specific, in addition to one of the skill's name: fewer may coincide by chance. */
const MIN_SHARED = 3;
/** The weight that shared words need, the weight of a certain match, and their least share of the task's words. */
const ENOUGH = 2.7;
const CERTAIN = 5;
const ENOUGH_SHARE = 0.25;
/** The reduction of the needed weight when they are more than half of the task's words. */
const HALF = 0.5;
const LESS_FOR_SHARE = 1;
/** Other skills fit when they score nearly as high as the best. */
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
 * First words of tasks that handle, request or ask about an existing thing: the minutes are sent, not written. Such a
 * task fits only a skill whose description says that it does this.
 */
const HANDLING = new Set(
  `send forward share post publish delete remove move rename copy open close download upload print attach find search list
  count read run execute call pay buy order cancel schedule remind book fix show tell store save load install push pull
  who where when whose ask what which how why is are was were does did do has have will`
    .split(/\s+/)
    .map(stem),
);

/** After this, a description says when to use a skill, not what it does. */
const WHEN = /\buse (?:this |it |this skill )?(?:when|whenever|for|if)\b/i;

/** The skills that fit a task, the best first; usually none. Deterministic. */
export function findFittingSkills(text: string, skills: readonly Skill[]): FittingSkill[] {
  const words = toTerms(text.slice(0, MAX_COMPARED));
  if (words.length === 0) return [];
  const wanted = new Set(words);
  const start = stem(findFirstWord(text));
  const phrases = ` ${words.join(" ")} `;
  const described = skills.map((skill) => {
    const name = toTerms(skill.name);
    const isPhrase = name.length > 1 && phrases.includes(` ${name.join(" ")} `);
    const terms = new Set(toTerms(`${skill.name} ${skill.description}`));
    const does = new Set(toTerms(skill.description.split(WHEN, 1)[0] ?? ""));
    return { skill, name: new Set(name), terms, does, phrase: isPhrase ? NAME_PHRASE : 0 };
  });
  const getWeight = (term: string): number => {
    const known = described.filter(({ terms }) => terms.has(term)).length;
    return (COMMON.has(term) ? COMMON_WEIGHT : 1) / Math.sqrt(Math.max(1, known));
  };
  const weights = new Map(Array.from(wanted, (term) => [term, getWeight(term)]));
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

/** The first meaningful word of a task. */
function findFirstWord(text: string): string {
  const polite = new Set(["please", "can", "could", "would", "will", "you", "kindly", "hi", "hello", "now", "then"]);
  return splitWords(text.slice(0, MAX_COMPARED)).find((word) => !polite.has(word)) ?? "";
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
