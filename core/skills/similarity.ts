/**
 * Measures how well skills fit a task, by the words that their descriptions share with it. A word that few skills use
 * weighs more than one that many use, and a word that is common in any task weighs little. A wrong match takes tools
 * away from the task, so a skill has to share several uncommon words, one word of its name, and a minimum share of the
 * task's words. A missed match costs little, because the model can load the skill.
 */
import { stem, toTerms, splitWords } from "../lib/tool-search/words.ts";
import type { Skill } from "./skill.ts";

/** A skill that fits a task, with its score from 0 to 1. */
export interface FittingSkill {
  readonly skill: Skill;
  readonly similarity: number;
}

/** Maximum characters of a task that are compared. The request usually comes first, and its material after it. */
const MAX_COMPARED = 600;
/** The weight of words that occur in any task. */
const COMMON_WEIGHT = 0.3;
/** The factor for a word of a skill's name. */
const NAME_FACTOR = 1.5;
/** The extra weight when the task contains a skill's whole name, of two or more words. */
const NAME_PHRASE = 1.5;
/** Minimum number of shared words outside `COMMON`. Fewer can coincide by chance. */
const MIN_SHARED = 3;
/** The weight of shared words that a match needs. */
const MIN_EVIDENCE = 2.7;
/** The weight of shared words at which the similarity is 1. */
const FULL_EVIDENCE = 5;
/** The least share of the task's weight that the shared words need. */
const MIN_SHARE = 0.25;
/** Above this share, a match needs less evidence: `SHARE_DISCOUNT` less per unit of share. */
const DISCOUNT_FROM = 0.5;
const SHARE_DISCOUNT = 1;
/** Other skills fit when they have at least this fraction of the best one's evidence. */
const MIN_OF_BEST = 0.85;
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
 * First words of tasks about a thing that exists: to send the minutes is not to write them. Such a task fits only a
 * skill whose description says that it does this.
 */
const HANDLING = new Set(
  `send forward share post publish delete remove move rename copy open close download upload print attach find search list
  count read run execute call pay buy order cancel schedule remind book fix show tell store save load install push pull
  who where when whose ask what which how why is are was were does did do has have will`
    .split(/\s+/)
    .map(stem),
);

/** Matches where a description turns from what a skill does to when to use it. */
const WHEN = /\buse (?:this |it |this skill )?(?:when|whenever|for|if)\b/i;

/** Finds the skills that fit a task, best first. The result is usually empty. */
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
    if (evidence < MIN_EVIDENCE - SHARE_DISCOUNT * Math.max(0, share - DISCOUNT_FROM) || share < MIN_SHARE) return [];
    return [{ skill, similarity: Math.round(100 * Math.min(1, evidence / FULL_EVIDENCE)) / 100, evidence }];
  });
  fitting.sort((one, other) => other.evidence - one.evidence || (one.skill.name < other.skill.name ? -1 : 1));
  const best = fitting[0]?.evidence ?? 0;
  return fitting
    .filter(({ evidence }) => evidence >= MIN_OF_BEST * best)
    .slice(0, MAX_FITTING)
    .map(({ skill, similarity }) => ({ skill, similarity }));
}

/** Returns the first word of a task after polite ones. */
function findFirstWord(text: string): string {
  const polite = new Set(["please", "can", "could", "would", "will", "you", "kindly", "hi", "hello", "now", "then"]);
  return splitWords(text.slice(0, MAX_COMPARED)).find((word) => !polite.has(word)) ?? "";
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
