/**
 * The files of the compiled catalogue. One file names all others by their hashes, so a version never changes, and a later
 * release reads what an earlier one wrote.
 */
import type { CatalogueAction, CatalogueStats, ListedAction } from "../ports/app-catalogue.ts";
import type { AppContent, CompiledApp } from "../ports/app-catalogue-table.ts";
import type { DescribedTrigger } from "./catalogue.ts";

/** The file that names the others. `list`: the hash of the list of actions. */
export interface SnapshotFile {
  readonly list: string;
  readonly stats: CatalogueStats;
  readonly apps: readonly CompiledApp[];
}

export interface AppFile {
  readonly actions: readonly CatalogueAction[];
  readonly triggers: readonly DescribedTrigger[];
}

/** UTF-16 units of a description in the list of all actions. */
const MAX_SUMMARY = 300;

export function getSnapshotKey(hash: string): string {
  return `catalogue/apps/${hash}`;
}

export function getListKey(hash: string): string {
  return `catalogue/list/${hash}`;
}

export function getAppKey(app: string, hash: string): string {
  return `catalogue/app/${app}/${hash}`;
}

export function formatSnapshot({ list, stats, apps }: SnapshotFile): string {
  return JSON.stringify({ list, stats, apps });
}

export function parseSnapshot(text: string): SnapshotFile {
  return JSON.parse(text) as SnapshotFile;
}

export function formatApp({ actions, triggers }: AppContent): string {
  return JSON.stringify({ actions, triggers });
}

export function parseApp(text: string): AppFile {
  return JSON.parse(text) as AppFile;
}

/** An action in the list: words that repeat are numbers, which makes the file a third shorter. */
type Row = readonly [
  action: string,
  app: number,
  title: string,
  description: string,
  tags: readonly number[],
  isOpen: 0 | 1,
  parameters: readonly number[],
  effect: number,
  security: number,
  because: number,
  capabilities: readonly number[],
  isDestructive: 0 | 1,
];

/** Formats the list of all actions. */
export class ActionListWriter {
  readonly #words = new Map<string, number>();
  readonly #rows: string[] = [];

  add(action: ListedAction): void {
    const { app, effect, security, because } = action;
    const row: Row = [
      action.action,
      this.#number(app),
      action.title,
      cutSummary(action.description),
      this.#numbers(action.tags),
      action.isOpen ? 1 : 0,
      this.#numbers(action.parameters),
      this.#number(effect),
      this.#number(security),
      this.#number(because),
      this.#numbers(action.capabilities),
      action.isDestructive ? 1 : 0,
    ];
    this.#rows.push(JSON.stringify(row));
  }

  format(): string {
    return `{"words":${JSON.stringify([...this.#words.keys()])},"actions":[${this.#rows.join(",\n")}]}`;
  }

  #numbers(words: readonly string[]): number[] {
    return words.map((word) => this.#number(word));
  }

  #number(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    this.#words.set(word, this.#words.size);
    return this.#words.size - 1;
  }
}

export function parseActionList(text: string): ListedAction[] {
  const { words, actions } = JSON.parse(text) as {
    readonly words: readonly string[];
    readonly actions: readonly Row[];
  };
  const word = (number: number): string => words[number] ?? "";
  return actions.map(
    ([
      action,
      app,
      title,
      description,
      tags,
      isOpen,
      parameters,
      effect,
      security,
      because,
      capabilities,
      isDestructive,
    ]) => ({
      action,
      app: word(app),
      title,
      description,
      tags: tags.map(word),
      isOpen: isOpen === 1,
      parameters: parameters.map(word),
      effect: word(effect) as ListedAction["effect"],
      security: word(security) as ListedAction["security"],
      because: word(because),
      capabilities: capabilities.map(word),
      isDestructive: isDestructive === 1,
    }),
  );
}

function cutSummary(text: string): string {
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1).toWellFormed()}…`;
}
