/** What the addresses of the pages of apps say. */

export interface AppsSearch {
  /** Words of the name, the title or the description. */
  readonly search?: string;
  readonly category?: string;
}

/** Reads an address; what it does not know, it leaves out. */
export function readAppsSearch({ search, category }: Record<string, unknown>): AppsSearch {
  return {
    ...(typeof search === "string" && search.trim() !== "" ? { search } : {}),
    ...(typeof category === "string" && category !== "" ? { category } : {}),
  };
}

const VIEWS = ["choose", "triggers"] as const;

export interface AppSearch {
  /** Words that an action has. */
  readonly search?: string;
  /** Absent: the actions. `choose`: the choice of the enabled ones. */
  readonly view?: (typeof VIEWS)[number];
}

export function readAppSearch({ search, view }: Record<string, unknown>): AppSearch {
  const known = VIEWS.find((one) => one === view);
  return {
    ...(typeof search === "string" && search.trim() !== "" ? { search } : {}),
    ...(known === undefined ? {} : { view: known }),
  };
}
