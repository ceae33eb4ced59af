import { createRoute } from "@tanstack/react-router";
import { consoleRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

const VIEWS = ["instructions", "files", "versions"] as const;
type SkillView = (typeof VIEWS)[number];

/** What of a skill is looked at. `version` is a number or a hash; `from` and `to` are the versions that are compared. */
export interface SkillSearch {
  readonly view?: SkillView;
  readonly version?: string;
  readonly file?: string;
  readonly from?: string;
  readonly to?: string;
}

/** A version's number, or its hash. The router reads a text of digits alone as a number. */
function readVersion(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^(?:[1-9]\d{0,8}|[0-9a-f]{64})$/.test(text) ? text : undefined;
}

const skillsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/skills",
  validateSearch: ({ upload }: Record<string, unknown>): { upload?: true } => (upload === true ? { upload } : {}),
  component: lazyPage(async () => await import("./skills-page.tsx"), "SkillsPage"),
});

const skillRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: "/skills/$name",
  validateSearch: (search: Record<string, unknown>): SkillSearch => {
    const view = VIEWS.find((one) => one === search["view"]);
    const file = search["file"];
    const versions = { version: search["version"], from: search["from"], to: search["to"] };
    const named = Object.entries(versions).map(([key, value]) => [key, readVersion(value)] as const);
    return {
      ...(view === undefined ? {} : { view }),
      ...(typeof file === "string" ? { file } : {}),
      ...Object.fromEntries(named.filter(([, value]) => value !== undefined)),
    };
  },
  component: lazyPage(async () => await import("./skill-page.tsx"), "SkillPage"),
});

export const skillRoutes = { skillsRoute, skillRoute };
