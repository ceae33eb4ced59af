/** The 880 demo apps: six that work, well-known ones and made ones, which only describe actions. */
import { CATEGORIES, type Category, KNOWN_APPS, PREFIXES } from "./categories.ts";
import { toFraction, toInteger } from "./seeded.ts";
import { WORKING_APPS } from "./working/working-apps.ts";

export const APP_COUNT = 880;
export const ACTION_COUNT = 12_000;

export interface DemoApp {
  readonly slug: string;
  readonly title: string;
  readonly category: Category;
  readonly actionCount: number;
  readonly triggerCount: number;
  /** How people sign in; `none` for an app that works without an account. */
  readonly signIn: "oauth" | "key" | "own_client" | "none";
  /** False: its actions have no hints, as those of some apps at Composio. */
  readonly hasHints: boolean;
}

const [FIRST_CATEGORY] = CATEGORIES;

function findCategory(id: string): Category {
  return CATEGORIES.find((category) => category.id === id) ?? FIRST_CATEGORY;
}

/** All apps, in the order of the listing. */
export const APPS: readonly DemoApp[] = listApps();

function listApps(): DemoApp[] {
  const working = WORKING_APPS.map(({ slug, title, category, actions }) => ({
    slug,
    title,
    category: findCategory(category),
    actionCount: actions.length,
    triggerCount: 1,
    signIn: "oauth" as const,
    hasHints: true,
  }));
  const known = KNOWN_APPS.map(([slug, title, category, actionCount]) => ({
    ...describeApp(slug, title, findCategory(category)),
    actionCount,
  }));
  const fixed = [...working, ...known];
  const left = ACTION_COUNT - fixed.reduce((sum, { actionCount }) => sum + actionCount, 0);
  return [...fixed, ...shareActions(listMadeApps(APP_COUNT - fixed.length), left)];
}

function listMadeApps(count: number): DemoApp[] {
  return Array.from({ length: count }, (_, at) => {
    const category = CATEGORIES[at % CATEGORIES.length] ?? FIRST_CATEGORY;
    const title = `${PREFIXES[Math.floor(at / CATEGORIES.length)] ?? "Demo"} ${category.suffix}`;
    return describeApp(title.toLowerCase().replace(" ", ""), title, category);
  });
}

/** Gives each app at least one action, and all of them together `total`. */
function shareActions(apps: readonly DemoApp[], total: number): DemoApp[] {
  const weights = apps.map(({ slug }) => toFraction(`${slug} actions`) ** 2 + 0.1);
  const sum = weights.reduce((one, other) => one + other, 0);
  const counts = weights.map((weight) => 1 + Math.floor((weight / sum) * (total - apps.length)));
  const missing = total - counts.reduce((one, other) => one + other, 0);
  return apps.map((app, at) => ({ ...app, actionCount: (counts[at] ?? 1) + (at < missing ? 1 : 0) }));
}

function describeApp(slug: string, title: string, category: Category): DemoApp {
  const kind = toFraction(`${slug} signs in`);
  return {
    slug,
    title,
    category,
    actionCount: 1,
    triggerCount: toInteger(`${slug} triggers`, 4),
    signIn: kind < 0.55 ? "oauth" : kind < 0.9 ? "key" : kind < 0.97 ? "own_client" : "none",
    hasHints: toFraction(`${slug} has hints`) > 0.2,
  };
}
