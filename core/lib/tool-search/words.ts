/** Splits text into search terms: at the joints of names, without most endings, without stop words. */

/** Scripts without spaces between words: their characters are paired. */
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}";
const RUN = new RegExp(`[${UNSPACED}]+|[\\p{L}\\p{N}]+`, "gu");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
/** The joints of `readFile` and `HTTPServer`; `URLs` has none. */
const JOINT = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}(?!s(?:$|\p{Lu}))\p{Ll})/u;
const HAS_UPPER = /\p{Lu}/u;
/** The most characters of one word. */
const MAX_WORD = 32;

/** Words that occur in every request and every summary. */
const STOP_WORDS = new Set(
  `a an the of to in for on and or is are be been being was were am do does did doing done has have had having with by as
  at from that this these those it its i me my mine we us our you your he she they them their his her him who whom whose
  can could would should will may might must shall please also what which when where how why if then than so just like
  need want wish help let lets give some any all more most very there here about into out up using use used via per such
  not no but both each other m ve d s t ll re im ive provide get give`.split(/\s+/),
);

/** True for a word, in lower case, that says nothing about what a text is about. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Returns the words of a text in lower case: `getHTTPReply` is get, http, reply. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const run of splitRuns(text)) pushWords(run, words);
  return words;
}

function pushWords(run: string, words: string[]): void {
  if (IS_UNSPACED.test(run)) pushPairs(run, words);
  else if (HAS_UPPER.test(run)) for (const part of run.split(JOINT)) words.push(part.slice(0, MAX_WORD).toLowerCase());
  else words.push(run.length > MAX_WORD ? run.slice(0, MAX_WORD) : run);
}

function pushPairs(run: string, words: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) words.push(run);
  for (let at = 0; at + 1 < characters.length; at += 1) words.push(`${characters[at]}${characters[at + 1]}`);
}

/** Returns the terms of a text, in order. */
export function toTerms(text: string): string[] {
  const terms: string[] = [];
  for (const run of splitRuns(text)) for (const term of readRun(run)) terms.push(term);
  return terms;
}

/** Returns the parts of a text without white space and punctuation. Each has terms of its own: none, one or more. */
export function splitRuns(text: string): readonly string[] {
  return text.match(RUN) ?? [];
}

/** Returns the terms of one part of a text. */
export function readRun(run: string): string[] {
  const words: string[] = [];
  pushWords(run, words);
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

const stems = new Map<string, string>();
/** The most cached words, some two megabytes; then the cache is cleared. */
const MAX_STEMS = 20_000;

/** Removes the endings of number and tense. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stemmed = cutEndings(word);
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(word, stemmed);
  return stemmed;
}

function cutEndings(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const single = toSingular(word);
  const verb = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(single)?.[1];
  const root = verb === undefined || verb.length < 3 ? single : verb.replace(/([bdgmnprt])\1$/, "$1");
  return root.length > 4 && root.endsWith("e") ? root.slice(0, -1) : root;
}

function toSingular(word: string): string {
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}
