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

export interface AppSearch {
  /** Words that an action has. */
  readonly search?: string;
  /** Absent: the actions. */
  readonly view?: "triggers";
}

export function readAppSearch({ search, view }: Record<string, unknown>): AppSearch {
  return {
    ...(typeof search === "string" && search.trim() !== "" ? { search } : {}),
    ...(view === "triggers" ? { view } : {}),
  };
}
