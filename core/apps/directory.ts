/**
 * Apps whose makers run an MCP server of their own, to which people connect with OAuth and without the provider of the
 * catalogue. The list is code: no tenant changes it. A tenant that adds such an app has its server as an MCP server of
 * the app's name, to which each person connects an account.
 */
import type { CatalogueApp, CatalogueStats } from "../ports/app-catalogue.ts";

/** An entry of the directory. */
export interface DirectoryApp {
  /** In lower case, with the ending `-mcp`: no app of the catalogue has such a name. */
  readonly app: string;
  /** The name that people read. */
  readonly title: string;
  readonly description: string;
  /** Of the server: streamable HTTP. */
  readonly url: string;
  readonly categories: readonly string[];
  /** The public document that has the address. */
  readonly document: string;
  /** When that was read, as a date. */
  readonly checkedOn: string;
}

/** The entry as lists and searches read it. Its actions are known once its server was read. */
export function toListedApp({ app, title, description, categories, document }: DirectoryApp): CatalogueApp {
  return {
    app,
    title,
    description,
    categories,
    provider: "mcp",
    status: "active",
    logo: null,
    logoUrl: null,
    actionCount: 0,
    triggerCount: 0,
    authSchemes: ["OAUTH2"],
    managedSchemes: ["OAUTH2"],
    isOpen: false,
    guideUrl: document,
    version: null,
    updatedAt: null,
  };
}

/** The figures of the catalogue with those of the directory. Categories count as one in any case. */
export function addDirectoryStats(stats: CatalogueStats, directory: readonly DirectoryApp[]): CatalogueStats {
  const counts = new Map(stats.categories.map((one) => [one.category.toLowerCase(), { ...one }]));
  for (const category of directory.flatMap(({ categories }) => categories)) {
    const known = counts.get(category.toLowerCase());
    counts.set(category.toLowerCase(), { category: known?.category ?? category, apps: (known?.apps ?? 0) + 1 });
  }
  const categories = [...counts.values()].toSorted(
    (one, other) => other.apps - one.apps || one.category.localeCompare(other.category, "en"),
  );
  return { ...stats, apps: stats.apps + directory.length, categories };
}

/** Reads `name=url` pairs, separated by commas: the apps of the directory with these names, at these addresses. */
export function readReplacedDirectory(
  text: string,
  directory: readonly DirectoryApp[],
): readonly DirectoryApp[] | null {
  const replaced: DirectoryApp[] = [];
  for (const pair of text.split(",")) {
    const at = pair.indexOf("=");
    const entry = directory.find(({ app }) => app === pair.slice(0, Math.max(0, at)).trim());
    const url = URL.parse(pair.slice(at + 1).trim());
    if (entry === undefined || url === null || !/^https?:$/.test(url.protocol)) return null;
    replaced.push({ ...entry, url: url.href });
  }
  return replaced;
}

/** What people do when a server of the directory cannot be used. `why` is a whole sentence. */
export function describeDeadEntry({ title, url, document, checkedOn }: DirectoryApp, why: string): string {
  return `The MCP server of ${title} cannot be used. ${why} Otto knows its address, ${url}, from ${document} (${checkedOn}). Try again later; if its maker has moved it, an administrator adds the new address under MCP servers.`;
}
