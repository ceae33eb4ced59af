/** Chooses the tables of a schema that a question in plain language may mean, by the words of names, comments and values. Pure. */
import { RELATED } from "../../lib/tool-search/related-words.ts";
import { toTerms } from "../../lib/tool-search/words.ts";
import type { TableFacts } from "../facts.ts";
import { measureText, writeTable } from "./write-table.ts";

const MAX_TABLES = 30;
/** Of all tables as a model reads them. */
const MAX_TOKENS = 9_000;
/** A table takes at most this share of the tokens that are left, so that the ones after it have some too. Columns beyond it are left out. */
const MAX_SHARE = 2 / 3;

/** How much a term counts by where it is, and how much one that is only related. */
const [IN_NAME, IN_COLUMN, IN_TEXT, AS_RELATED] = [4, 2, 1, 0.3];
/** A table gets this share of the scores of the two best tables that its foreign keys lead to, or that lead to it. */
const FROM_NEIGHBOURS = 0.3;

/** Returns the tables as a model reads them, the best first. */
export function chooseTables(tables: readonly TableFacts[], question: string): readonly string[] {
  const terms = weighTerms(question);
  const places = tables.map(listTerms);
  const rarity = measureRarity(places, [...terms.keys()]);
  const own = new Map(
    tables.map((table, index) => {
      let score = 0;
      for (const [term, weight] of terms) score += weight * (rarity.get(term) ?? 0) * (places[index]?.get(term) ?? 0);
      return [table.name, score] as const;
    }),
  );
  const neighbours = listNeighbours(tables);
  const total = ({ name }: TableFacts) => {
    const near = [...(neighbours.get(name) ?? [])].map((other) => own.get(other) ?? 0).toSorted((a, b) => b - a);
    return (own.get(name) ?? 0) + FROM_NEIGHBOURS * ((near[0] ?? 0) + (near[1] ?? 0));
  };
  const ranked = tables.map((table) => ({ table, score: total(table) })).toSorted((a, b) => b.score - a.score);
  let left = MAX_TOKENS;
  return ranked.slice(0, MAX_TABLES).flatMap(({ table }) => {
    const text = writeTable(table, new Set(terms.keys()), Math.floor(left * MAX_SHARE));
    left -= text === null ? 0 : measureText(text);
    return text ?? [];
  });
}

function weighTerms(question: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const own = toTerms(question);
  for (const term of own.flatMap((one) => RELATED.get(one) ?? [])) terms.set(term, AS_RELATED);
  for (const term of own) terms.set(term, 1);
  return terms;
}

/** The terms of a table, each with the weight of its best place. */
function listTerms({ name, comment, columns }: TableFacts): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const add = (text: string | null, weight: number) => {
    for (const term of toTerms(text ?? "")) found.set(term, Math.max(weight, found.get(term) ?? 0));
  };
  add(name, IN_NAME);
  add(comment, IN_COLUMN);
  for (const column of columns) {
    add(column.name, IN_COLUMN);
    add(column.comment, IN_TEXT);
    for (const value of column.values ?? []) add(value, IN_TEXT);
  }
  return found;
}

/** A term of few tables says more. */
function measureRarity(
  places: readonly ReadonlyMap<string, number>[],
  terms: readonly string[],
): ReadonlyMap<string, number> {
  return new Map(
    terms.map((term) => {
      const count = places.filter((place) => place.has(term)).length;
      return [term, count === 0 ? 0 : Math.log(1 + places.length / count)];
    }),
  );
}

function listNeighbours(tables: readonly TableFacts[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map(tables.map(({ name }) => [name, new Set<string>()]));
  for (const { name, references } of tables)
    for (const { table } of references) {
      found.get(name)?.add(table);
      found.get(table)?.add(name);
    }
  return found;
}
