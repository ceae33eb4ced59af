/** Finds apps and actions by words and by category, without regard to case. */
import type { CatalogueApp } from "../../core/ports/app-catalogue.ts";

/** What a search reads of an app or an action. */
interface Described {
  readonly title: string;
  readonly description: string;
}

/** The texts of a snapshot in lower case. A snapshot never changes. */
const texts = new WeakMap<Described, string>();

/** Creates the judge of a search: every word has to be in the name, the title or the description. */
export function matchWords(search: string): <Item extends Described>(item: Item, name: string) => boolean {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return (item, name) => {
    if (words.length === 0) return true;
    const text = texts.get(item) ?? `${name}\n${item.title}\n${item.description}`.toLowerCase();
    texts.set(item, text);
    return words.every((word) => text.includes(word));
  };
}

/** The filter of a list of apps. Empty texts filter nothing. */
export interface AppFilter {
  readonly app: string;
  readonly category: string;
  readonly search: string;
  /** Absent: of every provider. */
  readonly provider?: CatalogueApp["provider"] | undefined;
}

/** Returns the offered apps that match, in their order. */
export function filterApps(apps: readonly CatalogueApp[], filter: AppFilter): readonly CatalogueApp[] {
  const [app, category] = [filter.app.toLowerCase(), filter.category.toLowerCase()];
  const matches = matchWords(filter.search);
  return apps.filter(
    (one) =>
      one.status === "active" &&
      (filter.provider === undefined || one.provider === filter.provider) &&
      (app === "" || one.app === app) &&
      (category === "" || one.categories.some((each) => each.toLowerCase() === category)) &&
      matches(one, one.app),
  );
}
